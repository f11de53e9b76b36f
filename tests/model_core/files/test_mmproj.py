"""Towers in GGUF files that llama.cpp's converter has written (see make_mmproj.py)."""

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf_models import write_model
from gguf_writer import write_gguf
from paths import ROOT
from seeing import SEEING, Seen, relative_error

from model_core import LLM
from model_core.errors import ModelError
from model_core.files.gguf.reader import GGUFFile
from model_core.files.safetensors import SafetensorsFolder, write_safetensors

TOWERS = ROOT / "tests" / "data" / "mmproj"
OF_TOWERS = re.compile("visual|vision|multi_modal|connector")
ROWS = {"gemma3": "<image_soft_token>", "smolvlm": "<image>"}


def write_both(name: str, folder: Path) -> Path:
    """The text model of tests/data/vision as a GGUF file, with its tower beside it."""
    source = Path(shutil.copytree(SEEING / name, folder / name))
    stored = SafetensorsFolder(source, rename=str)
    tensors = {tensor: np.array(stored[tensor]) for tensor in stored if not OF_TOWERS.search(tensor)}
    (source / "model.safetensors").unlink()
    write_safetensors(source / "model.safetensors", tensors)
    tokens = [f"token {i}" for i in range(64)]
    tokens[60] = ROWS.get(name, "<|image_pad|>")
    write_model(
        source, folder / "model.gguf", {"tokenizer.ggml.model": "no_vocab", "tokenizer.ggml.tokens": tokens}
    )
    shutil.rmtree(source)
    shutil.copy(TOWERS / f"mmproj-{name}.gguf", folder / f"mmproj-{name}.gguf")
    return folder


@pytest.mark.parametrize("name", ["gemma3", "qwen2_5-vl", "qwen3-vl", "qwen3_5", "smolvlm"])
def test_logits_are_those_of_the_folder(name: str, tmp_path: Path) -> None:
    """Matrices of the tower are rounded to float16."""
    with LLM(write_both(name, tmp_path), arithmetic="float32", kv_cache_memory=2**24) as llm:
        assert llm.vision is not None
        if name.startswith("qwen"):  # the images of these models are smaller than the file's limit
            llm.vision.config = replace(llm.vision.config, min_pixels=16)
        seen = Seen(llm, SEEING / name)
        for number, image in enumerate(seen.images):
            rows = seen.encode_image(image)
            assert relative_error(rows, seen.expected[f"rows_{number}"]) < 5e-3
        assert relative_error(seen.logits(), seen.expected["logits"]) < 2e-2


def test_a_tower_is_found_beside_its_model_alone(tmp_path: Path) -> None:
    folder = write_both("smolvlm", tmp_path / "both")
    moved = folder.parent / "elsewhere.gguf"
    shutil.move(folder / "mmproj-smolvlm.gguf", moved)
    with LLM(folder, kv_cache_memory=2**22) as llm:
        assert llm.vision is None
    with LLM(folder, mmproj=moved, kv_cache_memory=2**22) as llm:
        assert llm.vision is not None
    file = GGUFFile(moved)
    others: dict[str, Any] = dict(file.metadata) | {"clip.vision.projection_dim": 64}
    write_gguf(folder / "mmproj-other.gguf", others, {})
    with LLM(folder, kv_cache_memory=2**22) as llm:  # which is left out
        assert llm.vision is None
    with pytest.raises(ModelError, match="tower of another model"):
        LLM(folder, mmproj=folder / "mmproj-other.gguf")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"clip.projector_type": "ultravox"}, "has a tower of the kind 'ultravox'; gemma3,"),
        ({"clip.vision.block_count": "many"}, "cannot be understood"),
        ({"clip.vision.embedding_length": None}, "embedding_length is missing"),
    ],
)
def test_files_that_cannot_be_towers_are_refused(
    changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    folder = write_both("smolvlm", tmp_path)
    file = GGUFFile(folder / "mmproj-smolvlm.gguf")
    metadata = {key: value for key, value in (dict(file.metadata) | changes).items() if value is not None}
    write_gguf(folder / "damaged.gguf", metadata, {})
    with pytest.raises(ModelError, match=message):
        LLM(folder / "model.gguf", mmproj=folder / "damaged.gguf", kv_cache_memory=2**22)
