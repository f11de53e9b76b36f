"""The memory of keys and values. test_kernels.py tests how kernels read and write it."""

import numpy as np
import pytest

from model_core.cache.memory import KVCache, KVGroup, group_layers
from model_core.checks.flags import KV_CACHE_DTYPES
from model_core.tape.operations import KVLayer

FULL, WINDOWED, WIDE = KVLayer(2, 8, 8, None), KVLayer(2, 8, 8, 6), KVLayer(1, 24, 40, None)


@pytest.mark.parametrize("dtype", KV_CACHE_DTYPES)
def test_copy_page_copies_all_layers(dtype: str) -> None:
    cache = KVCache([KVGroup(FULL, (0, 1)), KVGroup(WIDE, (2,))], 3, dtype)
    for group in range(2):
        for value, (name, array) in enumerate(cache.arrays(group).items()):
            array[:, 1] = 5 + value
            cache.copy_page(1, 2)
            assert (array[:, 2] == 5 + value).all(), name
            assert not array[:, 0].any()


@pytest.mark.parametrize("dtype", KV_CACHE_DTYPES)
def test_parts_of_a_page_do_not_overlap(dtype: str) -> None:
    cache = KVCache([KVGroup(KVLayer(3, 20, 12, None), (0, 1)), KVGroup(WIDE, (2,))], 5, dtype)
    for group, record in enumerate(cache.records):
        cache.memory[:] = 0
        arrays = cache.arrays(group)
        for number, (name, array) in enumerate(arrays.items()):
            array[:] = number + 1
            assert record[name] == array.ctypes.data
            assert array.ctypes.data % 64 == 0
        assert arrays["values"].shape[-2 if dtype == "int16" else -1] % 16 == 0
        for number, array in enumerate(arrays.values()):
            assert (array == number + 1).all()


@pytest.mark.parametrize("dtype", KV_CACHE_DTYPES)
def test_latents_are_stored_once(dtype: str) -> None:
    """DeepSeek-V3's: 576 numbers of a position, of which the first 512 are its values (arXiv:2405.04434)."""
    shape = KVLayer(1, 576, 512, None, is_latent=True)
    assert shape.size == 576
    cache = KVCache([KVGroup(shape, (0, 1))], 3, dtype)
    size = np.dtype(dtype).itemsize * 576 + 4 * (dtype == "int8")  # and a scale
    assert 0 <= cache.page_bytes - 2 * 16 * size <= 2048
    arrays = cache.arrays()
    arrays["keys"][1, 2] = np.arange(576)[:, None] % 100
    assert (arrays["values"][1, 2, 0] == np.arange(512) % 100).all()
    assert not arrays["values"][0].any()


def test_page_bytes_are_no_multiple_of_what_caches_map_to_one_set() -> None:
    for heads in (1, 2, 4, 8, 16):
        shape = KVLayer(heads, 64, 64, None)
        size = KVCache.bytes_per_page([KVGroup(shape, tuple(range(16)))])
        assert size % 2048 == 1024
        assert 0 <= size - 16 * 16 * heads * 128 * 4 <= 2048


@pytest.mark.parametrize(
    ("windowed", "full", "sizes"),
    [
        (0, 22, [22]),
        (5, 1, [1] * 6),
        (15, 3, [3] * 6),
        (22, 4, [4] * 4 + [3] * 2 + [4]),
        (13, 13, [13, 13]),
        (8, 20, [4, 4] + [4] * 5),
        (30, 0, [30]),
    ],
)
def test_layers_are_divided_into_groups_of_equal_size(windowed: int, full: int, sizes: list[int]) -> None:
    groups = group_layers([WINDOWED] * windowed + [FULL] * full)
    assert [len(group.layers) for group in groups] == sizes
    assert sorted(layer for group in groups for layer in group.layers) == list(range(windowed + full))
    assert [group.shape for group in groups] == sorted(
        (group.shape for group in groups), key=lambda shape: shape is FULL
    )


def test_groups_of_other_head_sizes_have_other_numbers_of_layers() -> None:
    wide = KVLayer(2, 16, 16, None)  # twice as large
    groups = group_layers([*([WINDOWED] * 5), wide] * 3)
    assert [(group.shape.key_dim, len(group.layers)) for group in groups] == [(8, 5)] * 3 + [(16, 3)]
    assert group_layers([]) == []


def test_groups_name_each_layer_of_the_tape_once() -> None:
    layers = [WINDOWED, FULL, WINDOWED, WIDE, FULL]
    groups = group_layers(layers)
    assert sorted(layer for group in groups for layer in group.layers) == [0, 1, 2, 3, 4]
    assert all(layers[layer] == group.shape for group in groups for layer in group.layers)
    assert np.ptp([len(group.layers) * group.shape.size for group in groups]) < 64
