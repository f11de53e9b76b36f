"""Sparse attention in plain NumPy: which positions a row attends to (see tape/selection.py)."""

import numpy as np

from ..tape.selection import WORD, Select
from .operators import softmax


def select(
    record: Select, q: np.ndarray, keys: np.ndarray, weights: np.ndarray | None, positions: np.ndarray
) -> np.ndarray:
    """The units that rows choose, as bits: float32 [rows, numbers of y].

    q: float32 [rows, heads, size]. keys: float32 [length, 1, size], of all positions so far. weights: float32
    [rows, heads]. positions: int [rows].
    """
    products = np.einsum("rhd,td->rht", q, keys[:, 0])
    places, unit = np.arange(len(keys)), record.unit
    units = np.arange(record.y.size * WORD)
    if weights is not None:
        scores = np.einsum("rht,rh->rt", np.maximum(products, 0), weights)[:, None, unit - 1 :: unit]
        is_open = positions[:, None] >= (units + 1) * unit - 1
    else:
        products = np.where(places <= positions[:, None, None], products, -np.inf)
        scores = np.maximum.reduceat(products, places[::unit], axis=-1)
        is_open = positions[:, None] >= units * unit
    padded = np.full((*scores.shape[:2], len(units)), -np.inf, np.float32)
    padded[..., : scores.shape[-1]] = scores
    for number in range(record.local):
        own = np.maximum(positions // unit - number, 0)
        padded[np.arange(len(q)), :, own] = np.inf
    padded = np.where(is_open[:, None], padded, -np.inf)
    best = np.argsort(-padded, axis=-1, kind="stable")[..., : record.top]
    chosen = np.zeros(padded.shape, bool)
    np.put_along_axis(chosen, best, True, axis=-1)
    chosen &= is_open[:, None]
    if weights is not None:
        chosen |= (units == (positions // unit)[:, None])[:, None] & ~is_open[:, None]
    return np.packbits(chosen, axis=-1, bitorder="little").reshape(len(q), -1).view(np.float32)


def read_chosen(bits: np.ndarray, heads: int, unit: int, length: int) -> np.ndarray:
    """Whether rows attend to positions: bool [heads, rows, length]. bits: of `select`."""
    rows = np.ascontiguousarray(bits).view(np.uint8).reshape(len(bits), heads, -1)
    chosen = np.unpackbits(rows, axis=-1, bitorder="little").astype(bool)
    return np.repeat(chosen, unit, axis=-1)[..., :length].transpose(1, 0, 2)


def pool(
    x: np.ndarray, gates: np.ndarray, bias: np.ndarray, state: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The mean of the last rows, weighted by the softmax of gates and bias (see recurrences.Pool).

    x, gates: [tokens, columns], bias [n, columns]. state [2, n - 1, columns] are the rows before. Returns y
    and the next state.
    """
    rows, n = np.concatenate([state, np.stack([x, gates])], axis=1), len(bias)
    windows = np.lib.stride_tricks.sliding_window_view(rows, n, axis=1)  # [2, tokens, columns, n]
    weights = softmax(windows[1] + bias.T)
    return np.sum(weights * windows[0], axis=-1), rows[:, len(x) :]
