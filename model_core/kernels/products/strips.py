"""Products of activations with a strip of a packed matrix, of any kind: sums that are not yet scaled."""

import numpy as np

from ..block_sizes import CODE_ROWS, LOOKED_UP_ROWS, block_rows, block_tiles
from ..blocks import Ahead, Codes, Groups, IntegerCase, Runs, Strided, Sums, integer_block
from ..compiler import njit
from ..emit import FLOAT_ROWS, HAS_AMX, HAS_DOT8, HAS_INT8_TILES, INTEGER_ROWS, IS_ZEN, ROWS, TILES
from ..float_blocks import FloatCase, Weights, float_block
from ..inner import inner
from ..layout import (
    BFLOAT16,
    BLOCK,
    BY_GROUP,
    EXACT,
    FLOAT8,
    FLOAT16,
    FLOAT32,
    GROUP,
    GROUPED4,
    GROUPED6,
    GROUPED8,
    INT4,
    INT5,
    INT6,
    INT8,
    NIBBLE_GROUP,
    STRIP,
    STRIP_TILES,
)
from ..simd import add, broadcast, get_f32, load_f32, multiply, store_f32, subtract
from .activations import RUN_BYTES, RUN_SCALES
from .bfloat16 import HAS_PAIRS, multiply_bfloat16
from .grouped import dequantize, expand_groups, widen_grouped4, widen_stepped
from .prefetch import plan_prefetch, prefetch_offset
from .tiles import TILE_ROWS, multiply_int8

# The kinds of blocks by group: kernels are compiled for those that this processor needs.
_GROUPED_KINDS = (GROUPED8, GROUPED4, GROUPED6) if HAS_DOT8 else (GROUPED8, GROUPED4)
# The tiles of blocks of floats: one in blocks that are taller than others.
_FLOAT_WIDTHS = (TILES,) if ROWS[0] == FLOAT_ROWS else (TILES, 1)
# A product may read so many rows of activations behind its last, and write as many sums.
ROWS_BEYOND = TILE_ROWS - 1 if HAS_AMX else 1
# A strip is read in chunks of GROUP k, each used by all rows while in the L1 cache. A thread's scratch has
# the bytes of a chunk, scales and offsets of its groups, the floats of a chunk, and the sums of all rows.
_SCALES = STRIP * GROUP
_OFFSETS = _SCALES + 4 * STRIP * GROUP // 16
_FLOATS = _OFFSETS + 4 * STRIP * GROUP // 16
SUMS = _FLOATS + 4 * STRIP * GROUP
# Of INT8: the scales of a strip for a GROUP, in bfloat16.
_CHUNK_SCALES = 2 * STRIP
# How many bytes ahead one row of INT8 prefetches, where blocks read whole strips. AMD processors fetch these
# ahead by themselves, and are faster with less than the next chunk (measured on Zen 5).
_ROW_AHEAD = 1024 if IS_ZEN else 16 * GROUP
# The float whose two halves are ones in bfloat16.
_TWO_ONES = np.array([0x3F803F80], np.uint32).view(np.float32)[0]


def scratch_bytes(rows: int) -> int:
    """Bytes of a thread's private memory for products of `rows` activations, and what adapters add."""
    return SUMS + 2 * (rows + ROWS_BEYOND) * STRIP * 4


@njit(nogil=True, inline="always")
def multiply_strip(m, a, start, rows, strip, next_strip, scratch):
    """The products of `rows` activations from row `start` on with one strip of a matrix.

    They are sums at scratch + SUMS: float32 [rows, STRIP]. linear.py makes outputs of them.
    next_strip: which strip is read next.
    """
    # Memory limits one row. What runs between two chunks delays its loads, so it is compiled for one row.
    if m.rounding == BY_GROUP:
        if rows == 1:
            _grouped_strip(m, a, start, 1, strip, next_strip, scratch)
        else:
            _grouped_strip(m, a, start, rows, strip, next_strip, scratch)
    elif m.rounding != EXACT:
        if rows > 1:
            _integer_strip(m, a, start, rows, strip, next_strip, scratch)
        elif m.kind == INT8 and TILES == STRIP_TILES:
            _byte_row(m, a, start, strip, scratch)
        else:
            _integer_strip(m, a, start, 1, strip, next_strip, scratch)
    elif HAS_PAIRS and m.parts:
        multiply_bfloat16(m, a, start, rows, strip, next_strip, scratch + SUMS)
    else:
        _float_strip(m, a, start, rows, strip, next_strip, scratch)


