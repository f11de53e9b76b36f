"""Rows that need logits: they are taken early, and have the bits that they have among all rows."""

from pathlib import Path

import numpy as np
import pytest
from paths import CHECKPOINTS

from model_core import LLM
from model_core.families import read_model_config, write_tape
from model_core.families.config import read_config
from model_core.model.batch import BatchBuilder
from model_core.tape.last_rows import take_rows_early
from model_core.tape.operations import Add, Attend, Linear, Map, Norm, Record, Rope, TakeRows
from model_core.tape.passes import fuse, hand_on_hidden_states
from model_core.tape.references import Span, WeightRef

FOLDERS = sorted(CHECKPOINTS.iterdir())
# Of one kind each: plain; with a gate behind attention; layers whose parts see the same input; experts;
# several copies of hidden states; without attention.
FEW = ["llama-untied-mha", "qwen3-next", "gpt-neox", "qwen3-moe", "hy-v4", "falcon-mamba"]
TOKENS = [5, 9, 14, 3, 17, 8, 11, 4, 6]


def compute(llm: LLM, rows: range) -> np.ndarray:
    """Logits of these tokens of a text."""
    cache, tables = llm.model.create_cache(1, len(TOKENS), llm.kv_cache_dtype)
    builder = BatchBuilder()
    builder.add(TOKENS, 0, rows)
    batch = builder.build(tables)
    return llm.model.forward(batch, cache)


def assert_rows_keep_their_bits(folder: Path) -> None:
    with LLM(folder, kv_cache_memory=2**24) as llm:
        together = compute(llm, range(len(TOKENS)))
        for rows in (range(8, 9), range(2, 5), range(0)):
            assert np.array_equal(compute(llm, rows), together[rows.start : rows.stop]), rows
        assert np.array_equal(compute(llm, range(len(TOKENS))), together)


@pytest.mark.parametrize("name", FEW)
def test_rows_alone_have_the_bits_that_they_have_together(name: str) -> None:
    assert_rows_keep_their_bits(CHECKPOINTS / name)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_rows_alone_have_the_bits_that_they_have_together_in_all_families(folder: Path) -> None:
    assert_rows_keep_their_bits(folder)


def read_tape(name: str) -> list[Record]:
    folder = CHECKPOINTS / name
    return fuse(write_tape(read_model_config(folder, read_config(folder))).records)


def products_behind_taking(records: list[Record]) -> int:
    taken = next(n for n, record in enumerate(records) if isinstance(record, TakeRows))
    return sum(isinstance(record, Linear) for record in records[taken:])


def test_rows_are_taken_behind_the_last_attention() -> None:
    records = read_tape("llama-untied-mha")
    early = take_rows_early(records)
    at = next(n for n, record in enumerate(early) if isinstance(record, TakeRows))
    assert isinstance(early[at - 1], Attend)
    assert products_behind_taking(records) == 1 and products_behind_taking(early) == 4


def test_hidden_states_that_are_handed_on_keep_all_rows() -> None:
    folder = CHECKPOINTS / "llama-untied-mha"
    tape = hand_on_hidden_states(write_tape(read_model_config(folder, read_config(folder))))
    records = fuse(tape.records)
    assert take_rows_early(records, tape.handed_on) == records


def test_buffers_keep_what_all_rows_have() -> None:
    """Later steps take other rows of them (Transformer._score): nothing may be written there."""
    x, h, y = Span("x", 0, 64), Span("h", 0, 64), Span("y", 0, 64)
    weight, last = WeightRef("w", (64, 64)), Span("last", 0, 64)
    records: list[Record] = [
        Attend(Span("q", 0, 64), y, 0, 1.0, None),
        Linear(y, x, (weight,), adds=True),
        Linear(h, Span("inner", 0, 64), (weight,)),  # of the same input as attention
        Map("relu", (Span("inner", 0, 64),), Span("inner", 0, 64)),
        Linear(Span("inner", 0, 64), x, (weight,), adds=True),
        TakeRows(x, last),
        Norm(last, h, weight, 1e-5),
        Linear(h, Span("logits", 0, 64), (weight,), is_head=True),
    ]
    early = take_rows_early(records)
    takes = [record for record in early if isinstance(record, TakeRows)]
    assert {take.x.buffer for take in takes} == {"x", "y", "h"} and early[1:4] == takes
    written = {vars(record)["y"].buffer for record in early[1:]}
    assert not written & {"x", "y", "h"}


def test_nothing_is_taken_twice_where_nothing_is_saved() -> None:
    x, last = Span("x", 0, 64), Span("last", 0, 64)
    tape: list[Record] = [Add(Span("y", 0, 64), x), TakeRows(x, last), Norm(last, last, None, 1e-5)]
    assert take_rows_early(tape) == tape
    rotated: list[Record] = [Rope(x, None, 1.0), *tape]  # type: ignore[arg-type]
    assert take_rows_early(rotated) == rotated
