"""Attention with keys, values, queries and weights as 16-bit integers, words: the specification of
kernels/sequences/words.py.

Products of words are summed exactly. So only exponentials and a few products of floats are rounded, in a
fixed order.
"""

import numpy as np

SEGMENT, BLOCK = 512, 128  # positions with a softmax of their own, and whose weights have a scale together
LARGEST = np.float32(32767)  # word
# The largest norm of a row of keys or of a query in words, and the largest sum of a block's weights: with
# both, sums of products fit into 32 bits, rounding included.
NORM, SUM = np.float32(46000), np.float32(65000)


def round_keys(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of keys or queries as words and their scales: float32 [..., size] -> int16 and float32 [...]."""
    norms = np.sqrt(np.sum(x * x, axis=-1, dtype=np.float32))
    return _round(x, np.maximum(norms / NORM, np.abs(x).max(axis=-1) / LARGEST))


def round_values(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of values as words and their scales: float32 [..., size] -> int16 and float32 [...]."""
    return _round(x, np.abs(x).max(axis=-1) / LARGEST)


def _round(x: np.ndarray, scales: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    with np.errstate(divide="ignore"):
        inverse = np.where(scales > np.float32(1e-35), np.float32(1) / scales, np.float32(0))
    return np.rint(x * inverse[..., None]).astype(np.int16), scales


def attend(q: np.ndarray, keys: np.ndarray, values: np.ndarray, scale: float) -> np.ndarray:
    """Attention of one query to positions 0 to length - 1: float32 [size] -> [value size].

    q: float32 [size]. keys: [length, size]. values: [length, value size].
    """
    of_query, query_scale = round_keys(q)
    (of_keys, key_scales), (of_values, value_scales) = round_keys(keys), round_values(values)
    products = of_keys.astype(np.int64) @ of_query.astype(np.int64)
    scores = products.astype(np.float32) * key_scales * (query_scale * np.float32(scale))
    peak = scores.max()
    mixed, total = np.zeros(values.shape[1], np.float32), np.float32(0)
    for first in range(0, len(keys), SEGMENT):
        segment = slice(first, first + SEGMENT)
        own_peak = scores[segment].max()
        weights = np.exp(scores[segment] - own_peak)
        part = np.zeros_like(mixed)
        for start in range(0, len(weights), BLOCK):
            block = slice(first + start, first + min(start + BLOCK, len(weights)))
            of_block = weights[start : start + BLOCK] * value_scales[block]
            unit = np.maximum(of_block.sum() / SUM, of_block.max() / LARGEST)
            words = np.rint(of_block * (np.float32(1) / unit)).astype(np.int64)
            part += (words @ of_values[block].astype(np.int64)).astype(np.float32) * unit
        mixed += part * np.exp(own_peak - peak)
        total += weights.sum() * np.exp(own_peak - peak)
    return mixed / total
