"""Attention with 16-bit integers: the words that are stored, and what is computed from them, as specified."""

import numpy as np
import pytest
from outer import outer
from single_block import attend_block

from model_core import LLM, SamplingParams
from model_core.cache.memory import KVCache, KVGroup
from model_core.kernels.interpreter import INSTRUCTION
from model_core.kernels.sequences import attention, kv_slots
from model_core.machine.memory import aligned_zeros
from model_core.reference import operators as op
from model_core.reference import word_attention
from model_core.tape.operations import KVLayer

PAGE, HEADS, KV_HEADS, LENGTH = 16, 6, 2, 700


class Stored:
    """Keys and values of a text in pages in any order, and attention to them."""

    def __init__(self, key_dim: int, value_dim: int, kv_heads: int = KV_HEADS) -> None:
        random = np.random.default_rng(key_dim)
        self.q, self.k, self.v = (
            random.standard_normal((LENGTH, heads, size), dtype=np.float32)
            for heads, size in ((HEADS, key_dim), (kv_heads, key_dim), (kv_heads, value_dim))
        )
        self.k[:, :, 3] += 40  # numbers that are large at all positions, as biases make them
        self.k[5] *= 3
        self.v[7] = 0
        self.scale, self.value_dim = np.float32(key_dim**-0.5), value_dim
        self.kv_heads, self.group = kv_heads, HEADS // kv_heads
        self.table = random.permutation(LENGTH // PAGE + 3).astype(np.int32)
        self.cache = KVCache(
            [KVGroup(KVLayer(kv_heads, key_dim, value_dim, None), (0,))], len(self.table), "int16"
        )
        for name, array in self.cache.arrays().items():
            array[:] = np.nan if name.endswith("scales") else 12345
        for position in range(LENGTH):
            place = self.table[position // PAGE], position % PAGE
            rows = self.k[position].ctypes.data, self.v[position].ctypes.data
            outer(kv_slots.write_kv_slot)(self.cache.records[0], 0, *place, *rows)
        self._scratch = aligned_zeros(
            (attention.attention_scratch(key_dim, value_dim, self.group),), np.uint8
        )

    def attend(self, first: int, count: int) -> np.ndarray:
        """float32 [count, HEADS, value_dim] of consecutive tokens."""
        out = np.zeros((count, HEADS * self.value_dim), np.float32)
        instruction = np.zeros(1, INSTRUCTION)[0]
        instruction["scale"] = self.scale
        for head in range(self.kv_heads):
            queries = attention.Queries(
                self.q[first].ctypes.data,
                self.q.strides[0],
                self.table.ctypes.data,
                np.int32(first),
                np.int32(count),
                first + count,
                0,
                self.group,
                head,
                *(0, 0, 0, 0, 0, 0),
            )
            outer(attend_block)(
                self.cache.records[0],
                instruction,
                queries,
                out.ctypes.data,
                out.strides[0],
                self._scratch.ctypes.data,
            )
        return out.reshape(count, HEADS, self.value_dim)


@pytest.fixture(scope="module", params=[(64, 64), (27, 100), (80, 16)], ids=str)
def stored(request: pytest.FixtureRequest) -> Stored:
    return Stored(*request.param)


def test_stored_words_are_those_of_the_specification(stored: Stored) -> None:
    arrays = stored.cache.arrays()
    size, value_dim = stored.k.shape[2], stored.value_dim
    for position in (0, 5, 7, 21, LENGTH - 1):
        page, slot = stored.table[position // PAGE], position % PAGE
        words, scales = word_attention.round_keys(stored.k[position])
        found = arrays["keys"][0, page, :, :, slot].reshape(KV_HEADS, -1)
        np.testing.assert_allclose(arrays["key_scales"][0, page, :, slot], scales, rtol=3e-7)
        assert np.abs(found[:, :size].astype(int) - words).max() <= 1  # a scale's last bit may move one
        assert not found[:, size:].any()
        words, scales = word_attention.round_values(stored.v[position])
        values = arrays["values"][0, page, :, slot // 2, :value_dim, slot % 2]
        assert np.array_equal(values, words)
        assert np.array_equal(arrays["value_scales"][0, page, :, slot], scales)


def test_attention_is_that_of_the_specification(stored: Stored) -> None:
    """And closer to it than to attention in floats, which is close, too."""
    for position in (0, 15, 300, LENGTH - 1):
        found, seen = stored.attend(position, 1)[0], slice(0, position + 1)
        keys, values = stored.k[seen].transpose(1, 0, 2), stored.v[seen].transpose(1, 0, 2)
        exact = op.attention(stored.q[position : position + 1], keys, values, stored.scale, None)
        exact = exact.reshape(HEADS, -1)
        expected = np.array(
            [
                word_attention.attend(
                    stored.q[position, head], keys[head // 3], values[head // 3], stored.scale
                )
                for head in range(HEADS)
            ]
        )
        assert np.linalg.norm(found - expected) < 2e-5 * np.linalg.norm(expected)
        assert np.linalg.norm(found - exact) < 5e-4 * np.linalg.norm(exact)


def test_bits_do_not_depend_on_other_rows(stored: Stored) -> None:
    for first in (0, 120, 505, LENGTH - 8):
        together = stored.attend(first, 8)
        for row in range(8):
            assert np.array_equal(stored.attend(first + row, 1)[0], together[row])


def test_bits_do_not_depend_on_the_height_of_blocks() -> None:
    for kv_heads in (KV_HEADS, HEADS):
        stored = Stored(64, 48, kv_heads)
        alone = [stored.attend(600 + row, 1)[0] for row in range(8)]
        for count in range(1, 9):
            assert np.array_equal(stored.attend(600, count), alone[:count])


def test_what_is_no_number_is_not_hidden(stored: Stored) -> None:
    """A query, key or value with NaN or infinity: the request fails, instead of reading zeros."""
    for array in (stored.q, stored.k, stored.v):
        for wrong in (np.nan, np.inf):
            rows = [np.array(array[9])]
            rows[0][:, 2] = wrong
            before, array[9] = array[9].copy(), rows[0]
            place = stored.table[0], 9
            write = outer(kv_slots.write_kv_slot)
            write(stored.cache.records[0], 0, *place, stored.k[9].ctypes.data, stored.v[9].ctypes.data)
            assert np.isnan(stored.attend(9, 1)).any()
            array[9] = before
            write(stored.cache.records[0], 0, *place, stored.k[9].ctypes.data, stored.v[9].ctypes.data)
    assert np.isfinite(stored.attend(9, 1)).all()


def test_answers_depend_neither_on_steps_nor_on_threads() -> None:
    prompt = np.random.default_rng(2).integers(0, 500, 600).tolist()
    params, found = SamplingParams(max_tokens=8, ignore_eos=True, temperature=0.8, seed=3), []
    for threads in (1, 2):
        with LLM(threads=threads, kv_cache_dtype="int16") as llm:
            answers = llm.generate([prompt, prompt[:300]], params)
            found.append([answer.token_ids for answer in answers])
            found[-1].append(llm.generate([prompt], params)[0].token_ids)
            found[-1].append(llm.logits(prompt[:515])[-1].tobytes())
    assert found[0] == found[1]
    assert found[0][0] == found[0][2]
