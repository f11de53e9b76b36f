"""From the hidden states of a text to its vector, with bits that depend on nothing else."""

import math

import numpy as np

POOLINGS = ("mean", "cls", "last")


def rows_to_pool(pooling: str, length: int) -> range:
    """The positions whose hidden states are needed, of a text of `length` tokens."""
    return {"mean": range(length), "cls": range(1), "last": range(length - 1, length)}[pooling]


def pool(rows: np.ndarray) -> np.ndarray:
    """The mean of rows float32 [n, width], which are added in order: float32 [width]."""
    return rows[0] if len(rows) == 1 else np.add.reduce(rows, axis=0) / np.float32(len(rows))


def normalize(x: np.ndarray) -> np.ndarray:
    """x / max(|x|, 1e-12), for float32 [width]. The sum of squares is exact, in any order."""
    length = math.sqrt(math.fsum(np.square(x, dtype=np.float64).tolist()))
    return x / np.float32(max(length, 1e-12)) if math.isfinite(length) else x
