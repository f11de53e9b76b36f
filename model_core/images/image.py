"""A decoded image."""

import hashlib
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Pixels:
    """The pixels of an image.

    Attributes:
        values: uint8 [height, width, 3], red, green and blue; what is transparent is on white.
        digest: SHA-256 of size and values.
    """

    values: np.ndarray
    digest: bytes


def make_pixels(values: np.ndarray) -> Pixels:
    """An image of pixels, uint8 [height, width, 3]."""
    return Pixels(values, hashlib.sha256(f"{values.shape}".encode() + values.tobytes()).digest())
