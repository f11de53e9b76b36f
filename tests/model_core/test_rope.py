"""Rotary positions: frequencies of all kinds, and tables with the same bits on every machine."""

import hashlib
import math

import numpy as np
import pytest
from conftest import CHECKPOINTS

from model_core import LLM, operators
from model_core.rope import KINDS, RopeConfig, rope_frequencies
from model_core.rope_table import RopeTable, cos_sin

ROPES = {
    "default": RopeConfig(theta=500_000.0),
    "partial": RopeConfig(partial=0.5),
    "linear": RopeConfig(kind="linear", factor=4.0),
    "llama3": RopeConfig(kind="llama3", factor=8.0),
    "yarn": RopeConfig(kind="yarn", factor=4.0, attention_factor=1.2),
    "dynamic": RopeConfig(kind="dynamic", alpha=1000.0),
    "longrope": RopeConfig(kind="longrope", short_factors=tuple(1 + i / 8 for i in range(64))),
    "proportional": RopeConfig(kind="proportional", partial=0.25, factor=2.0),
    "growth": RopeConfig(query_growth=0.1, original_max_position=1000),
}
BITS = {
    "default": "889cd9ffb4f39683",
    "partial": "fcfe5cf72e1165b6",
    "linear": "7802ff8f213a10fc",
    "llama3": "e622934e9cd26bb3",
    "yarn": "e9b4d16fc148be76",
    "dynamic": "8d03ecd24e95e7e5",
    "longrope": "18d644586a9a84a6",
    "proportional": "821224c81a7ea3a9",
    "growth": "53500ac3689ca73e",
}


def test_rope_tables_are_exact() -> None:
    angles = np.random.default_rng(0).uniform(0, 10.0 ** np.arange(-3, 7), (2000, 10))
    cos, sin = cos_sin(angles)
    exact = np.array([(math.cos(a), math.sin(a)) for a in angles.ravel()]).reshape(*angles.shape, 2)
    assert np.abs(cos - exact[..., 0]).max() < 3e-16
    assert np.abs(sin - exact[..., 1]).max() < 3e-16
    table = RopeTable(RopeConfig(theta=500_000.0), 128, 10_000)
    table.grow(5000)
    expected = operators.rope_table(np.arange(5000), RopeConfig(500_000.0), 128)
    assert np.abs(table.cos[:5000] - expected[0][:, 0]).max() < 1e-7
    assert not table.cos[8192:].any()  # not needed yet
    bits = hashlib.sha256(table.cos[:5000].tobytes() + table.sin[:5000].tobytes()).hexdigest()
    assert bits[:16] == "889cd9ffb4f39683"


@pytest.mark.parametrize("name", ROPES)
def test_tables_have_the_same_bits_everywhere(name: str) -> None:
    table = RopeTable(ROPES[name], 128, 5000)
    table.grow(5000)
    expected = operators.rope_table(np.arange(5000), ROPES[name], 128)
    assert np.abs(table.cos[:5000] - expected[0][:, 0]).max() < 2e-7
    assert np.abs(table.sin[:5000] - expected[1][:, 0]).max() < 2e-7
    bits = hashlib.sha256(table.cos[:5000].tobytes() + table.sin[:5000].tobytes()).hexdigest()
    assert bits[:16] == BITS[name]


def test_each_kind_has_a_table() -> None:
    assert {rope.kind for rope in ROPES.values()} == set(KINDS.values())


def test_proportional_frequencies_end_with_zeros() -> None:
    frequencies = rope_frequencies(RopeConfig(theta=16.0, kind="proportional", partial=0.5), 8)
    assert frequencies == pytest.approx([1.0, 0.5, 0.0, 0.0])


def test_longrope_ends_with_the_original_context() -> None:
    with LLM(CHECKPOINTS / "phi3-longrope") as llm:
        assert llm.engine.limits.max_context == 128


def test_queries_grow_in_steps() -> None:
    table = RopeTable(RopeConfig(query_growth=0.5, original_max_position=10), 8, 30)
    table.grow(30)
    lengths = np.hypot(table.cos[:30, 0], table.sin[:30, 0])
    assert lengths == pytest.approx([1 + 0.5 * math.log(1 + p // 10) for p in range(30)])
