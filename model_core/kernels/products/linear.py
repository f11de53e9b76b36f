"""Products of activations with a packed weight matrix, of any number of rows, by a team of threads."""

import numpy as np

from ..compiler import njit
from ..inner import inner
from ..layout import STRIP, STRIP_TILES
from ..pointwise import capped_swiglu, clamped_swiglu, geglu, limited_swiglu, relu_squared, swiglu
from ..simd import add, load_f32, multiply, store_f32
from ..team import claim, claim_ahead, divide_rows, own_part
from .strips import SUMS, multiply_strip

# What `linear` does with its results.
SET, ADD, RELU_SQUARED = range(3)
# The gates, of two outputs each.
SWIGLU, GEGLU, CLAMPED_SWIGLU, SWIGLU_TO_10, CAPPED_SWIGLU_TO_7, CAPPED_SWIGLU_TO_16 = range(3, 9)


@njit(nogil=True, inline="always")
def linear(s, thread, threads, i, a, rows, y, scratch):
    """y[rows, n] = a[rows, k] times m [n, k] transposed, plus bias, stored as `mode` says.

    The threads share the strips of outputs, times parts of the rows (team.divide_rows). s: STEP.
    i: INSTRUCTION with the matrix m, the mode, and y_start, the first column of y. a and y: ACTIVATIONS; y
    gets floats, as many a row as n is padded to. mode: SET; ADD to the values in y; RELU_SQUARED of each
    output; or a gate, SWIGLU and so on, where a strip holds 32 rows of the gate projection, then 32 of the up
    projection, and y has n / 2 a row. scratch: address of scratch_bytes(rows), private to the thread.

    Each output is summed over k in order, in exact integers within a GROUP where the weights are integers.
    So its bits depend neither on the number of rows nor on the thread.
    """
    m, team, to = i.matrix, s.team, y.floats + i.y_start
    strips = m.n // STRIP
    parts, height = divide_rows(rows, threads)
    own = own_part(thread, threads, parts)
    for turn in range(parts):
        part = (own + turn) % parts
        start = height * part
        count = min(height, rows - start)
        strip = claim(team, part)
        next_strip = claim_ahead(team, strips, part, parts)
        while strip < strips and count > 0:
            prefetch = next_strip if 0 <= next_strip < strips else strip
            multiply_strip(m, a, start, count, strip, prefetch, scratch)
            store_outputs(m, count, strip, to + start * y.row, y.row, i.mode, scratch + SUMS, np.int64(0))
            strip = next_strip if next_strip >= 0 else claim(team, part)
            next_strip = claim_ahead(team, strips, part, parts)


@inner
def store_outputs(m, rows, strip, y, y_row, mode, sums, extra):
    """Scale the sums of a strip, add the bias and `extra` (see strip_output), and store the outputs."""
    for row in range(rows):
        to = y + row * y_row
        if mode >= SWIGLU:
            for tile in range(STRIP_TILES // 2):
                gate = strip_output(m, strip, tile, row, sums, extra)
                up = strip_output(m, strip, tile + STRIP_TILES // 2, row, sums, extra)
                store_f32(to, 2 * (strip * STRIP + 32 * tile), _gated(gate, up, mode))
        else:
            for tile in range(STRIP_TILES):
                at = 4 * (strip * STRIP + 16 * tile)
                value = strip_output(m, strip, tile, row, sums, extra)
                if mode == ADD:
                    value = add(load_f32(to, at), value)
                elif mode == RELU_SQUARED:
                    value = relu_squared(value)
                store_f32(to, at, value)


@inner
def _gated(gate, up, mode):
    if mode == SWIGLU:
        return swiglu(gate, up)
    if mode == GEGLU:
        return geglu(gate, up)
    if mode == CLAMPED_SWIGLU:
        return clamped_swiglu(gate, up)
    if mode == SWIGLU_TO_10:
        return limited_swiglu(gate, up, np.float32(10))
    return capped_swiglu(gate, up, np.float32(7) if mode == CAPPED_SWIGLU_TO_7 else np.float32(16))


@inner
def strip_output(m, strip, tile, row, sums, extra):
    """16 outputs of a row: the sums of a tile, scaled, and the bias.

    extra: address of float32 [rows, STRIP] that are added, or 0.
    """
    value = load_f32(sums, (row * STRIP + 16 * tile) * 4)
    at = 4 * (strip * STRIP + 16 * tile)
    if m.scales:
        value = multiply(value, load_f32(m.scales, at))
    if m.bias:
        value = add(value, load_f32(m.bias, at))
    if extra:
        value = add(value, load_f32(extra, (row * STRIP + 16 * tile) * 4))
    return value
