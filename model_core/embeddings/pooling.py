"""From the hidden states of a text to its vector, with bits that depend on nothing else."""

import math

import numpy as np

from ..machine.exact_math import log1p

POOLINGS = ("mean", "cls", "last")
# How the logits of words become a vector with a number for each word (SPLADE, Formal et al., 2021,
# arXiv:2109.10086): log(1 + relu(logit)), the largest or the sum of all tokens.
SPARSE_POOLINGS = ("largest", "sum")


def rows_to_pool(pooling: str, length: int) -> range:
    """The positions whose hidden states are needed, of a text of `length` tokens."""
    if pooling in SPARSE_POOLINGS:
        return range(length)
    return {"mean": range(length), "cls": range(1), "last": range(length - 1, length)}[pooling]


def pool(rows: np.ndarray) -> np.ndarray:
    """The mean of rows float32 [n, width], which are added in order: float32 [width]."""
    return rows[0] if len(rows) == 1 else np.add.reduce(rows, axis=0) / np.float32(len(rows))


def pool_words(logits: np.ndarray, pooling: str, twice: bool) -> np.ndarray:
    """A number for each word, most of which are 0: float32 [words] from float32 [n, words].

    pooling: of SPARSE_POOLINGS. twice: log(1 + y) is taken of the result y of each token again
    (arXiv:2504.14839).
    """
    # Logarithms grow with the logits, so those of the largest are the largest.
    rows = np.maximum(logits.max(axis=0, keepdims=True) if pooling == "largest" else logits, 0)
    of_words = np.flatnonzero((rows > 0).any(axis=0))
    found = log1p(rows[:, of_words])
    vector = np.zeros(rows.shape[1], np.float32)
    vector[of_words] = np.add.reduce(log1p(found) if twice else found, axis=0)
    return vector


def normalize(x: np.ndarray) -> np.ndarray:
    """x / max(|x|, 1e-12), for float32 [width]. The sum of squares is exact, in any order."""
    length = math.sqrt(math.fsum(np.square(x, dtype=np.float64).tolist()))
    return x / np.float32(max(length, 1e-12)) if math.isfinite(length) else x
