"""Gemma 4 (Google, 2026): Gemma 3 with keys and values that layers share, and embeddings for each layer.

Scores are not scaled: queries, keys and values are normed. Full layers have wider heads than windowed ones.
The last layers have no keys and values, and attend to those of the last earlier layer of their type. In each
layer, a gate on the hidden states lets an embedding of the token for this layer through. The larger models
have experts beside the MLP.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..config import read_activation, read_decoder_config, read_layer_types
from ..errors import ModelError
from ..fields import expect, ignore, read_number, read_size, shorten
from ..records import Routing, Span, WeightRef
from ..rope import read_rope
from ..tape import Tape
from .mixture import MixtureConfig, stacked_experts
from .parts import write_head, write_mlp

_DEFAULT_ROPES = {
    "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
    "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1e6},
}


@dataclass(frozen=True)
class Gemma4Config(MixtureConfig):
    """The shapes of Gemma 4.

    Attributes:
        layer_heads: (KV heads, head size) of each layer.
        is_shared: whether each layer attends to keys and values of an earlier one.
        has_wide_mlp: whether the MLP of these layers is twice as wide.
        has_values: whether each layer projects values. Otherwise they are the keys before their norm.
        layer_embedding: columns of a token's embedding for each layer, 0: none.
        logits_cap: None where the model has none.
    """

    layer_heads: tuple[tuple[int, int], ...]
    is_shared: tuple[bool, ...]
    has_wide_mlp: bool
    has_values: tuple[bool, ...]
    layer_embedding: int
    logits_cap: float | None


def read_config(raw: dict[str, Any]) -> Gemma4Config:
    """The config.json of Gemma 4 (its text part)."""
    if raw.get("use_bidirectional_attention") not in (None, False, "vision"):
        raise ModelError("use_bidirectional_attention is supported for images only.")
    layers = read_size(raw, "num_hidden_layers", max_value=10_000)
    types = read_layer_types(
        raw, ["sliding_attention" if (i + 1) % 6 else "full_attention" for i in range(layers)]
    )
    types = (*types[:-1], "full_attention")  # whatever the file says
    shared = (
        read_size(raw, "num_kv_shared_layers", max_value=layers - 1) if raw.get("num_kv_shared_layers") else 0
    )
    if set(types[layers - shared :]) - set(types[: layers - shared]):
        raise ModelError("num_kv_shared_layers leaves a type of layers without keys and values.")
    ropes = raw.get("rope_parameters") or _DEFAULT_ROPES
    window, bias = raw.get("sliding_window", 512), bool(raw.get("attention_bias", False))
    shares_projection = bool(raw.get("attention_k_eq_v", False))
    vocab_size = read_size(raw, "vocab_size", default=262_144)
    is_unified = raw["model_type"] == "gemma4_unified_text"  # which has no embeddings for each layer
    layer_embedding = raw.get("hidden_size_per_layer_input", 0 if is_unified else 256)
    if layer_embedding:
        expect(raw, vocab_size_per_layer_input=vocab_size)
    ignore(raw, "vocab_size_per_layer_input", "num_experts", "top_k_experts", "moe_intermediate_size")
    ignore(raw, "hidden_act")  # hidden_activation counts
    layer_ropes = {kind: read_rope(raw, ropes[kind]) for kind in set(types)}
    return read_decoder_config(
        raw,
        Gemma4Config,
        vocab_size=vocab_size,
        activation=read_activation(raw, "hidden_activation", "gelu_pytorch_tanh"),
        ropes=tuple(layer_ropes[kind] for kind in types),
        windows=tuple(window if kind == "sliding_attention" else None for kind in types),
        tie_word_embeddings=bool(raw.get("tie_word_embeddings", True)),
        qkv_bias=bias,
        output_bias=bias,
        layer_heads=_read_layer_heads(raw, types, shares_projection),
        is_shared=tuple(i >= layers - shared for i in range(layers)),
        has_wide_mlp=bool(raw.get("use_double_wide_mlp", False)),
        has_values=tuple(not shares_projection or kind == "sliding_attention" for kind in types),
        layer_embedding=read_size(raw, "hidden_size_per_layer_input", 256) if layer_embedding else 0,
        logits_cap=read_number(raw, "final_logit_softcapping", 0.0, 0, 1e6) or None,
        **_read_experts(raw, layers),
    )


def _read_layer_heads(
    raw: dict[str, Any], types: tuple[str, ...], shares_projection: bool
) -> tuple[tuple[int, int], ...]:
    """(KV heads, head size) of each layer. Newer files have them in `per_layer_config`."""
    heads = read_size(raw, "num_attention_heads")
    usual = {
        "num_key_value_heads": read_size(raw, "num_key_value_heads", default=4),
        "head_dim": read_size(raw, "head_dim", default=256),
    }
    full = {"head_dim": raw.get("global_head_dim", 512)}
    if (kv_heads := raw.get("num_global_key_value_heads")) and shares_projection:
        full["num_key_value_heads"] = kv_heads
    ignore(raw, "global_head_dim", "num_global_key_value_heads")  # where there are newer fields
    default = {str(i): full for i, kind in enumerate(types) if kind == "full_attention"}
    changes = raw.get("per_layer_config") or default
    result = []
    for i in range(len(types)):
        layer = usual | (changes.get(str(i)) or {})
        if layer.keys() - usual.keys():
            raise ModelError(f"per_layer_config of layer {i} is {shorten(layer)}, which is not supported.")
        result.append((read_size(layer, "num_key_value_heads"), read_size(layer, "head_dim")))
        if heads % result[-1][0] or result[-1][1] % 2:
            raise ModelError(f"{result[-1]} KV heads and head_dim of layer {i} do not fit {heads} heads.")
    return tuple(result)


def no_experts(layers: int) -> dict[str, Any]:
    """The fields of MixtureConfig for a model without experts."""
    return {"experts": 0, "expert_size": 0, "routing": Routing(0), "has_experts": (False,) * layers}


def _read_experts(raw: dict[str, Any], layers: int) -> dict[str, Any]:
    """The fields of MixtureConfig."""
    has_experts = bool(raw.get("enable_moe_block", False))
    if not has_experts:
        return no_experts(layers)
    experts = read_size(raw, "num_experts", max_value=4096)
    return {
        "experts": experts,
        "expert_size": read_size(raw, "moe_intermediate_size"),
        "routing": Routing(read_size(raw, "top_k_experts", max_value=experts), normalizes=True),
        "has_experts": (True,) * layers,
    }


def write_tape(t: Tape, c: Gemma4Config) -> None:
    """Attention and MLP, each between two norms, and the layer's embedding, added to the hidden states x."""
    eps = c.rms_norm_eps
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    x = t.scale(x, float(np.float32(c.hidden_size**0.5)))
    embeddings = write_layer_embeddings(t, c, x, c.vocab_size) if c.layer_embedding else []
    kv_layers: dict[int | None, int] = {}  # by window, the last one so far
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.input_layernorm", eps, to="h")
        y = write_attention(t, c, h, i, kv_layers)
        x = t.add(x, t.norm(y, f"{p}.post_attention_layernorm", eps))
        h = t.norm(x, f"{p}.pre_feedforward_layernorm", eps, to="h")
        width = c.intermediate_size * (2 if c.has_wide_mlp and c.is_shared[i] else 1)
        y = write_mlp(t, replace(c, intermediate_size=width), h, i)
        if c.has_experts[i]:
            y = t.norm(y, f"{p}.post_feedforward_layernorm_1", eps)
            y = t.add(y, t.norm(_write_experts(t, c, x, p), f"{p}.post_feedforward_layernorm_2", eps))
        x = t.add(x, t.norm(y, f"{p}.post_feedforward_layernorm", eps))
        if embeddings:
            gate = t.project(x, "gate", f"{p}.per_layer_input_gate", c.layer_embedding)
            y = t.gate(gate, embeddings[i], c.activation)
            y = t.project(y, "out", f"{p}.per_layer_projection", c.hidden_size)
            x = t.add(x, t.norm(y, f"{p}.post_per_layer_input_norm", eps))
        x = t.map("multiply", x, WeightRef(f"{p}.layer_scalar", (1,)))
    t.softcap(write_head(t, c, x), c.logits_cap)


