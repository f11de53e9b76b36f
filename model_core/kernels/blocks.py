"""The inner loops of all products: a block of rows times tiles whose sums stay in registers.

A tile is a vector of 16 outputs. There is code for each number of rows in ROWS, with every sum in a
register from the first step to the last. Each output is summed over the steps in order, whatever the block,
so that it does not matter to the bits in which block a row was computed.
"""

from collections.abc import Callable, Iterable

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from . import emit
from .emit import INT4, INT8, ROWS, TILES

# Outputs that one thread computes in one go: weights are padded to strips of this many.
STRIP = 64

# What a block may be asked for: a number of rows; or the same below zero, while it fetches what comes next.
# That costs up to a quarter of its speed, and so is code of its own.
CASES = (*ROWS, *(-rows for rows in ROWS if rows > 1))

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
    typing_context,
    kinds,
    tiles,
    kind,
    rows,
    w,
    w_step,
    w_tile,
    ahead,
    also,
    also_step,
    x,
    x_row,
    steps,
    y,
    y_row,
    accumulate,
):
    """y[row, tile] (+)= sum over steps of x[row, step] * w[step, tile].

    kinds, tiles: constants, a tuple of the kinds that w may hold, and the tiles of a block.
    kind, rows: one of those kinds, and one of CASES.
    w: address; a step further is w_step bytes on, a tile w_tile.
    ahead, also: addresses of what is fetched, w_step and also_step bytes a step.
    x: address of floats, one a step; a row is x_row bytes on.
    y: address of floats, 16 a tile; a row is y_row bytes on. `accumulate` says whether to go on from them.
    """
    kinds_, tiles_ = [value.literal_value for value in kinds], tiles.literal_value

    def codegen(context, b, signature, args):
        kind, rows, *rest = args[2:]
        _for_each(
            b, kind, kinds_, lambda k: _for_each(b, rows, CASES, lambda r: _floats(b, k, r, tiles_, *rest))
        )
        return context.get_dummy_value()

    return types.void(kinds, tiles, *[_n] * 14), codegen


