"""The weights of tokens: exponentials with the same bits on every processor."""

import numpy as np

from ..compiler import njit
from ..simd import broadcast, exp_of_negative, load_f32, multiply, store_f32, subtract

_LANES = 16


def weigh_tokens(logits: np.ndarray, largest: np.float32, temperature: np.float32) -> np.ndarray:
    """exp((logits - largest) * (1 / temperature)): float32 [tokens], 1 for the largest logit, 0 for -inf.

    NumPy's own function rounds differently on different processors.
    """
    weights = np.full(-(-len(logits) // _LANES) * _LANES, -np.inf, np.float32)
    weights[: len(logits)] = logits
    _exponentiate(weights.ctypes.data, len(weights), largest, temperature)
    return weights[: len(logits)]


@njit(nogil=True, cache=True)
def _exponentiate(x, size, largest, temperature):
    """x = exp((x - largest) * (1 / temperature)) for `size` floats at an address, a multiple of 16."""
    largest, factor = broadcast(largest), broadcast(np.float32(1) / temperature)
    for i in range(0, 4 * size, 64):
        store_f32(x, i, exp_of_negative(multiply(subtract(load_f32(x, i), largest), factor)))
