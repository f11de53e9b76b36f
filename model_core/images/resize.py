"""Resizes images with the bits that Pillow's `resize` had up to version 12.2.

Each output pixel is a weighted mean of input pixels, along rows first and then along columns. Weights are
whole numbers of 22 bits, so that sums are exact in any order, and each direction rounds to bytes.

Models were trained with this. Pillow 12.3 resizes some tall images along columns first, and Pillow 13 many,
which changes bytes by one. PyTorch's resizing of bytes, with which the image processors of Transformers 5
work, rounds weights to 16 bits: a third of a percent of the bytes of noise differs by one.

Source of the method: Pillow's src/libImaging/Resample.c.
"""

import numpy as np

from .image import Pixels, make_pixels
from .resize_weights import weigh


def resize(values: np.ndarray, height: int, width: int, kind: str) -> np.ndarray:
    """An image in another size: uint8 [any height, any width, 3] -> [height, width, 3].

    kind: "bicubic", "bilinear" or "lanczos".
    """
    # The compiler takes a second to load, and commands that compute nothing import this file.
    from .resize_kernels import resize_columns, resize_rows

    values = np.ascontiguousarray(values)
    if width != values.shape[1]:
        resized = np.empty((values.shape[0], width, 3), np.uint8)
        resize_rows(values, *weigh(values.shape[1], width, kind), resized)
        values = resized
    if height != values.shape[0]:
        resized = np.empty((height, width, 3), np.uint8)
        lines = values.reshape(values.shape[0], -1)
        resize_columns(lines, *weigh(values.shape[0], height, kind), resized.reshape(height, -1))
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
