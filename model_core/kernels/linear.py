"""Products of activations with a packed weight matrix, of any kind and any number of rows."""

import numpy as np
from numba import njit

from ..quantize import NIBBLE_GROUP
from .blocks import STRIP, expand, float_block, integer_block
from .emit import BFLOAT16, FLOAT16, FLOAT32, INT4, INT8, OFFSET, ROWS, TILES
from .pointwise import swiglu
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

# Activations are quantised in runs of this many k, each with a scale of its own, so that an outlier
# costs its neighbours their precision and no others.
GROUP = 256
STRIP_TILES = STRIP // 16

# A packed matrix (see model_core/weights.py) as kernels see it: sizes and addresses, 0 for none.
MATRIX = np.dtype([(name, np.int64) for name in ("kind", "n", "k", "data", "scales", "groups", "bias")])
# Activations as kernels see them: addresses of float32 [rows, k] and of the same quantised, with the
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
SET, ADD, GATE = range(3)
# A strip is gone through in pieces, each by all rows while it is in the first cache. Bytes of one of int8:
PIECE_BYTES = STRIP * GROUP


def scratch_bytes(rows: int) -> int:
    """What a thread needs to itself for so many rows: a piece of 4-bit weights widened to bytes, and sums."""
    return PIECE_BYTES + (rows + 1) * STRIP * 4


@njit(nogil=True)
def quantise(a, row, first, count):
    """Quantise `count` activations of a row (a multiple of 32) from `first` (of GROUP) on: x = scale * code.

    The codes are int8; `starts` gets what the sum of their products starts from (see OFFSET).
    """
    floats = a.floats + row * a.row + 4 * first
    codes = a.codes + row * a.codes_row + first
    run = row * a.runs_row + first // GROUP * 4
    largest = broadcast(np.float32(0))
    for i in range(0, count, 16):
        largest = maximum(largest, absolute(load_f32(floats, 4 * i)))
    most = largest_of(largest)
    # Anything below would be a subnormal whose inverse is infinite.
    inverse = broadcast(np.float32(127) / most if most > np.float32(1e-30) else np.float32(0))
    total = broadcast_i32(np.int32(0))
    for i in range(0, count, 16):
        total = add_i32(total, store_rounded(codes, i, multiply(load_f32(floats, 4 * i), inverse)))
    set_i32(a.starts, run, np.int32(-OFFSET * sum_of_i32(total)))
    set_f32(a.scales, run, most / np.float32(127))


@njit(nogil=True)
def linear(team, m, a, rows, y, y_row, how, scratch):
    """y[rows, n] = a[rows, k] times m [n, k] transposed, plus bias; by `how` more is done with it.

    The threads of a team take strips of outputs. y: address of floats, rows y_row bytes apart, as wide as
    n is padded. how: SET; ADD, to what y holds; GATE, where each strip has 32 gates and then what they let
    through, and y is n / 2 wide (swiglu). scratch: address of scratch_bytes(rows), the thread's own.

    Each output is summed over k in order, in exact integers within a GROUP where the weights are integers.
    So its bits depend neither on how many rows there are nor on the thread.
    """
    strip, following, strips = claim(team), claim(team), m.n // STRIP
    while strip < strips:
        ahead = following if following < strips else strip
        if m.kind == INT8 or m.kind == INT4:
            _strip_of_integers(m, a, rows, strip, ahead, y, y_row, how, scratch)
        else:
            _strip_of_floats(m, a, rows, strip, ahead, y, y_row, how, scratch)
        strip, following = following, claim(team)


