"""Balances the inputs of a matrix: which of them become larger, and their weights smaller, or the reverse.

x W^T = (x s) (W / s)^T. Both are rounded with the same error relative to their largest numbers, so the error
of a product is least where weights and activations have equal magnitudes at each input: s^2 = |W| / |x|, the
root mean squares of its weights and activations (SmoothQuant, Xiao et al., 2022, arXiv:2211.10438, with an
alpha of 1/2). Rotations come after that. They spread what is large, but do not make it small.
"""

import math
from collections.abc import Iterable

import numpy as np

# Added to each mean square of activations, as a share of the mean of all: what a short text hardly has may be
# large in another one. Without it, inputs that 1 % of tokens have lose 3 times as much as without a balance.
_SHARE_OF_MEAN = 1 / 16
_LEAST = 2.0**-20  # of the mean squares of weights beside the largest
_ROOTS = np.array([1, 2**0.25, 2**0.5, 2**0.75], np.float32)
_BLOCK_SIZE = 2**18  # numbers squared at a time, so that they stay in the cache


def choose_balance(activations: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The balance of k inputs, which multiplies activations: float32 [k], powers of the fourth root of 2.

    activations, weights: float64 [k], their sums of squares. Without a balance, as where numbers are not
    finite, all are 1. The bits are the same on every machine.
    """
    total, peak = math.fsum(activations.tolist()), float(weights.max(initial=0.0))
    if not (0 < total < math.inf and 0 < peak < math.inf):
        return np.ones(len(weights), np.float32)
    squares = activations / total + _SHARE_OF_MEAN / len(activations)
    mantissas, exponents = np.frexp(np.maximum(weights / peak, _LEAST) / squares)  # of s^4
    steps = exponents - (mantissas < 0.5**0.5)  # the nearest power of two
    return np.ldexp(_ROOTS[steps & 3], steps >> 2)


def sum_squares(parts: Iterable[np.ndarray]) -> np.ndarray:
    """Matrices [n_i, k] of any float type -> the sums of squares of their columns, float64 [k].

    Rows are added one after the other, so that the bits are the same on every machine.
    """
    total: np.ndarray | None = None
    for part in parts:
        rows = max(1, _BLOCK_SIZE // part.shape[1])
        for start in range(0, len(part), rows):
            block = part[start : start + rows].astype(np.float64, order="C")  # by which NumPy adds
            np.square(block, out=block)
            if total is not None:
                block[0] += total
            total = np.add.reduce(block, axis=0)
    assert total is not None
    return total
