"""The memory of keys and values; what kernels write there and read is in test_kernels.py."""

import pytest
from conftest import CHECKPOINTS

from model_core.config import ModelConfig, read_config
from model_core.kv_cache import DTYPES, KVCache
from model_core.models import llama


def config(**changes: int) -> ModelConfig:
    raw = read_config(CHECKPOINTS / "llama-tied-gqa")
    return llama.architecture({**raw, **changes})


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_copy_holds_all_layers(dtype: str) -> None:
    cache = KVCache(config(), 3, dtype)
    for value, (name, array) in enumerate(cache.arrays().items()):
        array[:, 1] = 5 + value
        cache.copy_page(1, 2)
        assert (array[:, 2] == 5 + value).all(), name
        assert not array[:, 0].any()


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_bytes_of_a_page_are_those_of_the_arrays(dtype: str) -> None:
    for head_dim in (8, 20, 64):
        shape = config(head_dim=head_dim)
        arrays = KVCache(shape, 7, dtype).arrays()
        assert arrays["values"].shape[-1] % 16 == 0
        assert sum(a.nbytes for a in arrays.values()) == 7 * KVCache.bytes_per_page(shape, dtype)