@njit(nogil=True)
def _finish(m, rows, strip, y, y_row, how, sums):
    """Scale the sums of a block, add the bias, and put them where they belong."""
    for row in range(rows):
        to = y + row * y_row
        if how == GATE:
            for tile in range(STRIP_TILES // 2):
                gate = _finished(m, strip, tile, row, sums)
                up = _finished(m, strip, tile + STRIP_TILES // 2, row, sums)
                store_f32(to, 2 * (strip * STRIP + 32 * tile), swiglu(gate, up))
        else:
            for tile in range(STRIP_TILES):
                at = 4 * (strip * STRIP + 16 * tile)
                value = _finished(m, strip, tile, row, sums)
                store_f32(to, at, add(load_f32(to, at), value) if how == ADD else value)


@njit(nogil=True)
def _finished(m, strip, tile, row, sums):
    value = load_f32(sums, (row * STRIP + 16 * tile) * 4)
    at = 4 * (strip * STRIP + 16 * tile)
    if m.scales:
        value = multiply(value, load_f32(m.scales, at))
    if m.bias:
        value = add(value, load_f32(m.bias, at))
    return value


@njit(nogil=True)
def block_rows(left):
    """How many of the rows that are left the next block takes: one of ROWS.

    That may be one more than there are, so the buffers of activations have a row more than they need.
    """
    if ROWS[0] < left <= 2 * ROWS[1]:
        return ROWS[1]  # two alike are better than a large one and a small one
    for rows in ROWS:
        if left >= rows or (rows > 2 and left == rows - 1):
            return rows
    return 1


@njit(nogil=True)
def _fetched(blocks, block, tile, ahead, apart, size):
    """What a block of rows fetches of a piece of weights that is needed later: all blocks alike.

    Bursts gain nothing, and where there is one block, the processor does better alone. ahead: address of the
    piece, where tiles of `size` bytes are `apart` bytes from each other. Returns whether it fetches, from
    which two addresses, and how many bytes from the second; from the first, it is `size`.
    """
    if blocks == 1 or block >= STRIP_TILES or tile > 0:
        return False, ahead, ahead, 0
    if blocks == 2:
        first = ahead + 2 * block * apart
        return True, first, first + apart, size
    if blocks == 3 and block < 2:
        return True, ahead + 2 * block * apart, ahead + apart + block * size // 2, size // 2
    first = ahead + (3 if blocks == 3 else block) * apart
    return True, first, first, 0


@njit(nogil=True)
def _ahead(m, strip, following, first):
    """Which weight, counted from the matrix's first, is k `first` of a strip, or beyond its end of the next.

    Asked for two pieces ahead: what is fetched has time to come, and does not wait long in the second cache.
    """
    if first < m.k:
        return strip * STRIP * m.k + first * 16
    return following * STRIP * m.k + (first - m.k) * 16


@njit(nogil=True)
def _strip_of_integers(m, a, rows, strip, following, y, y_row, how, scratch):
    each = 2 if m.kind == INT4 else 1  # weights a byte
    w, groups = m.data + strip * STRIP * m.k // each, m.groups + strip * STRIP * m.k // NIBBLE_GROUP
    across, across_groups = m.k * 16 // each, m.k * 16 // NIBBLE_GROUP
    sums, blocks = scratch + PIECE_BYTES, -(-rows // ROWS[0])
    for first in range(0, m.k, GROUP):
        count = min(GROUP, m.k - first) // NIBBLE_GROUP
        kind, piece, piece_across = m.kind, w + first * 16 // each, across
        piece_groups = groups + first * 16 // NIBBLE_GROUP
        if kind == INT4 and blocks > 1:
            # Widened once for all blocks, rather than in each.
            kind, piece, piece_across = INT8, scratch, GROUP * 16
            for tile in range(STRIP_TILES):
                for i in range(count):
                    expand(
                        w + first * 8 + tile * across + 256 * i,
                        piece_groups + tile * across_groups + 16 * i,
                        scratch + tile * piece_across + 512 * i,
                    )
        ahead = m.data + _ahead(m, strip, following, first + 2 * GROUP) // each
        row = block = 0
        while row < rows:
            some = block_rows(rows - row)
            for tile in range(0, STRIP_TILES, TILES):
                fetching, one, two, two_size = _fetched(
                    blocks, block, tile, ahead, across, count * 512 // each
                )
                integer_block(
                    kind,
                    -some if fetching and some > 1 else some,
                    piece + tile * piece_across,
                    piece_across,
                    piece_groups + tile * across_groups,
                    across_groups,
                    a.codes + row * a.codes_row + first,
                    a.codes_row,
                    count,
                    a.starts + row * a.runs_row + first // GROUP * 4,
                    a.scales + row * a.runs_row + first // GROUP * 4,
                    a.runs_row,
                    one,
                    512 // each,
                    two,
                    two_size // count,
                    sums + (row * STRIP + 16 * tile) * 4,
                    4 * STRIP,
                    first,
                )
            row += some
            block += 1
    _finish(m, rows, strip, y, y_row, how, sums)


@njit(nogil=True)
def _strip_of_floats(m, a, rows, strip, following, y, y_row, how, scratch):
    size = 4 if m.kind == FLOAT32 else 2
    w, across = m.data + strip * STRIP * m.k * size, m.k * 16 * size
    sums, blocks = scratch + PIECE_BYTES, -(-rows // ROWS[0])
    length = 2 * GROUP // size  # of a piece
    for first in range(0, m.k, length):
        count = min(length, m.k - first)
        ahead = m.data + _ahead(m, strip, following, first + 2 * length) * size
        row = block = 0
        while row < rows:
            some = block_rows(rows - row)
            for tile in range(0, STRIP_TILES, TILES):
                fetching, one, two, two_size = _fetched(blocks, block, tile, ahead, across, count * 16 * size)
                float_block(
                    (FLOAT32, BFLOAT16, FLOAT16),
                    TILES,
                    m.kind,
                    -some if fetching and some > 1 else some,
                    w + tile * across + first * 16 * size,
                    16 * size,
                    across,
                    one,
                    two,
                    two_size // count,
                    a.floats + row * a.row + 4 * first,
                    a.row,
                    count,
                    sums + (row * STRIP + 16 * tile) * 4,
                    4 * STRIP,
                    first,
                )
            row += some
            block += 1
    _finish(m, rows, strip, y, y_row, how, sums)
