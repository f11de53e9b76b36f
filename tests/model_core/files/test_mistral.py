"""Folders in Mistral's own layout, beside the same weights in Hugging Face layout, and mistral-inference."""

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import sentencepiece
from damaged_folders import damage_file
from paths import CHECKPOINTS

from model_core import LLM, SamplingParams
from model_core.errors import ModelError
from model_core.families.config import read_config, write_json
from model_core.files.mistral import MistralCheckpoint, has_mistral_layout, read_params
from model_core.files.model_files import open_model_files
from model_core.files.safetensors import SafetensorsFolder, write_safetensors
from model_core.quantizing.write_folder import write_quantized_folder

FUZZ = int(os.environ.get("FUZZ_PARAMS", "3000"))
NAMES = {
    "model.embed_tokens": "tok_embeddings",
    "model.norm": "norm",
    "lm_head": "output",
    "input_layernorm": "attention_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attention.wq",
    "self_attn.k_proj": "attention.wk",
    "self_attn.v_proj": "attention.wv",
    "self_attn.o_proj": "attention.wo",
    "mlp.gate_proj": "feed_forward.w1",
    "mlp.down_proj": "feed_forward.w2",
    "mlp.up_proj": "feed_forward.w3",
    "block_sparse_moe": "feed_forward",
}
# What params.json has of a checkpoint beside its sizes.
STATED: dict[str, dict[str, Any]] = {
    "mistral-window": {"sliding_window": 6, "rope_theta": 100.0},
    "mistral-full": {"rope_theta": 100.0},
    "mixtral": {
        "moe": {"num_experts": 6, "num_experts_per_tok": 3},
        "sliding_window": [6, 6],
        "rope_theta": 100.0,
    },
    "ministral3": {
        "rope_theta": 100.0,
        "yarn": {
            "original_max_position_embeddings": 6,
            "factor": 4,
            "apply_scale": True,
            "beta": 4,
            "alpha": 1,
        },
        "llama_4_scaling": {"original_max_position_embeddings": 6, "beta": 0.4},
        "vision_encoder": {"hidden_size": 8},
    },
}
PROMPT = [5, 6, 7, 60, 3, 3, 8, 21, 22, 2, 63, 4, 4, 19, 20]


def own_name(name: str) -> str:
    """The name in Mistral's layout of a tensor of a Hugging Face folder."""
    name = name.removeprefix("model.") if name.startswith("model.layers.") else name
    for theirs, own in NAMES.items():
        name = name.replace(f"{theirs}.", f"{own}.")
    return name


def write_folder(name: str, folder: Path, **changes: Any) -> Path:
    """A checkpoint in Mistral's layout. `changes` of params.json: None removes a field."""
    source = CHECKPOINTS / name
    config, stored = read_config(source), SafetensorsFolder(source)
    folder.mkdir()
    tensors = {}
    for tensor in stored:
        array = np.array(stored[tensor])
        for part, field in (("q", "num_attention_heads"), ("k", "num_key_value_heads")):
            if f"self_attn.{part}_proj" in tensor:
                # Rows i and i + half of a head become neighbours.
                heads = array.reshape(config[field], 2, -1, array.shape[1])
                array = heads.swapaxes(1, 2).reshape(array.shape)
        tensors[own_name(tensor)] = array
    if "vision_encoder" in STATED[name]:
        tensors |= {
            f"{part}.weight": np.ones(3, np.float32) for part in ("patch_merger", "vision_encoder.ln_pre")
        }
    write_safetensors(folder / "consolidated.safetensors", tensors)
    params = {
        "dim": config["hidden_size"],
        "n_layers": config["num_hidden_layers"],
        "head_dim": config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"],
        "hidden_dim": config["intermediate_size"],
        "n_heads": config["num_attention_heads"],
        "n_kv_heads": config["num_key_value_heads"],
        "norm_eps": config["rms_norm_eps"],
        "vocab_size": config["vocab_size"],
        "max_position_embeddings": config["max_position_embeddings"],
        **STATED[name],
        **changes,
    }
    write_json(folder / "params.json", {key: value for key, value in params.items() if value is not None})
    return folder


def logits_of(folder: Path) -> np.ndarray:
    with LLM(folder, arithmetic="float32") as llm:
        return np.asarray(llm.logits(PROMPT))


@pytest.mark.parametrize("name", [name for name in STATED if name != "ministral3"])
def test_logits_are_those_of_the_hugging_face_folder(tmp_path: Path, name: str) -> None:
    folder = write_folder(name, tmp_path / name)
    assert (logits_of(folder) == logits_of(CHECKPOINTS / name)).all()
    for weights in ("int8", "int4"):
        with LLM(folder, weights=weights) as own, LLM(CHECKPOINTS / name, weights=weights) as other:
            params = SamplingParams(max_tokens=12)
            assert own.generate(PROMPT, params).token_ids == other.generate(PROMPT, params).token_ids


