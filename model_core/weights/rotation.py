"""Rotations of weights, so that many activations share an outlier before they are rounded.

Each BLOCK of inputs of a matrix is multiplied by the orthonormal Hadamard matrix H, weights when they are
packed and activations when they are rounded: x W^T = (x H) (W H)^T, as H H^T = 1 (QuaRot, arXiv:2404.00456).
"""

import numpy as np

from ..kernels.layout import BLOCK
from ..machine.memory import round_up

_BLOCKS = 1024  # rotated at a time, so that they stay in the cache
_SCALE = np.float32(BLOCK**-0.5)  # a power of two: it rounds nothing


def rotate(weight: np.ndarray) -> np.ndarray:
    """Float32 [n, k] -> W H, float32 [n, k rounded up to BLOCK], where the inputs behind k were zeros.

    A second rotation takes the first one back, as H is symmetric.
    Sums are made in a fixed order, so that the bits are the same on every machine.
    """
    n, k = weight.shape
    rotated = np.zeros((n, round_up(k, BLOCK)), np.float32)
    rotated[:, :k] = weight
    blocks = rotated.reshape(-1, BLOCK)
    for start in range(0, len(blocks), _BLOCKS):
        part = blocks[start : start + _BLOCKS]
        columns = np.ascontiguousarray(part.T)
        other = np.empty_like(columns)
        distance = 1
        while distance < BLOCK:
            x, y = (a.reshape(-1, 2, distance, len(part)) for a in (columns, other))
            np.add(x[:, 0], x[:, 1], out=y[:, 0])
            np.subtract(x[:, 0], x[:, 1], out=y[:, 1])
            columns, other = other, columns
            distance *= 2
        np.multiply(columns.T, _SCALE, out=part)
    return rotated


def rotate_codes_back(codes: np.ndarray) -> np.ndarray:
    """Integers [..., k] of rotated weights, as float32 without their rotation.

    They are bytes, so that the sums are exact, in whatever order a library computes them.
    """
    blocks = codes.astype(np.float32).reshape(-1, BLOCK)
    return (blocks @ _HADAMARD).reshape(codes.shape) * _SCALE


def _hadamard() -> np.ndarray:
    """The Hadamard matrix of ones, float32 [BLOCK, BLOCK], in Sylvester's order."""
    matrix = np.ones((1, 1), np.float32)
    while len(matrix) < BLOCK:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix


_HADAMARD = _hadamard()
