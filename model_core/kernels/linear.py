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
# What a thread needs to itself, in bytes: sums of a block, before 4-bit weights widened to bytes.
SUMS_BYTES = max(ROWS) * STRIP * 4


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
    through, and y is n / 2 wide (swiglu). scratch: address of SUMS_BYTES plus STRIP * k bytes of the calling
    thread's own.

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
    for rows in ROWS:
        if left >= rows or (rows > 2 and left == rows - 1):
            return rows
    return 1


@njit(nogil=True)
def _fetching(rows, row, count, tile):
    """Whether a block of rows fetches its part of the next strip.

    A few rows alone wait for memory anyway. With more, the next strip comes while this one is computed:
    evenly, or during the first blocks where there are many.
    """
    return tile == 0 and count > 1 and rows > ROWS[0] and (rows <= 4 * ROWS[0] or row < 2 * ROWS[0])


@njit(nogil=True)
def _part(rows, row, count, size):
    """Which part of the `size` bytes of the next strip that is: two quarters at most, and their distance."""
    rows = min(rows, 4 * ROWS[0])
    if rows == 4 * ROWS[0]:
        return size // 2 * (row // ROWS[0]), size // 4
    return size * row // rows, max(0, size * count // rows - size // 4)


@njit(nogil=True)
def _strip_of_integers(m, a, rows, strip, following, y, y_row, how, scratch):
    each = 2 if m.kind == INT4 else 1  # weights a byte
    kind, w = m.kind, m.data + strip * STRIP * m.k // each
    groups = m.groups + strip * STRIP * m.k // NIBBLE_GROUP
    if kind == INT4 and rows > ROWS[0]:
        # Widened once for all blocks, rather than in each.
        wide = scratch + SUMS_BYTES
        for i in range(m.k * STRIP // 512):  # pieces of 32 k of a tile
            expand(w + 256 * i, groups + 16 * i, wide + 512 * i)
        kind, w = INT8, wide
    here, size = 2 if kind == INT4 else 1, STRIP * m.k // each
    row = 0
    while row < rows:
        count = block_rows(rows - row)
        part, gap = _part(rows, row, count, size)
        for first in range(0, m.k, GROUP):
            run = row * a.runs_row + first // GROUP * 4
            for tile in range(0, STRIP_TILES, TILES):
                integer_block(
                    kind,
                    -count if _fetching(rows, row, count, tile) else count,
                    w + (tile * m.k + first) * 16 // here,
                    m.k * 16 // here,
                    groups + (tile * m.k + first) * 16 // NIBBLE_GROUP,
                    m.k * 16 // NIBBLE_GROUP,
                    a.codes + row * a.codes_row + first,
                    a.codes_row,
                    min(GROUP, m.k - first) // NIBBLE_GROUP,
                    a.starts + run,
                    a.scales + run,
                    a.runs_row,
                    m.data + following * size + part + 16 * first // each,
                    gap,
                    512 // each,
                    scratch + 64 * tile,
                    4 * STRIP,
                    first,
                )
        _finish(m, min(count, rows - row), strip, y + row * y_row, y_row, how, scratch)
        row += count


@njit(nogil=True)
def _strip_of_floats(m, a, rows, strip, following, y, y_row, how, scratch):
    size = 4 if m.kind == FLOAT32 else 2
    row = 0
    while row < rows:
        count = block_rows(rows - row)
        part, gap = _part(rows, row, count, STRIP * m.k * size)
        for tile in range(0, STRIP_TILES, TILES):
            float_block(
                (FLOAT32, BFLOAT16, FLOAT16),
                TILES,
                m.kind,
                -count if _fetching(rows, row, count, tile) else count,
                m.data + (strip * STRIP + 16 * tile) * m.k * size,
                16 * size,
                16 * m.k * size,
                m.data + following * STRIP * m.k * size + part,
                gap,
                a.floats + row * a.row,
                a.row,
                m.k,
                scratch + 64 * tile,
                4 * STRIP,
                0,
            )
        _finish(m, min(count, rows - row), strip, y + row * y_row, y_row, how, scratch)
        row += count
