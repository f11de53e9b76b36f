"""Every family and variant computes what Hugging Face Transformers computes (see make_checkpoints.py)."""

import re
from pathlib import Path

import numpy as np
import pytest
from paths import CHECKPOINTS, ROOT

from model_core import LLM, SamplingParams
from model_core.checks.file_values import read_json
from model_core.families import FAMILIES
from model_core.families.config import write_json
from model_core.files.checkpoint import Checkpoint
from model_core.files.safetensors import write_safetensors


@pytest.mark.parametrize("folder", sorted(CHECKPOINTS.iterdir()), ids=lambda folder: folder.name)
def test_logits_and_greedy_tokens_match_transformers(folder: Path) -> None:
    expected = np.load(folder / "expected.npz")
    prompt = expected["prompt"].tolist()
    with LLM(folder, arithmetic="float32") as llm:
        logits = llm.logits(prompt)
        params = SamplingParams(max_tokens=len(expected["greedy"]), temperature=0, ignore_eos=True)
        completion = llm.generate(prompt, params)
    error = np.linalg.norm(logits - expected["logits"]) / np.linalg.norm(expected["logits"])
    assert error < 1e-5
    assert completion.token_ids == expected["greedy"].tolist()


@pytest.mark.parametrize("folder", sorted(CHECKPOINTS.iterdir()), ids=lambda folder: folder.name)
def test_int8_logits_are_close(folder: Path) -> None:
    """Random weights, and experts that are chosen by them, lose more than trained ones."""
    # Where a token of the prompt chooses other experts.
    bounds = dict.fromkeys(("lfm2-moe", "glm4-moe-lite", "qwen3_5-moe"), 0.3) | {"gemma4-experts": 0.4}
    bound = bounds.get(folder.name, 0.15)
    expected = np.load(folder / "expected.npz")
    with LLM(folder, weights="int8") as llm:
        logits = llm.logits(expected["prompt"].tolist())
    assert np.linalg.norm(logits - expected["logits"]) < bound * np.linalg.norm(expected["logits"])


def test_table_has_a_row_for_each_family() -> None:
    """`python benchmarks/models/parity.py --write` makes them."""
    page = (ROOT / "docs" / "models.md").read_text()
    rows = re.findall(r"^\| .+ \| `(\w+)` \| \S+ \| \S+% \| (\d+) of 40 \|$", page, re.MULTILINE)
    assert sorted(rows) == [(model_type, "40") for model_type in sorted(FAMILIES)]


@pytest.mark.parametrize(
    ("weights", "bound"),
    [("float32", 1e-5), ("bfloat16", 5e-2), ("float16", 5e-3), ("int8", 0.1), ("mixed", 0.2), ("int4", 0.7)],
)
def test_weights_can_be_converted_to_another_type(weights: str, bound: float) -> None:
    """Rounding changes random weights the most. test_quantize.py measures it with trained weights."""
    folder = CHECKPOINTS / "llama-tied-gqa"
    expected = np.load(folder / "expected.npz")
    with LLM(folder, weights=weights, arithmetic="float32") as llm:
        types = {"mixed": "int6, int5", "int4": "int5, int4"}
        assert llm.model.weights.types == types.get(weights, weights)
        logits = llm.logits(expected["prompt"].tolist())
    error = np.linalg.norm(logits - expected["logits"]) / np.linalg.norm(expected["logits"])
    assert error < bound


@pytest.mark.parametrize(
    ("model_type", "prefix"),
    [
        ("gemma3", "model.language_model."),
        ("gemma3", "language_model.model."),
        ("gemma3n", "model.language_model."),
    ],
)
def test_model_that_sees_loads_its_text_model(tmp_path: Path, model_type: str, prefix: str) -> None:
    source = CHECKPOINTS / model_type
    tensors = {
        name.replace("model.", prefix, 1): np.array(Checkpoint(source)[name])
        for name in Checkpoint(source).unread()
    }
    tensors["model.vision_tower.patch_embedding.weight"] = np.ones((4, 4), np.float32)
    write_safetensors(tmp_path / "model.safetensors", tensors)
    text = read_json(source / "config.json")
    config = {"model_type": model_type, "vision_config": {"hidden_size": 8}, "text_config": text}
    write_json(tmp_path / "config.json", config)
    expected = np.load(source / "expected.npz")
    with LLM(tmp_path, arithmetic="float32") as llm:
        logits = llm.logits(expected["prompt"].tolist())
    assert np.linalg.norm(logits - expected["logits"]) < 1e-5 * np.linalg.norm(expected["logits"])


def test_gpt2_as_it_was_published(tmp_path: Path) -> None:
    """Its tensors have no prefix, and causal masks stand among them."""
    source = CHECKPOINTS / "gpt2"
    checkpoint = Checkpoint(source)
    tensors = {name: np.array(checkpoint[name]) for name in checkpoint.unread()}
    assert "wte.weight" in tensors
    masks = {f"h.{i}.attn.bias": np.ones((1, 1, 128, 128), np.float32) for i in range(2)}
    write_safetensors(tmp_path / "model.safetensors", tensors | masks)
    write_json(tmp_path / "config.json", read_json(source / "config.json"))
    expected = np.load(source / "expected.npz")
    with LLM(tmp_path, arithmetic="float32") as llm:
        logits = llm.logits(expected["prompt"].tolist())
    assert np.linalg.norm(logits - expected["logits"]) < 1e-5 * np.linalg.norm(expected["logits"])
