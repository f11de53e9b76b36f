"""Attention to several segments of positions: the right numbers, and the same however they are computed."""

import numpy as np
import pytest
from outer import outer
from single_block import attend_block

from model_core import SamplingParams
from model_core.cache.memory import KVCache, KVGroup
from model_core.kernels.interpreter import INSTRUCTION
from model_core.kernels.sequences import attention, kv_slots
from model_core.kernels.sequences.attention import SEGMENT
from model_core.llm.llm import LLM
from model_core.machine.memory import aligned_zeros
from model_core.reference import operators as op
from model_core.tape.operations import KVLayer

HEADS, KV_HEADS, DIM = 4, 2, 32
LENGTH = 2 * SEGMENT + 40
PADDED = LENGTH + 8  # whole pages


@pytest.mark.parametrize("has_distances", [False, True])
@pytest.mark.parametrize("has_sinks", [False, True])
@pytest.mark.parametrize(
    ("window", "ahead"),
    [
        (None, 0),
        (30, 0),
        (SEGMENT, 0),
        (SEGMENT + 100, 0),
        (None, None),
        (30, 29),
        (30, 5),
        (SEGMENT, SEGMENT),
        # In chunks of so many positions.
        (30, "chunk"),
        (SEGMENT, "chunk"),
        (SEGMENT + 20, "chunk"),
    ],
)
def test_segments_are_merged_to_one_softmax(
    window: int | None, ahead: int | str | None, has_sinks: bool, has_distances: bool
) -> None:
    """At the borders of segments, for one token and for several."""
    size = LENGTH
    if ahead == "chunk":
        size, ahead = window or LENGTH, 0
    random = np.random.default_rng(1)
    q, k, v = (
        random.standard_normal((LENGTH, heads, DIM), dtype=np.float32)
        for heads in (HEADS, KV_HEADS, KV_HEADS)
    )
    k[SEGMENT // 2] *= 5  # some positions matter much more than others
    sinks = random.standard_normal(HEADS, dtype=np.float32) + 4 if has_sinks else None
    distances = random.standard_normal((HEADS, 2 * PADDED), dtype=np.float32) if has_distances else None
    parts = [[x[first : first + size] for x in (q, k, v)] for first in range(0, LENGTH, size)]
    settings = {"sinks": sinks, "ahead": ahead, "distances": distances}
    expected = np.concatenate(
        [
            op.attention(a, b.transpose(1, 0, 2), c.transpose(1, 0, 2), DIM**-0.5, window, **settings)
            for a, b, c in parts
        ]
    )
    reach = LENGTH if ahead is None else ahead
    pages = -(-LENGTH // kv_slots.PAGE)
    table = random.permutation(pages).astype(np.int32)
    cache = KVCache([KVGroup(KVLayer(KV_HEADS, DIM, DIM, window), (0,))], pages, "float32")
    record = cache.records[0]
    for position in range(LENGTH):
        page, slot = table[position // kv_slots.PAGE], position % kv_slots.PAGE
        outer(kv_slots.write_kv_slot)(record, 0, page, slot, k[position].ctypes.data, v[position].ctypes.data)
    scratch = aligned_zeros((attention.attention_scratch(DIM, DIM, HEADS // KV_HEADS),), np.uint8)

    instruction = np.zeros((), INSTRUCTION)
    instruction["window"], instruction["ahead"], instruction["scale"] = window or 0, reach, DIM**-0.5
    instruction["weight"] = 0 if sinks is None else sinks.ctypes.data
    instruction["chunk"] = size if size < LENGTH else 0
    if distances is not None:
        instruction["bias"] = distances[0, PADDED:].ctypes.data
        instruction["weight_step"] = distances.strides[0]

    def attend(first: int, count: int) -> np.ndarray:
        out = np.zeros((count, HEADS * DIM), np.float32)
        for head in range(KV_HEADS):
            # Positions and counts as in whole steps, for which the rest is compiled.
            queries = attention.Queries(
                at=q[first].ctypes.data,
                stride=q.strides[0],
                table=table.ctypes.data,
                position=np.int32(first),
                tokens=np.int32(count),
                end=min(first + count + reach, LENGTH),
                bounds=0,
                group=HEADS // KV_HEADS,
                head=head,
                relative=0,
                relative_row=0,
                of_keys=0,
                of_keys_row=0,
                chosen=0,
                chosen_row=0,
            )
            outer(attend_block)(
                record, instruction[()], queries, out.ctypes.data, out.strides[0], scratch.ctypes.data
            )
        return out

    for first in (0, SEGMENT - 12, SEGMENT - 5, SEGMENT, SEGMENT + 29, 2 * SEGMENT - 1, LENGTH - 12):
        together = attend(first, 12)
        np.testing.assert_allclose(together, expected[first : first + 12], rtol=2e-4, atol=2e-5)
        for row in range(12):
            assert np.array_equal(attend(first + row, 1)[0], together[row])


def test_bits_of_long_texts_depend_neither_on_threads_nor_on_steps() -> None:
    """With more threads than there are heads, threads share the segments of a token's attention."""
    prompt = np.random.default_rng(2).integers(0, 500, SEGMENT + 200).tolist()
    found, few = [], SamplingParams(max_tokens=8, ignore_eos=True)
    for threads in (1, 3):
        with LLM(threads=threads) as llm:
            answers = llm.generate([prompt, prompt[: SEGMENT + 3]], few)
            found.append([answer.token_ids for answer in answers])
            found[-1].append(llm.generate([prompt], few)[0].token_ids)
            found[-1].append(llm.logits(prompt[: SEGMENT + 5])[-1].tobytes())
    assert found[0] == found[1]
    assert found[0][0] == found[0][2]


def test_bits_do_not_depend_on_blocks_that_a_thread_takes_together() -> None:
    """One thread takes BLOCKS_TOGETHER blocks of a prompt together; of twelve, each takes one at a time."""
    prompt, found = np.random.default_rng(3).integers(0, 500, SEGMENT + 200).tolist(), []
    for threads in (1, 12):
        with LLM(threads=threads) as llm:
            found.append(llm.logits(prompt))
    assert np.array_equal(*found)
