"""Any damaged model gives one clear sentence that names the file, or an answer."""

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import damaged_layouts
import pytest
from damaged_folders import CHECKPOINTS, make_bases
from fuzz_folders import REFUSED, Result, examine, fuzz

from model_core import LLM
from model_core.errors import ModelError
from model_core.hub import fetch_model

# FUZZ_FOLDERS=6000 tries as many; a fault is made again by its number (see fuzz_folders.py).
COUNT = int(os.environ.get("FUZZ_FOLDERS", "200"))


def check(results: list[Result], count: int, least: float) -> None:
    """No damage may show a fault. More than `least` of them are harmless, and more than `least` are found."""
    faults = [result for result in results if result.kind == "fault"]
    assert not faults, "\n\n".join(f"{r.number}: {r.what}\n{r.outcome}" for r in faults[:5])
    assert [result.number for result in results] == list(range(count))
    kinds = Counter(result.kind for result in results)
    commonest = Counter(result.outcome for result in results).most_common(3)
    assert min(kinds["answered"], kinds["refused"]) > least, commonest


@pytest.mark.timeout(120 + COUNT)
def test_damaged_folders_give_one_clear_error() -> None:
    check(list(fuzz(0, COUNT)), COUNT, COUNT / 10)


@pytest.mark.timeout(240 + COUNT)
def test_damaged_gguf_files_give_one_clear_error() -> None:
    count = COUNT // 2
    check(list(fuzz(0, count, what="gguf")), count, count / 20)


@pytest.mark.timeout(120 + COUNT)
def test_damaged_tokenizers_and_layouts_give_one_clear_error() -> None:
    """Also files of tiktoken, SentencePiece, Mistral and torch, chat_template.json, and folders of MLX."""
    check(list(fuzz(0, COUNT, what="layouts")), COUNT, COUNT / 20)


def test_undamaged_folders_load_and_answer(tmp_path: Path) -> None:
    (tmp_path / "layouts").mkdir()
    layouts = damaged_layouts.make_bases(tmp_path / "layouts")
    for folder in dict.fromkeys([*make_bases(tmp_path), *layouts]):
        assert examine(folder) == "answered", folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_bases(tmp_path)[0]


def change(folder: Path, name: str, **values: object) -> None:
    path = folder / name
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "quantization_config is a list": (
        lambda f: change(f, "config.json", quantization_config=["int8"]),
        "None are not supported",
    ),
    "quant_method is a list": (
        lambda f: change(f, "config.json", quantization_config={"quant_method": ["gptq"], "bits": 4}),
        "not supported",
    ),
    "bits are text": (
        lambda f: change(f, "config.json", quantization_config={"quant_method": "awq", "bits": "four"}),
        "bits is 'four'",
    ),
    "schemes are a list": (
        lambda f: change(
            f,
            "config.json",
            quantization_config={"quant_method": "compressed-tensors", "format": ["pack-quantized"]},
        ),
        "not supported",
    ),
    "epsilon below float32": (lambda f: change(f, "config.json", rms_norm_eps=1e-320), "rms_norm_eps"),
    "epsilon of none": (lambda f: change(f, "config.json", rms_norm_eps=0), "rms_norm_eps"),
    "theta below zero": (
        lambda f: change(f, "config.json", rope_parameters={"rope_theta": -5}),
        "rope_theta",
    ),
    "RoPE factors in the wrong order": (
        lambda f: change(
            f,
            "config.json",
            rope_parameters={"rope_type": "llama3", "low_freq_factor": 5, "high_freq_factor": 4},
        ),
        "low_freq_factor",
    ),
    "a value of 100,000 characters": (
        lambda f: change(f, "config.json", hidden_size="x" * 100_000),
        "hidden_size",
    ),
    "window beyond all numbers": (
        lambda f: change(f, "config.json", model_type="mistral", sliding_window=2**40),
        "sliding window",
    ),
    "half a character in a token": (
        lambda f: change(f, "tokenizer_config.json", eos_token="\ud800"),
        "eos_token has half of a surrogate pair",
    ),
    "end token is true": (
        lambda f: change(f, "generation_config.json", eos_token_id=[True]),
        r"generation_config\.json: eos_token_id",
    ),
    "temperature is text": (
        lambda f: change(f, "generation_config.json", temperature="hot"),
        r"generation_config\.json: temperature",
    ),
    "file name of 300 characters": (
        lambda f: index(f, {"model.norm.weight": "x" * 300}),
        "incomplete",
    ),
    "file name with half a character": (lambda f: index(f, {"model.norm.weight": "\ud800"}), "incomplete"),
    "tokenizer of nothing": (
        lambda f: (f / "tokenizer.json").write_text("{}"),
        r"tokenizer\.json is damaged",
    ),
}


def index(folder: Path, files: dict[str, str]) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": files}))


@pytest.mark.parametrize("name", DAMAGES)
def test_known_damages_are_named(folder: Path, name: str) -> None:
    damage, expected = DAMAGES[name]
    damage(folder)
    with pytest.raises(ModelError, match=expected) as raised:
        LLM(folder)
    message = str(raised.value)
    assert str(folder) in message and "\n" not in message and len(message) < 600
    message.encode()


def test_tokenizer_that_panics_gives_a_clear_error(folder: Path) -> None:
    """Its panics are not an `Exception` in Python."""
    path = folder / "tokenizer.json"
    tokenizer = json.loads(path.read_text())
    tokenizer["decoder"] = {"type": "Strip", "content": "a", "start": 2**62, "stop": 2**62}
    path.write_text(json.dumps(tokenizer))
    assert examine(folder).startswith(("answered", REFUSED))


@pytest.mark.parametrize(
    "name", ["x" * 300, "x" * 5000, "a/" + "x" * 300, "a\x00b", "~nobody/model", "\ud800", "a/b..c"]
)
def test_impossible_folder_names_give_a_clear_error(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelError) as raised:
        fetch_model(name)
    assert len(str(raised.value)) < 600
    str(raised.value).encode()


def test_loop_of_symbolic_links_gives_a_clear_error(tmp_path: Path) -> None:
    shutil.copytree(CHECKPOINTS / "llama-tied-gqa", tmp_path / "model")
    (tmp_path / "model" / "model.safetensors").unlink()
    os.symlink("model.safetensors", tmp_path / "model" / "model.safetensors")
    with pytest.raises(ModelError, match="no weights"):
        LLM(tmp_path / "model")
