"""Products of activations and weights in bfloat16, on tiles (tiles.py) or in vectors of AVX-512 with BF16.

An activation is the sum of one bfloat16 number or two: a high part, and a low part of what that lacks. Tiles
multiply one part or two, vectors one: with two, they would gain nothing over float32. Both multiply two k at
once, which lie beside each other in the weights (Matrix.pair_columns). A vector has both k of 16 outputs: it
adds products of the odd one, then of the even one, by fused multiply-adds. So the bits depend neither on the
other rows nor on their number. A single row goes through tiles, too, which is as fast as the memory then.

Kernels use this file only where HAS_PAIRS says so.
"""

from itertools import product

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, register_jitable

from .. import emit
from ..block_sizes import block_rows
from ..blocks import Ahead, Strided, Sums, emit_addresses, emit_cases, emit_loop, initial_sum, prefetch
from ..compiler import njit
from ..emit import HAS_BFLOAT16, HAS_BFLOAT16_TILES, ROWS
from ..inner import inner
from ..layout import STRIP, STRIP_TILES
from ..simd import keep_lanes, load_f32
from .prefetch import plan_prefetch, prefetch_offset
from .tiles import TILE_ROWS, bfloat16_block, bfloat16_square

HAS_PAIRS = HAS_BFLOAT16_TILES or HAS_BFLOAT16
# k that all rows are multiplied with: few enough that vectors find the weights in the first cache, and tiles
# the activations, which they read for each half of a strip, in the second.
_PIECE, _TILES_PIECE = 128, 2048
_NEAR = 8192  # bytes that a single block of rows prefetches ahead of itself

_n = types.intp


class _Bfloat16(ir.Type):
    """LLVM's type, which llvmlite has not."""

    def _to_string(self) -> str:
        return "bfloat"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Bfloat16)

    def __hash__(self) -> int:
        return hash(_Bfloat16)


_BF16X32, _I16X32 = ir.VectorType(_Bfloat16(), 32), ir.VectorType(emit.I16, 32)
# The order of two k of 16 outputs, stored one after the other, with both k of each output beside each other.
_PAIRED = ir.Constant(ir.VectorType(emit.I32, 32), [lane for i in range(16) for lane in (i, 16 + i)])


