"""Gemma 4 (Google, 2026): Gemma 3 with keys and values that layers share, and embeddings for each layer.

Full layers have wider heads than windowed ones. In the larger models, experts are added to the MLP.
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import Fields, expect, ignore, read_number, read_size, shorten
from ...checks.known_fields import LAYER_ROPES
from ...errors import ModelError
from ...tape.operations import Routing
from ...tape.references import Span, WeightRef
from ...tape.rope import find_rope_fields, read_rope
from ...tape.tape import Tape
from ..config import (
    read_activation,
    read_attention_bias,
    read_decoder_config,
    read_layer_count,
    read_layer_types,
    windows_of,
)
from ..experts.mixture import MixtureConfig, no_experts, stacked_experts
from ..parts import write_head, write_named_mlp
from .gemma import write_scaled_embedding
from .gemma_shared import (
    SharedKVConfig,
    read_shared_layers,
    write_attention,
    write_gated_embedding,
    write_layer_embeddings,
)

_DEFAULT_ROPES = {
    "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
    "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1e6},
}


@dataclass(frozen=True)
class Gemma4Config(SharedKVConfig, MixtureConfig):
    """`has_wide_mlp`: the MLP of layers that share keys and values is twice as wide."""

    has_wide_mlp: bool


def read_config(raw: dict[str, Any]) -> Gemma4Config:
    """The config.json of Gemma 4 (its text part)."""
    directions, window = raw.get("use_bidirectional_attention"), raw.get("sliding_window", 512)
    if directions not in (None, False, "vision", "all"):
        raise ModelError(f"use_bidirectional_attention is {shorten(directions)}, which is not supported.")
    if directions == "all":
        window = window and window // 2 + 1  # positions on each side, as Transformers counts them
    ignore(raw, "vocab_size_per_layer_input", "num_experts", "top_k_experts", "moe_intermediate_size")
    ignore(raw, "hidden_act")  # hidden_activation counts
    expect(raw, expert_intermediate_size=None, mlp_bias=False)
    types = read_layer_types(raw, default=6)
    types = (*types[:-1], "full_attention")  # whatever the file says
    parameters = Fields(find_rope_fields(raw) or _DEFAULT_ROPES, LAYER_ROPES)
    ignore(parameters, *_DEFAULT_ROPES)
    parameters.check_all_read()
    ropes = {kind: read_rope(raw, parameters[kind]) for kind in set(types)}
    shares_projection = bool(raw.get("attention_k_eq_v", False))
    vocab_size = read_size(raw, "vocab_size", default=262_144)
    is_unified = raw["model_type"] == "gemma4_unified_text"  # which has no embeddings for each layer
    layer_embedding = raw.get("hidden_size_per_layer_input", 0 if is_unified else 256)
    if layer_embedding:
        expect(raw, vocab_size_per_layer_input=vocab_size)
    return read_decoder_config(
        raw,
        Gemma4Config,
        vocab_size=vocab_size,
        activation=read_activation(raw, "hidden_activation", "gelu_pytorch_tanh"),
        ropes=tuple(ropes[kind] for kind in types),
        windows=windows_of(types, window),
        is_causal=directions != "all",
        tie_word_embeddings=bool(raw.get("tie_word_embeddings", True)),
        layer_heads=_read_layer_heads(raw, types, shares_projection),
        is_shared=read_shared_layers(raw, types, default=0),
        has_wide_mlp=bool(raw.get("use_double_wide_mlp", False)),
        has_values=tuple(not shares_projection or kind == "sliding_attention" for kind in types),
        layer_embedding=read_size(raw, "hidden_size_per_layer_input", 256) if layer_embedding else 0,
        logits_cap=read_number(raw, "final_logit_softcapping", 0.0, 0, 1e6) or None,
        **read_attention_bias(raw),
        **_read_experts(raw),
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


def _read_experts(raw: dict[str, Any]) -> dict[str, Any]:
    """The fields of MixtureConfig."""
    layers = read_layer_count(raw)
    if not raw.get("enable_moe_block", False):
        return no_experts(layers)
    experts = read_size(raw, "num_experts", max_value=4096)
    return {
        "experts": experts,
        "expert_size": read_size(raw, "moe_intermediate_size"),
        "routing": Routing(read_size(raw, "top_k_experts", max_value=experts), normalizes=True),
        "has_experts": (True,) * layers,
    }


def write_tape(t: Tape, c: Gemma4Config) -> None:
    """x += norm(attention(norm(x))), x += norm(mlp(norm(x))), then the layer's embedding, in each layer."""
    eps = c.norm_eps
    x = write_scaled_embedding(t, c)
    embeddings = write_layer_embeddings(t, c, x, c.vocab_size) if c.layer_embedding else []
    kv_layers: dict[int | None, int] = {}
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.input_layernorm", eps, to="h")
        y = write_attention(t, c, h, i, kv_layers)
        x = t.add(x, t.norm(y, f"{p}.post_attention_layernorm", eps))
        h = t.norm(x, f"{p}.pre_feedforward_layernorm", eps, to="h")
        size = c.intermediate_size * (2 if c.has_wide_mlp and c.is_shared[i] else 1)
        y = write_named_mlp(t, c, h, f"{p}.mlp", size)
        if c.has_experts[i]:
            y = t.norm(y, f"{p}.post_feedforward_layernorm_1", eps)
            y = t.add(y, t.norm(_write_experts(t, c, x, p), f"{p}.post_feedforward_layernorm_2", eps))
        x = t.add(x, t.norm(y, f"{p}.post_feedforward_layernorm", eps))
        if embeddings:
            x = t.add(x, write_gated_embedding(t, c, x, embeddings[i], i))
        x = t.map("multiply", x, WeightRef(f"{p}.layer_scalar", (1,)))
    t.softcap(write_head(t, c, x), c.logits_cap)


def _write_experts(t: Tape, c: Gemma4Config, x: Span, p: str) -> Span:
    """The mixture of experts for the hidden states x."""
    h = t.map("multiply", t.norm(x, None, c.norm_eps, to="h"), WeightRef(f"{p}.router.scale", (x.width,)))
    weights = t.route(t.scale(h, c.hidden_size**-0.5), f"{p}.router.proj", c.experts, c.routing)
    weights = t.map("multiply", weights, WeightRef(f"{p}.router.per_expert_scale", (c.experts,)))
    h = t.norm(x, f"{p}.pre_feedforward_layernorm_2", c.norm_eps, to="h")
    experts = stacked_experts(c, f"{p}.experts.gate_up_proj", f"{p}.experts.down_proj")
    return t.experts(h, weights, c.routing, experts, c.activation)
