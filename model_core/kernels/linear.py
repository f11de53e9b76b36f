"""Products of activations with a packed weight matrix, of any kind and any number of rows."""

import numpy as np
from numba import njit

from ..quantize import NIBBLE_GROUP
from .blocks import expand_nibbles, float_block, integer_block, nibble_block
from .simd import (
    BFLOAT16,
    FLOAT16,
    FLOAT32,
    INT4,
    INT8,
    OFFSET,
    ROWS,
    TILES,
    absolute,
    add,
    add_i32,
    broadcast,
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
# Outputs that one thread computes in one go: weights are packed, and padded, in strips of this many.
STRIP = 64
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
            "sums",
            "sums_row",
        )
    ]
)
# What a thread needs to itself, in bytes: sums of a block, before 4-bit weights widened to bytes.
SUMS_BYTES = max(ROWS) * STRIP * 4


@njit(nogil=True)
def quantise(a, row, first, count):
    """Quantise `count` activations of a row (a multiple of 32) from `first` (of GROUP) on: x = scale * code.

    The codes are int8. `starts` gets what the sum of their products starts from (see OFFSET), `sums` the
    sum of each 32.
    """
    floats = a.floats + row * a.row + 4 * first
    codes = a.codes + row * a.codes_row + first
    sums = a.sums + row * a.sums_row + first // NIBBLE_GROUP * 4
    run = row * a.runs_row + first // GROUP * 4
    largest = broadcast(np.float32(0))
    for i in range(0, count, 16):
        largest = maximum(largest, absolute(load_f32(floats, 4 * i)))
    most = largest_of(largest)
    # Anything below would be a subnormal whose inverse is infinite.
    inverse = broadcast(np.float32(127) / most if most > np.float32(1e-30) else np.float32(0))
    total = np.int32(0)
    for i in range(0, count, NIBBLE_GROUP):
        low = store_rounded(codes, i, multiply(load_f32(floats, 4 * i), inverse))
        high = store_rounded(codes, i + 16, multiply(load_f32(floats, 4 * i + 64), inverse))
        of_32 = sum_of_i32(add_i32(low, high))
        set_i32(sums, i // 8, of_32)
        total = np.int32(total + of_32)
    set_i32(a.starts, run, np.int32(-OFFSET * total))
    set_f32(a.scales, run, most / np.float32(127))


@njit(nogil=True)
def linear(team, m, a, rows, y, y_row, add_to, scratch):
    """y[rows, n] = a[rows, k] times m [n, k] transposed, plus bias; or the same added to y.

    The threads of a team take strips of outputs. y: address of floats, rows y_row bytes apart, as wide as
    n is padded. scratch: address of SUMS_BYTES plus STRIP * k bytes of the calling thread's own.

    Each output is summed over k in order, in exact integers within a GROUP where the weights are integers.
    So its bits depend neither on how many rows there are nor on the thread.
    """
    strip, strips = claim(team), -(-m.n // STRIP)
    while strip < strips:
        if m.kind == INT8:
            _strip_of_bytes(m.data + strip * STRIP * m.k, m, a, rows, strip, y, y_row, add_to, scratch)
        elif m.kind == INT4 and rows > 1:
            wide = scratch + SUMS_BYTES
            for i in range(0, STRIP * m.k, 512):
                at = strip * STRIP * m.k + i
                expand_nibbles(m.data + at // 2, m.groups + at // 32, wide + i)
            _strip_of_bytes(wide, m, a, rows, strip, y, y_row, add_to, scratch)
        elif m.kind == INT4:
            _strip_of_nibbles(m, a, strip, y, y_row, add_to, scratch)
        else:
            _strip_of_floats(m, a, rows, strip, y, y_row, add_to, scratch)
        strip = claim(team)


@njit(nogil=True)
def _finish(m, rows, strip, y, y_row, add_to, sums):
    """Scale the sums of a block, add the bias and what is in y where asked, and store them."""
    for tile in range(STRIP_TILES):
        at = 4 * (strip * STRIP + 16 * tile)
        for row in range(rows):
            value = load_f32(sums, (row * STRIP + 16 * tile) * 4)
            if m.scales:
                value = multiply(value, load_f32(m.scales, at))
            if m.bias:
                value = add(value, load_f32(m.bias, at))
            if add_to:
                value = add(load_f32(y, row * y_row + at), value)
            store_f32(y, row * y_row + at, value)


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
def _strip_of_bytes(w, m, a, rows, strip, y, y_row, add_to, sums):
    row = 0
    while row < rows:
        count = block_rows(rows - row)
        for first in range(0, m.k, GROUP):
            x = a.codes + row * a.codes_row + first
            run = row * a.runs_row + first // GROUP * 4
            for tile in range(0, STRIP_TILES, TILES):
                integer_block(
                    count,
                    w + 16 * (tile * m.k + first),
                    16 * m.k,
                    x,
                    a.codes_row,
                    min(GROUP, m.k - first) // 4,
                    a.starts + run,
                    a.scales + run,
                    a.runs_row,
                    sums + 64 * tile,
                    4 * STRIP,
                    first,
                )
        _finish(m, min(count, rows - row), strip, y + row * y_row, y_row, add_to, sums)
        row += count


@njit(nogil=True)
def _strip_of_nibbles(m, a, strip, y, y_row, add_to, sums):
    w, groups = m.data + strip * STRIP * m.k // 2, m.groups + strip * STRIP * m.k // NIBBLE_GROUP
    for first in range(0, m.k, GROUP):
        group = first // NIBBLE_GROUP
        for tile in range(0, STRIP_TILES, TILES):
            nibble_block(
                w + tile * 8 * m.k + group * 256,
                8 * m.k,
                groups + tile * m.k // 2 + group * 16,
                m.k // 2,
                a.codes + first,
                a.sums + 4 * group,
                min(GROUP, m.k - first) // NIBBLE_GROUP,
                a.scales + first // GROUP * 4,
                sums + 64 * tile,
                first,
            )
    _finish(m, 1, strip, y, y_row, add_to, sums)


@njit(nogil=True)
def _strip_of_floats(m, a, rows, strip, y, y_row, add_to, sums):
    size = 4 if m.kind == FLOAT32 else 2
    row = 0
    while row < rows:
        count = block_rows(rows - row)
        for tile in range(0, STRIP_TILES, TILES):
            float_block(
                (FLOAT32, BFLOAT16, FLOAT16),
                TILES,
                m.kind,
                count,
                m.data + (strip * STRIP + 16 * tile) * m.k * size,
                16 * size,
                16 * m.k * size,
                a.floats + row * a.row,
                a.row,
                m.k,
                sums + 64 * tile,
                4 * STRIP,
                0,
            )
        _finish(m, min(count, rows - row), strip, y + row * y_row, y_row, add_to, sums)
        row += count
