"""Vectors with a number for each word, and what is refused."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from embedder_texts import TEXTS
from paths import CHECKPOINTS

from model_core import LLM, EmbeddingParams
from model_core.checks.file_values import read_json
from model_core.embeddings.pooling import pool_words
from model_core.errors import InvalidRequest, ModelError
from model_core.families.config import write_json
from model_core.machine.exact_math import log1p

EMBEDDERS = CHECKPOINTS.parent / "embedders"


def test_logarithms() -> None:
    x = np.concatenate([np.geomspace(1e-9, 1e30, 400), [0.0, 1.0, 3.0]])
    np.testing.assert_allclose(log1p(x), np.log1p(x), rtol=1e-15, atol=2e-16)
    assert log1p(np.float32([0])).tolist() == [0.0]


@pytest.mark.parametrize("twice", [False, True])
def test_pooling_of_words(twice: bool) -> None:
    logits = np.float32([[1, -1, 0, 3], [2, -3, 0, -5], [0.5, -2, -1, 7]])
    values = np.log1p(np.maximum(logits, 0))
    values = np.log1p(values) if twice else values
    np.testing.assert_allclose(pool_words(logits, "largest", twice), values.max(axis=0), rtol=1e-6)
    np.testing.assert_allclose(pool_words(logits, "sum", twice), values.sum(axis=0), rtol=1e-6)


def copy_with(tmp_path: Path, file: str, **fields: Any) -> Path:
    folder = shutil.copytree(EMBEDDERS / "splade", tmp_path / "splade")
    write_json(folder / file, read_json(folder / file) | fields)
    return folder


def test_what_is_not_there_is_refused() -> None:
    with LLM(EMBEDDERS / "splade") as llm:
        assert llm.describe()["tasks"] == ["embed"]
        assert llm.describe()["embedding"]["dimensions"] == llm.model.config.vocab_size
        with pytest.raises(InvalidRequest, match="have a number for each word, and one pooling"):
            llm.embed(TEXTS[0], EmbeddingParams(pooling="mean"))
        with pytest.raises(InvalidRequest, match="makes no text"):
            llm.generate("Hello")


@pytest.mark.parametrize(
    ("file", "fields", "error"),
    [
        ("1_SpladePooling/config.json", {"pooling_strategy": "mean"}, "'mean' with 'relu' is not supported"),
        ("1_SpladePooling/config.json", {"another": 1}, "'another' is 1, which is not supported"),
        ("sentence_bert_config.json", {"transformer_task": "feature-extraction"}, "transformer_task is"),
        ("config.json", {"tie_word_embeddings": False}, "tie_word_embeddings is False"),
    ],
)
def test_damaged_files_are_named(tmp_path: Path, file: str, fields: dict[str, Any], error: str) -> None:
    with pytest.raises(ModelError, match=error):
        LLM(copy_with(tmp_path, file, **fields))


def test_family_without_the_head_is_refused(tmp_path: Path) -> None:
    folder = shutil.copytree(EMBEDDERS / "modernbert", tmp_path / "modernbert")
    modules = read_json(folder / "modules.json", list)[:1]
    kind = "sentence_transformers.sparse_encoder.models.SpladePooling"
    write_json(folder / "modules.json", [*modules, {"path": "1_Pooling", "type": kind}])  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="SPLADE of the family modernbert is not supported"):
        LLM(folder)
