"""Resizes images with the bits that Pillow's `resize` had up to version 12.2.

Each output pixel is a weighted mean of input pixels, along rows first and then along columns. Weights are
whole numbers of 22 bits, so that sums are exact in any order, and each direction rounds to bytes.

Models were trained with this. Pillow 12.3 resizes some tall images along columns first, and Pillow 13 many,
which changes bytes by one. PyTorch's resizing of bytes, with which the image processors of Transformers 5
work, rounds weights to 16 bits: a third of a percent of the bytes of noise differs by one.

Source of the method: Pillow's src/libImaging/Resample.c.
"""

import math
from collections.abc import Callable

import numpy as np
from numba import njit

from .image import Pixels, make_pixels

_BITS = 22  # of the fractions of weights


def _bilinear(x: float) -> float:
    return max(1.0 - abs(x), 0.0)


def _bicubic(x: float) -> float:
    """Keys' kernel with a = -0.5."""
    x, a = abs(x), -0.5
    if x < 1.0:
        return ((a + 2.0) * x - (a + 3.0)) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * a if x < 2.0 else 0.0


def _sinc(x: float) -> float:
    return 1.0 if x == 0.0 else math.sin(x * math.pi) / (x * math.pi)


def _lanczos(x: float) -> float:
    return _sinc(x) * _sinc(x / 3) if -3.0 <= x < 3.0 else 0.0


# Kernel, and how far it reaches.
_KERNELS: dict[str, tuple[Callable[[float], float], float]] = {
    "bilinear": (_bilinear, 1.0),
    "bicubic": (_bicubic, 2.0),
    "lanczos": (_lanczos, 3.0),
}


def resize(values: np.ndarray, height: int, width: int, kind: str) -> np.ndarray:
    """An image in another size: uint8 [any height, any width, 3] -> [height, width, 3].

    kind: "bicubic", "bilinear" or "lanczos".
    """
    values = np.ascontiguousarray(values)
    if width != values.shape[1]:
        resized = np.empty((values.shape[0], width, 3), np.uint8)
        _resize_rows(values, *_weigh(values.shape[1], width, kind), resized)
        values = resized
    if height != values.shape[0]:
        resized = np.empty((height, width, 3), np.uint8)
        lines = values.reshape(values.shape[0], -1)
        _resize_columns(lines, *_weigh(values.shape[0], height, kind), resized.reshape(height, -1))
        values = resized
    return values


def shrink(pixels: Pixels, side: int) -> Pixels:
    """An image of which no side has more than `side` pixels."""
    height, width = pixels.values.shape[:2]
    longest = max(height, width)
    if longest <= side:
        return pixels
    new_height, new_width = (max(round(length * side / longest), 1) for length in (height, width))
    return make_pixels(resize(pixels.values, new_height, new_width, "bicubic"))


def _weigh(size: int, new_size: int, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each output pixel the first input pixel, the number of them, and their weights.

    int64 [new_size], int64 [new_size], int32 [new_size, most]. The order of the operations is Pillow's.
    """
    kernel, support = _KERNELS[kind]
    scale = size / new_size
    filter_scale = max(scale, 1.0)
    support *= filter_scale
    firsts, counts = np.zeros(new_size, np.int64), np.zeros(new_size, np.int64)
    weights = np.zeros((new_size, math.ceil(support) * 2 + 1), np.int32)
    for index in range(new_size):
        center = (index + 0.5) * scale
        first = max(int(center - support + 0.5), 0)
        count = min(int(center + support + 0.5), size) - first
        own = [kernel((place + first - center + 0.5) * (1.0 / filter_scale)) for place in range(count)]
        total = 0.0
        for weight in own:  # `sum` rounds otherwise since Python 3.12
            total += weight
        if total != 0.0:
            own = [weight / total for weight in own]
        firsts[index], counts[index] = first, count
        weights[index, :count] = [int(w * (1 << _BITS) + (-0.5 if w < 0 else 0.5)) for w in own]
    return firsts, counts, weights


@njit(nogil=True, cache=True)
def _resize_rows(
    values: np.ndarray, firsts: np.ndarray, counts: np.ndarray, weights: np.ndarray, out: np.ndarray
) -> None:
    """uint8 [height, any width, 3] -> out [height, width, 3]."""
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
            red = green = blue = np.int64(1 << (_BITS - 1))
            for tap in range(counts[column]):
                weight, place = weights[column, tap], firsts[column] + tap
                red += values[row, place, 0] * weight
                green += values[row, place, 1] * weight
                blue += values[row, place, 2] * weight
            out[row, column, 0] = min(max(red >> _BITS, 0), 255)
            out[row, column, 1] = min(max(green >> _BITS, 0), 255)
            out[row, column, 2] = min(max(blue >> _BITS, 0), 255)


@njit(nogil=True, cache=True)
def _resize_columns(
    lines: np.ndarray, firsts: np.ndarray, counts: np.ndarray, weights: np.ndarray, out: np.ndarray
) -> None:
    """uint8 [any height, values of a row] -> out [height, values of a row]."""
    sums = np.empty(out.shape[1], np.int64)
    for row in range(out.shape[0]):
        sums[:] = 1 << (_BITS - 1)
        for tap in range(counts[row]):
            weight, line = np.int64(weights[row, tap]), lines[firsts[row] + tap]
            for place in range(len(sums)):
                sums[place] += line[place] * weight
        for place in range(len(sums)):
            out[row, place] = min(max(sums[place] >> _BITS, 0), 255)
