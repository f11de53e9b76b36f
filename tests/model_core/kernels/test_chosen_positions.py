"""Sparse attention: kernels choose what the specification chooses, and attend to nothing else."""

import numpy as np
import pytest
from outer import outer
from single_block import attend_block

from model_core.cache.memory import KVCache, KVGroup
from model_core.kernels.interpreter import INSTRUCTION
from model_core.kernels.layout import PAGE
from model_core.kernels.sequences import attention, kv_slots, selection
from model_core.kernels.sequences.attention import SEGMENT
from model_core.machine.memory import aligned_zeros
from model_core.reference import operators as op
from model_core.reference.selection import read_chosen, select
from model_core.tape.operations import KVLayer
from model_core.tape.references import Span
from model_core.tape.selection import WORD, Select

LENGTH = 2 * SEGMENT + 40
PAGES = -(-LENGTH // PAGE)


def store(layer: KVLayer, dtype: str, keys: np.ndarray, values: np.ndarray) -> tuple[KVCache, np.ndarray]:
    """A cache with keys and values in scattered pages, and its page table."""
    table = np.random.default_rng(1).permutation(PAGES).astype(np.int32)
    cache = KVCache([KVGroup(layer, (0,))], PAGES, dtype)
    for position in range(LENGTH):
        page, slot = table[position // PAGE], position % PAGE
        addresses = keys[position].ctypes.data, values[position].ctypes.data
        outer(kv_slots.write_kv_slot)(cache.records[0], 0, page, slot, *addresses)
    return cache, table


@pytest.mark.parametrize(
    ("is_weighted", "unit", "top", "local", "dtype"),
    [
        (True, 1, 20, 0, "float32"),
        (True, 1, 500, 0, "float16"),
        (True, 4, 30, 0, "float32"),
        (True, 16, 9, 0, "int8"),
        (False, 16, 7, 1, "float32"),
        (False, 128, 3, 2, "float16"),
        (False, 512, 1, 0, "int8"),
    ],
)
def test_kernel_chooses_the_units_of_the_reference(
    is_weighted: bool, unit: int, top: int, local: int, dtype: str
) -> None:
    """Of whole numbers, so that many scores are equal, and sums are exact; numbers of a key reach 127."""
    random, heads, size = np.random.default_rng(unit), 5, 12
    q = random.integers(-2, 3, (LENGTH, heads, size)).astype(np.float32)
    keys = random.integers(-3, 4, (LENGTH, 1, size)).astype(np.float32)
    keys[:, :, 0] = 127  # the scale of int8 is 1
    q[..., 0] = 0
    weights = random.integers(-2, 3, (LENGTH, heads)).astype(np.float32) if is_weighted else None
    cache, table = store(KVLayer(1, size, 0, None), dtype, keys, keys)
    choosing = 1 if is_weighted else heads
    words = -(-LENGTH // (unit * WORD))
    bits = Span("bits", 0, choosing * words, choosing)
    record = Select(Span("q", 0, heads * size, heads), bits, None, 0, unit, top, local)
    rows = np.array([0, 1, unit - 1, unit, top * unit - 1, top * unit, 700, SEGMENT + 5, LENGTH - 1])
    rows = rows[rows < LENGTH]
    expected = select(record, q[rows], keys, None if weights is None else weights[rows], rows)
    instruction = np.zeros((), INSTRUCTION)
    for name, value in {"heads": heads, "size": size, "unit": unit, "top": top, "local": local}.items():
        instruction[name] = value
    scratch = aligned_zeros((selection.selection_scratch(heads),), np.uint8)
    scores = aligned_zeros((choosing, 32 * words + 16), np.float32)
    for row, want in zip(rows.tolist(), expected, strict=True):
        weights_at = 0 if weights is None else weights[row].ctypes.data
        where = table.ctypes.data, scores.ctypes.data, scores.strides[0]
        indexed = selection.Indexed(q[row].ctypes.data, weights_at, row, *where)
        found = np.full((choosing, words), -1, np.int32)
        outer(selection.score_pages)(
            cache.records[0], instruction[()], indexed, 0, row // PAGE + 1, scratch.ctypes.data
        )
        for head in range(choosing):
            places = scores[head].ctypes.data, found[head].ctypes.data, scratch.ctypes.data
            outer(selection.choose_units)(instruction[()], row, is_weighted, *places)
        pair = [
            read_chosen(each.reshape(1, -1).view(np.float32), choosing, unit, row + 1)
            for each in (found, want)
        ]
        assert np.array_equal(*pair), row


@pytest.mark.parametrize(
    ("unit", "share"), [(1, 0.5), (1, 0.004), (2, 0.01), (4, 0.3), (8, 0.02), (16, 0.1), (128, 0.3)]
)
@pytest.mark.parametrize("is_latent", [False, True])
def test_attention_to_chosen_positions(unit: int, share: float, is_latent: bool) -> None:
    """Pages and segments of which nothing is chosen, and rows with different choices, in one block."""
    random, heads, kv_heads, dim = np.random.default_rng(unit), 4, 1 if is_latent else 2, 32
    q = random.standard_normal((LENGTH, heads, dim), dtype=np.float32)
    k, v = (random.standard_normal((LENGTH, kv_heads, dim), dtype=np.float32) for _ in range(2))
    v = k if is_latent else v
    words = -(-LENGTH // (unit * WORD))
    units = random.random((LENGTH, kv_heads, words * WORD)) < share
    units[np.arange(LENGTH), :, np.arange(LENGTH) // unit] = True  # each row has one
    bits = np.packbits(units, axis=-1, bitorder="little").reshape(LENGTH, kv_heads, -1).view(np.int32)
    bits = np.ascontiguousarray(bits)
    seen = np.repeat(units, unit, axis=-1)[..., :LENGTH].transpose(1, 0, 2)
    masks = np.where(np.repeat(seen, heads // kv_heads, axis=0), np.float32(0), np.float32(-np.inf))
    expected = op.attention(q, k.transpose(1, 0, 2), v.transpose(1, 0, 2), 0.2, None, distances=masks)
    cache, table = store(KVLayer(kv_heads, dim, dim, None, is_latent), "float32", k, v)
    group = heads // kv_heads
    scratch = aligned_zeros((attention.attention_scratch(dim, dim, group),), np.uint8)
    instruction = np.zeros((), INSTRUCTION)
    instruction["scale"], instruction["unit"] = 0.2, unit

    def attend(first: int, count: int) -> np.ndarray:
        out = np.zeros((count, heads * dim), np.float32)
        for head in range(kv_heads):
            queries = attention.Queries(
                at=q[first].ctypes.data,
                stride=q.strides[0],
                table=table.ctypes.data,
                position=np.int32(first),
                tokens=np.int32(count),
                end=first + count,
                bounds=0,
                group=group,
                head=head,
                relative=0,
                relative_row=0,
                of_keys=0,
                of_keys_row=0,
                chosen=bits[first, head].ctypes.data,
                chosen_row=bits.strides[0],
            )
            outer(attend_block)(
                cache.records[0],
                instruction[()],
                queries,
                out.ctypes.data,
                out.strides[0],
                scratch.ctypes.data,
            )
        return out

    for first in (0, SEGMENT - 5, SEGMENT + 29, LENGTH - 6):
        together = attend(first, 6)
        np.testing.assert_allclose(together, expected[first : first + 6], rtol=2e-4, atol=2e-5)
        for row in range(6):
            assert np.array_equal(attend(first + row, 1)[0], together[row])
