"""Products of activations with a packed weight matrix, of any kind and any number of rows."""

import numpy as np
from numba import njit

from ..quantize import NIBBLE_GROUP
from .blocks import STRIP, expand, float_block, integer_block
from .emit import BFLOAT16, FLOAT16, FLOAT32, INT4, INT8, OFFSET, ROWS, TILES
from .pointwise import clamped_swiglu, geglu, swiglu
from .simd import (
    absolute,
    add,
    add_i32,
    broadcast,
    broadcast_i32,
    largest_of,
    load_f32,
    maximum,
    multiply,
    set_f32,
    set_i32,
    store_f32,
    store_rounded,
    sum_of_i32,
)
from .team import claim

# Activations are quantized in groups of this many k, each with its own scale, so that an outlier reduces the
# precision of its own group only.
GROUP = 256
STRIP_TILES = STRIP // 16

# A packed matrix (see model_core/weights.py) as kernels see it: sizes and addresses, 0 for none.
MATRIX = np.dtype([(name, np.int64) for name in ("kind", "n", "k", "data", "scales", "groups", "bias")])
# Activations as kernels see them: addresses of float32 [rows, k] and of the same quantized, with the
# bytes from one row to the next.
ACTIVATIONS = np.dtype(
    [
        (name, np.int64)
        for name in (
            "floats",
            "row",
            "codes",
            "codes_row",
            "starts",
            "scales",
            "runs_row",
        )
    ]
)
# What `linear` does with its results.
SET, ADD, SWIGLU, GEGLU, CLAMPED_SWIGLU = range(5)
# A strip is read in chunks of GROUP k, each used by all rows while in the L1 cache. Bytes of one in int8:
CHUNK_BYTES = STRIP * GROUP


def scratch_bytes(rows: int) -> int:
    """Bytes of a thread's private memory: a chunk of 4-bit weights widened to bytes, and sums of `rows`."""
    return CHUNK_BYTES + (rows + 1) * STRIP * 4


@njit(nogil=True)
def quantize(a, row, first, count):
    """Quantize `count` activations of a row (a multiple of 32) from `first` (of GROUP) on: x = scale * code.

    The codes are int8; `starts` gets what the sum of their products starts from (see OFFSET).
    """
    floats = a.floats + row * a.row + 4 * first
    codes = a.codes + row * a.codes_row + first
    run = row * a.runs_row + first // GROUP * 4
    largest = broadcast(np.float32(0))
    for i in range(0, count, 16):
        largest = maximum(largest, absolute(load_f32(floats, 4 * i)))
    peak = largest_of(largest)
    # Anything below would be a subnormal whose inverse is infinite.
    inverse = broadcast(np.float32(127) / peak if peak > np.float32(1e-30) else np.float32(0))
    total = broadcast_i32(np.int32(0))
    for i in range(0, count, 16):
        total = add_i32(total, store_rounded(codes, i, multiply(load_f32(floats, 4 * i), inverse)))
    set_i32(a.starts, run, np.int32(-OFFSET * sum_of_i32(total)))
    set_f32(a.scales, run, peak / np.float32(127))


@njit(nogil=True)
def quantize_row(a, row, size, k):
    """Quantize `size` activations of a row for a product over k, with zeros between."""
    for i in range(size, k):
        set_f32(a.floats + row * a.row, 4 * i, np.float32(0))
    for first in range(0, k, GROUP):
        quantize(a, row, first, min(GROUP, k - first))


@njit(nogil=True, inline="always")
def linear(team, m, a, rows, y, y_row, mode, scratch):
    """y[rows, n] = a[rows, k] times m [n, k] transposed, plus bias, stored as `mode` says.

    The threads of a team share the strips of outputs. y: address of floats, rows y_row bytes apart, as wide
    as n is padded. mode: SET; ADD to the values in y; SWIGLU, GEGLU or CLAMPED_SWIGLU, where a strip holds 32
    rows of the gate projection, then 32 of the up projection, and y is n / 2 wide. scratch: address of
    scratch_bytes(rows), private to the thread.

    Each output is summed over k in order, in exact integers within a GROUP where the weights are integers.
    So its bits depend neither on the number of rows nor on the thread.
    """
    strip, next_strip, strips = claim(team), claim(team), m.n // STRIP
    start = np.int64(0)  # as a literal, it would compile another copy of the kernels
    while strip < strips:
        prefetch = next_strip if next_strip < strips else strip
        multiply_strip(m, a, start, rows, strip, prefetch, scratch)
        store_outputs(m, rows, strip, y, y_row, mode, scratch + CHUNK_BYTES)
        strip, next_strip = next_strip, claim(team)


