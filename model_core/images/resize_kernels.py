"""The loops of `resize`, compiled."""

import numpy as np
from numba import njit

from .resize_weights import BITS


@njit(nogil=True, cache=True)
def resize_rows(
    values: np.ndarray, firsts: np.ndarray, counts: np.ndarray, weights: np.ndarray, out: np.ndarray
) -> None:
    """uint8 [height, any width, 3] -> out [height, width, 3]."""
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
            red = green = blue = np.int64(1 << (BITS - 1))
            for tap in range(counts[column]):
                weight, place = weights[column, tap], firsts[column] + tap
                red += values[row, place, 0] * weight
                green += values[row, place, 1] * weight
                blue += values[row, place, 2] * weight
            out[row, column, 0] = min(max(red >> BITS, 0), 255)
            out[row, column, 1] = min(max(green >> BITS, 0), 255)
            out[row, column, 2] = min(max(blue >> BITS, 0), 255)


@njit(nogil=True, cache=True)
def resize_columns(
    lines: np.ndarray, firsts: np.ndarray, counts: np.ndarray, weights: np.ndarray, out: np.ndarray
) -> None:
    """uint8 [any height, values of a row] -> out [height, values of a row]."""
    sums = np.empty(out.shape[1], np.int64)
    for row in range(out.shape[0]):
        sums[:] = 1 << (BITS - 1)
        for tap in range(counts[row]):
            weight, line = np.int64(weights[row, tap]), lines[firsts[row] + tap]
            for place in range(len(sums)):
                sums[place] += line[place] * weight
        for place in range(len(sums)):
            out[row, place] = min(max(sums[place] >> BITS, 0), 255)
