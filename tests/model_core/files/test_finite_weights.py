"""Loading names weights that are infinite or not a number, in any tensor and for any type of weights."""

import json
import shutil
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from paths import CHECKPOINTS
from quantized_folders import write_folder

from model_core import LLM
from model_core.errors import ModelError
from model_core.files.checkpoint import Checkpoint
from model_core.files.model_files import open_model_files
from model_core.files.safetensors import DTYPES, SafetensorsFolder, write_safetensors
from model_core.machine.all_finite import all_finite
from model_core.model.loader import load_model

WEIGHTS = ("auto", "float32", "bfloat16", "float16", "int8", "int4")
BAD = (np.nan, -np.nan, np.inf, -np.inf)


def poison(folder: Path, name: str, value: float) -> None:
    """Write a value to the last element of a tensor."""
    path = folder / "model.safetensors"
    data = bytearray(path.read_bytes())
    start = 8 + int.from_bytes(data[:8], "little")
    entry = json.loads(data[8:start])[name]
    dtype = DTYPES[entry["dtype"]]
    end = start + entry["data_offsets"][1]
    data[end - np.dtype(dtype).itemsize : end] = np.array(value, dtype).tobytes()
    path.write_bytes(data)


@pytest.mark.parametrize("variant", ["llama-biases", "llama-bfloat16", "llama-float16", "qwen2-biases"])
def test_every_tensor_is_checked_for_every_kind(tmp_path: Path, variant: str) -> None:
    names = Checkpoint(CHECKPOINTS / variant).unread()
    assert any("norm" in name for name in names) and any("embed" in name for name in names)
    for i, name in enumerate(names):
        folder = tmp_path / str(i)
        shutil.copytree(CHECKPOINTS / variant, folder)
        poison(folder, name, BAD[i % len(BAD)])
        for weights in WEIGHTS:
            with pytest.raises(ModelError, match="infinite or not a number") as raised:
                load_model(open_model_files(folder), weights)
            assert name in str(raised.value) and str(folder / "model.safetensors") in str(raised.value)


@pytest.mark.parametrize("kind", ["gptq-4", "awq", "packed-4", "int8", "float8-channel", "fp8-block"])
def test_every_scale_and_number_of_quantized_weights_is_checked(tmp_path: Path, kind: str) -> None:
    write_folder(kind, tmp_path / "model")
    stored = SafetensorsFolder(tmp_path / "model")
    names = [name for name in stored if stored.dtype(name)[0] in "FB" and "input_scale" not in name]
    assert any("scale" in name for name in names)
    for i, name in enumerate(names):
        folder = tmp_path / str(i)
        shutil.copytree(tmp_path / "model", folder)
        poison(folder, name, BAD[i % len(BAD)])
        with pytest.raises(ModelError, match="infinite or not a number") as raised:
            load_model(open_model_files(folder))
        assert name.rpartition(".")[0] in str(raised.value)


@pytest.mark.parametrize(("weights", "value"), [("float16", 1e5), ("bfloat16", 3.4028e38)])
def test_numbers_out_of_range_of_the_new_type_are_named(tmp_path: Path, weights: str, value: float) -> None:
    shutil.copytree(CHECKPOINTS / "llama-biases", tmp_path / "model")
    poison(tmp_path / "model", "model.layers.1.mlp.down_proj.weight", value)
    load_model(open_model_files(tmp_path / "model"))
    with pytest.raises(ModelError, match=rf"layers\.1\.mlp\.down_proj.*too large for {weights}"):
        load_model(open_model_files(tmp_path / "model"), weights)


def test_model_with_numbers_that_are_not_finite_is_refused(tmp_path: Path) -> None:
    shutil.copytree(CHECKPOINTS / "llama-untied-mha", tmp_path / "model")
    poison(tmp_path / "model", "model.embed_tokens.weight", np.nan)
    with pytest.raises(ModelError, match=r"model\.embed_tokens\.weight"):
        LLM(tmp_path / "model", weights="int8")


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_all_finite_finds_infinities_and_nan(dtype: type) -> None:
    limits = ml_dtypes.finfo(dtype)
    edges = np.array([limits.max, limits.min, limits.tiny, -limits.tiny, 0.0, -0.0, 1.0], dtype)
    assert all_finite(edges) and all_finite(edges[:0])
    for size in (1, 7, 2**16 - 1, 2**16, 2**16 + 1, 3 * 2**16):
        numbers = np.resize(edges, size)
        assert all_finite(numbers)
        for place in {0, size // 2, size - 1}:
            for value in BAD:
                numbers[place] = value
                assert not all_finite(numbers)
            numbers[place] = 1


def test_tensor_of_bytes_instead_of_weights_is_named(tmp_path: Path) -> None:
    shutil.copytree(CHECKPOINTS / "llama-untied-mha", tmp_path / "model")
    checkpoint = Checkpoint(tmp_path / "model")
    tensors = {name: np.array(checkpoint[name]) for name in checkpoint.unread()}
    for name in ("model.norm.weight", "lm_head.weight", "model.layers.0.mlp.up_proj.weight"):
        changed = {**tensors, name: np.zeros(tensors[name].shape, np.uint8)}
        write_safetensors(tmp_path / "model" / "model.safetensors", changed)
        with pytest.raises(ModelError, match="uint8") as raised:
            load_model(open_model_files(tmp_path / "model"))
        assert name in str(raised.value)
