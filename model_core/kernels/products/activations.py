"""Activations, and how they are rounded for products with integer weights."""

import numpy as np

from ..inner import inner
from ..layout import ACTIVATION_GROUP, BLOCK, BY_GROUP, GROUP, ROTATED, record_type
from ..simd import (
    absolute,
    add,
    broadcast,
    butterfly,
    fma,
    largest_of,
    load_f32,
    maximum,
    multiply,
    round_to_even,
    set_f32,
    store_rounded,
    subtract,
    sum_codes,
    sum_of,
)

# Activations as kernels see them: addresses of float32 [rows, k], of the same in int8, of what `quantize_row`
# says of each GROUP of codes, RUN_BYTES for each, and of the same in parts (tiles.py); with the bytes from
# one row to the next.
ACTIVATIONS = record_type("floats", "row", "codes", "codes_row", "runs", "runs_row", "parts", "parts_row")
# Sums of codes (see sum_codes), of which the first place has the scale of the GROUP; and behind them the
# scale of each ACTIVATION_GROUP, where these have their own.
RUN_SCALES = 128
RUN_BYTES = RUN_SCALES + 64


@inner
def quantize_row(a, row, size, m):
    """Quantize `size` activations of a row for a product with the matrix m, with zeros up to its k.

    The runs get -128 times the sums of codes as well (see sum_codes).
    """
    for i in range(size, m.k):
        set_f32(a.floats + row * a.row, 4 * i, np.float32(0))
    for first in range(0, m.k, GROUP):
        _quantize_run(a, row, first, min(GROUP, m.k - first), m)
    # Only now: what was just stored in small parts cannot be loaded at once.
    for first in range(0, m.k, GROUP):
        sum_codes(a.codes + row * a.codes_row + first, a.runs + row * a.runs_row + first // GROUP * RUN_BYTES)


@inner
def _quantize_run(a, row, first, count, m):
    """Quantize `count` activations of a row from `first` (a multiple of GROUP) on: x = scale * code.

    m: the matrix that multiplies them.
    count: a multiple of 32, of BLOCK if they are rotated. The codes are int8, with zeros up to a multiple of
    GROUP. Their run gets the scale, or those of groups.
    """
    floats = a.floats + row * a.row + 4 * first
    codes = a.codes + row * a.codes_row + first
    run = a.runs + row * a.runs_row + first // GROUP * RUN_BYTES
    zero = broadcast(np.float32(0))
    for i in range(count, GROUP, 16):
        store_rounded(codes, i, zero)
    scale = np.float32(0)
    if m.rounding == BY_GROUP:
        for i in range(0, count, ACTIVATION_GROUP):
            x, y = load_f32(floats, 4 * i), load_f32(floats, 4 * i + 64)
            peak = largest_of(maximum(absolute(x), absolute(y)))
            # The largest is a whole number of steps with each of these, and the others are rounded by chance.
            best, least = np.float32(127), _rounding_error(x, y, peak, np.float32(127))
            for steps in (np.float32(126), np.float32(125)):
                error = _rounding_error(x, y, peak, steps)
                if error < least:
                    best, least = steps, error
            inverse = _inverse(peak, best)
            store_rounded(codes, i, multiply(x, inverse))
            store_rounded(codes, i + 16, multiply(y, inverse))
            set_f32(run + RUN_SCALES, i // ACTIVATION_GROUP * 4, peak / best)
    elif m.rounding == ROTATED and count == GROUP:
        scale = _quantize_group(floats, m.balance + 4 * first, codes)
    elif m.rounding == ROTATED:
        balance = m.balance + 4 * first
        largest = zero
        for i in range(0, count, BLOCK):
            x, y, z, w = _rotate(floats + 4 * i, balance + 4 * i)
            largest = maximum(largest, _largest_of_four(x, y, z, w))
        peak = largest_of(largest)
        inverse = _inverse(peak, np.float32(127))
        for i in range(0, count, BLOCK):
            # Computed again: it takes less time than to store it.
            x, y, z, w = _rotate(floats + 4 * i, balance + 4 * i)
            _store_block(codes + i, inverse, x, y, z, w)
        scale = peak / np.float32(127 * 8)  # 1/8 makes the rotation orthonormal
    else:
        largest = zero
        for i in range(0, count, 16):
            largest = maximum(largest, absolute(load_f32(floats, 4 * i)))
        peak = largest_of(largest)
        inverse = _inverse(peak, np.float32(127))
        for i in range(0, count, 16):
            store_rounded(codes, i, multiply(load_f32(floats, 4 * i), inverse))
        scale = peak / np.float32(127)
    set_f32(run, 0, scale)


@inner
def _inverse(peak, steps):
    """What brings numbers up to `peak` to so many steps. A smaller peak's would be infinite."""
    return broadcast(steps / peak if peak > np.float32(1e-30) else np.float32(0))


@inner
def _rounding_error(x, y, peak, steps):
    """The sum of the squares of what rounding to multiples of peak / steps changes."""
    inverse, scale = _inverse(peak, steps), broadcast(-peak / steps)
    x_error = fma(round_to_even(multiply(x, inverse)), scale, x)
    y_error = fma(round_to_even(multiply(y, inverse)), scale, y)
    return sum_of(fma(x_error, x_error, multiply(y_error, y_error)))


@inner
def _quantize_group(floats, balance, codes):
    """Balance a GROUP of floats, rotate it and round it. Returns the scale of the codes."""
    a, b = _rotate(floats, balance), _rotate(floats + 256, balance + 256)
    c, d = _rotate(floats + 512, balance + 512), _rotate(floats + 768, balance + 768)
    a0, b0, c0, d0 = rotate_four(a[0], b[0], c[0], d[0])
    a1, b1, c1, d1 = rotate_four(a[1], b[1], c[1], d[1])
    a2, b2, c2, d2 = rotate_four(a[2], b[2], c[2], d[2])
    a3, b3, c3, d3 = rotate_four(a[3], b[3], c[3], d[3])
    first = maximum(_largest_of_four(a0, a1, a2, a3), _largest_of_four(b0, b1, b2, b3))
    second = maximum(_largest_of_four(c0, c1, c2, c3), _largest_of_four(d0, d1, d2, d3))
    peak = largest_of(maximum(first, second))
    inverse = _inverse(peak, np.float32(127))
    _store_block(codes, inverse, a0, a1, a2, a3)
    _store_block(codes + 64, inverse, b0, b1, b2, b3)
    _store_block(codes + 128, inverse, c0, c1, c2, c3)
    _store_block(codes + 192, inverse, d0, d1, d2, d3)
    return peak / np.float32(127 * 16)  # 1/16 makes the rotation orthonormal


@inner
def _largest_of_four(x, y, z, w):
    """The largest magnitude of each lane."""
    return maximum(maximum(absolute(x), absolute(y)), maximum(absolute(z), absolute(w)))


@inner
def _store_block(codes, inverse, x, y, z, w):
    """Round a BLOCK and store it."""
    store_rounded(codes, 0, multiply(x, inverse))
    store_rounded(codes, 16, multiply(y, inverse))
    store_rounded(codes, 32, multiply(z, inverse))
    store_rounded(codes, 48, multiply(w, inverse))


@inner
def _rotate(address, balance):
    """A BLOCK of floats times its balance and the Hadamard matrix of ones: four vectors."""
    x = multiply(load_f32(address, 0), load_f32(balance, 0))
    y = multiply(load_f32(address, 64), load_f32(balance, 64))
    z = multiply(load_f32(address, 128), load_f32(balance, 128))
    w = multiply(load_f32(address, 192), load_f32(balance, 192))
    x, y, z, w = rotate_four(x, y, z, w)
    return butterfly(x), butterfly(y), butterfly(z), butterfly(w)


@inner
def rotate_four(x, y, z, w):
    """Four vectors times the Hadamard matrix of ones."""
    x, y, z, w = add(x, y), subtract(x, y), add(z, w), subtract(z, w)
    return add(x, z), add(y, w), subtract(x, z), subtract(y, w)
