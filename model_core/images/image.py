"""A decoded image."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # messages are read where nothing computes, and start faster without NumPy
    import numpy as np


class Pixels:
    """The pixels of an image. It does not change.

    Attributes:
        values: uint8 [height, width, 3], red, green and blue; what is transparent is on white.
        digest: SHA-256 of size and values.
    """

    def __init__(self, values: np.ndarray, digest: bytes) -> None:
        self.values, self.digest = values, digest


def make_pixels(values: np.ndarray) -> Pixels:
    """An image of pixels, uint8 [height, width, 3]."""
    return Pixels(values, hashlib.sha256(f"{values.shape}".encode() + values.tobytes()).digest())