@intrinsic
def vector_block(typing_context, rows, pairs, w, ahead, x, y, accumulate):
    """y (+)= x times w, for `rows` rows (one of ROWS) and the outputs of a strip.

    rows < 0: -rows of them, and each step prefetches from `ahead`, too. pairs: how many times two k. w:
    Strided, tiles of weights in pairs: bfloat16 [pairs, 16, 2]. x: Strided, rows of bfloat16 [2 * pairs].
    y: address of floats [rows, STRIP]; accumulate: whether to add to them.
    """

    def code(b: ir.IRBuilder, *args: ir.Value) -> None:
        rows, pairs, w, ahead, x, y, accumulate = args
        ws = emit_addresses(b, w, STRIP_TILES)

        def multiply(case: int) -> None:
            rows = abs(case)
            xs = emit_addresses(b, x, rows)
            offsets = product(range(rows), range(STRIP_TILES))
            places = [emit.at(b, y, 4 * STRIP * row + 64 * tile) for row, tile in offsets]

            def step(pair: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
                weights, values = [], []
                if case < 0:
                    for address, size in ((ahead.a, ahead.a_step), (ahead.b, ahead.b_step)):
                        prefetch(b, b.add(address, b.mul(pair, size)))
                for at in ws:
                    weights.append(emit.load(b, b.add(at, b.mul(pair, pair.type(64))), _BF16X32))
                for at in xs:
                    value = emit.load(b, b.add(at, b.mul(pair, pair.type(4))), emit.I32)
                    values.append(b.bitcast(emit.broadcast(b, value), _BF16X32))
                name = "llvm.x86.avx512bf16.dpbf16ps.512"
                factors = product(values, weights)
                return [
                    emit.call(b, name, emit.F32X16, total, value, weight)
                    for total, (value, weight) in zip(sums, factors, strict=True)
                ]

            initial = [initial_sum(b, at, accumulate) for at in places]
            for at, total in zip(places, emit_loop(b, pairs, initial, step), strict=True):
                emit.store(b, at, total)

        # Blocks that prefetch are some of several, so they are tall.
        cases = (*ROWS, *(-count for count in ROWS if count > 1))
        emit_cases(b, rows, cases, multiply)

    return emit.typed(types.void, (_n, _n, w, ahead, x, _n, _n), code)


@intrinsic
def _pair_tile(typing_context, w):
    """Lay two k of the 16 outputs of a tile beside each other, in place: bfloat16 [2, 16] -> [16, 2]."""

    def code(b: ir.IRBuilder, w: ir.Value) -> None:
        both = emit.load(b, w, _I16X32)
        emit.store(b, w, b.shuffle_vector(both, both, _PAIRED))

    return emit.typed(types.void, (_n,), code)


@njit(nogil=True, cache=True)
def pair_columns(address, count):
    """Pair weights in place: `count` times two k of a tile."""
    for i in range(count):
        _pair_tile(address + 64 * i)


@inner
def multiply_bfloat16(m, a, start, rows, strip, next_strip, y):
    """y[row] = a[start + row] times a strip of a matrix in bfloat16, for `rows` rows.

    m: MATRIX, in pairs. a: ACTIVATIONS with m.parts parts, of vectors 1. next_strip: which strip is read
    next. y: address of floats [rows, STRIP], and of more rows up to a whole block: TILE_ROWS - 1 of tiles, 1
    of vectors.
    """
    if HAS_BFLOAT16_TILES:
        _multiply_on_tiles(m, a, start, rows, strip, next_strip, y)
        return
    blocks, tile_bytes, length = -(-rows // ROWS[0]), 2 * 16 * m.k, _PIECE
    if blocks == 1:  # which reads memory faster in one piece
        length = m.inputs
    for first in range(0, m.inputs, length):
        count = min(length, m.inputs - first)
        pairs = (count + 1) // 2
        w = m.data + 2 * strip * STRIP * m.k + 32 * first
        x, row, block = a.parts + start * a.parts_row + 2 * first, 0, 0
        later = m.data + 2 * prefetch_offset(m, strip, next_strip, first + 2 * length)
        while row < rows:
            height = block_rows(rows - row)
            prefetches, ahead_a, ahead_b, ahead_b_bytes = plan_prefetch(
                blocks, block, 0, later, tile_bytes, 32 * count
            )
            vector_block(
                -height if prefetches and height > 1 else height,
                pairs,
                Strided(w, tile_bytes),
                Ahead(ahead_a, 64, ahead_b, ahead_b_bytes // pairs),
                Strided(x + row * a.parts_row, a.parts_row),
                y + 4 * STRIP * row,
                first,
            )
            row += height
            block += 1


@inner
def _multiply_on_tiles(m, a, start, rows, strip, next_strip, y):
    """multiply_bfloat16 on tiles: in squares, and up to TILE_ROWS last rows in a block."""
    tile_bytes, squares = 2 * 16 * m.k, (rows + TILE_ROWS - 1) // (2 * TILE_ROWS)
    last, low = 2 * TILE_ROWS * squares, part_bytes(m.inputs)
    length, lines = _TILES_PIECE if squares else m.inputs, 1
    while lines * squares < 32 and squares:
        lines *= 2  # so that the squares prefetch the next two tiles together
    for first in range(0, m.inputs, length):
        steps = (min(length, m.inputs - first) + 31) // 32
        strip_at, x = m.data + 2 * strip * STRIP * m.k + 32 * first, a.parts + start * a.parts_row + 2 * first
        for half in range(2 if squares else 0):
            w = Strided(strip_at + 2 * half * tile_bytes, tile_bytes)
            later = w.at + 2 * tile_bytes
            if half:
                later = m.data + 2 * prefetch_offset(m, strip, next_strip, first + length)
            for i in range(squares):
                row, line = 2 * TILE_ROWS * i, lines * i
                ahead = w.at + _NEAR  # for a single square
                if squares > 1:
                    ahead = later + line // 16 * tile_bytes + line % 16 * 64 * steps
                of_rows = Strided(x + row * a.parts_row, a.parts_row)
                to = Sums(y + 4 * STRIP * row + 128 * half, 4 * STRIP, first)
                fetched = Strided(ahead, tile_bytes)
                bfloat16_square(m.parts, steps, w, lines if line < 32 else 0, fetched, of_rows, low, to)
        if last < rows:
            of_rows = Strided(x + last * a.parts_row, a.parts_row)
            to, near = Sums(y + 4 * STRIP * last, 4 * STRIP, first), 0 if squares else _NEAR
            bfloat16_block(m.parts, steps, Strided(strip_at, tile_bytes), near, of_rows, low, to)


@register_jitable
def part_bytes(size):
    """Bytes of a part of `size` activations: whole steps of 32 k."""
    return 2 * ((size + 31) // 32 * 32)


@intrinsic
def _store_parts(typing_context, address, x_part, parts, value):
    """Store 16 floats as one or two bfloat16 numbers each, rounded half to even; the low ones x_part on."""

    def code(b: ir.IRBuilder, address: ir.Value, x_part: ir.Value, parts: ir.Value, value: ir.Value) -> None:
        def store_rounded(address: ir.Value, value: ir.Value) -> ir.Value:
            bits = b.bitcast(value, emit.I32X16)
            shift = emit.splat(16, emit.I32X16)
            odd = b.and_(b.lshr(bits, shift), emit.splat(1, emit.I32X16))
            rounded = b.lshr(b.add(b.add(bits, emit.splat(0x7FFF, emit.I32X16)), odd), shift)
            is_number = b.fcmp_ordered("ord", value, value)
            rounded = b.select(is_number, rounded, emit.splat(0x7FC0, emit.I32X16))
            emit.store(b, address, b.trunc(rounded, ir.VectorType(emit.I16, 16)))
            return b.bitcast(b.shl(rounded, shift), emit.F32X16)

        def split(parts: int) -> None:
            high = store_rounded(address, value)
            if parts == 2:
                store_rounded(b.add(address, x_part), b.fsub(value, high))

        emit_cases(b, parts, (1, 2), split)

    return emit.typed(types.void, (_n, _n, _n, emit.f32x16), code)


@inner
def split_row(a, row, size, parts):
    """Split `size` activations of a row into parts, with zeros up to a whole step of 32 k."""
    floats, to, step = a.floats + row * a.row, a.parts + row * a.parts_row, part_bytes(size)
    for i in range(0, step // 2, 16):
        _store_parts(to + 2 * i, step, parts, keep_lanes(load_f32(floats, 4 * i), size - i))
