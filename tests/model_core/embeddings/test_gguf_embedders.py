"""Encoders in GGUF files make the vectors of their folders."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from embedder_texts import QUERY, TEXTS
from gguf_encoders import write_encoder, write_gemma_embedding, write_qwen3_reranker
from gguf_models import CHECKPOINTS as ARCHITECTURES
from gguf_writer import write_gguf
from paths import CHECKPOINTS

from model_core import LLM, EmbeddingParams, ScoreParams
from model_core.errors import InvalidRequest, ModelError
from model_core.families.config import read_config, write_json
from model_core.files.safetensors import SafetensorsFolder, write_safetensors

EMBEDDERS = CHECKPOINTS.parent / "embedders"
CUT = EmbeddingParams(truncate=True)


@pytest.mark.parametrize("quantize", [False, True])
@pytest.mark.parametrize(
    "name",
    [
        "bert",
        "eurobert",
        "jina-bert-v2",
        "jina_embeddings_v3",
        "modernbert",
        "nomic-moe",
        "nomic_bert",
        "xlm-roberta",
    ],
)
def test_vectors_are_those_of_the_folder(name: str, quantize: bool, tmp_path: Path) -> None:
    path, folder = tmp_path / "model.gguf", EMBEDDERS / name
    if name == "nomic-moe":
        folder = without_bias_of_experts(folder, tmp_path / name)
    write_encoder(folder, path, quantize)
    is_unigram = name in ("jina_embeddings_v3", "xlm-roberta")
    with LLM(folder) as llm:
        texts = [text for text in TEXTS if len(llm.encode(text)) <= 150]  # the folder cuts others
        if is_unigram:  # whose file is written without a normalizer
            texts = [text for text in texts if text.isascii() and not re.search("<|  |^ | $", text)]
        tokens = [llm.encode(text) for text in texts]
        expected = llm.embed(texts, EmbeddingParams(truncate=True, pooling="mean"))
        cased = llm.encode("Straße ÉCOLE naïve 日本 don't [MASK]")
    assert len(texts) > 3
    with LLM(path) as llm:
        assert [llm.encode(text) for text in texts] == tokens
        assert is_unigram or name == "eurobert" or llm.encode("Straße ÉCOLE naïve 日本 don't [MASK]") == cased
        vectors = llm.embed(texts, CUT)
        cosines = np.sum(vectors * expected, axis=1)
        assert cosines.min() > (0.97 if quantize else 1 - 1e-6)
        with pytest.raises(InvalidRequest, match="makes no text"):
            llm.generate("Hello")


def without_bias_of_experts(folder: Path, copy: Path) -> Path:
    """A copy of a folder, as GGUF files have its model."""
    shutil.copytree(folder, copy)
    source = SafetensorsFolder(folder)
    tensors = {name: np.array(source[name]) for name in source.unread()}
    biases = {name: 0 * value for name, value in tensors.items() if name.endswith("experts.bias")}
    assert biases
    write_safetensors(copy / "model.safetensors", tensors | biases)
    return copy


@pytest.mark.parametrize(
    ("name", "join"),
    [("xlm-roberta-reranker", False), ("xlm-roberta-reranker", True), ("modernbert-reranker", False)],
)
def test_scores_are_those_of_the_folder(name: str, join: bool, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write_encoder(EMBEDDERS / name, path, join=join)
    texts = [text for text in TEXTS if text.isascii() and not re.search("<|  |^ | $", text)]
    with LLM(EMBEDDERS / name) as llm:
        expected = llm.score(QUERY, texts, ScoreParams(truncate=True))
    with LLM(path) as llm:
        assert llm.describe()["tasks"] == ["embed", "score"]
        scores = llm.score(QUERY, texts, ScoreParams(truncate=True))
    assert len(texts) > 3
    assert np.std(expected) > 0.05
    np.testing.assert_allclose(scores, expected, atol=1e-5)


def test_qwen3_reranker_is_asked_in_its_words(tmp_path: Path) -> None:
    """Its file has the rows of the head for yes and no, and no head."""
    folder, path = EMBEDDERS / "qwen3-reranker", tmp_path / "model.gguf"
    names = ("modules.json", "chat_template.jinja", "config_sentence_transformers.json")
    copy = shutil.copytree(folder, tmp_path / "copy", ignore=shutil.ignore_patterns(*names))
    write_json(copy / "config.json", read_config(folder) | {"classifier_from_token": ["no", "yes"]})
    write_qwen3_reranker(copy, path)
    texts = [text for text in TEXTS if "<" not in text]
    with LLM(copy) as llm:
        tokens = [llm.encode(text) for text in texts]
        expected = llm.score(QUERY, texts)
    with LLM(path) as llm:
        assert [llm.encode(text) for text in texts] == tokens
        assert llm.describe()["tasks"] == ["embed", "score"]
        np.testing.assert_allclose(llm.score(QUERY, texts), expected, atol=1e-5)
        params = ScoreParams(instruction="Find a cat")
        assert not np.allclose(llm.score(QUERY, texts), llm.score(QUERY, texts, params))


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
        "scores": "lacks the layer between hidden states and the score",
    }
    with pytest.raises(ModelError, match=expected[fault]):
        LLM(path)
