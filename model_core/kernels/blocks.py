"""The inner loops of all products: a block of rows times tiles whose sums stay in registers.

A tile is a vector of 16 outputs. There is code for each number of rows in ROWS, with every sum in a
register from the first step to the last. Each output is summed over the steps in order, whatever the block,
so that it does not matter to the bits in which block a row was computed.
"""

from collections.abc import Callable, Iterable

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .simd import (
    _F32,
    _F32X16,
    _I8X16,
    _I8X64,
    _I16,
    _I32,
    _I32X16,
    ROWS,
    TILES,
    _broadcast,
    _dot4,
    _fma,
    _load,
    _load_widened,
    _splat,
    _store,
)

_n = types.intp


def _loop(
    b: ir.IRBuilder, steps: ir.Value, sums: list[ir.Value], body: Callable[[ir.Value, list], list[ir.Value]]
) -> list[ir.Value]:
    """Emit `for step in range(steps): sums = body(step, sums)`, at least once; returns the last sums."""
    entry, loop, done = b.block, b.append_basic_block("step"), b.append_basic_block("done")
    b.branch(loop)
    b.position_at_end(loop)
    step = b.phi(steps.type)
    phis = [b.phi(value.type) for value in sums]
    new = body(step, phis)
    following = b.add(step, steps.type(1))
    for phi, first, later in zip((step, *phis), (steps.type(0), *sums), (following, *new), strict=True):
        phi.add_incoming(first, entry)
        phi.add_incoming(later, loop)
    b.cbranch(b.icmp_signed("<", following, steps), loop, done)
    b.position_at_end(done)
    return new


def _places(b: ir.IRBuilder, base: ir.Value, stride: ir.Value, count: int) -> list[ir.Value]:
    return [base if i == 0 else b.add(base, b.mul(stride, stride.type(i))) for i in range(count)]


def _for_each(b: ir.IRBuilder, value: ir.Value, cases: Iterable[int], emit: Callable[[int], None]) -> None:
    """Emit code for each case, and the choice of one when it runs; a value that is no case does nothing."""
    after = b.append_basic_block("chosen")
    choice = b.switch(value, after)
    for case in cases:
        block = b.append_basic_block(f"case{case}")
        choice.add_case(value.type(case), block)
        b.position_at_end(block)
        emit(case)
        b.branch(after)
    b.position_at_end(after)


@intrinsic(prefer_literal=True)
def float_block(
    typing_context, kinds, tiles, kind, rows, w, w_step, w_tile, x, x_row, steps, y, y_row, accumulate
):
    """y[row, tile] (+)= sum over steps of x[row, step] * w[step, tile].

    kinds, tiles: constants, a tuple of the kinds that w may hold, and the tiles of a block.
    kind, rows: one of those kinds, and one of ROWS.
    w: address; a step further is w_step bytes on, a tile w_tile.
    x: address of floats, one a step; a row is x_row bytes on.
    y: address of floats, 16 a tile; a row is y_row bytes on. `accumulate` says whether to go on from them.
    """
    kinds_, tiles_ = [value.literal_value for value in kinds], tiles.literal_value

    def codegen(context, b, signature, args):
        kind, rows, *rest = args[2:]
        _for_each(
            b, kind, kinds_, lambda k: _for_each(b, rows, ROWS, lambda r: _floats(b, k, r, tiles_, *rest))
        )
        return context.get_dummy_value()

    return types.void(kinds, tiles, *[_n] * 11), codegen


