"""Vectors of chunks as whole numbers, whose products are exact, and the scan that finds the nearest.

A vector is scaled to the length SCALE and rounded to whole numbers of 16 bits. The products of two and all
their sums stay below 2^24 (Cauchy-Schwarz), so float32 has them exactly, in whatever order they are added:
the same chunks are found with any number of threads and on any processor.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SCALE = 4000.0  # two vectors of this length, rounded, have products below 2^24 up to MAX_DIMENSIONS
MAX_DIMENSIONS = 16_384
STORED = np.dtype("<i2")
_ROWS_AT_A_TIME = 8192


@dataclass(frozen=True)
class Hit:
    """A chunk that was found: its row among those that were scanned, and the cosine of the two vectors."""

    row: int
    score: float


def quantize(vectors: np.ndarray) -> np.ndarray:
    """Vectors [count, dimensions] as whole numbers. A vector of zeros stays one."""
    rows = np.asarray(vectors, np.float64)
    # fsum rounds once, so the length does not depend on the order of the sum.
    lengths = [math.sqrt(math.fsum(row)) for row in (rows * rows).tolist()]
    scales = np.array([SCALE / length if length else 0.0 for length in lengths])
    return np.rint(rows * scales[:, None]).astype(STORED)


def scan(rows: np.ndarray, queries: np.ndarray, count: int, allowed: np.ndarray | None = None) -> list[Hit]:
    """The `count` rows with the highest score for any of the queries; of equal ones the first.

    Args:
        rows: [chunks, dimensions], of `quantize`.
        queries: float32 [queries, dimensions], of `quantize`.
        allowed: bool [chunks]; None: all.
    """
    products = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), _ROWS_AT_A_TIME):  # as float32 they take twice the memory
        part = rows[start : start + _ROWS_AT_A_TIME].astype(np.float32)
        products[start : start + _ROWS_AT_A_TIME] = (part @ queries.T).max(axis=1)
    kept = np.arange(len(rows)) if allowed is None else np.flatnonzero(allowed)
    products = products[kept]
    if len(products) > count:
        least = np.partition(products, len(products) - count)[len(products) - count]
        places = np.flatnonzero(products >= least)
    else:
        places = np.arange(len(products))
    places = places[np.argsort(-products[places], kind="stable")][:count]
    return [Hit(int(kept[place]), to_score(float(products[place]))) for place in places]


def to_score(product: float) -> float:
    """The cosine of two vectors from the product of what `quantize` made of them, with four digits."""
    return min(1.0, max(-1.0, round(product / SCALE**2, 4)))


def pack(vectors: Sequence[np.ndarray]) -> bytes:
    """The rows of `quantize` as they are stored."""
    return b"".join(vector.astype(STORED).tobytes() for vector in vectors)


def unpack(data: bytes, dimensions: int) -> np.ndarray:
    """What `pack` has made: whole numbers [chunks, dimensions]."""
    return np.frombuffer(data, STORED).reshape(-1, dimensions)
