"""Products on tiles: Intel AMX, which multiplies 16 rows by 16 outputs by 64 bytes of k in 16 cycles.

Tiles multiply what vectors do (strips.py), in the same packing. Sums of bytes are exact, so rows may go
through either. bfloat16 products are rounded on the way, in an order that the instruction fixes: within 32 k
the even and the odd products are summed apart, each by fused multiply-adds in order of k, then both together,
then that to the sum so far. It depends neither on the other rows of a tile nor on their number. So all rows
go through tiles, single ones too, in the same steps of k.

Kernels use this file only where emit.HAS_AMX says so.
"""

from collections.abc import Iterator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .. import emit
from ..blocks import Strided, Sums, emit_addresses, emit_cases, initial_sum, prefetch
from ..emit import HAS_AMX
from ..inner import inner
from ..layout import BFLOAT16, STRIP

TILE_ROWS = 16
# Fewer rows of bytes are multiplied faster by vectors.
_MIN_ROWS = 12
_BLOCK = 4 * TILE_ROWS * STRIP  # bytes of the sums of a block, int32 [TILE_ROWS, STRIP]
_BLOCK_TILES = STRIP // 16
_TILE = 1024  # bytes
# How many cache lines of weights a square of bfloat16 may prefetch in a step; 32: 16 of each of two tiles.
FETCHED = (0, 1, 2, 4, 8, 16, 32)

_n = types.intp


def _call(b: ir.IRBuilder, name: str, *args: ir.Value) -> None:
    emit.call(b, f"llvm.x86.{name}", ir.VoidType(), *args)


def _load_tile(b: ir.IRBuilder, tile: int, address: ir.Value, row: ir.Value) -> None:
    _call(b, "tileloadd64", emit.I8(tile), emit.pointer(b, address, emit.I8), row)


def _store_tile(b: ir.IRBuilder, tile: int, address: ir.Value, row: ir.Value) -> None:
    _call(b, "tilestored64", emit.I8(tile), emit.pointer(b, address, emit.I8), row)


@intrinsic
def _configure(typing_context):
    """Give the calling thread eight tiles of 16 rows of 64 bytes."""

    def code(b: ir.IRBuilder) -> None:
        shape = [1, *[0] * 15, *[64, 0] * 8, *[0] * 16, *[TILE_ROWS] * 8, *[0] * 8]  # palette, widths, rows
        kind = ir.ArrayType(emit.I8, len(shape))
        name = b.module.get_unique_name("tile_shapes")
        constant = cgutils.global_constant(b.module, name, ir.Constant(kind, shape))
        _call(b, "ldtilecfg", b.bitcast(constant, ir.PointerType(emit.I8)))

    return emit.typed(types.void, (), code)


@intrinsic
def _release(typing_context):
    """Give the tiles back, so that the system need not keep 8 KiB more when it switches threads."""
    return emit.typed(types.void, (), lambda b: _call(b, "tilerelease"))


@inner
def begin_tiles():
    """Prepare the calling thread for products on tiles, until `end_tiles`."""
    if HAS_AMX:
        _configure()


@inner
def end_tiles():
    """Give back what `begin_tiles` took."""
    if HAS_AMX:
        _release()


