"""Encoders in GGUF files make the vectors of their folders."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from embedder_texts import TEXTS
from gguf_encoders import write_encoder, write_gemma_embedding
from gguf_models import CHECKPOINTS as ARCHITECTURES
from gguf_writer import write_gguf
from paths import CHECKPOINTS

from model_core import LLM, EmbeddingParams
from model_core.errors import InvalidRequest, ModelError
from model_core.families.config import read_config, write_json

EMBEDDERS = CHECKPOINTS.parent / "embedders"
CUT = EmbeddingParams(truncate=True)


@pytest.mark.parametrize("quantize", [False, True])
@pytest.mark.parametrize("name", ["bert", "nomic_bert", "xlm-roberta"])
def test_vectors_are_those_of_the_folder(name: str, quantize: bool, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write_encoder(EMBEDDERS / name, path, quantize)
    with LLM(EMBEDDERS / name) as llm:
        texts = [text for text in TEXTS if len(llm.encode(text)) <= 150]  # the folder cuts others
        if name == "xlm-roberta":  # whose file is written without a normalizer
            texts = [text for text in texts if text.isascii() and not re.search("<|  |^ | $", text)]
        tokens, expected = [llm.encode(text) for text in texts], llm.embed(texts, CUT)
        cased = llm.encode("Straße ÉCOLE naïve 日本 don't [MASK]")
    assert len(texts) > 3
    with LLM(path) as llm:
        assert [llm.encode(text) for text in texts] == tokens
        assert name == "xlm-roberta" or llm.encode("Straße ÉCOLE naïve 日本 don't [MASK]") == cased
        vectors = llm.embed(texts, CUT)
        cosines = np.sum(vectors * expected, axis=1)
        assert cosines.min() > (0.99 if quantize else 1 - 1e-6)
        with pytest.raises(InvalidRequest, match="makes no text"):
            llm.generate("Hello")


def test_embedding_gemma_has_its_dense_layers(tmp_path: Path) -> None:
    folder = shutil.copytree(EMBEDDERS / "gemma3-both-ways", tmp_path / "gemma3-both-ways")
    config = read_config(folder)
    write_json(folder / "config.json", config | {"query_pre_attn_scalar": config["head_dim"]})  # as published
    ARCHITECTURES[folder.name] = "gemma3"
    try:
        write_gemma_embedding(folder, tmp_path / "model.gguf")
    finally:
        del ARCHITECTURES[folder.name]
    with LLM(folder) as llm:
        tokens = [llm.encode(text)[:100] for text in TEXTS]
        expected = llm.embed(tokens, CUT)
    with LLM(tmp_path / "model.gguf") as llm:
        vectors = llm.embed(tokens, CUT)
    assert vectors.shape == expected.shape == (len(TEXTS), 40)
    assert np.sum(vectors * expected, axis=1).min() > 1 - 1e-6


@pytest.mark.parametrize("fault", ["no types", "wide", "scores"])
def test_damaged_encoder_is_refused_by_name(fault: str, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    written: dict = {}

    def write(target: Path, metadata: dict, tensors: dict) -> None:
        if fault == "no types":
            del tensors["token_types.weight"]
        elif fault == "wide":
            metadata["bert.embedding_length"] = 48
        else:
            metadata["bert.pooling_type"] = 4
        written.update(metadata)
        write_gguf(target, metadata, tensors)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("gguf_encoders.write_gguf", write)
        write_encoder(EMBEDDERS / "bert", path)
    expected = {
        "no types": "token_types.weight",
        "wide": "should be",
        "scores": "rerankers are not supported",
    }
    with pytest.raises(ModelError, match=expected[fault]):
        LLM(path)
