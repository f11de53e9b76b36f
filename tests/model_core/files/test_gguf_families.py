"""What GGUF files of some families do not say, or hold in a way that is refused."""

from pathlib import Path

import pytest
from gguf_models import copy_model, read_model, write_model
from gguf_writer import write_gguf

from model_core import LLM
from model_core.errors import ModelError
from model_core.families import read_model_config
from model_core.families.llama import baichuan
from model_core.files.gguf.model import GGUFModel


def test_baichuan_with_40_layers_has_no_rotary_positions(tmp_path: Path) -> None:
    """As llama.cpp knows 13B, whose files do not say it."""
    fields, tensors = read_model(copy_model("baichuan", tmp_path))
    for layers, has_positions in ((2, True), (32, True), (40, False)):
        write_gguf(tmp_path / "model.gguf", fields | {"baichuan.block_count": layers}, tensors)
        config = read_model_config(tmp_path, GGUFModel(tmp_path / "model.gguf").config)
        assert [rope is not None for rope in config.ropes] == [has_positions] * layers
        assert config.max_context == 256


def test_quantized_head_of_baichuan_2_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rows are divided by their length, and so would be the scales of blocks."""
    path = tmp_path / "model.gguf"
    write_model(copy_model("baichuan", tmp_path), path, quantize=True)
    LLM(path).close()
    monkeypatch.setattr(baichuan, "_VOCABULARY_OF_2", 64)
    with pytest.raises(ModelError, match=r"model\.gguf: lm_head\.weight is quantized"):
        LLM(path)


def test_older_files_of_minicpm_without_its_multipliers_are_refused(tmp_path: Path) -> None:
    fields, tensors = read_model(copy_model("minicpm", tmp_path))
    del fields["minicpm.embedding_scale"]
    write_gguf(tmp_path / "model.gguf", fields, tensors)
    with pytest.raises(ModelError, match=r"minicpm\.embedding_scale is missing"):
        GGUFModel(tmp_path / "model.gguf")
