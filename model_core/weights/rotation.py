"""Rotations of weights, so that many activations share an outlier before they are rounded.

Each GROUP of inputs of a matrix, and each BLOCK of those behind the last whole one, is multiplied by the
orthonormal Hadamard matrix H, weights when they are packed and activations when they are rounded: x W^T =
(x H) (W H)^T, as H H^T = 1 (QuaRot, arXiv:2404.00456).
"""

import numpy as np

from ..kernels.layout import BLOCK, GROUP
from ..machine.memory import round_up

_FLOATS = 2**16  # rotated at a time, so that they stay in the cache


def rotate(weight: np.ndarray) -> np.ndarray:
    """Float32 [n, k] -> W H, float32 [n, k rounded up to BLOCK], where the inputs behind k were zeros.

    A second rotation takes the first one back, as H is symmetric.
    Sums are made in a fixed order, so that the bits are the same on every machine.
    """
    n, k = weight.shape
    rotated = np.zeros((n, round_up(k, BLOCK)), np.float32)
    rotated[:, :k] = weight
    for columns, size in _parts(rotated.shape[1]):
        blocks = np.ascontiguousarray(rotated[:, columns]).reshape(-1, size)
        for start in range(0, len(blocks), _FLOATS // size):
            _rotate_blocks(blocks[start : start + _FLOATS // size])
        rotated[:, columns] = blocks.reshape(n, -1)
    return rotated


def rotate_codes_back(codes: np.ndarray) -> np.ndarray:
    """Integers [..., k] of rotated weights, as float32 without their rotation.

    They are bytes, so that the sums are exact, in whatever order a library computes them.
    """
    floats = codes.astype(np.float32)
    for columns, size in _parts(codes.shape[-1]):
        blocks = floats[..., columns]
        turned = blocks.reshape(-1, size) @ _HADAMARD[:size, :size]
        floats[..., columns] = turned.reshape(blocks.shape) * _scale(size)
    return floats


def _parts(k: int) -> list[tuple[slice, int]]:
    """The columns of k that are rotated, and how many of them at a time."""
    whole = k // GROUP * GROUP
    parts = (slice(0, whole), GROUP), (slice(whole, k), BLOCK)
    return [(columns, size) for columns, size in parts if columns.start < columns.stop]


def _scale(size: int) -> np.float32:
    """What makes the matrix of ones orthonormal: a power of two, which rounds nothing."""
    return np.float32(size**-0.5)


def _rotate_blocks(part: np.ndarray) -> None:
    """Rotate each row, float32 [rows, size], in place."""
    size = part.shape[1]
    columns = np.ascontiguousarray(part.T)
    other = np.empty_like(columns)
    distance = 1
    while distance < size:
        x, y = (a.reshape(-1, 2, distance, len(part)) for a in (columns, other))
        np.add(x[:, 0], x[:, 1], out=y[:, 0])
        np.subtract(x[:, 0], x[:, 1], out=y[:, 1])
        columns, other = other, columns
        distance *= 2
    np.multiply(columns.T, _scale(size), out=part)


def _hadamard() -> np.ndarray:
    """The Hadamard matrix of ones, [GROUP, GROUP], in Sylvester's order. Corners are smaller ones."""
    matrix = np.ones((1, 1), np.float32)
    while len(matrix) < GROUP:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix


_HADAMARD = _hadamard()
