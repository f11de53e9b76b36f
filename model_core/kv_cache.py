"""The KV cache: keys and values of the positions already computed, so that a token costs one token's work.

It is dealt out in pages, as in PagedAttention (Kwon et al., 2023, arXiv:2309.06180): the positions of a
sequence lie in any pages, which a table names in order. `page_pool.py` decides who has which.
"""

from dataclasses import dataclass

import numpy as np

from .config import ModelConfig
from .kernels.attention import PAGE, PAGES
from .weights import KINDS, aligned_zeros, padded

DTYPES = ("float32", "float16", "int8")  # --kv-cache-dtype


@dataclass(frozen=True)
class Batch:
    """What a step computes: the next tokens of several sequences, one sequence after the other.

    Attributes:
        tokens, positions: int32 [tokens], each token with its place in its own sequence.
        starts: int32 [sequences + 1]; sequence s has tokens[starts[s] : starts[s + 1]].
        page_tables: int32 [sequences, pages], the pages of each sequence in order, then zeros.
        rows: int32 [rows], the tokens after which logits are wanted.
    """

    tokens: np.ndarray
    positions: np.ndarray
    starts: np.ndarray
    page_tables: np.ndarray
    rows: np.ndarray


class KVCache:
    """The pages of all sequences, in memory that the system hands out as they are written.

    Attributes:
        keys: [layers, pages, kv_heads, head_dim, PAGE] of float32, float16 or int8, so that a vector holds
            one dimension of all positions of a page.
        values: [layers, pages, kv_heads, PAGE, head_dim], the last axis padded with zeros to whole vectors.
        key_scales, value_scales: of int8, what a code of a position and head stands for, float32
            [layers, pages, kv_heads, PAGE]; else None.
    """

    def __init__(self, config: ModelConfig, pages: int, dtype: str = "float32") -> None:
        """Reserve so many pages. Raises OSError, ValueError or OverflowError: no such memory."""
        self.pages, self.page_bytes = pages, self.bytes_per_page(config, dtype)
        shape = (config.layers, pages, config.kv_heads)
        width = padded(config.head_dim, PAGE)
        self.keys = aligned_zeros((*shape, config.head_dim, PAGE), dtype)
        self.values = aligned_zeros((*shape, PAGE, width), dtype)
        self.key_scales = self.value_scales = None
        if dtype == "int8":
            self.key_scales = aligned_zeros((*shape, PAGE), np.float32)
            self.value_scales = aligned_zeros((*shape, PAGE), np.float32)
        self.record = np.zeros(1, PAGES)  # what kernels take
        self.record["kind"] = KINDS[dtype]
        self.record["pages"], self.record["kv_heads"] = pages, config.kv_heads
        self.record["head_dim"], self.record["padded_dim"] = config.head_dim, width
        for name, array in self.arrays().items():
            self.record[name] = array.ctypes.data

    @staticmethod
    def bytes_per_page(config: ModelConfig, dtype: str = "float32") -> int:
        """Bytes of a page, all layers together."""
        numbers = config.head_dim + padded(config.head_dim, PAGE)
        scales = 2 * 4 if dtype == "int8" else 0
        return config.layers * config.kv_heads * PAGE * (numbers * np.dtype(dtype).itemsize + scales)

    def copy_page(self, source: int, target: int) -> None:
        """Make one page hold what another does, in all layers."""
        for array in self.arrays().values():
            array[:, target] = array[:, source]

    def arrays(self) -> dict[str, np.ndarray]:
        """Its arrays by name, those that it has."""
        parts = {name: getattr(self, name) for name in ("keys", "values", "key_scales", "value_scales")}
        return {name: array for name, array in parts.items() if array is not None}
