"""The KV cache: keys and values of the positions already computed, so that a token costs one token's work."""

import numpy as np

from .config import ModelConfig


class KVCache:
    """The keys and values of one sequence, float32 [layers, kv_heads, capacity, head_dim] each."""

    def __init__(self, config: ModelConfig, capacity: int) -> None:
        """Reserve room for `capacity` positions; the system hands out the pages as they are written."""
        shape = (config.layers, config.kv_heads, capacity, config.head_dim)
        self._keys, self._values = np.empty(shape, np.float32), np.empty(shape, np.float32)
        self.length = 0

    def write(self, layer: int, keys: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Put [tokens, kv_heads, head_dim] behind the first `length` positions of a layer.

        Returns the layer's keys and values so far, [kv_heads, length + tokens, head_dim] each. The length
        moves on by `advance`, once all layers have written.
        """
        end = self.length + len(keys)
        self._keys[layer, :, self.length : end] = keys.transpose(1, 0, 2)
        self._values[layer, :, self.length : end] = values.transpose(1, 0, 2)
        return self._keys[layer, :, :end], self._values[layer, :, :end]

    def advance(self, tokens: int) -> None:
        """Count `tokens` more positions as written."""
        self.length += tokens
