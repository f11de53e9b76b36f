"""Model files are not trusted: each kind of damage is found and named."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from paths import CHECKPOINTS

from model_core import LLM
from model_core.errors import ModelError
from model_core.files.checkpoint import Checkpoint
from model_core.files.safetensors import BFLOAT16, SafetensorsFolder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy = tmp_path / "model"
    shutil.copytree(CHECKPOINTS / "llama-untied-mha", copy)
    return copy


def write_safetensors(path: Path, header: object, data: bytes = b"", length: int | None = None) -> None:
    text = json.dumps(header).encode()
    path.write_bytes((len(text) if length is None else length).to_bytes(8, "little") + text + data)


def set_config(folder: Path, **values: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def drop_config(folder: Path, *names: str) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({k: v for k, v in json.loads(path.read_text()).items() if k not in names}))


def cut(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1000])


def shorten_header(folder: Path) -> None:
    path = folder / "model.safetensors"
    data = path.read_bytes()
    assert data[8:].startswith(b"{") and data[7 + int.from_bytes(data[:8], "little") :][:1] == b" "
    path.write_bytes((int.from_bytes(data[:8], "little") - 1).to_bytes(8, "little") + data[8:])


def tensor(**fields: object) -> dict[str, object]:
    return {"model.norm.weight": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], **fields}}


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no config": (lambda f: (f / "config.json").unlink(), "no config.json"),
    "config is no JSON": (lambda f: (f / "config.json").write_text("{"), "not valid JSON"),
    "config is a list": (lambda f: (f / "config.json").write_text("[]"), "JSON object"),
    "unknown family": (lambda f: set_config(f, model_type="gpt9"), "gpt9"),
    "no family": (lambda f: drop_config(f, "model_type"), "None"),
    "size missing": (lambda f: drop_config(f, "hidden_size"), "hidden_size"),
    "size is text": (lambda f: set_config(f, num_hidden_layers="2"), "num_hidden_layers"),
    "size is huge": (lambda f: set_config(f, vocab_size=2**40), "vocab_size"),
    "heads do not divide": (lambda f: set_config(f, num_key_value_heads=3), "do not divide"),
    "odd head": (lambda f: set_config(f, head_dim=7), "head_dim"),
    "unknown RoPE": (lambda f: set_config(f, rope_parameters={"rope_type": "spiral"}), "spiral"),
    "RoPE factor zero": (
        lambda f: set_config(f, rope_parameters={"rope_type": "linear", "factor": 0}),
        "factor",
    ),
    "LongRoPE without factors": (
        lambda f: set_config(f, rope_parameters={"rope_type": "longrope"}),
        "short_factor",
    ),
    "LongRoPE with too few factors": (
        lambda f: set_config(f, rope_parameters={"rope_type": "longrope", "short_factor": [1.0]}),
        "4 numbers",
    ),
    "unknown activation": (lambda f: set_config(f, hidden_act="gelu"), "gelu"),
    "other shape": (lambda f: set_config(f, intermediate_size=40), "should be"),
    "a layer too many": (lambda f: set_config(f, num_hidden_layers=3), "layers.2"),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), "no weights"),
    "weights cut short": (cut, "outside the file"),
    "weights empty": (lambda f: (f / "model.safetensors").write_bytes(b""), "model.safetensors"),
    "weights too short": (lambda f: (f / "model.safetensors").write_bytes(b"1234"), "cut short"),
    "header too long": (lambda f: write_safetensors(f / "model.safetensors", {}, length=2**60), "cut short"),
    "header no object": (lambda f: write_safetensors(f / "model.safetensors", [1]), "header"),
    "header entry odd": (lambda f: write_safetensors(f / "model.safetensors", {"a": 1}), "header"),
    "offsets negative": (
        lambda f: write_safetensors(f / "model.safetensors", tensor(data_offsets=[-8, 0]), b"0" * 8),
        "header",
    ),
    "offsets outside": (
        lambda f: write_safetensors(f / "model.safetensors", tensor(data_offsets=[0, 2**40]), b"0" * 8),
        "outside the file",
    ),
    "header a byte shorter": (shorten_header, "more bytes than its header says"),
    "config nested deeply": (lambda f: (f / "config.json").write_text("[" * 100_000), "config.json"),
    "too many layers": (lambda f: set_config(f, num_hidden_layers=300_000_000), "num_hidden_layers"),
    "family is a list": (lambda f: set_config(f, model_type=["llama"]), "llama"),
    "qwen2 layers odd": (lambda f: set_config(f, model_type="qwen2", layer_types=3), "layer_types"),
    "quantized": (lambda f: set_config(f, quantization_config={"bits": 4}), "quantized"),
    "infinite number": (lambda f: set_config(f, rms_norm_eps=float("inf")), "rms_norm_eps"),
    "infinite top_k": (
        lambda f: (f / "generation_config.json").write_text('{"top_k": 1e400}'),
        "top_k",
    ),
    "impossible temperature": (
        lambda f: (f / "generation_config.json").write_text('{"do_sample": true, "temperature": 5}'),
        "temperature",
    ),
    "index of pickled shards": (
        lambda f: (f / "model.safetensors").rename(f / "pytorch_model.bin.index.json"),
        r"pytorch_model\.bin\.index\.json is damaged: it is not valid JSON",
    ),
    "no file of torch": (
        lambda f: (f / "model.safetensors").rename(f / "pytorch_model.bin"),
        "not written by torch",
    ),
    "generation config odd": (
        lambda f: (f / "generation_config.json").write_text('{"eos_token_id": "x"}'),
        "eos_token_id",
    ),
    "tokenizer odd": (lambda f: (f / "tokenizer.json").write_text("{}"), "tokenizer.json is damaged"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_named(folder: Path, name: str) -> None:
    damage, expected = DAMAGES[name]
    damage(folder)
    with pytest.raises(ModelError, match=expected) as raised:
        LLM(folder)
    assert len(str(raised.value).splitlines()) == 1


def test_shape_that_does_not_fit_the_size_is_named(tmp_path: Path) -> None:
    write_safetensors(tmp_path / "model.safetensors", tensor(shape=[3]), b"0" * 8)
    with pytest.raises(ModelError, match="does not match its shape"):
        Checkpoint(tmp_path)["model.norm.weight"]


def test_empty_tensor_that_numpy_cannot_make_is_named(tmp_path: Path) -> None:
    write_safetensors(tmp_path / "model.safetensors", tensor(shape=[0, 2**62], data_offsets=[0, 0]))
    with pytest.raises(ModelError, match="does not match its shape"):
        Checkpoint(tmp_path)["model.norm.weight"]


def test_unknown_type_is_named(tmp_path: Path) -> None:
    for dtype, named in {"F8_E4M3": "float8_e4m3fn", "F8_E5M2": "F8_E5M2"}.items():
        write_safetensors(tmp_path / "model.safetensors", tensor(dtype=dtype, shape=[8]), b"0" * 8)
        with pytest.raises(ModelError, match=named):
            Checkpoint(tmp_path)["model.norm.weight"]


def test_unaligned_tensors_are_usable(tmp_path: Path) -> None:
    header = json.dumps(tensor()).encode()
    header += b" " * (3 - len(header) % 4)  # never a multiple of four
    data = np.array([1.5, -2], np.float32).tobytes()
    (tmp_path / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + data)
    array = Checkpoint(tmp_path)["model.norm.weight"]
    assert array.flags.aligned
    assert array.tolist() == [1.5, -2]


def test_tensors_keep_their_stored_type() -> None:
    assert Checkpoint(CHECKPOINTS / "llama-bfloat16")["model.norm.weight"].dtype == BFLOAT16
    with LLM(CHECKPOINTS / "llama-float16") as llm:
        assert {matrix.data.dtype for matrix in llm.model.weights.matrices.values()} == {np.dtype(np.float16)}


def test_index_with_a_path_outside_the_folder_is_refused(tmp_path: Path) -> None:
    index = {"weight_map": {"a": "../elsewhere.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(ModelError, match="outside the model folder"):
        SafetensorsFolder(tmp_path)


def test_missing_shard_is_named(tmp_path: Path) -> None:
    copy = tmp_path / "model"
    shutil.copytree(CHECKPOINTS / "llama-sharded", copy)
    shard = sorted(copy.glob("model-*.safetensors"))[1]
    shard.unlink()
    with pytest.raises(ModelError, match=shard.name):
        LLM(copy)


def test_unknown_weights_are_refused() -> None:
    with pytest.raises(ModelError, match="int3"):
        LLM(CHECKPOINTS / "llama-tied-gqa", weights="int3")
