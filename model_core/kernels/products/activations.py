"""Activations, and how they are rounded for products with integer weights."""

import numpy as np

from ..inner import inner
from ..layout import GROUP, record_type
from ..simd import (
    absolute,
    broadcast,
    largest_of,
    load_f32,
    maximum,
    multiply,
    set_f32,
    store_rounded,
    sum_codes,
)

# Activations as kernels see them: addresses of float32 [rows, k], of the same in int8, of what `quantize`
# says of each GROUP of codes, RUN_BYTES for each, and of the same in parts (tiles.py); with the bytes from
# one row to the next.
ACTIVATIONS = record_type("floats", "row", "codes", "codes_row", "runs", "runs_row", "parts", "parts_row")
RUN_BYTES = 128


@inner
def quantize(a, row, first, count):
    """Quantize `count` activations of a row (a multiple of 32) from `first` (of GROUP) on: x = scale * code.

    The codes are int8, with zeros up to a multiple of GROUP. Their run gets the scale and -128 times the sums
    of codes (see sum_codes).
    """
    floats = a.floats + row * a.row + 4 * first
    codes = a.codes + row * a.codes_row + first
    run = a.runs + row * a.runs_row + first // GROUP * RUN_BYTES
    largest = broadcast(np.float32(0))
    for i in range(0, count, 16):
        largest = maximum(largest, absolute(load_f32(floats, 4 * i)))
    peak = largest_of(largest)
    # Anything below would be a subnormal whose inverse is infinite.
    inverse = broadcast(np.float32(127) / peak if peak > np.float32(1e-30) else np.float32(0))
    for i in range(0, count, 16):
        store_rounded(codes, i, multiply(load_f32(floats, 4 * i), inverse))
    for i in range(count, GROUP, 16):
        store_rounded(codes, i, broadcast(np.float32(0)))
    sum_codes(codes, run)
    set_f32(run, 0, peak / np.float32(127))


@inner
def quantize_row(a, row, size, k):
    """Quantize `size` activations of a row for a product over k, with zeros between."""
    for i in range(size, k):
        set_f32(a.floats + row * a.row, 4 * i, np.float32(0))
    for first in range(0, k, GROUP):
        quantize(a, row, first, min(GROUP, k - first))
