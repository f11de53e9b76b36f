"""Balances the inputs of a matrix: which of them become larger, and their weights smaller, or the reverse.

x W^T = (x s) (W / s)^T. Both are rounded with the same error relative to their largest numbers, so the error
of a product is least where weights and activations have equal magnitudes at each input: s^2 = |W| / |x|, the
root mean squares of its weights and activations (SmoothQuant, Xiao et al., 2022, arXiv:2211.10438, with an
alpha of 1/2). Rotations come after that. They spread what is large, but do not make it small.
"""

from collections.abc import Iterable

import numpy as np

_LEAST = 2.0**-20  # of mean squares beside the largest: what hardly occurs need not be exact
_BLOCK_SIZE = 2**18  # numbers squared at a time, so that they stay in the cache


def choose_balance(activations: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The balance of k inputs: float32 [k], powers of two, which multiply activations without an error.

    activations, weights: float64 [k], their sums of squares. Without a balance, as where numbers are not
    finite, all are 1. The bits are the same on every machine.
    """
    peaks = activations.max(initial=0.0), weights.max(initial=0.0)
    if not all(0 < peak < np.inf for peak in peaks):
        return np.ones(len(weights), np.float32)
    ratio = np.maximum(weights / peaks[1], _LEAST) / np.maximum(activations / peaks[0], _LEAST)
    # ratio is s^4. Its exponent alone decides: the next power of two below is 2^(exponent - 1).
    exponents = np.frexp(ratio)[1] + 1 >> 2
    return np.ldexp(np.float32(1), exponents).astype(np.float32)


def sum_squares(parts: Iterable[np.ndarray]) -> np.ndarray:
    """Matrices [n_i, k] of any float type -> the sums of squares of their columns, float64 [k].

    Rows are added one after the other, so that the bits are the same on every machine.
    """
    total: np.ndarray | None = None
    for part in parts:
        rows = max(1, _BLOCK_SIZE // part.shape[1])
        for start in range(0, len(part), rows):
            block = part[start : start + rows].astype(np.float64)
            np.square(block, out=block)
            if total is not None:
                block[0] += total
            total = np.add.reduce(block, axis=0)
    assert total is not None
    return total