def _floats(
    b: ir.IRBuilder,
    kind: int,
    rows: int,
    tiles: int,
    w: ir.Value,
    w_step: ir.Value,
    w_tile: ir.Value,
    x: ir.Value,
    x_row: ir.Value,
    steps: ir.Value,
    y: ir.Value,
    y_row: ir.Value,
    accumulate: ir.Value,
) -> None:
    xs, ws = _places(b, x, x_row, rows), _places(b, w, w_tile, tiles)
    places = [b.add(place, place.type(64 * t)) for place in _places(b, y, y_row, rows) for t in range(tiles)]

    def body(step: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        offset = b.mul(step, w_step)
        weights = [_load_widened(b, b.add(place, offset), kind) for place in ws]
        new = []
        for row in range(rows):
            value = _broadcast(b, _load(b, b.add(xs[row], b.mul(step, step.type(4))), _F32))
            new += [_fma(b, weights[t], value, sums[row * tiles + t]) for t in range(tiles)]
        return new

    sums = _loop(b, steps, [_before(b, place, accumulate) for place in places], body)
    for place, value in zip(places, sums, strict=True):
        _store(b, place, value)


def _before(b: ir.IRBuilder, place: ir.Value, accumulate: ir.Value) -> ir.Value:
    goes_on = b.icmp_signed("!=", accumulate, accumulate.type(0))
    return b.select(goes_on, _load(b, place, _F32X16), _splat(0.0, _F32X16))


@intrinsic
def integer_block(
    typing_context, rows, w, w_tile, x, x_row, steps, start, scale, run_row, y, y_row, accumulate
):
    """y[row, tile] (+)= scale[row] * (start[row] + sum over steps of four products), for TILES tiles.

    rows: one of ROWS.
    w: address of weights + 128, 64 bytes a step: 16 outputs of four consecutive k each; a tile is w_tile on.
    x: address of signed bytes, four a step; a row is x_row bytes on.
    start, scale: addresses of an int32 and a float of each row, run_row bytes apart.
    y, accumulate: as in float_block.
    """

    def codegen(context, b, signature, args):
        _for_each(b, args[0], ROWS, lambda rows: _integers(b, rows, *args[1:]))
        return context.get_dummy_value()

    return types.void(*[_n] * 12), codegen


def _integers(
    b: ir.IRBuilder,
    rows: int,
    w: ir.Value,
    w_tile: ir.Value,
    x: ir.Value,
    x_row: ir.Value,
    steps: ir.Value,
    start: ir.Value,
    scale: ir.Value,
    run_row: ir.Value,
    y: ir.Value,
    y_row: ir.Value,
    accumulate: ir.Value,
) -> None:
    xs, ys, ws = _places(b, x, x_row, rows), _places(b, y, y_row, rows), _places(b, w, w_tile, TILES)
    starts = [_broadcast(b, _load(b, place, _I32)) for place in _places(b, start, run_row, rows)]

    def body(step: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        offset = b.mul(step, step.type(64))
        weights = [_load(b, b.add(place, offset), _I8X64) for place in ws]
        new = []
        for row in range(rows):
            word = _load(b, b.add(xs[row], b.mul(step, step.type(4))), _I32)
            four = b.bitcast(_broadcast(b, word), _I8X64)
            new += [_dot4(b, sums[row * TILES + t], weights[t], four, 128) for t in range(TILES)]
        return new

    sums = _loop(b, steps, [value for value in starts for _ in range(TILES)], body)
    for row, place in enumerate(_places(b, scale, run_row, rows)):
        factor = _broadcast(b, _load(b, place, _F32))
        for t in range(TILES):
            target = b.add(ys[row], ys[row].type(64 * t))
            value = b.sitofp(sums[row * TILES + t], _F32X16)
            _store(b, target, _fma(b, value, factor, _before(b, target, accumulate)))


@intrinsic
def nibble_block(typing_context, w, w_tile, groups, groups_tile, x, sums, count, scale, y, accumulate):
    """integer_block for one row and 4-bit weights: y[tile] (+)= scale * sum over `count` groups, TILES tiles.

    A weight is (code - zero) * factor, with a zero and a factor for each 32 consecutive k of an output.
    w: address of codes, two a byte, 256 bytes a group; a tile w_tile on. A vector of 64 bytes holds
        eight consecutive k of 16 outputs: the first four in the low halves, the others in the high ones.
    groups: address of 16 bytes a group, factor + 16 * zero; a tile groups_tile on.
    x: address of signed bytes; sums: address of an int32 a group, the sum of its 32 x.
    scale: address of one float. y: 16 floats a tile.
    """

    def codegen(context, b, signature, args):
        w, w_tile, groups, groups_tile, x, sums, count, scale, y, accumulate = args
        ws, gs = _places(b, w, w_tile, TILES), _places(b, groups, groups_tile, TILES)

        def body(step, totals):
            offset, place = b.mul(step, step.type(256)), b.add(x, b.mul(step, step.type(32)))
            words = [
                b.bitcast(_broadcast(b, _load(b, b.add(place, place.type(4 * i)), _I32)), _I8X64)
                for i in range(8)
            ]
            total = _broadcast(b, _load(b, b.add(sums, b.mul(step, step.type(4))), _I32))
            new = []
            for t in range(TILES):
                dot = _splat(0, _I32X16)
                for i in range(4):
                    codes = _load(b, b.add(b.add(ws[t], offset), offset.type(64 * i)), _I8X64)
                    for half, word in zip(_nibbles(b, codes), words[2 * i : 2 * i + 2], strict=True):
                        dot = _dot4(b, dot, half, word, 0)
                pair = _load(b, b.add(gs[t], b.mul(step, step.type(16))), _I8X16)
                factor, zero = (b.zext(half, _I32X16) for half in _nibbles(b, pair))
                new.append(b.add(totals[t], b.mul(b.sub(dot, b.mul(zero, total)), factor)))
            return new

        totals = _loop(b, count, [_splat(0, _I32X16)] * TILES, body)
        factor = _broadcast(b, _load(b, scale, _F32))
        for t in range(TILES):
            target = b.add(y, y.type(64 * t))
            value = b.sitofp(totals[t], _F32X16)
            _store(b, target, _fma(b, value, factor, _before(b, target, accumulate)))
        return context.get_dummy_value()

    return types.void(*[_n] * 10), codegen


def _nibbles(b: ir.IRBuilder, bytes_: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The low and the high half of each byte."""
    return b.and_(bytes_, _splat(15, bytes_.type)), b.lshr(bytes_, _splat(4, bytes_.type))


@intrinsic
def expand_nibbles(typing_context, w, group, out):
    """32 k of 16 outputs from 4 bits to bytes, as integer_block takes them: (code - zero) * factor + 128.

    w: address of 256 bytes of codes; group: address of 16 bytes; out: address of 512 bytes.
    """

    def codegen(context, b, signature, args):
        w, group, out = args
        wide = ir.VectorType(_I16, 64)
        each_four_times = ir.Constant(ir.VectorType(_I32, 64), [i // 4 for i in range(64)])
        factor, zero = (
            b.zext(b.shuffle_vector(half, ir.Constant(_I8X16, ir.Undefined), each_four_times), wide)
            for half in _nibbles(b, _load(b, group, _I8X16))
        )
        for i in range(4):
            for j, half in enumerate(_nibbles(b, _load(b, b.add(w, w.type(64 * i)), _I8X64))):
                value = b.add(b.mul(b.sub(b.zext(half, wide), zero), factor), _splat(128, wide))
                _store(b, b.add(out, out.type(64 * (2 * i + j))), b.trunc(value, _I8X64))
        return context.get_dummy_value()

    return types.void(_n, _n, _n), codegen
