"""Estimates of memory, compared with the models that are loaded."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from gguf_models import copy_model, write_model
from paths import CHECKPOINTS
from quantized_folders import KINDS, write_folder, write_mxfp4_folder

from model_core.cache.states import state_offsets
from model_core.checks.flags import WEIGHTS
from model_core.families import read_model_config, write_tape
from model_core.files.gguf.blocks import BLOCKS, read_codes
from model_core.files.gguf.reader import GGUFFile
from model_core.files.model_files import ModelFiles, open_model_files
from model_core.files.safetensors import write_safetensors
from model_core.model.estimate import (
    MemoryFlags,
    ModelTooLarge,
    bits_in_memory,
    check_memory,
    estimate_memory,
)
from model_core.model.loader import load_model
from model_core.quantizing.write_folder import write_quantized_folder
from model_core.tape.passes import products, vector_refs
from model_core.weights.pack import pack_codes

GGUF_BLOCKS = CHECKPOINTS.parent / "gguf" / "blocks.gguf"
FLAGS = MemoryFlags("auto", max_context=None, kv_cache_memory=None, kv_cache_dtype="float32")
CONFIG = {
    "model_type": "llama",
    "vocab_size": 2048,
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-5,
    "max_position_embeddings": 8192,
    "tie_word_embeddings": False,
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    """A model with matrices that need no padding, in bfloat16."""
    folder = tmp_path_factory.mktemp("model")
    (folder / "config.json").write_text(json.dumps(CONFIG))
    tape = write_tape(read_model_config(folder / "config.json", dict(CONFIG)))
    weights = [weight for linear in products(tape.records) for weight in linear.weights]
    refs = [*weights, *vector_refs(tape.records), tape.embedding]
    tensors = {ref.name: np.ones(ref.shape, ml_dtypes.bfloat16) for ref in refs}
    write_safetensors(folder / "model.safetensors", tensors)
    return open_model_files(folder)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_weights_take_what_is_estimated(files: ModelFiles, weights: str) -> None:
    loaded = load_model(files, weights).weights.nbytes
    assert estimate_memory(files, replace(FLAGS, weights=weights)).weights == pytest.approx(loaded, rel=0.02)


@pytest.mark.parametrize(
    "name",
    [
        "llama-float16",
        "llama-sharded",
        "deepseek-v3",
        "deepseek-v3-latents",
        "gpt-oss",
        "gemma3n",
        "qwen3-next",
        "rwkv7",
        "nemotron-h-experts",
        "jamba",
    ],
)
def test_weights_of_families_take_what_is_estimated(name: str) -> None:
    """Matrices in memory are padded, which makes tiny ones larger."""
    files = open_model_files(CHECKPOINTS / name)
    loaded, estimated = load_model(files).weights.nbytes, estimate_memory(files, FLAGS).weights
    assert 0.4 * loaded < estimated < 1.01 * loaded


@pytest.mark.parametrize("kind", ["int8", "int4", "Q8_0"])
def test_quantized_weights_take_what_is_estimated(files: ModelFiles, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "model"
    if kind == "Q8_0":
        write_model(files.path, path, quantize=True)
    else:
        write_quantized_folder(files, path, kind, {})
    quantized = open_model_files(path)
    loaded = load_model(quantized).weights.nbytes
    assert estimate_memory(quantized, FLAGS).weights == pytest.approx(loaded, rel=0.05)


def test_blocks_of_gguf_files_take_what_is_estimated() -> None:
    file = GGUFFile(GGUF_BLOCKS)
    for entry in file.entries.values():
        block = BLOCKS[entry.type]
        if block.decode is not None:
            matrix = pack_codes([read_codes(file.bytes_of(entry), entry.shape, block)])
            estimated = bits_in_memory(8 * block.size / block.weights)
            assert estimated == pytest.approx(8 * matrix.nbytes / (matrix.n * matrix.k), rel=0.12), block.name


@pytest.mark.parametrize("kind", ["mxfp4", *KINDS])
def test_weights_of_formats_take_what_is_estimated(tmp_path: Path, kind: str) -> None:
    """Matrices in memory are padded, which makes tiny ones larger."""
    write = write_mxfp4_folder if kind == "mxfp4" else partial(write_folder, kind)
    write(tmp_path / "model")
    files = open_model_files(tmp_path / "model")
    loaded, estimated = load_model(files).weights.nbytes, estimate_memory(files, FLAGS).weights
    assert 0.2 * loaded < estimated < 1.2 * loaded


@pytest.mark.parametrize("dtype", ["float32", "float16", "int16", "int8"])
@pytest.mark.parametrize("name", ["llama-float16", "mistral-window", "qwen3-next", "rwkv7", "jamba"])
def test_kv_memory_is_enough_for_the_context(name: str, dtype: str) -> None:
    files = open_model_files(CHECKPOINTS / name)
    model = load_model(files)
    flags = replace(FLAGS, max_context=100, kv_cache_dtype=dtype)
    kv = estimate_memory(files, flags).kv - state_offsets(model.tape.states)[1]
    bytes_per_position = (
        model.tape.kv_bytes_per_token * {"float32": 4, "float16": 2, "int16": 2, "int8": 1}[dtype] / 4
    )
    windows = [group.shape.window for group in model.kv_groups]
    if windows == [None]:
        assert kv >= 100 * bytes_per_position
    assert kv <= 2 * (112 * bytes_per_position + 7 * 1024) * max(1, len(windows))  # padded
    assert estimate_memory(files, replace(FLAGS, kv_cache_memory=5)).kv == 5


def test_model_that_does_not_fit_is_refused_with_what_would(files: ModelFiles) -> None:
    flags = replace(FLAGS, weights="float32")
    needed = {weights: estimate_memory(files, replace(flags, weights=weights)).total for weights in WEIGHTS}
    check_memory("x", files, flags, needed["float32"])
    for free, sentence in (
        (needed["int8"], "--weights int8 needs 0.3 GiB."),
        (needed["int4"], "--weights int4 needs 0.3 GiB."),
        (needed["int4"] - 1, "it fits with no --weights."),
    ):
        with pytest.raises(ModelTooLarge, match=r"^x needs 0.3 GiB of memory") as caught:
            check_memory("x", files, flags, free)
        assert str(caught.value).endswith(sentence)
    larger = replace(flags, kv_cache_memory=50 * 2**30)
    with pytest.raises(ModelTooLarge, match=r"50.0 GiB for its KV memory\), .*a smaller --kv-cache-memory"):
        check_memory("x", files, larger, 40 * 2**30)


def test_missing_tensors_are_left_to_the_loader(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    write_safetensors(tmp_path / "model.safetensors", {"model.norm.weight": np.ones(256, np.float32)})
    check_memory("x", open_model_files(tmp_path), FLAGS, 2**30)


@pytest.mark.parametrize("name", ["llama-tied-gqa", "qwen3-moe", "gpt-oss"])
def test_gguf_files_are_estimated_as_folders(tmp_path: Path, name: str) -> None:
    """The same floats need the same memory, in whichever files they are."""
    folder = copy_model(name, tmp_path)
    write_model(folder, tmp_path / "model.gguf")
    expected = estimate_memory(open_model_files(folder), FLAGS)
    estimate = estimate_memory(open_model_files(tmp_path / "model.gguf"), FLAGS)
    assert estimate.weights == pytest.approx(expected.weights, rel=0.05)
    assert estimate.kv == expected.kv