@intrinsic
def _int8_block(typing_context, steps, w, x, to, done, run, scales, y):
    """to = x times w in integers, while y (+)= scale * factor * (start + done) of the block before.

    Tile products are emitted with the vector instructions of the block before between them: one of the two
    units alone would leave the other idle.

    steps: how many times 64 k, 1 to 4; 0: only finish what is left.
    w: Strided, tiles of weights + 128, as blocks.Codes has them.
    x: Strided, rows of signed bytes [TILE_ROWS, 64 * steps].
    to, done: addresses of int32 [TILE_ROWS, STRIP]; done 0: there is no block before.
    run: Strided, the factor of each row and its start, -128 * sum(x).
    scales: address of the scale of each output, bfloat16 [STRIP].
    y: Sums of TILE_ROWS rows of STRIP outputs, without gaps.
    """

    def code(b: ir.IRBuilder, *args: ir.Value) -> None:
        steps, w, x, to, done, run, scales, y = args
        ws = [b.add(w.at, b.mul(w.stride, w.stride.type(tile))) for tile in range(_BLOCK_TILES)]

        def finish() -> Iterator[None]:
            """Finish the block before, a vector at a time."""
            of_tiles = [
                emit.load_widened(b, emit.at(b, scales, 32 * tile), BFLOAT16) for tile in range(_BLOCK_TILES)
            ]
            for row in range(TILE_ROWS):
                own = b.add(run.at, b.mul(run.stride, run.stride.type(row)))
                factor = emit.broadcast(b, emit.load(b, own, emit.F32))
                start = emit.broadcast(b, emit.load(b, emit.at(b, own, 4), emit.I32))
                for tile in range(_BLOCK_TILES):
                    place = 4 * STRIP * row + 64 * tile
                    sums = b.add(emit.load(b, emit.at(b, done, place), emit.I32X16), start)
                    target = emit.at(b, y.at, place)
                    before = initial_sum(b, target, y.accumulate)
                    own_factor = b.fmul(of_tiles[tile], factor)
                    emit.store(b, target, emit.fma(b, b.sitofp(sums, emit.F32X16), own_factor, before))
                    yield

        def multiply(steps: int, vectors: Iterator[None]) -> None:
            for tile in range(_BLOCK_TILES if steps else 0):
                _call(b, "tilezero", emit.I8(tile))
            for step in range(steps):
                _load_tile(b, 4, emit.at(b, x.at, 64 * step), x.stride)
                for tile in range(_BLOCK_TILES):
                    weights = 5 + (4 * step + tile) % 3  # in turn: a load need not wait for the last product
                    _load_tile(b, weights, emit.at(b, ws[tile], 1024 * step), emit.I64(64))
                    _call(b, "tdpbsud", emit.I8(tile), emit.I8(4), emit.I8(weights))
                    for _ in range(TILE_ROWS // steps):
                        next(vectors, None)
            for _ in vectors:
                pass
            for tile in range(_BLOCK_TILES if steps else 0):
                _store_tile(b, tile, emit.at(b, to, 64 * tile), emit.I64(4 * STRIP))

        with b.if_else(b.icmp_signed("!=", done, done.type(0))) as (yes, no):
            with yes:
                emit_cases(b, steps, range(5), lambda count: multiply(count, finish()))
            with no:
                emit_cases(b, steps, range(1, 5), lambda count: multiply(count, iter(())))

    return emit.typed(types.void, (_n, w, x, _n, _n, run, _n, y), code)


@inner
def multiply_int8(steps, w, x, run, scales, rows, y, blocks):
    """y[row] (+)= scale * factor[row] * x[row] times w, for the first of `rows`. Returns how many these are.

    They are all but fewer than _MIN_ROWS; their last block may end behind `rows`. steps: how many times 64 k,
    at most 4. blocks: address of 2 * _BLOCK bytes of the thread's own. For the others see _int8_block.
    """
    row = turn = done = done_run = done_y = 0
    while rows - row >= _MIN_ROWS:
        to = blocks + turn * _BLOCK
        now = Strided(x.at + row * x.stride, x.stride)
        before = Sums(done_y, y.stride, y.accumulate)
        _int8_block(steps, w, now, to, done, Strided(done_run, run.stride), scales, before)
        done, done_run, done_y = to, run.at + row * run.stride, y.at + y.stride * row
        turn = 1 - turn
        row += TILE_ROWS
    if done:
        before = Sums(done_y, y.stride, y.accumulate)
        _int8_block(0, w, x, 0, done, Strided(done_run, run.stride), scales, before)
    return row


@intrinsic
def bfloat16_square(typing_context, parts, steps, w, fetched, ahead, x, x_part, y):
    """y (+)= the parts of x times w, for 2 * TILE_ROWS rows and 32 outputs, which take the fewest loads.

    parts: 1 or 2. steps: how many times 32 k, at least 1. w: Strided, two tiles of weights in pairs: bfloat16
    [16 * steps, 16, 2]. fetched: how many lines of weights to prefetch in each step, one of FETCHED. ahead:
    Strided, where they are. x: Strided, rows of bfloat16 [32 * steps], and the low parts x_part bytes on.
    y: Sums.
    """

    def code(b: ir.IRBuilder, *args: ir.Value) -> None:
        parts, steps, w, fetched, ahead, x, x_part, y = args
        below = b.mul(y.stride, y.stride.type(TILE_ROWS))
        sums = [emit.at(b, at, 64 * tile) for at in (y.at, b.add(y.at, below)) for tile in range(2)]
        rows = x.at, b.add(x.at, b.mul(x.stride, x.stride.type(TILE_ROWS)))
        ws, later = (emit_addresses(b, strided, 2) for strided in (w, ahead))
        _begin_sums(b, sums, y)

        def multiply(parts: int, fetched: int) -> None:
            lines = min(fetched, 16)
            with cgutils.for_range(b, steps) as loop:
                of_rows, place = b.mul(loop.index, steps.type(64)), b.mul(loop.index, steps.type(_TILE))
                of_lines = b.mul(loop.index, steps.type(64 * lines))
                tiles = later if fetched > lines else later[:1]
                fetches = [emit.at(b, b.add(at, of_lines), 64 * i) for i in range(lines) for at in tiles]
                for tile in range(2):
                    _load_tile(b, 6 + tile, b.add(ws[tile], place), emit.I64(64))
                for part in range(parts):
                    for half in range(2):
                        at = b.add(rows[half], b.mul(x_part, x_part.type(part)))
                        _load_tile(b, 4 + half, b.add(at, of_rows), x.stride)
                        for tile in range(2):
                            own = 2 * half + tile
                            _call(b, "tdpbf16ps", emit.I8(own), emit.I8(4 + half), emit.I8(6 + tile))
                            for address in fetches[own::4] if part == 0 else []:
                                prefetch(b, address)

        emit_cases(
            b, parts, (1, 2), lambda own: emit_cases(b, fetched, FETCHED, lambda some: multiply(own, some))
        )
        for tile, at in enumerate(sums):
            _store_tile(b, tile, at, y.stride)

    return emit.typed(types.void, (_n, _n, w, _n, ahead, x, _n, y), code)


@intrinsic
def bfloat16_block(typing_context, parts, steps, w, near, x, x_part, y):
    """The same for TILE_ROWS rows and the outputs of a strip.

    w: Strided, the tiles of a strip. near: bytes that weights are prefetched ahead, or 0.
    """

    def code(b: ir.IRBuilder, *args: ir.Value) -> None:
        parts, steps, w, near, x, x_part, y = args
        ws = emit_addresses(b, w, _BLOCK_TILES)
        sums = [emit.at(b, y.at, 64 * tile) for tile in range(_BLOCK_TILES)]
        _begin_sums(b, sums, y)

        def multiply(parts: int, fetches: bool) -> None:
            first = 4 + parts  # of the tiles of weights, which are used in turn
            with cgutils.for_range(b, steps) as loop:
                rows = b.add(x.at, b.mul(loop.index, steps.type(64)))
                place = b.mul(loop.index, steps.type(_TILE))
                for part in range(parts):
                    _load_tile(b, 4 + part, b.add(rows, b.mul(x_part, x_part.type(part))), x.stride)
                for tile in range(_BLOCK_TILES):
                    own, at = first + tile % (8 - first), b.add(ws[tile], place)
                    _load_tile(b, own, at, emit.I64(64))
                    for line in range(0, _TILE if fetches else 0, 64):
                        prefetch(b, emit.at(b, b.add(at, near), line))
                    for part in range(parts):
                        _call(b, "tdpbf16ps", emit.I8(tile), emit.I8(4 + part), emit.I8(own))

        with b.if_else(b.icmp_signed("!=", near, near.type(0))) as (yes, no):
            with yes:
                emit_cases(b, parts, (1, 2), lambda count: multiply(count, True))
            with no:
                emit_cases(b, parts, (1, 2), lambda count: multiply(count, False))
        for tile, at in enumerate(sums):
            _store_tile(b, tile, at, y.stride)

    return emit.typed(types.void, (_n, _n, w, _n, x, _n, y), code)


def _begin_sums(b: ir.IRBuilder, addresses: list[ir.Value], y: Sums) -> None:
    """Load the first tiles from their addresses, or zeros."""
    with b.if_else(b.icmp_signed("!=", y.accumulate, y.accumulate.type(0))) as (yes, no):
        with yes:
            for tile, at in enumerate(addresses):
                _load_tile(b, tile, at, y.stride)
        with no:
            for tile in range(len(addresses)):
                _call(b, "tilezero", emit.I8(tile))
