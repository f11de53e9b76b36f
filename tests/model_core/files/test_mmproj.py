"""Towers in GGUF files that llama.cpp's converter has written (see make_mmproj.py)."""

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gguf_writer import Tensors, write_gguf
from seeing import TOWERS, Seen, relative_error, write_both
from seeing_folders import SEEING

from model_core import LLM, SamplingParams
from model_core.errors import ModelError
from model_core.files.gguf import mmproj
from model_core.files.gguf.reader import GGUFFile


def read_whole(path: Path) -> tuple[dict[str, Any], Tensors]:
    """The metadata and the tensors of a file, for write_gguf."""
    file = GGUFFile(path)
    entries = file.entries.items()
    return dict(file.metadata), {n: (e.type, e.shape, file.bytes_of(e).tobytes()) for n, e in entries}


@pytest.mark.parametrize("name", sorted(path.stem.removeprefix("mmproj-") for path in TOWERS.iterdir()))
def test_logits_are_those_of_the_folder(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Matrices of the tower are rounded to float16, but for one (see make_mmproj.py)."""
    bound = 1e-4 if name == "gemma4-small" else 2e-2
    if name == "gemma4-small":  # which is as E2B, but for its size, by which it is known
        monkeypatch.setattr(mmproj, "_ONE_WAY", (32,))
    with LLM(write_both(name, tmp_path), arithmetic="float32", kv_cache_memory=2**24) as llm:
        assert llm.vision is not None
        if name.startswith("qwen"):  # the images of these models are smaller than the file's limit
            llm.vision.config = replace(llm.vision.config, min_pixels=16)
        if name == "lfm2-vl":
            llm.vision.config = replace(llm.vision.config, least_rows=1)
        if name == "gemma4-small":
            llm.vision.config = replace(llm.vision.config, most_rows=12)
        seen = Seen(llm, SEEING / name)
        for number, image in enumerate(seen.images):
            rows = seen.encode_image(image)
            assert relative_error(rows, seen.expected[f"rows_{number}"]) < 5e-3
        assert relative_error(seen.logits(), seen.expected["logits"]) < bound


def test_a_file_without_sections_has_those_of_its_family(tmp_path: Path) -> None:
    folder = write_both("qwen3-vl", tmp_path)
    metadata, tensors = read_whole(folder / "model.gguf")
    del metadata["qwen3vl.rope.dimension_sections"]
    write_gguf(folder / "model.gguf", metadata, tensors)
    with LLM(folder, arithmetic="float32", kv_cache_memory=2**24) as llm:
        assert llm.vision is not None
        llm.vision.config = replace(llm.vision.config, min_pixels=16)  # type: ignore[call-arg]
        seen = Seen(llm, SEEING / "qwen3-vl")
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
    shutil.copy(moved, folder / "mmproj-own.gguf")
    with LLM(folder, kv_cache_memory=2**22) as llm:  # though it is not the first
        assert llm.vision is not None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"clip.projector_type": "ultravox"}, "has a tower of the kind 'ultravox'; gemma3,"),
        ({"clip.vision.block_count": "many"}, "cannot be understood"),
        ({"clip.vision.embedding_length": None}, "embedding_length is missing"),
        ({"clip.vision.image_mean": None}, "image_mean is missing"),
        ({"clip.vision.image_std": 5}, "cannot be understood"),
        ({"clip.vision.projection_dim": None}, "projection_dim is missing"),
        ({"clip.vision.projection_dim": "wide"}, "cannot be understood"),
        ({"clip.projector_type": "gemma3"}, "is for text models of the architecture gemma3, not llama"),
    ],
)
def test_files_that_cannot_be_towers_are_refused_or_left_out(
    changes: dict[str, Any], message: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = write_both("smolvlm", tmp_path)
    file = GGUFFile(folder / "mmproj-smolvlm.gguf")
    metadata = {key: value for key, value in (dict(file.metadata) | changes).items() if value is not None}
    damaged = folder / "mmproj-smolvlm.gguf"
    write_gguf(damaged, metadata, {})
    with pytest.raises(ModelError, match=message):
        LLM(folder / "model.gguf", mmproj=damaged, kv_cache_memory=2**22)
    with LLM(folder, kv_cache_memory=2**22) as llm:  # that finds it
        assert llm.vision is None
        assert llm.generate([1, 2, 3], SamplingParams(max_tokens=2)).token_ids
    assert [r.message for r in caplog.records if "left out" in r.message and re.search(message, r.message)]


def test_a_tower_of_another_family_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Text-only Qwen2.5 has the sizes and the tokens of Qwen2.5-VL, and SmolLM2 has the sizes of SmolVLM."""
    folder = write_both("qwen2_5-vl", tmp_path / "qwen")
    text, tensors = read_whole(folder / "model.gguf")
    text = {
        name.replace("qwen2vl.", "qwen2."): value for name, value in text.items() if "sections" not in name
    }
    write_gguf(folder / "model.gguf", text | {"general.architecture": "qwen2"}, tensors)
    with LLM(folder, kv_cache_memory=2**22) as llm:
        assert llm.vision is None
    assert "is for text models of the architecture qwen2vl, not qwen2." in caplog.text
    folder = write_both("smolvlm", tmp_path / "smol")
    text, tensors = read_whole(folder / "model.gguf")
    text["tokenizer.ggml.tokens"] = [f"token {i}" for i in range(64)]
    write_gguf(folder / "model.gguf", text, tensors)
    with LLM(folder, kv_cache_memory=2**22) as llm:
        assert llm.vision is None
    assert "has no token '<image>'" in caplog.text


@pytest.mark.parametrize("name", ["v.blk.0.attn_k.weight", "v.blk.1.ln2.weight", "mm.2.weight"])
def test_a_tower_without_a_tensor_is_left_out(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = write_both("qwen2_5-vl", tmp_path)
    metadata, tensors = read_whole(folder / "mmproj-qwen2_5-vl.gguf")
    del tensors[name]
    write_gguf(folder / "mmproj-qwen2_5-vl.gguf", metadata, tensors)
    with LLM(folder, kv_cache_memory=2**22) as llm:
        assert llm.vision is None
        assert llm.generate([1, 2, 3], SamplingParams(max_tokens=2)).token_ids
    assert "sees no images, only text is possible" in caplog.text and "is missing" in caplog.text


def test_a_projector_of_lfm2_without_norm(tmp_path: Path) -> None:
    """That of LFM2.5-VL has none. A norm that the file has half of is no norm that is left out."""
    folder = write_both("lfm2-vl", tmp_path)
    path = folder / "mmproj-lfm2-vl.gguf"
    metadata, tensors = read_whole(path)
    del tensors["mm.input_norm.bias"]
    write_gguf(path, metadata, tensors)
    with LLM(folder, kv_cache_memory=2**22) as llm:
        assert llm.vision is None
    del tensors["mm.input_norm.weight"]
    write_gguf(path, metadata, tensors)
    with LLM(folder, kv_cache_memory=2**22) as llm:
        assert llm.vision is not None
        assert not llm.vision.config.projector_norm  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "removed"),
    [
        ("lfm2-vl", "v.position_embd.weight"),
        ("lfm2-vl", "mm.1.weight"),
        ("gemma4-large", "v.blk.0.attn_q_norm.weight"),
        ("gemma4-small", "v.blk.1.ffn_up.output_max"),
        ("gemma4-unified", "v.patch_norm.1.bias"),
    ],
)
def test_newer_towers_without_a_tensor_are_left_out(name: str, removed: str, tmp_path: Path) -> None:
    folder = write_both(name, tmp_path)
    path = folder / f"mmproj-{name}.gguf"
    metadata, tensors = read_whole(path)
    del tensors[removed]
    write_gguf(path, metadata, tensors)
    with LLM(folder, kv_cache_memory=2**22) as llm:
        assert llm.vision is None
        assert llm.generate([1, 2, 3], SamplingParams(max_tokens=2)).token_ids
