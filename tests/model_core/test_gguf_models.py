"""GGUF files of each architecture compute what the same weights in a folder compute."""

from pathlib import Path

import numpy as np
import pytest
from gguf_models import CHECKPOINTS, copy_model, read_model, write_model
from gguf_tokenizers import tokenizer_metadata
from gguf_writer import write_gguf

from model_core import LLM, SamplingParams
from model_core.codes import dequantize_codes
from model_core.errors import ModelError
from model_core.gguf.model import GGUFModel
from model_core.hub import embedded_model

TENSOR = (0, (8, 8), bytes(256))


def logits(path: Path, prompt: np.ndarray) -> np.ndarray:
    with LLM(path, threads=1) as llm:
        return llm.logits(prompt.tolist())


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_logits_are_those_of_the_folder(name: str, tmp_path: Path) -> None:
    folder, path = copy_model(name, tmp_path), tmp_path / "model.gguf"
    write_model(folder, path)
    prompt = np.load(folder / "expected.npz")["prompt"]
    expected = logits(folder, prompt)
    # Files have the factors of stretched positions in float32.
    assert np.linalg.norm(logits(path, prompt) - expected) < 1e-6 * np.linalg.norm(expected)


@pytest.mark.parametrize("name", ["llama-tied-gqa", "mixtral", "granitemoe", "gpt-oss"])
def test_weights_in_blocks_are_read_as_codes(name: str, tmp_path: Path) -> None:
    folder = copy_model(name, tmp_path)
    for quantize in (False, True):
        write_model(folder, tmp_path / f"{quantize}.gguf", quantize=quantize)
    plain, source = (GGUFModel(tmp_path / f"{q}.gguf").open_tensors() for q in (False, True))
    seen = 0
    for tensor in plain.unread():
        expected = plain[tensor]
        assert plain.codes(tensor) is None and plain.shape(tensor) == source.shape(tensor) == expected.shape
        assert np.allclose(source[tensor], expected, atol=np.abs(expected).max() / 127)
        codes = source.codes(tensor)
        if codes is not None:
            weights = dequantize_codes(codes)
            is_transposed = name == "gpt-oss" and "experts" in tensor
            assert (weights == (source[tensor].swapaxes(-1, -2) if is_transposed else source[tensor])).all()
            seen += 1
            if codes.codes.ndim == 3:
                assert (dequantize_codes(source.codes(tensor, expert=1)) == weights[1]).all()
    assert seen > 4 and source.unread() == []
    with pytest.raises(ModelError, match=r"True\.gguf has no tensor for x"):
        source["x"]


def test_an_unknown_architecture_is_named(tmp_path: Path) -> None:
    write_gguf(tmp_path / "a.gguf", {"general.architecture": "bert"}, {"token_embd.weight": TENSOR})
    with pytest.raises(ModelError, match=r"a\.gguf: 'bert' is not a supported architecture; .* qwen3"):
        GGUFModel(tmp_path / "a.gguf")


@pytest.mark.parametrize(
    "field, value, message",
    [
        ("llama.block_count", 0, "block_count cannot be 0"),
        ("llama.block_count", 2**30, "block_count cannot be 1073741824"),
        ("llama.block_count", "x", "block_count cannot be 'x'"),
        ("llama.block_count", 5, "has no tensor for model.layers.2.self_attn.q_proj.weight"),
        ("llama.attention.head_count", 0, "among 0 heads"),
        ("llama.attention.head_count_kv", 3, "do not divide"),
        ("llama.embedding_length", 64, "q_proj.weight is .* but should be"),
        ("llama.rope.freq_base", float("nan"), "rope_theta should be a number"),
        ("llama.rope.scaling.type", "new", "rope.scaling.type 'new' is not supported"),
        ("llama.feed_forward_length", np.array([48, 24]), "differs between layers"),
        ("general.architecture", 3, "should be the name of an architecture"),
    ],
)
def test_wrong_metadata_are_refused(tmp_path: Path, field: str, value: object, message: str) -> None:
    path = tmp_path / "model.gguf"
    write_model(copy_model("llama-untied-mha", tmp_path), path, {field: value})
    with pytest.raises(ModelError, match=message) as info:
        LLM(path, threads=1)
    assert "model.gguf" in str(info.value)


def test_a_tensor_that_nobody_reads_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write_model(copy_model("llama-tied-gqa", tmp_path), path, {"llama.block_count": 1})
    with pytest.raises(ModelError, match=r"model\.gguf has tensors .* not use: 'model\.layers\.1"):
        LLM(path, threads=1)


def test_a_quantized_file_chats_as_the_model_it_was_made_of(tmp_path: Path) -> None:
    path, folder = tmp_path / "model.gguf", embedded_model()
    write_model(folder, path, tokenizer_metadata(folder), quantize=True)
    messages, params = [{"role": "user", "content": "Hello, who are you?"}], SamplingParams(temperature=0)
    with LLM(folder, threads=1) as llm:
        answer, prompt = llm.chat(messages, params).text, llm.tokenizer.encode("The quick brown fox.")
    with LLM(path, threads=1, weights="float32") as llm:
        exact = llm.logits(prompt)
    with LLM(path, threads=1) as llm:
        assert llm.chat(messages, params).text == answer
        assert llm.describe()["weight_bytes"] < 1.1 * path.stat().st_size
        probabilities, others = softmax(exact), softmax(llm.logits(prompt))
    assert (probabilities * np.log(probabilities / others)).sum(axis=1).max() < 0.02
    with LLM(path, threads=1, arithmetic="float32") as llm:
        assert np.abs(llm.logits(prompt) - exact).max() < 5e-3


def softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def test_an_embedding_of_4_bits_is_the_head_too(tmp_path: Path) -> None:
    folder, path = copy_model("llama-tied-gqa", tmp_path), tmp_path / "model.gguf"
    metadata, tensors = read_model(folder)
    blocks = np.random.default_rng(0).integers(0, 256, (64, 18), np.uint8)
    blocks[:, :2] = np.array([0.01], "<f2").view(np.uint8)  # one scale for all
    tensors["token_embd.weight"] = (2, (64, 32), blocks.tobytes())
    write_gguf(path, metadata, tensors)
    prompt = np.arange(1, 9)
    with (
        LLM(path, threads=1, arithmetic="float32") as exact,
        LLM(path, threads=1, weights="float32") as plain,
    ):
        assert np.allclose(exact.logits(prompt.tolist()), plain.logits(prompt.tolist()), atol=1e-3)