@pytest.mark.parametrize("applies", [True, False])
def test_logits_of_ministral3(tmp_path: Path, applies: bool) -> None:
    yarn = STATED["ministral3"]["yarn"] | {"apply_scale": applies}
    folder, copy = write_folder("ministral3", tmp_path / "own", yarn=yarn), tmp_path / "copy"
    shutil.copytree(CHECKPOINTS / "ministral3", copy)
    config = json.loads((copy / "config.json").read_text())
    rope = config["rope_parameters"]
    del rope["mscale"], rope["mscale_all_dim"]
    rope |= {} if applies else {"attention_factor": 1.0}
    write_json(copy / "config.json", config)
    assert (logits_of(folder) == logits_of(copy)).all()


def rotate(x: np.ndarray, theta: float) -> np.ndarray:
    """apply_rotary_emb of mistral-inference: x [positions, heads, dim], neighbours are complex numbers."""
    angles = np.outer(np.arange(len(x)), theta ** -(np.arange(0, x.shape[-1], 2) / x.shape[-1]))
    turned = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)[:, None]
    return np.stack([turned.real, turned.imag], -1).reshape(x.shape)


def compute(folder: Path) -> np.ndarray:
    """The logits of a prompt as mistral-inference computes them, in float64."""
    params = json.loads((folder / "params.json").read_text())
    stored = SafetensorsFolder(folder, "consolidated.safetensors", str)
    w = {name.removesuffix(".weight"): np.array(stored[name], np.float64) for name in stored}
    heads, kv_heads, dim = params["n_heads"], params["n_kv_heads"], params["head_dim"]
    window = params.get("sliding_window")
    window = window[0] if isinstance(window, list) else window

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        return x / np.sqrt((x**2).mean(-1, keepdims=True) + params["norm_eps"]) * w[name]

    def mlp(x: np.ndarray, p: str) -> np.ndarray:
        gate = x @ w[f"{p}.w1"].T
        return (gate / (1 + np.exp(-gate)) * (x @ w[f"{p}.w3"].T)) @ w[f"{p}.w2"].T

    def mixture(x: np.ndarray, p: str) -> np.ndarray:
        result = np.zeros_like(x)
        for row, scores in enumerate(x @ w[f"{p}.gate"].T):
            chosen = np.argsort(-scores)[: params["moe"]["num_experts_per_tok"]]
            shares = np.exp(scores[chosen]) / np.exp(scores[chosen]).sum()
            for expert, share in zip(chosen, shares, strict=True):
                result[row] += share * mlp(x[row], f"{p}.experts.{expert}")
        return result

    x, count = w["tok_embeddings"][PROMPT], len(PROMPT)
    distances = np.subtract.outer(np.arange(count), np.arange(count))
    hidden = (distances < 0) | (distances >= (window or count))
    for i in range(params["n_layers"]):
        p, h = f"layers.{i}", norm(x, f"layers.{i}.attention_norm")
        q = rotate((h @ w[f"{p}.attention.wq"].T).reshape(count, heads, dim), params["rope_theta"])
        k = rotate((h @ w[f"{p}.attention.wk"].T).reshape(count, kv_heads, dim), params["rope_theta"])
        v = (h @ w[f"{p}.attention.wv"].T).reshape(count, kv_heads, dim)
        k, v = (np.repeat(each, heads // kv_heads, axis=1) for each in (k, v))
        scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(dim)
        scores = np.exp(np.where(hidden, -np.inf, scores))
        shares = scores / scores.sum(-1, keepdims=True)
        x = x + np.einsum("hqk,khd->qhd", shares, v).reshape(count, -1) @ w[f"{p}.attention.wo"].T
        h = norm(x, f"{p}.ffn_norm")
        x = x + (mixture if "moe" in params else mlp)(h, f"{p}.feed_forward")
    return norm(x, "norm") @ w["output"].T


@pytest.mark.parametrize("name", ["mistral-window", "mistral-full", "mixtral"])
def test_logits_are_those_of_mistral_inference(tmp_path: Path, name: str) -> None:
    folder = write_folder(name, tmp_path / name)
    found, expected = logits_of(folder), compute(folder)
    assert np.linalg.norm(found - expected) < 1e-5 * np.linalg.norm(expected)


def test_the_usual_base_of_positions(tmp_path: Path) -> None:
    for window, theta in ((None, 1e6), (6, 1e4)):
        folder = write_folder("mistral-full", tmp_path / f"a{window}", rope_theta=None, sliding_window=window)
        assert read_params(folder)["rope_parameters"] == {"rope_theta": theta}


def test_the_hugging_face_layout_wins(tmp_path: Path) -> None:
    folder = write_folder("mistral-full", tmp_path / "both")
    assert has_mistral_layout(folder)
    for path in (CHECKPOINTS / "mistral-window").iterdir():
        shutil.copy(path, folder)
    assert not has_mistral_layout(folder)
    assert (logits_of(folder) == logits_of(CHECKPOINTS / "mistral-window")).all()
    (folder / "model.safetensors").unlink()
    assert (logits_of(folder) == logits_of(CHECKPOINTS / "mistral-full")).all()


def test_float8_weights_have_their_scales(tmp_path: Path) -> None:
    folder = write_folder(
        "mistral-full", tmp_path / "own", quantization={"qformat_weight": "fp8_e4m3", "qscheme_act": "TENSOR"}
    )
    stored = SafetensorsFolder(folder, "consolidated.safetensors", str)
    tensors, rounded = {}, {}
    for name in stored:
        array = np.array(stored[name])
        if "attention.w" in name or "feed_forward" in name:
            scale = np.float32(np.abs(array).max() / 448)
            codes = (array / scale).astype(ml_dtypes.float8_e4m3fn)
            module = name.removesuffix("weight")
            tensors |= {
                name: codes,
                f"{module}qscale_weight": np.array(scale),
                f"{module}qscale_act": np.ones(1, "f4"),
            }
            array = codes.astype(np.float32) * scale
        else:
            tensors[name] = array
        rounded[name] = array
    (folder / "consolidated.safetensors").unlink()
    write_safetensors(folder / "consolidated.safetensors", rounded)
    params = json.loads((folder / "params.json").read_text())
    write_json(folder / "params.json", {k: v for k, v in params.items() if k != "quantization"})
    expected = logits_of(folder)
    (folder / "consolidated.safetensors").unlink()
    write_safetensors(folder / "consolidated.safetensors", tensors)
    write_json(folder / "params.json", params)
    found = logits_of(folder)
    assert np.linalg.norm(found - expected) < 1e-4 * np.linalg.norm(expected)


def test_a_sentencepiece_of_a_version(tmp_path: Path) -> None:
    folder = write_folder("mistral-full", tmp_path / "own")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["the quick brown fox", "jumps over it"] * 9),
        model_prefix=str(folder / "trained"),
        vocab_size=300,
        byte_fallback=True,
        hard_vocab_limit=False,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        model_type="bpe",
        minloglevel=2,
    )
    (folder / "trained.model").rename(folder / "tokenizer.model.v3")
    reference = sentencepiece.SentencePieceProcessor(model_file=str(folder / "tokenizer.model.v3"))
    opened = open_model_files(folder).open_tokenizer(256, None)
    assert opened is not None
    assert opened.tokenizer.encode("the fox") == [reference.bos_id(), *reference.encode("the fox")]


