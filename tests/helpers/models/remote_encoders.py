"""Plain definitions, in float64, of encoders whose code is with their files.

They are Jina's BERT 2, GTE 1.5 (model_type "new"), and Nomic BERT with experts.

Sources: modeling_bert.py of jinaai/jina-bert-implementation, modeling.py of Alibaba-NLP/new-impl,
modeling_hf_nomic_bert.py of nomic-ai/nomic-bert-2048.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Weights = Mapping[str, np.ndarray]
Config = Mapping[str, Any]


@dataclass(frozen=True)
class _Names:
    """The names of the tensors of a layer, and of the norm of embeddings."""

    layer: str
    qkv: tuple[str, ...]
    out: str
    norm: str
    inner: str
    down: str
    last_norm: str
    first_norm: str = "embeddings.LayerNorm"


_JINA = _Names(
    "encoder.layer",
    ("attention.self.query", "attention.self.key", "attention.self.value"),
    "attention.output.dense",
    "attention.output.LayerNorm",
    "mlp.gated_layers",
    "mlp.wo",
    "mlp.layernorm",
)
_NEW = _Names(
    "encoder.layer",
    ("attention.q_proj", "attention.k_proj", "attention.v_proj"),
    "attention.o_proj",
    "attn_ln",
    "mlp.up_gate_proj",
    "mlp.down_proj",
    "mlp_ln",
)
_PACKED = _Names(_NEW.layer, ("attention.qkv_proj",), *(vars(_NEW)[name] for name in list(vars(_NEW))[2:]))
_NOMIC = _Names(
    "encoder.layers", ("attn.Wqkv",), "attn.out_proj", "norm1", "mlp.fc1", "mlp.fc2", "norm2", "emb_ln"
)


def _names(config: Config) -> _Names:
    if config["model_type"] == "nomic_bert":
        return _NOMIC
    if config["model_type"] in ("new", "gte"):
        return _PACKED if config["pack_qkv"] else _NEW
    return _JINA


def _sizes(config: Config) -> dict[str, int]:
    """The sizes by their names in BERT's config.json."""
    names = {"hidden_size": "n_embd", "intermediate_size": "n_inner", "num_hidden_layers": "n_layer"}
    names |= {"num_attention_heads": "n_head", "layer_norm_eps": "layer_norm_epsilon"}
    return {name: config.get(name, config.get(other)) for name, other in names.items()}


def _has_mixture(config: Config, i: int) -> bool:
    return config["model_type"] == "nomic_bert" and i % config["moe_every_n_layers"] == 1


