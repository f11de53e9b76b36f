"""MTP heads compute what their papers say, from folders and GGUF files, and a damaged one stops no model."""

import logging
from pathlib import Path

import numpy as np
import pytest
from gguf_models import copy_model, write_model
from paths import CHECKPOINTS
from test_scheduler import ids

from model_core.cache.memory import KVCache
from model_core.families.config import read_config, write_json
from model_core.families.mtp import HIDDEN_INPUT
from model_core.files.checkpoint import Checkpoint
from model_core.files.model_files import open_model_files
from model_core.files.safetensors import write_safetensors
from model_core.model.batch import BatchBuilder
from model_core.model.estimate import MemoryFlags, estimate_memory
from model_core.model.loader import load_model
from model_core.model.transformer import Transformer

FOLDERS = ["qwen3_5-mtp", "qwen3_5-moe-mtp", "glm4-moe-mtp", "deepseek-v3-mtp"]


def run_head(
    model: Transformer, cache: KVCache, tables: np.ndarray, tokens: list[int], hidden: np.ndarray, first: int
) -> tuple[np.ndarray, np.ndarray]:
    """Logits and handed-on states of the MTP head, for tokens with the hidden states before them."""
    assert model.draft_head is not None
    builder = BatchBuilder()
    builder.add(tokens, first, range(first, first + len(tokens)))
    batch = builder.build(tables, inputs={HIDDEN_INPUT: hidden})
    return model.draft_head.forward_for_drafts(batch, cache)


@pytest.mark.parametrize("folder", FOLDERS)
def test_logits_are_those_of_the_reference(folder: str) -> None:
    expected = np.load(CHECKPOINTS / folder / "expected.npz")
    prompt = expected["prompt"].tolist()
    model = load_model(open_model_files(CHECKPOINTS / folder), arithmetic="float32", draft_head=True)
    cache, tables = model.create_cache(1, 64, "float32")
    builder = BatchBuilder()
    builder.add(prompt, 0, range(len(prompt)))
    logits, hidden = model.forward_for_drafts(builder.build(tables), cache)
    plain = load_model(open_model_files(CHECKPOINTS / folder), arithmetic="float32")
    assert plain.draft_head is None
    plain_cache, tables_of_plain = plain.create_cache(1, 64, "float32")
    assert np.array_equal(logits, plain.forward(builder.build(tables_of_plain), plain_cache))
    np.testing.assert_allclose(logits, expected["logits"], rtol=2e-3, atol=2e-3)
    # In two parts, the second of which needs keys of the first.
    drafts, handed_on = run_head(model, cache, tables, prompt[1:9], hidden[:8], 0)
    more, handed_on = run_head(model, cache, tables, prompt[9:], hidden[8:-1], 8)
    scale = np.abs(expected["mtp_logits"]).max()
    assert np.abs(np.concatenate([drafts, more]) - expected["mtp_logits"]).max() < 2e-4 * scale
    best = int(more[-1].argmax())
    second, _ = run_head(model, cache, tables, [best], handed_on[-1:], len(prompt) - 1)
    assert np.abs(second[0] - expected["mtp_next"]).max() < 2e-4 * scale


@pytest.mark.parametrize("quantize", [False, True])
@pytest.mark.parametrize("name", FOLDERS)
def test_file_has_the_head_of_the_folder(name: str, quantize: bool, tmp_path: Path) -> None:
    folder = copy_model(name, tmp_path)
    write_model(folder, tmp_path / "model.gguf", quantize=quantize)
    tokens, found = ids(20), []
    for path in (folder, tmp_path / "model.gguf"):
        model = load_model(open_model_files(path), arithmetic="float32", draft_head=True)
        cache, tables = model.create_cache(1, 64, "float32")
        hidden = np.random.default_rng(0).standard_normal((20, model.config.hidden_size), np.float32)
        found.append(run_head(model, cache, tables, tokens, hidden, 0)[0])
    bound = 0.2 if quantize else 1e-5  # rounding may choose other experts
    assert np.linalg.norm(found[1] - found[0]) < bound * np.linalg.norm(found[0])


@pytest.mark.parametrize("folder", FOLDERS)
def test_memory_is_estimated_with_the_head(folder: str) -> None:
    files = open_model_files(CHECKPOINTS / folder)
    without, with_head = (
        estimate_memory(files, MemoryFlags("auto", None, None, "float32", mtp=mtp)) for mtp in (False, True)
    )
    loaded = load_model(files, draft_head=True)
    assert loaded.draft_head is not None
    shared = {id(matrix) for matrix in loaded.weights.matrices.values()}
    own = [m for m in loaded.draft_head.weights.matrices.values() if id(m) not in shared]
    assert with_head.kv > without.kv
    grown = with_head.weights - without.weights
    assert 0.5 * sum(m.nbytes for m in own) < grown <= sum(m.nbytes for m in own)


def test_head_with_a_missing_tensor_is_not_used(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    source = Checkpoint(CHECKPOINTS / "glm4-moe-mtp")
    missing = "model.layers.3.mlp.experts.2.up_proj.weight"
    tensors = {name: np.array(source[name]) for name in source.unread() if name != missing}
    write_safetensors(tmp_path / "model.safetensors", tensors)
    write_json(tmp_path / "config.json", read_config(CHECKPOINTS / "glm4-moe-mtp"))
    with caplog.at_level(logging.WARNING):
        model = load_model(open_model_files(tmp_path), draft_head=True)
    assert model.draft_head is None and missing in caplog.text
    assert len(model.tape.kv_layers) == 3


def test_head_with_its_own_embedding_is_not_used(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = CHECKPOINTS / "qwen3_5-mtp"
    source = Checkpoint(folder)
    tensors = {name: np.array(source[name]) for name in source.unread()}
    embedding = next(name for name in tensors if name.endswith("embed_tokens.weight"))
    tensors["mtp.embed_tokens.weight"] = tensors[embedding]
    write_safetensors(tmp_path / "model.safetensors", tensors)
    write_json(tmp_path / "config.json", read_config(folder))
    with caplog.at_level(logging.WARNING):
        model = load_model(open_model_files(tmp_path), draft_head=True)
    assert model.draft_head is None and "an embedding of its own" in caplog.text
