"""What models on the disk are said to be."""

import json
import shutil
from pathlib import Path

import pytest
from gguf_models import copy_model, write_model
from paths import CHECKPOINTS
from quantized_folders import write_folder

from model_core.files.model_files import open_model_files
from model_core.hub import embedded_model
from model_core.hub.description import Description, describe
from model_core.quantizing.write_folder import write_quantized_folder


def test_embedded_model_chats() -> None:
    assert describe(embedded_model()) == Description("bfloat16", 1024, True, None)


@pytest.mark.parametrize(
    ("kind", "stored"),
    [("gptq-3", "gptq, 3 bits"), ("awq", "awq, 4 bits"), ("packed-5", "compressed-tensors, 5 bits")],
)
def test_formats_are_named(tmp_path: Path, kind: str, stored: str) -> None:
    write_folder(kind, tmp_path / "model")
    assert describe(tmp_path / "model").format == stored


def test_quantized_folder_names_its_bits(tmp_path: Path) -> None:
    write_quantized_folder(open_model_files(CHECKPOINTS / "qwen3"), tmp_path / "model", "int4", {})
    assert describe(tmp_path / "model").format == "compressed-tensors, 4 bits"


def test_gguf_file_is_named_by_its_quantization(tmp_path: Path) -> None:
    file, template = tmp_path / "tiny-Q8_0.gguf", {"tokenizer.chat_template": "{{ messages }}"}
    write_model(copy_model("qwen3", tmp_path), file, template, quantize=True)
    description = describe(file)
    assert (description.format, description.is_chat, description.problem) == ("Q8_0", True, None)


def test_models_that_cannot_be_run_say_why(tmp_path: Path) -> None:
    (tmp_path / "cut-Q4_0.gguf").write_bytes(b"GGUF")
    cut = describe(tmp_path / "cut-Q4_0.gguf")
    assert cut.format == "Q4_0" and cut.max_context is None
    assert cut.problem is not None and "cut short; download it again" in cut.problem
    folder = shutil.copytree(CHECKPOINTS / "qwen3", tmp_path / "model")
    config = json.loads((folder / "config.json").read_text())
    settings = {"quant_method": "eetq"}
    (folder / "config.json").write_text(json.dumps(config | {"quantization_config": settings}))
    problem = describe(folder).problem
    assert problem is not None and "eetq" in problem
    (folder / "model.safetensors").unlink()
    assert "no weights" in str(describe(folder).problem)
