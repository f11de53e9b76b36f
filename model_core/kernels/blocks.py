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

# Outputs that a thread computes together: weights are padded to strips of this many.
STRIP = 64

# The variants of a block: a number of rows, or its negative to prefetch weights as well. Prefetching costs up
# to a quarter of the speed, so it is compiled separately.
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
    next_sums = body(step, phis)
    next_step = b.add(step, steps.type(1))
    for phi, first, updated in zip(
        (step, *phis), (steps.type(0), *sums), (next_step, *next_sums), strict=True
    ):
        phi.add_incoming(first, entry)
        phi.add_incoming(updated, loop)
    b.cbranch(b.icmp_signed("<", next_step, steps), loop, done)
    b.position_at_end(done)
    return next_sums


def _addresses(b: ir.IRBuilder, base: ir.Value, stride: ir.Value, count: int) -> list[ir.Value]:
    return [base if i == 0 else b.add(base, b.mul(stride, stride.type(i))) for i in range(count)]


def _emit_cases(b: ir.IRBuilder, value: ir.Value, cases: Iterable[int], emit: Callable[[int], None]) -> None:
    """Emit code for each case and the switch between them; any other value does nothing."""
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
    prefetch_a,
    prefetch_b,
    prefetch_b_step,
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
    w: address of the weights; w_step bytes from step to step, w_tile from tile to tile.
    prefetch_a, prefetch_b: addresses to prefetch, advancing w_step and prefetch_b_step bytes a step.
    x: address of floats, one a step; x_row bytes from row to row.
    y: address of floats, 16 a tile; y_row bytes from row to row. accumulate: whether to add to them.
    """
    kinds_, tiles_ = [value.literal_value for value in kinds], tiles.literal_value

    def codegen(context, b, signature, args):
        kind, rows, *rest = args[2:]
        _emit_cases(
            b, kind, kinds_, lambda k: _emit_cases(b, rows, CASES, lambda r: _floats(b, k, r, tiles_, *rest))
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
    prefetch_a: ir.Value,
    prefetch_b: ir.Value,
    prefetch_b_step: ir.Value,
    x: ir.Value,
    x_row: ir.Value,
    steps: ir.Value,
    y: ir.Value,
    y_row: ir.Value,
    accumulate: ir.Value,
) -> None:
    fetched = [(prefetch_a, w_step), (prefetch_b, prefetch_b_step)] if rows < 0 else []
    rows = abs(rows)
    xs, ws = _addresses(b, x, x_row, rows), _addresses(b, w, w_tile, tiles)
    addresses = [
        b.add(address, address.type(64 * t))
        for address in _addresses(b, y, y_row, rows)
        for t in range(tiles)
    ]

    def body(step: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        offset = b.mul(step, w_step)
        weights = [emit.load_widened(b, b.add(address, offset), kind) for address in ws]
        for address, size in fetched:
            _prefetch(b, b.add(address, b.mul(step, size)))
        next_sums = []
        for row in range(rows):
            value = emit.broadcast(b, emit.load(b, b.add(xs[row], b.mul(step, step.type(4))), emit.F32))
            next_sums += [emit.fma(b, weights[t], value, sums[row * tiles + t]) for t in range(tiles)]
        return next_sums

    sums = _loop(b, steps, [_initial_sum(b, address, accumulate) for address in addresses], body)
    for address, value in zip(addresses, sums, strict=True):
        emit.store(b, address, value)


def _initial_sum(b: ir.IRBuilder, address: ir.Value, accumulate: ir.Value) -> ir.Value:
    continues = b.icmp_signed("!=", accumulate, accumulate.type(0))
    return b.select(continues, emit.load(b, address, emit.F32X16), emit.splat(0.0, emit.F32X16))


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
    prefetch_a,
    prefetch_a_step,
    prefetch_b,
    prefetch_b_step,
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
    prefetch_a, prefetch_b: addresses to prefetch, advancing by their step in bytes every 32 k.
    y, accumulate: as in float_block.
    """

    def codegen(context, b, signature, args):
        kind, rows, *rest = args
        _emit_cases(
            b, kind, (INT8, INT4), lambda k: _emit_cases(b, rows, CASES, lambda r: _integers(b, k, r, *rest))
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
    prefetch_a: ir.Value,
    prefetch_a_step: ir.Value,
    prefetch_b: ir.Value,
    prefetch_b_step: ir.Value,
    y: ir.Value,
    y_row: ir.Value,
    accumulate: ir.Value,
) -> None:
    fetched = [(prefetch_a, prefetch_a_step), (prefetch_b, prefetch_b_step)] if rows < 0 else []
    rows = abs(rows)
    xs, ys = _addresses(b, x, x_row, rows), _addresses(b, y, y_row, rows)
    starts = [
        emit.broadcast(b, emit.load(b, address, emit.I32)) for address in _addresses(b, start, run_row, rows)
    ]
    ws, gs = _addresses(b, w, w_tile, TILES), _addresses(b, groups, groups_tile, TILES)
    eighths = [b.lshr(size, size.type(3)) for _, size in fetched]

    def body(step: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        at = [b.add(address, b.mul(step, step.type(512 if kind == INT8 else 256))) for address in ws]
        first = [b.add(address, b.mul(step, step.type(32))) for address in xs]
        groups = [b.add(address, b.mul(step, step.type(16))) for address in gs] if kind == INT4 else []
        weights = _bytes if kind == INT8 else _expand_nibbles(b, groups)
        for quad in range(8):
            tiles = weights(b, at, quad)
            for (address, size), eighth in zip(fetched, eighths, strict=True):
                offset = b.add(b.mul(step, size), b.mul(eighth, eighth.type(quad)))
                _prefetch(b, b.add(address, offset))
            next_sums = []
            for row in range(rows):
                word = emit.load(b, b.add(first[row], first[row].type(4 * quad)), emit.I32)
                copies = b.bitcast(emit.broadcast(b, word), emit.I8X64)
                next_sums += [
                    emit.dot4(b, sums[row * TILES + t], tiles[t], copies, 128) for t in range(TILES)
                ]
            sums = next_sums
        return sums

    sums = _loop(b, count, [value for value in starts for _ in range(TILES)], body)
    for row, address in enumerate(_addresses(b, scale, run_row, rows)):
        factor = emit.broadcast(b, emit.load(b, address, emit.F32))
        for t in range(TILES):
            target = b.add(ys[row], ys[row].type(64 * t))
            value = b.sitofp(sums[row * TILES + t], emit.F32X16)
            emit.store(b, target, emit.fma(b, value, factor, _initial_sum(b, target, accumulate)))


def _bytes(b: ir.IRBuilder, at: list[ir.Value], quad: int) -> list[ir.Value]:
    """Four consecutive k of each tile: quad 0 to 7 of 32."""
    return [emit.load(b, b.add(address, address.type(64 * quad)), emit.I8X64) for address in at]


def _expand_nibbles(b: ir.IRBuilder, groups: list[ir.Value]) -> Callable[..., list[ir.Value]]:
    """As `_bytes`, from codes of 4 bits: (code - zero) * factor + 128.

    Two bytes are multiplied as one 16-bit number: a product is at most 15 * 15, so it does not overflow into
    the next byte. The offset is added modulo 256, where the sum is exact.
    """
    wide = ir.VectorType(emit.I16, 32)
    factors, rests = [], []
    for address in groups:
        pair = b.zext(emit.load(b, address, emit.I8X16), emit.I32X16)
        factor, zero = _nibbles(b, pair)
        rest = b.sub(emit.splat(128, emit.I32X16), b.mul(factor, zero))
        rest = b.mul(b.and_(rest, emit.splat(255, emit.I32X16)), emit.splat(0x01010101, emit.I32X16))
        factors.append(b.bitcast(b.mul(factor, emit.splat(0x00010001, emit.I32X16)), wide))
        rests.append(b.bitcast(rest, emit.I8X64))

    def weights(b: ir.IRBuilder, at: list[ir.Value], quad: int) -> list[ir.Value]:
        tiles = []
        for address, factor, rest in zip(at, factors, rests, strict=True):
            codes = emit.load(b, b.add(address, address.type(64 * (quad // 2))), emit.I8X64)
            product = b.mul(b.bitcast(_nibbles(b, codes)[quad % 2], wide), factor)
            tiles.append(b.add(b.bitcast(product, emit.I8X64), rest))
        return tiles

    return weights


def _prefetch(b: ir.IRBuilder, address: ir.Value) -> None:
    """Prefetch a cache line."""
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
        weights = _expand_nibbles(b, [groups])
        for quad in range(8):
            emit.store(b, b.add(out, out.type(64 * quad)), weights(b, [w], quad)[0])
        return context.get_dummy_value()

    return types.void(_n, _n, _n), codegen
