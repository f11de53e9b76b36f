"""Rotary positions: frequencies of all kinds, and tables with the same bits on every machine."""

import hashlib
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf_models import copy_model, write_model
from paths import CHECKPOINTS

from model_core import LLM
from model_core.errors import ModelError, PromptTooLong
from model_core.families import read_model_config
from model_core.families.config import read_config
from model_core.inspect.explain import MAX_TOKENS, explain_prompt
from model_core.model.rope_table import RopeTable, cos_sin
from model_core.reference import operators
from model_core.tape.rope import KINDS, RopeConfig, find_rope_fields, rope_frequencies

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


def test_longrope_has_other_factors_beyond_the_original_context(caplog: pytest.LogCaptureFixture) -> None:
    expected = np.load(CHECKPOINTS / "phi3-longrope" / "expected.npz")
    prompt = expected["long_prompt"].tolist()
    with LLM(CHECKPOINTS / "phi3-longrope", max_context=200, arithmetic="float32") as llm:
        assert "factors for long texts" in caplog.text
        assert llm.engine.limits.max_context == 200
        logits = llm.logits(prompt)[-8:]
        assert np.abs(logits - expected["long_logits"]).max() < 1e-4 * np.abs(logits).max()
        with pytest.raises(PromptTooLong, match="200"):
            llm.logits([1] * 201)
    with LLM(CHECKPOINTS / "phi3-longrope", max_context=9999) as llm:
        assert llm.engine.limits.max_context == 256
    with LLM(CHECKPOINTS / "phi3-longrope", max_context=128, arithmetic="float32") as llm:
        assert llm.engine.limits.max_context == 128
        short = np.load(CHECKPOINTS / "phi3-longrope" / "expected.npz")
        found = llm.logits(short["prompt"].tolist())
        assert np.abs(found - short["logits"]).max() < 1e-4 * np.abs(found).max()


def test_file_has_the_long_factors_of_the_folder(tmp_path: Path) -> None:
    folder = copy_model("phi3-longrope", tmp_path)
    write_model(folder, tmp_path / "model.gguf")
    prompt = np.load(folder / "expected.npz")["long_prompt"].tolist()
    found = []
    for path in (folder, tmp_path / "model.gguf"):
        with LLM(path, max_context=256, arithmetic="float32") as llm:
            found.append(llm.logits(prompt))
    assert np.abs(found[1] - found[0]).max() < 1e-4 * np.abs(found[0]).max()


def test_yarn_that_is_added_by_hand_stretches_the_context() -> None:
    """As the pages of Qwen2.5 and Qwen3 tell people to do: the other fields stay as they were."""
    raw = read_config(CHECKPOINTS / "qwen3")
    scaling = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 192}
    plain = {name: value for name, value in raw.items() if name != "rope_parameters"}
    for field in ("rope_scaling", "rope_parameters"):
        by_hand = plain | {"rope_theta": 100.0, field: scaling}
        assert read_model_config(Path("config.json"), by_hand).max_context == 768
    no_original = {"rope_type": "yarn", "factor": 4.0}
    config = read_model_config(Path("config.json"), plain | {"rope_scaling": no_original})
    assert config.max_context == raw["max_position_embeddings"]
    stretched = plain | {"max_position_embeddings": 1024, "rope_scaling": scaling}
    assert read_model_config(Path("config.json"), stretched).max_context == 1024


def test_queries_grow_in_steps() -> None:
    table = RopeTable(RopeConfig(query_growth=0.5, original_max_position=10), 8, 30)
    table.grow(30)
    lengths = np.hypot(table.cos[:30, 0], table.sin[:30, 0])
    assert lengths == pytest.approx([1 + 0.5 * math.log(1 + p // 10) for p in range(30)])


@pytest.mark.parametrize(
    ("name", "positions"), [("phi3-longrope", 128), ("llama-rope-dynamic", 256), ("gpt2", 128)]
)
def test_no_prompt_goes_beyond_the_known_positions(name: str, positions: int) -> None:
    """Whatever is asked of it: the rotary positions after these are others, or there are none."""
    tokens = [1] * (positions + 1)
    with LLM(CHECKPOINTS / name) as llm:
        asks = [
            llm.logits,
            llm.generate,
            llm.log_probabilities,
            lambda prompt: llm.embed([prompt]),
            lambda prompt: explain_prompt(llm, prompt),
        ]
        for ask in asks:
            with pytest.raises(PromptTooLong, match=f"{positions}|at most {MAX_TOKENS} tokens"):
                ask(tokens)
        assert llm.logits(tokens[:-1]).shape[0] == positions
        assert np.isfinite(llm.embed([tokens[:-1]])).all()


def test_logits_have_the_limit_that_requests_have() -> None:
    with LLM(CHECKPOINTS / "llama-tied-gqa", max_context=8) as llm:
        with pytest.raises(
            PromptTooLong, match=r"maximum context length is 8 tokens \(--max-context\), but the"
        ):
            llm.logits(range(9))
        assert len(llm.logits(range(8))) == 8


@pytest.mark.parametrize(
    "older", [{"type": "linear", "factor": 4.0}, {"rope_type": "yarn", "factor": 2.0}, {"rope_theta": 1e4}]
)
def test_two_descriptions_of_rope_that_differ_are_refused(older: dict[str, object]) -> None:
    """Of which Transformers takes one or the other, by its version."""
    newer = {"rope_type": "yarn", "factor": 4.0, "rope_theta": 1e6}
    with pytest.raises(ModelError, match="rope_scaling and rope_parameters differ"):
        find_rope_fields({"rope_scaling": older, "rope_parameters": newer})
    same = {"type": "yarn", "factor": 4.0}
    assert find_rope_fields({"rope_scaling": same, "rope_parameters": newer}) == newer
    assert find_rope_fields({"rope_scaling": older, "rope_parameters": None}) == older


@pytest.mark.parametrize("sections", [[2, 1, 1], [1, 2], 5, "all"])
def test_families_whose_positions_have_one_axis_take_any_sections(sections: Any) -> None:
    """Texts have one axis of positions, whatever else the file says."""
    raw = read_config(CHECKPOINTS / "qwen3")
    axes = {"mrope_section": sections, "mrope_interleaved": True}
    other = raw | {"rope_parameters": raw["rope_parameters"] | axes}
    assert read_model_config(Path("config.json"), other) == read_model_config(Path("config.json"), raw)