def _floats(
    b: ir.IRBuilder,
    kind: int,
    rows: int,
    tiles: int,
    w: ir.Value,
    w_step: ir.Value,
    w_tile: ir.Value,
    ahead: ir.Value,
    also: ir.Value,
    also_step: ir.Value,
    x: ir.Value,
    x_row: ir.Value,
    steps: ir.Value,
    y: ir.Value,
    y_row: ir.Value,
    accumulate: ir.Value,
) -> None:
    fetched = [(ahead, w_step), (also, also_step)] if rows < 0 else []
    rows = abs(rows)
    xs, ws = _places(b, x, x_row, rows), _places(b, w, w_tile, tiles)
    places = [b.add(place, place.type(64 * t)) for place in _places(b, y, y_row, rows) for t in range(tiles)]

    def body(step: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        offset = b.mul(step, w_step)
        weights = [emit.load_widened(b, b.add(place, offset), kind) for place in ws]
        for place, size in fetched:
            _prefetch(b, b.add(place, b.mul(step, size)))
        new = []
        for row in range(rows):
            value = emit.broadcast(b, emit.load(b, b.add(xs[row], b.mul(step, step.type(4))), emit.F32))
            new += [emit.fma(b, weights[t], value, sums[row * tiles + t]) for t in range(tiles)]
        return new

    sums = _loop(b, steps, [_before(b, place, accumulate) for place in places], body)
    for place, value in zip(places, sums, strict=True):
        emit.store(b, place, value)


def _before(b: ir.IRBuilder, place: ir.Value, accumulate: ir.Value) -> ir.Value:
    goes_on = b.icmp_signed("!=", accumulate, accumulate.type(0))
    return b.select(goes_on, emit.load(b, place, emit.F32X16), emit.splat(0.0, emit.F32X16))


@intrinsic
def integer_block(
    typing_context,
    kind,
    rows,
    w,
    w_tile,
    groups,
    groups_tile,
    x,
    x_row,
    count,
    start,
    scale,
    run_row,
    ahead,
    ahead_step,
    also,
    also_step,
    y,
    y_row,
    accumulate,
):
    """y[row, tile] (+)= scale[row] * (start[row] + sum over k of x[row, k] * w[k, tile]), for TILES tiles.

    kind: INT8 or INT4. rows: one of CASES.
    w: address of weights + 128, 4 consecutive k of the 16 outputs of a tile in 64 bytes; or of codes of 4
        bits, 8 consecutive k, the first four in the low halves of bytes and the others in the high ones. A
        tile is w_tile bytes on: so a strip is read as several streams, which processors fetch ahead better
        than one.
    groups: of INT4, address of a byte for each 32 k and output, factor + 16 * zero, where a weight is
        (code - zero) * factor; a tile is groups_tile bytes on.
    x: address of signed bytes; a row is x_row bytes on. count: how many times 32 k.
    start, scale: addresses of an int32 and a float of each row, run_row bytes apart.
    ahead, also: addresses of what is fetched, ahead_step and also_step bytes every 32 k.
    y, accumulate: as in float_block.
    """

    def codegen(context, b, signature, args):
        kind, rows, *rest = args
        _for_each(
            b, kind, (INT8, INT4), lambda k: _for_each(b, rows, CASES, lambda r: _integers(b, k, r, *rest))
        )
        return context.get_dummy_value()

    return types.void(*[_n] * 19), codegen


def _integers(
    b: ir.IRBuilder,
    kind: int,
    rows: int,
    w: ir.Value,
    w_tile: ir.Value,
    groups: ir.Value,
    groups_tile: ir.Value,
    x: ir.Value,
    x_row: ir.Value,
    count: ir.Value,
    start: ir.Value,
    scale: ir.Value,
    run_row: ir.Value,
    ahead: ir.Value,
    ahead_step: ir.Value,
    also: ir.Value,
    also_step: ir.Value,
    y: ir.Value,
    y_row: ir.Value,
    accumulate: ir.Value,
) -> None:
    fetched = [(ahead, ahead_step), (also, also_step)] if rows < 0 else []
    rows = abs(rows)
    xs, ys = _places(b, x, x_row, rows), _places(b, y, y_row, rows)
    starts = [emit.broadcast(b, emit.load(b, place, emit.I32)) for place in _places(b, start, run_row, rows)]
    ws, gs = _places(b, w, w_tile, TILES), _places(b, groups, groups_tile, TILES)
    eighths = [b.lshr(size, size.type(3)) for _, size in fetched]

    def body(step: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        at = [b.add(place, b.mul(step, step.type(512 if kind == INT8 else 256))) for place in ws]
        first = [b.add(place, b.mul(step, step.type(32))) for place in xs]
        groups = [b.add(place, b.mul(step, step.type(16))) for place in gs] if kind == INT4 else []
        weights = _bytes if kind == INT8 else _expanded(b, groups)
        for four in range(8):
            tiles = weights(b, at, four)
            for (place, size), eighth in zip(fetched, eighths, strict=True):
                so_far = b.add(b.mul(step, size), b.mul(eighth, eighth.type(four)))
                _prefetch(b, b.add(place, so_far))
            new = []
            for row in range(rows):
                word = emit.load(b, b.add(first[row], first[row].type(4 * four)), emit.I32)
                same = b.bitcast(emit.broadcast(b, word), emit.I8X64)
                new += [emit.dot4(b, sums[row * TILES + t], tiles[t], same, 128) for t in range(TILES)]
            sums = new
        return sums

    sums = _loop(b, count, [value for value in starts for _ in range(TILES)], body)
    for row, place in enumerate(_places(b, scale, run_row, rows)):
        factor = emit.broadcast(b, emit.load(b, place, emit.F32))
        for t in range(TILES):
            target = b.add(ys[row], ys[row].type(64 * t))
            value = b.sitofp(sums[row * TILES + t], emit.F32X16)
            emit.store(b, target, emit.fma(b, value, factor, _before(b, target, accumulate)))


def _bytes(b: ir.IRBuilder, at: list[ir.Value], four: int) -> list[ir.Value]:
    """Four consecutive k, the `four`th of eight times four, of each tile."""
    return [emit.load(b, b.add(place, place.type(64 * four)), emit.I8X64) for place in at]


def _expanded(b: ir.IRBuilder, groups: list[ir.Value]) -> Callable[..., list[ir.Value]]:
    """As `_bytes`, from codes of 4 bits: (code - zero) * factor + 128.

    Two bytes are multiplied as one number of 16 bits: a product is at most 15 * 15, so none runs over into
    its neighbour. The rest is added modulo 256, where the sum is right.
    """
    wide = ir.VectorType(emit.I16, 32)
    factors, rests = [], []
    for place in groups:
        pair = b.zext(emit.load(b, place, emit.I8X16), emit.I32X16)
        factor, zero = _nibbles(b, pair)
        rest = b.sub(emit.splat(128, emit.I32X16), b.mul(factor, zero))
        rest = b.mul(b.and_(rest, emit.splat(255, emit.I32X16)), emit.splat(0x01010101, emit.I32X16))
        factors.append(b.bitcast(b.mul(factor, emit.splat(0x00010001, emit.I32X16)), wide))
        rests.append(b.bitcast(rest, emit.I8X64))

    def weights(b: ir.IRBuilder, at: list[ir.Value], four: int) -> list[ir.Value]:
        tiles = []
        for place, factor, rest in zip(at, factors, rests, strict=True):
            codes = emit.load(b, b.add(place, place.type(64 * (four // 2))), emit.I8X64)
            product = b.mul(b.bitcast(_nibbles(b, codes)[four % 2], wide), factor)
            tiles.append(b.add(b.bitcast(product, emit.I8X64), rest))
        return tiles

    return weights


def _prefetch(b: ir.IRBuilder, address: ir.Value) -> None:
    """Ask for a cache line that is needed soon."""
    pointer = ir.PointerType(ir.IntType(8))
    kind = ir.FunctionType(ir.VoidType(), [pointer, emit.I32, emit.I32, emit.I32])
    name = "llvm.prefetch.p0"
    function = b.module.globals.get(name) or ir.Function(b.module, kind, name)
    b.call(function, [b.inttoptr(address, pointer), emit.I32(0), emit.I32(2), emit.I32(1)])


def _nibbles(b: ir.IRBuilder, vector: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The low and the high four of the lowest eight bits of each number."""
    return b.and_(vector, emit.splat(15, vector.type)), b.lshr(vector, emit.splat(4, vector.type))


@intrinsic
def expand(typing_context, w, groups, out):
    """32 k of a tile from 4 bits to bytes, as integer_block takes them. Addresses as there."""

    def codegen(context, b, signature, args):
        w, groups, out = args
        weights = _expanded(b, [groups])
        for four in range(8):
            emit.store(b, b.add(out, out.type(64 * four)), weights(b, [w], four)[0])
        return context.get_dummy_value()

    return types.void(_n, _n, _n), codegen