def write_layer_embeddings(t: Tape, c: Gemma4Config, x: Span, vocab_size: int) -> list[Span]:
    """For each layer, an embedding of the token plus a projection of the usual one, x.

    vocab_size: of the embeddings for layers.
    """
    width = c.layer_embedding
    y = t.embed("model.embed_tokens_per_layer", vocab_size, c.layers * width, to="layer_embeddings")
    y = t.scale(y, float(np.float32(width**0.5)))
    context = t.project(x, "layer_contexts", "model.per_layer_model_projection", c.layers * width)
    context = t.scale(context, c.hidden_size**-0.5)
    t.norm(replace(context, heads=c.layers), "model.per_layer_projection_norm", c.rms_norm_eps)
    y = t.scale(t.add(y, context), 2**-0.5)
    return [Span(y.buffer, i * width, width) for i in range(c.layers)]


def write_attention(t: Tape, c: Gemma4Config, h: Span, i: int, kv_layers: dict[int | None, int]) -> Span:
    """Grouped-query attention with the window of layer i. It writes keys and values or finds earlier ones."""
    p, eps, (kv_heads, size) = f"model.layers.{i}.self_attn", c.rms_norm_eps, c.layer_heads[i]
    parts = {f"{p}.q_proj": (c.heads, size)}
    if not c.is_shared[i]:
        parts[f"{p}.k_proj"] = (kv_heads, size)
        if c.has_values[i]:
            parts[f"{p}.v_proj"] = (kv_heads, size)
    q, *kv = t.linear(h, "qkv", parts, bias=c.qkv_bias)
    q = t.rope(t.norm(q, f"{p}.q_norm", eps), c.ropes[i])
    if c.is_shared[i]:
        t.unused |= {f"{p}.{name}.weight" for name in ("k_proj", "v_proj", "k_norm")}
        mixed = t.attend_again(q, kv_layers[c.windows[i]], 1.0)
    else:
        values = t.norm(kv[-1], None, eps, to="values")
        keys = t.rope(t.norm(kv[0], f"{p}.k_norm", eps), c.ropes[i])
        mixed = t.attend(q, keys, values, 1.0, c.windows[i])
        kv_layers[c.windows[i]] = len(t.kv_layers) - 1
    return t.project(mixed, "out", f"{p}.o_proj", c.hidden_size, bias=c.output_bias)


def _write_experts(t: Tape, c: Gemma4Config, x: Span, p: str) -> Span:
    """The mixture of experts for the hidden states x."""
    h = t.map("multiply", t.norm(x, None, c.rms_norm_eps, to="h"), WeightRef(f"{p}.router.scale", (x.width,)))
    weights = t.route(t.scale(h, c.hidden_size**-0.5), f"{p}.router.proj", c.experts, c.routing)
    weights = t.map("multiply", weights, WeightRef(f"{p}.router.per_expert_scale", (c.experts,)))
    h = t.norm(x, f"{p}.pre_feedforward_layernorm_2", c.rms_norm_eps, to="h")
    experts = stacked_experts(c, f"{p}.experts.gate_up_proj", f"{p}.experts.down_proj")
    return t.experts(h, weights, c.routing, experts, c.activation)