def make_weights(config: Config, seed: int = 0) -> dict[str, np.ndarray]:
    """Random weights, float32: norms and biases differ from 1 and 0."""
    sizes, names = _sizes(config), _names(config)
    n, inner, layers = sizes["hidden_size"], sizes["intermediate_size"], range(sizes["num_hidden_layers"])
    shapes: dict[str, tuple[int, ...]] = {"embeddings.word_embeddings.weight": (config["vocab_size"], n)}
    if config["type_vocab_size"]:
        shapes["embeddings.token_type_embeddings.weight"] = (config["type_vocab_size"], n)
    norms = [names.first_norm]
    for i in layers:
        p = f"{names.layer}.{i}"
        linears = {part: (3 * n // len(names.qkv), n) for part in names.qkv} | {names.out: (n, n)}
        if _has_mixture(config, i):
            experts = config["num_experts"]
            shapes |= {f"{p}.mlp.experts.mlp.{w}": (experts * inner, n) for w in ("w1", "w2")}
            shapes |= {f"{p}.mlp.experts.bias": (n,), f"{p}.mlp.router.layer.weight": (experts, n)}
        else:
            linears[names.down] = (n, inner)
            if config["model_type"] == "nomic_bert":
                linears[names.inner] = (inner, n)
            else:
                shapes[f"{p}.{names.inner}.weight"] = (2 * inner, n)
        for name, shape in linears.items():
            shapes |= {f"{p}.{name}.weight": shape, f"{p}.{name}.bias": shape[:1]}
        norms += [f"{p}.{names.norm}", f"{p}.{names.last_norm}"]
    random = np.random.default_rng(seed)
    weights = {
        name: random.normal(0, 0.5 if len(shape) > 1 else 0.3, shape) for name, shape in shapes.items()
    }
    for name in norms:
        weights |= {f"{name}.weight": random.normal(1, 0.3, n), f"{name}.bias": random.normal(0, 0.3, n)}
    return {name: value.astype(np.float32) for name, value in weights.items()}


def hidden_states(config: Config, weights: Weights, tokens: list[int]) -> np.ndarray:
    """The hidden states of a text: float64 [tokens, hidden_size]."""
    w = {name: value.astype(np.float64) for name, value in weights.items()}
    sizes, names, n = _sizes(config), _names(config), len(tokens)
    eps, heads = sizes["layer_norm_eps"], sizes["num_attention_heads"]
    x = w["embeddings.word_embeddings.weight"][tokens]
    if config["type_vocab_size"]:
        x = x + w["embeddings.token_type_embeddings.weight"][0]
    x = _norm(x, w, names.first_norm, eps)
    bias = np.zeros((heads, n, n))
    if names is _JINA:
        distances = np.abs(np.arange(n)[:, None] - np.arange(n))
        bias = -np.array(_slopes(heads))[:, None, None] * distances
    for i in range(sizes["num_hidden_layers"]):
        p = f"{names.layer}.{i}"
        parts = [_linear(x, w, f"{p}.{part}") for part in names.qkv]
        parts = np.split(parts[0], 3, axis=-1) if len(parts) == 1 else parts
        q, k, v = (part.reshape(n, heads, -1).swapaxes(0, 1) for part in parts)
        if names is not _JINA:
            q, k = (_rotate(part, config) for part in (q, k))
        scores = q @ k.swapaxes(1, 2) / math.sqrt(q.shape[-1]) + bias
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ v
        mixed = mixed.swapaxes(0, 1).reshape(n, -1)
        x = _norm(x + _linear(mixed, w, f"{p}.{names.out}"), w, f"{p}.{names.norm}", eps)
        mlp = _mixture(x, w, f"{p}.mlp", config) if _has_mixture(config, i) else _mlp(x, w, p, names)
        x = _norm(x + mlp, w, f"{p}.{names.last_norm}", eps)
    return x


def _mlp(x: np.ndarray, w: Weights, p: str, names: _Names) -> np.ndarray:
    if names is _NOMIC:
        return _linear(_gelu(_linear(x, w, f"{p}.{names.inner}")), w, f"{p}.{names.down}")
    first, second = np.split(x @ w[f"{p}.{names.inner}.weight"].T, 2, axis=-1)
    inner = _gelu(first) * second if names is _JINA else first * _gelu(second)
    return _linear(inner, w, f"{p}.{names.down}")


def _mixture(x: np.ndarray, w: Weights, p: str, config: Config) -> np.ndarray:
    """Each token's best experts, times their parts of the softmax over all, and one bias for all tokens."""
    scores = np.exp(x @ w[f"{p}.router.layer.weight"].T)
    scores /= scores.sum(axis=-1, keepdims=True)
    shape = (config["num_experts"], config["n_inner"], config["n_embd"])
    up, down = (w[f"{p}.experts.mlp.{name}"].reshape(shape) for name in ("w1", "w2"))
    y = np.zeros_like(x)
    for row, row_scores in enumerate(scores):
        for expert in np.argsort(-row_scores)[: config["moe_top_k"]]:
            y[row] += row_scores[expert] * (_gelu(x[row] @ up[expert].T) @ down[expert])
    return y + w.get(f"{p}.experts.bias", 0.0)


def _rotate(x: np.ndarray, config: Config) -> np.ndarray:
    dim, scaling = x.shape[-1], config.get("rope_scaling")
    theta, factor = config.get("rope_theta", config.get("rotary_emb_base")), 1.0
    if scaling:
        factor = scaling["factor"]
    frequencies = (theta * factor) ** -(np.arange(0, dim, 2) / dim) / factor ** (2 / dim)
    angles = np.arange(x.shape[1])[:, None] * np.concatenate([frequencies, frequencies])
    first, second = np.split(x, 2, axis=-1)
    return x * np.cos(angles) + np.concatenate([-second, first], axis=-1) * np.sin(angles)


def _slopes(heads: int) -> list[float]:
    """Of ALiBi, as its authors' code finds them."""

    def of_power(n: int) -> list[float]:
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    if math.log2(heads).is_integer():
        return of_power(heads)
    n = 2 ** math.floor(math.log2(heads))
    return of_power(n) + _slopes(2 * n)[0::2][: heads - n]


def _linear(x: np.ndarray, w: Weights, name: str) -> np.ndarray:
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def _norm(x: np.ndarray, w: Weights, name: str, eps: float) -> np.ndarray:
    x = x - x.mean(axis=-1, keepdims=True)
    x = x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps)
    return x * w[f"{name}.weight"] + w[f"{name}.bias"]


_gelu = np.vectorize(lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2)
