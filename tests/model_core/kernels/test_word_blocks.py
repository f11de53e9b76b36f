"""What LLVM makes of blocks of products of words: on that depends the speed of attention."""

import os
import re

import pytest
from numba import int64, njit

from model_core.kernels.blocks import Strided
from model_core.kernels.emit import INSTRUCTION_SET
from model_core.kernels.word_blocks import (
    WORD_TILES,
    NextKeys,
    WordAhead,
    WordCase,
    WordPages,
    mix_block,
    score_block,
)


@njit
def mix(rows: int, pages: int, table: int, stride: int, values: int, x: int, y: int) -> None:
    of_pages = WordPages(table, stride, values)
    case, following = WordCase(rows, WORD_TILES[0]), NextKeys(table, values, values, values)
    mix_block(case, of_pages, 256, following, Strided(x, stride), x, pages, Strided(y, stride))


@njit
def score(rows: int, steps: int, table: int, stride: int, keys: int, x: int, y: int) -> None:
    of_pages, case = WordPages(table, stride, keys), WordCase(rows, WORD_TILES[0])
    score_block(case, of_pages, keys, WordAhead(table, keys), Strided(x, stride), steps, Strided(y, stride))


@pytest.mark.skipif(
    INSTRUCTION_SET != "avx512" or not {"NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"}.isdisjoint(os.environ),
    reason="compiled for another processor",
)
@pytest.mark.parametrize("block", [mix, score])
def test_pairs_take_one_instruction_and_no_sum_leaves_its_register(block) -> None:
    block.compile((int64,) * 7)
    assembly = "".join(block.inspect_asm().values())
    assert "vpmaddwd" not in assembly
    steps = [text for text in re.split(r"^\.?\w+:", assembly, flags=re.M) if text.count("vpdpwssd") >= 20]
    assert steps
    for text in steps:  # a loop, and behind it what comes up to the next label
        loop = text[: text.rindex("vpdpwssd")]
        assert not re.search(r"vmov\w+\s+(%zmm\d+, -?\d*\(%rsp\)|-?\d*\(%rsp\), %zmm)", loop), loop