@njit(nogil=True, inline="always")
def multiply_strip(m, a, start, rows, strip, next_strip, scratch):
    """The products of `rows` activations from row `start` on with one strip of a matrix.

    They are sums at scratch + CHUNK_BYTES: float32 [rows, STRIP]. `strip_output` makes outputs of them.
    next_strip: which strip is read next.
    """
    if m.kind == INT8 or m.kind == INT4:
        _integer_strip(m, a, start, rows, strip, next_strip, scratch)
    else:
        _float_strip(m, a, start, rows, strip, next_strip, scratch)


@njit(nogil=True)
def store_outputs(m, rows, strip, y, y_row, mode, sums):
    """Scale the sums of a strip, add the bias, and store the outputs."""
    for row in range(rows):
        to = y + row * y_row
        if mode >= SWIGLU:
            for tile in range(STRIP_TILES // 2):
                gate = strip_output(m, strip, tile, row, sums)
                up = strip_output(m, strip, tile + STRIP_TILES // 2, row, sums)
                store_f32(to, 2 * (strip * STRIP + 32 * tile), _gated(gate, up, mode))
        else:
            for tile in range(STRIP_TILES):
                at = 4 * (strip * STRIP + 16 * tile)
                value = strip_output(m, strip, tile, row, sums)
                store_f32(to, at, add(load_f32(to, at), value) if mode == ADD else value)


@njit(nogil=True)
def _gated(gate, up, mode):
    if mode == SWIGLU:
        return swiglu(gate, up)
    return geglu(gate, up) if mode == GEGLU else clamped_swiglu(gate, up)


@njit(nogil=True)
def strip_output(m, strip, tile, row, sums):
    """16 outputs of a row: the sums of a tile, scaled, and the bias."""
    value = load_f32(sums, (row * STRIP + 16 * tile) * 4)
    at = 4 * (strip * STRIP + 16 * tile)
    if m.scales:
        value = multiply(value, load_f32(m.scales, at))
    if m.bias:
        value = add(value, load_f32(m.bias, at))
    return value


@njit(nogil=True)
def block_rows(remaining):
    """How many of the `remaining` rows the next block takes: one of ROWS.

    It may be one more than remain, so buffers of activations have one extra row.
    """
    if ROWS[0] < remaining <= 2 * ROWS[1]:
        return ROWS[1]  # two equal blocks are faster than a large and a small one
    for rows in ROWS:
        if remaining >= rows or (rows > 2 and remaining == rows - 1):
            return rows
    return 1


@njit(nogil=True)
def _plan_prefetch(blocks, block, tile, prefetch, tile_bytes, size):
    """Which part of the next chunk of weights a block of rows prefetches: the blocks share it evenly.

    Prefetching in bursts gains nothing, and with a single block the hardware prefetcher is faster. prefetch:
    address of the chunk, whose tiles of `size` bytes are `tile_bytes` apart. Returns whether the block
    prefetches, the two addresses it starts from, and how many bytes from the second (`size` from the first).
    """
    if blocks == 1 or block >= STRIP_TILES or tile > 0:
        return False, prefetch, prefetch, 0
    if blocks == 2:
        first = prefetch + 2 * block * tile_bytes
        return True, first, first + tile_bytes, size
    if blocks == 3 and block < 2:
        return True, prefetch + 2 * block * tile_bytes, prefetch + tile_bytes + block * size // 2, size // 2
    first = prefetch + (3 if blocks == 3 else block) * tile_bytes
    return True, first, first, 0


@njit(nogil=True)
def _prefetch_offset(m, strip, next_strip, first):
    """The index of the weight at k `first` of a strip; beyond its end, of the next strip.

    Callers ask two chunks ahead: early enough to arrive in time, late enough to stay in the L2 cache.
    """
    if first < m.k:
        return strip * STRIP * m.k + first * 16
    return next_strip * STRIP * m.k + (first - m.k) * 16


@njit(nogil=True)
def _integer_strip(m, a, start, rows, strip, next_strip, scratch):
    per_byte = 2 if m.kind == INT4 else 1  # weights a byte
    w, groups = m.data + strip * STRIP * m.k // per_byte, m.groups + strip * STRIP * m.k // NIBBLE_GROUP
    tile_bytes, tile_groups = m.k * 16 // per_byte, m.k * 16 // NIBBLE_GROUP
    sums, blocks = scratch + CHUNK_BYTES, -(-rows // ROWS[0])
    for first in range(0, m.k, GROUP):
        count = min(GROUP, m.k - first) // NIBBLE_GROUP
        kind, chunk, chunk_tile_bytes = m.kind, w + first * 16 // per_byte, tile_bytes
        chunk_groups = groups + first * 16 // NIBBLE_GROUP
        if kind == INT4 and blocks > 1:
            # Widened once for all blocks.
            kind, chunk, chunk_tile_bytes = INT8, scratch, GROUP * 16
            for tile in range(STRIP_TILES):
                for i in range(count):
                    expand(
                        w + first * 8 + tile * tile_bytes + 256 * i,
                        chunk_groups + tile * tile_groups + 16 * i,
                        scratch + tile * chunk_tile_bytes + 512 * i,
                    )
        prefetch = m.data + _prefetch_offset(m, strip, next_strip, first + 2 * GROUP) // per_byte
        row = block = 0
        while row < rows:
            height = block_rows(rows - row)
            for tile in range(0, STRIP_TILES, TILES):
                prefetches, prefetch_a, prefetch_b, prefetch_b_bytes = _plan_prefetch(
                    blocks, block, tile, prefetch, tile_bytes, count * 512 // per_byte
                )
                integer_block(
                    kind,
                    -height if prefetches and height > 1 else height,
                    chunk + tile * chunk_tile_bytes,
                    chunk_tile_bytes,
                    chunk_groups + tile * tile_groups,
                    tile_groups,
                    a.codes + (start + row) * a.codes_row + first,
                    a.codes_row,
                    count,
                    a.starts + (start + row) * a.runs_row + first // GROUP * 4,
                    a.scales + (start + row) * a.runs_row + first // GROUP * 4,
                    a.runs_row,
                    prefetch_a,
                    512 // per_byte,
                    prefetch_b,
                    prefetch_b_bytes // count,
                    sums + (row * STRIP + 16 * tile) * 4,
                    4 * STRIP,
                    first,
                )
            row += height
            block += 1


@njit(nogil=True)
def _float_strip(m, a, start, rows, strip, next_strip, scratch):
    size = 4 if m.kind == FLOAT32 else 2
    w, tile_bytes = m.data + strip * STRIP * m.k * size, m.k * 16 * size
    sums, blocks = scratch + CHUNK_BYTES, -(-rows // ROWS[0])
    length = 2 * GROUP // size  # k of a chunk
    for first in range(0, m.k, length):
        count = min(length, m.k - first)
        prefetch = m.data + _prefetch_offset(m, strip, next_strip, first + 2 * length) * size
        row = block = 0
        while row < rows:
            height = block_rows(rows - row)
            for tile in range(0, STRIP_TILES, TILES):
                prefetches, prefetch_a, prefetch_b, prefetch_b_bytes = _plan_prefetch(
                    blocks, block, tile, prefetch, tile_bytes, count * 16 * size
                )
                float_block(
                    (FLOAT32, BFLOAT16, FLOAT16),
                    TILES,
                    m.kind,
                    -height if prefetches and height > 1 else height,
                    w + tile * tile_bytes + first * 16 * size,
                    16 * size,
                    tile_bytes,
                    prefetch_a,
                    prefetch_b,
                    prefetch_b_bytes // count,
                    a.floats + (start + row) * a.row + 4 * first,
                    a.row,
                    count,
                    sums + (row * STRIP + 16 * tile) * 4,
                    4 * STRIP,
                    first,
                )
            row += height
            block += 1