@inner
def _has_nibbles(kind):
    """Whether a kind keeps two codes in a byte."""
    return INT4 <= kind <= INT6 or kind == GROUPED4


@inner
def _high_bytes(kind, index):
    """Bytes that the bits above the lowest four of so many codes take."""
    return index // 8 * (2 if kind == INT6 else 1 if kind == INT5 else 0)


@inner
def _widen(m, strip, first, count, ahead, scratch):
    """The codes of 4 to 6 bits of a chunk of a strip as bytes at scratch, a tile every 16 * GROUP.

    ahead: address of codes to prefetch.
    """
    for tile in range(STRIP_TILES):
        at, to = (strip * STRIP + 16 * tile) * m.k + 16 * first, scratch + 16 * GROUP * tile
        for i in range(0, 16 * count, 512):
            w, next_w = m.data + (at + i) // 2, ahead + (16 * tile * m.k + i) // 2
            if m.kind == GROUPED4:
                widen_grouped4(w, next_w, m.table, to + i)
            else:
                high = m.high + _high_bytes(m.kind, at + i)
                widen_stepped(m.kind, w, high, next_w, m.groups + (at + i) // NIBBLE_GROUP, to + i)


@inner
def _byte_row(m, a, row, strip, scratch):
    """As `_integer_strip` of one row of INT8, where blocks read whole strips: even less between chunks."""
    w = m.data + strip * STRIP * m.k
    x, run = a.codes + row * a.codes_row, a.runs + row * a.runs_row
    scales = m.groups + strip * -(-m.k // GROUP) * _CHUNK_SCALES
    for first in range(0, m.k, GROUP):
        integer_block(
            (INT8,),
            IntegerCase(INT8, 1, 8),
            Codes(w + first * 16, m.k * 16, 0, 0, 0, 0),
            Strided(x + first, 0),
            Groups(min(GROUP, m.k - first) // NIBBLE_GROUP, 0, scales, 0),
            Runs(run, run + 4, 0),
            Ahead(w + first * 16 + _ROW_AHEAD, 0, 0, 0),
            Sums(scratch + SUMS, 0, first),
        )
        run += RUN_BYTES
        scales += _CHUNK_SCALES


@inner
def _integer_strip(m, a, start, rows, strip, next_strip, scratch):
    """A strip of INT8 or of STEPPED_BITS. Whatever runs between two chunks delays the loads of the next."""
    half = 0 if m.kind == INT8 else 1  # shifts numbers of weights to bytes: divisions take longer
    w, groups = m.data + (strip * STRIP * m.k >> half), m.groups + strip * STRIP * m.k // NIBBLE_GROUP
    tile_bytes, tile_groups = m.k * 16 >> half, m.k * 16 // NIBBLE_GROUP
    high, tile_high = m.high + _high_bytes(m.kind, strip * STRIP * m.k), _high_bytes(m.kind, m.k * 16)
    blocks = -(-rows // INTEGER_ROWS)
    scales = m.groups + strip * -(-m.k // GROUP) * _CHUNK_SCALES
    if m.kind != INT8:  # its outputs get the scales of whole rows
        scales = scratch + _SCALES
        for i in range(0, _CHUNK_SCALES, 64):
            store_f32(scales, i, broadcast(_TWO_ONES))
    for first in range(0, m.k, GROUP):
        count = min(GROUP, m.k - first) // NIBBLE_GROUP
        kind, chunk, chunk_tile_bytes = m.kind, w + (first * 16 >> half), tile_bytes
        ahead = m.data + (prefetch_offset(m, strip, next_strip, first + GROUP) >> half)
        if m.kind != INT8 and rows > CODE_ROWS:
            _widen(m, strip, first, NIBBLE_GROUP * count, ahead, scratch)
            kind, chunk, chunk_tile_bytes = INT8, scratch, 16 * GROUP
        prefetch = m.data + (prefetch_offset(m, strip, next_strip, first + 2 * GROUP) >> half)
        starts = 4 if kind == INT8 else 4 * GROUP // NIBBLE_GROUP  # see sum_codes
        row = block = 0
        if HAS_INT8_TILES and kind == INT8 and count % 2 == 0:  # whole steps of 64 k
            run = a.runs + start * a.runs_row + first // GROUP * RUN_BYTES
            row = multiply_int8(
                count // 2,
                Strided(chunk, chunk_tile_bytes),
                Strided(a.codes + start * a.codes_row + first, a.codes_row),
                Strided(run, a.runs_row),
                scales,
                rows,
                Sums(scratch + SUMS, 4 * STRIP, first),
                scratch + _FLOATS,
            )
        while row < rows:
            height = block_rows(rows - row, INTEGER_ROWS)
            run = a.runs + (start + row) * a.runs_row + first // GROUP * RUN_BYTES
            for tile in range(0, STRIP_TILES, TILES):
                prefetches, prefetch_a, prefetch_b, prefetch_b_bytes = plan_prefetch(
                    blocks, block, tile, prefetch, tile_bytes, count * 512 >> half
                )
                prefetches = prefetches and height > 1 and kind == INT8  # blocks of codes do so in any case
                integer_block(
                    (INT8, INT4, INT5, INT6),
                    IntegerCase(kind, -height if prefetches else height, 8),
                    Codes(
                        chunk + tile * chunk_tile_bytes,
                        chunk_tile_bytes,
                        groups + tile * tile_groups + first * 16 // NIBBLE_GROUP,
                        tile_groups,
                        high + tile * tile_high + _high_bytes(m.kind, first * 16),
                        tile_high,
                    ),
                    Strided(a.codes + (start + row) * a.codes_row + first, a.codes_row),
                    Groups(count, 0, scales + 32 * tile, 0),
                    Runs(run, run + starts, a.runs_row),
                    Ahead(
                        prefetch_a if kind == INT8 and height > 1 else ahead + tile * tile_bytes,
                        512 >> half,
                        prefetch_b,
                        prefetch_b_bytes // count,
                    ),
                    Sums(scratch + SUMS + (row * STRIP + 16 * tile) * 4, 4 * STRIP, first),
                )
            row += height
            block += 1
        if m.kind == INT8:
            scales += _CHUNK_SCALES


@inner
def _grouped_strip(m, a, start, rows, strip, next_strip, scratch):
    """A strip of GROUPED8 or GROUPED4: each group of k has scales and offsets of its own."""
    half = 1 if m.kind == GROUPED4 else 0  # as above
    tile_bytes = m.k * 16 >> half
    quads = 4 if m.group == 16 else 8
    step_shift = 4 if quads == 4 else 5  # shifts k to steps
    group_shift = 0  # shifts steps to groups
    while 4 * quads << group_shift < m.group:
        group_shift += 1
    is_widened = m.kind == GROUPED4 and (rows > LOOKED_UP_ROWS or quads == 4)
    kind = GROUPED8 if is_widened else m.kind
    if HAS_DOT8 and kind == GROUPED8 and m.is_small:
        kind = GROUPED6
    scales, offsets = scratch + _SCALES, scratch + _OFFSETS if m.offsets else 0
    blocks = -(-rows // INTEGER_ROWS)
    chunk_groups = GROUP // m.group
    group, first_chunk = strip * (m.k // m.group), strip * -(-m.k // GROUP)
    for first in range(0, m.k, GROUP):
        count = min(GROUP, m.k - first)
        chunk, chunk_tile_bytes = m.data + (strip * STRIP * m.k + first * 16 >> half), tile_bytes
        ahead = m.data + (prefetch_offset(m, strip, next_strip, first + GROUP) >> half)
        if is_widened:
            _widen(m, strip, first, count, ahead, scratch)
            chunk, chunk_tile_bytes, ahead = scratch, 16 * GROUP, scratch
        groups = chunk_groups if count == GROUP else max(1, count // m.group)
        unit = np.float32(-1 / 128)
        expand_groups(m, group, first_chunk + first // GROUP, groups, unit, scales, scratch + _OFFSETS)
        group += groups
        prefetch = m.data + (prefetch_offset(m, strip, next_strip, first + 2 * GROUP) >> half)
        row = block = 0
        while row < rows:
            height = block_rows(rows - row, INTEGER_ROWS)
            run = a.runs + (start + row) * a.runs_row + first // GROUP * RUN_BYTES
            for tile in range(0, STRIP_TILES, block_tiles(kind, height)):
                prefetches, prefetch_a, prefetch_b, prefetch_b_bytes = plan_prefetch(
                    blocks, block, tile, prefetch, tile_bytes, count * 16 >> half
                )
                integer_block(
                    _GROUPED_KINDS,
                    IntegerCase(kind, -height if prefetches and height > 1 else height, quads),
                    Codes(chunk + tile * chunk_tile_bytes, chunk_tile_bytes, m.table, 0, 0, 0),
                    Strided(a.codes + (start + row) * a.codes_row + first, a.codes_row),
                    Groups(
                        count >> step_shift,
                        group_shift,
                        scales + 64 * tile,
                        offsets + 64 * tile if offsets else 0,
                    ),
                    Runs(run + RUN_SCALES, run + 4 * (GROUP >> step_shift), a.runs_row),
                    Ahead(
                        ahead + tile * chunk_tile_bytes if kind == GROUPED4 or height == 1 else prefetch_a,
                        64 * quads >> half,
                        prefetch_b,
                        prefetch_b_bytes // (count >> step_shift) if prefetches else 0,
                    ),
                    Sums(scratch + SUMS + (row * STRIP + 16 * tile) * 4, 4 * STRIP, first),
                )
            row += height
            block += 1


@inner
def _dequantize_chunk(m, strip, first, count, scratch):
    """The weights that `count` k of a strip stand for, as floats [count, STRIP] in scratch."""
    chunk = first // GROUP * GROUP
    if first == chunk:
        size = min(GROUP, m.k - first)
        groups, scales, offsets = size // min(m.group, size), scratch + _SCALES, scratch + _OFFSETS
        for i in range(0, groups * 4 * STRIP, 64):
            store_f32(scales, i, broadcast(np.float32(1)))
            store_f32(offsets, i, broadcast(np.float32(0)))
        if m.kind > INT6:
            group = strip * (m.k // m.group) + first // m.group
            number = strip * -(-m.k // GROUP) + first // GROUP
            expand_groups(m, group, number, groups, np.float32(1), scales, offsets)
        if _has_nibbles(m.kind):
            ahead = m.data + prefetch_offset(m, strip, strip, first + GROUP) // 2
            _widen(m, strip, first, size, ahead, scratch)
    for tile in range(STRIP_TILES):
        w = scratch + 16 * (tile * GROUP + first - chunk)
        if not _has_nibbles(m.kind):
            w = m.data + (strip * STRIP + 16 * tile) * m.k + 16 * first
        for i in range(0, count, 16):
            at = (first - chunk + i) // m.group * 4 * STRIP + 64 * tile
            dequantize(
                FLOAT8 if m.kind == FLOAT8 else INT8,
                w + 16 * i,
                scratch + _SCALES + at,
                scratch + _OFFSETS + at,
                scratch + _FLOATS + 4 * (i * STRIP + 16 * tile),
            )


@inner
def _rotate_back(weights, size, scales, balance):
    """A GROUP or a BLOCK of k of a strip, float32 [size, STRIP], without their rotation, times scales.

    scales: address of float32 [STRIP]. They come last, because sums of codes are exact. balance: address of
    float32 [size], which multiplies the weights of each k.
    """
    distance = 1
    while distance < size:
        for k in range(size):
            if not k & distance:
                first, second = weights + 4 * STRIP * k, weights + 4 * STRIP * (k + distance)
                for i in range(0, 4 * STRIP, 64):
                    x, y = load_f32(first, i), load_f32(second, i)
                    store_f32(first, i, add(x, y))
                    store_f32(second, i, subtract(x, y))
        distance *= 2
    scale = broadcast(np.float32(1 / 16) if size == GROUP else np.float32(1 / 8))
    for tile in range(STRIP_TILES):
        factor = multiply(load_f32(scales, 64 * tile), scale)
        for k in range(size):
            at = 4 * (k * STRIP + 16 * tile)
            balanced = multiply(factor, broadcast(get_f32(balance, 4 * k)))
            store_f32(weights, at, multiply(load_f32(weights, at), balanced))


@inner
def _float_strip(m, a, start, rows, strip, next_strip, scratch):
    has_codes = m.kind > FLOAT16
    kind = FLOAT32 if has_codes else m.kind
    size = 4 if kind == FLOAT32 else 2
    w, tile_bytes = m.data + strip * STRIP * m.k * size, m.k * 16 * size
    w_step, w_tile = 16 * size, tile_bytes
    x = a.floats + strip // m.head_strips * 4 * m.inputs
    largest = FLOAT_ROWS if rows > FLOAT_ROWS else ROWS[0]
    blocks = -(-rows // largest)
    length = BLOCK if has_codes else 2 * GROUP // size  # k of a chunk
    first = 0
    while first < m.inputs:
        if m.is_rotated:
            length = GROUP if m.k - first >= GROUP else BLOCK
        count = min(length, m.inputs - first)
        prefetch, chunk = np.int64(0), w + first * 16 * size
        if has_codes:
            # Of rotated weights all that was rotated: what is behind the last input is no input's.
            _dequantize_chunk(m, strip, first, length if m.is_rotated else count, scratch)
            if m.is_rotated:
                scales = scratch + _SCALES  # ones
                if m.kind == INT8:
                    scales += 4 * STRIP
                    number = strip * -(-m.k // GROUP) + first // GROUP
                    expand_groups(m, number, 0, 1, np.float32(1), scales, scales)
                _rotate_back(scratch + _FLOATS, length, scales, m.balance + 4 * first)
            chunk, w_step, w_tile = scratch + _FLOATS, 4 * STRIP, 64
        else:
            prefetch = m.data + prefetch_offset(m, strip, next_strip, first + 2 * length) * size
        row = block = 0
        while row < rows:
            height = block_rows(rows - row, largest)
            tiles = 1 if height > ROWS[0] else TILES
            for tile in range(0, STRIP_TILES, tiles):
                prefetches, prefetch_a, prefetch_b, prefetch_b_bytes = plan_prefetch(
                    blocks, block, tile, prefetch, tile_bytes, count * 16 * size
                )
                float_block(
                    (FLOAT32, BFLOAT16, FLOAT16),
                    _FLOAT_WIDTHS,
                    FloatCase(
                        kind, -height if prefetches and height > 1 and not has_codes else height, tiles
                    ),
                    Weights(chunk + tile * w_tile, w_step, w_tile),
                    Ahead(prefetch_a, w_step, prefetch_b, prefetch_b_bytes // count),
                    Strided(x + (start + row) * a.row + 4 * first, a.row),
                    count,
                    Sums(scratch + SUMS + (row * STRIP + 16 * tile) * 4, 4 * STRIP, first),
                )
            row += height
            block += 1
        first += length