def test_a_quantized_copy_has_all_that_goes_with_the_weights(tmp_path: Path) -> None:
    folder, copy = write_folder("mistral-full", tmp_path / "own"), tmp_path / "copy"
    templates = folder / "additional_chat_templates"
    templates.mkdir()
    for path in (templates / "rag.jinja", folder / "tokenizer.model.v3", folder / "qwen.tiktoken"):
        path.write_text(path.name)
    write_quantized_folder(open_model_files(folder), copy, "int8")
    assert (copy / "additional_chat_templates" / "rag.jinja").read_text() == "rag.jinja"
    assert {"tokenizer.model.v3", "qwen.tiktoken"} <= {path.name for path in copy.iterdir()}
    for name in ("tokenizer.model.v3", "qwen.tiktoken"):  # which are none
        (folder / name).unlink()
        (copy / name).unlink()
    expected = logits_of(folder)
    assert np.linalg.norm(logits_of(copy) - expected) < 0.1 * np.linalg.norm(expected)


@pytest.mark.parametrize(
    "changes, message",
    [
        (
            {"moe": {"num_experts": 6, "num_experts_per_tok": 3, "num_shared_experts": 1}},
            "num_shared_experts",
        ),
        ({"q_lora_rank": 8}, "'q_lora_rank' is 8, which is not supported"),
        ({"model_type": "mamba"}, "model_type is 'mamba', but only 'transformer'"),
        ({"_sliding_window": [None, 32]}, "its layers have different windows"),
        ({"quantization": {"qformat_weight": "int4"}}, "qformat_weight is 'int4'"),
        ({"dim": None}, "dim should be a whole number"),
        ({"yarn": [1]}, "yarn should be an object"),
    ],
)
def test_what_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    folder = write_folder("mistral-full", tmp_path / "own", **changes)
    with pytest.raises(ModelError, match=message) as caught:
        open_model_files(folder)
    assert str(folder / "params.json") in str(caught.value)


def test_damaged_params_give_one_clear_sentence_or_are_read(tmp_path: Path) -> None:
    folder = write_folder("ministral3", tmp_path / "own")
    path = folder / "params.json"
    data, outcomes = path.read_bytes(), {"read": 0, "refused": 0}
    expected = read_params(folder)
    for number in range(FUZZ):
        path.write_bytes(damage_file(random.Random(number), path, data))
        try:
            config = read_params(folder)
            MistralCheckpoint(folder, config)
        except ModelError as error:
            outcomes["refused"] += 1
            assert str(path) in str(error), (number, error)
            assert len(str(error)) < 1000 and len(str(error).splitlines()) == 1, number
            str(error).encode()
        else:
            outcomes["read"] += 1
            assert config.keys() >= expected.keys() - {"num_local_experts"}, number
    assert min(outcomes.values()) > FUZZ / 20, outcomes
