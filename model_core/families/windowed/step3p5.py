"""Step 3.5 and 3.7 Flash (StepFun, 2026): layers with a window have more heads, and other positions.

Each head is multiplied by the sigmoid of a gate. Queries and keys are normed. What the gates of the last
layers' MLPs let through is limited. The MTP heads are left out. Source: Transformers, modeling_step3p7.py.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ...checks.file_values import expect, ignore, read_number, read_size, shorten
from ...errors import ModelError
from ...tape.operations import Expert
from ...tape.references import Span, WeightRef
from ...tape.rope import find_rope_fields, read_layer_ropes
from ...tape.tape import Tape
from ..config import read_attention_bias, read_decoder_config, read_layer_count, read_layer_types, windows_of
from ..experts.mixture import MixtureConfig, read_mixture, write_experts
from ..parts import write_attend, write_head, write_named_mlp, write_qkv

_FULL, _SLIDING = "full_attention", "sliding_attention"
# limit of what a gate lets through -> activation
_ACTIVATIONS = {0.0: "silu", 7.0: "capped_swiglu_to_7", 16.0: "capped_swiglu_to_16"}


@dataclass(frozen=True)
class StepConfig(MixtureConfig):
    """Fields beside those of a mixture.

    Attributes:
        layer_heads: heads of queries of each layer.
        shared_size: inner size of the expert that all rows share.
        expert_activations, mlp_activations: of each layer: of its experts, and of its MLP or shared expert.
    """

    layer_heads: tuple[int, ...]
    shared_size: int
    expert_activations: tuple[str, ...]
    mlp_activations: tuple[str, ...]


def read_config(raw: dict[str, Any]) -> StepConfig:
    """The config.json of Step 3.5 Flash as it was published, or as Transformers writes it.

    Lists may have entries for MTP layers behind those of the model's own.
    """
    expect(raw, hidden_act="silu", mlp_bias=False, use_bidirectional_attention=False, gating=True)
    expect(raw, use_qk_norm=True, use_mfa=False, zero_centered=True, use_head_wise_attn_gate=True)
    expect(raw, use_moe=True, use_moe_router_bias=True, moe_router_activation="sigmoid")
    expect(raw, norm_expert_weight=True, moe_layer_offset=0, moe_every_n_layer=1, att_impl_type="GQA")
    ignore(raw, "max_seq_len", "need_fp32_gate", "mtp_layer_types", "mtp_mlp_layer_types")
    ignore(raw, "per_layer_config")  # it says how many heads layers with a window have
    layers = read_layer_count(raw)
    own = dict(raw) | {
        name: raw[name][:layers]
        for name in ("layer_types", "mlp_layer_types", "swiglu_limits", "swiglu_limits_shared")
        if isinstance(raw.get(name), list)
    }
    types = read_layer_types(own, [_FULL] * layers)
    head_dim = read_size(raw, "head_dim", default=128)
    heads, window_heads, kv_heads = _read_heads(raw, head_dim)
    expect(raw, query_pre_attn_scalar=head_dim)
    chosen = "num_experts_per_tok" if raw.get("moe_top_k") is None else "moe_top_k"
    experts = "n_routed_experts" if raw.get("moe_num_experts") is None else "moe_num_experts"
    scale = read_number(raw, "moe_router_scaling_factor", 1.0)
    mixture = read_mixture(
        raw, experts, "moe_intermediate_size", chosen, score="sigmoid", normalizes=True, scale=scale
    )
    mixture["has_experts"] = _read_has_experts(raw, own, layers)
    shared = "share_expert_dims" if raw.get("share_expert_dim") is None else "share_expert_dim"
    return read_decoder_config(
        raw,
        StepConfig,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        ropes=read_layer_ropes(_with_layer_ropes(raw, types), types, theta=1e4),
        windows=windows_of(types, raw.get("sliding_window")),
        layer_heads=tuple(window_heads if kind == _SLIDING else heads for kind in types),
        shared_size=read_size(raw, shared, default=1280),
        expert_activations=_read_activations(own, "swiglu_limits", layers),
        mlp_activations=_read_activations(own, "swiglu_limits_shared", layers),
        **read_attention_bias(raw),
        **mixture,
    )


def _read_heads(raw: dict[str, Any], head_dim: int) -> tuple[int, int, int]:
    """Heads of queries in layers without and with a window, and heads of keys and values."""
    groups = "num_key_value_heads" if raw.get("num_attention_groups") is None else "num_attention_groups"
    heads, kv_heads = read_size(raw, "num_attention_heads"), read_size(raw, groups)
    other = raw.get("attention_other_setting") or {}
    if not isinstance(other, dict):
        raise ModelError(f"attention_other_setting should be an object, not {shorten(other)}.")
    expect(other, attention_type=_SLIDING, num_attention_groups=kv_heads)
    expect(other, head_dim=head_dim, true_head_dim=head_dim)
    given = raw.get("num_sliding_attention_heads")
    other = other if given is None else {"num_attention_heads": given}
    window_heads = read_size(other, "num_attention_heads", default=heads)
    if heads % kv_heads or window_heads % kv_heads:
        raise ModelError(f"{heads} or {window_heads} heads do not divide among {kv_heads} KV heads.")
    return heads, window_heads, kv_heads


def _read_has_experts(raw: dict[str, Any], own: dict[str, Any], layers: int) -> tuple[bool, ...]:
    """Whether each layer has experts: by `mlp_layer_types`, or by a list of layers as numbers."""
    given = raw.get("moe_layers_enum")
    named = given.split(",") if isinstance(given, str) else range(3, layers) if given is None else given
    sparse = {int(number) for number in named}
    default = ["sparse" if i in sparse else "dense" for i in range(layers)]
    types = read_layer_types(own, default, ("dense", "sparse"), "mlp_layer_types")
    ignore(raw, "mlp_layer_types", "layer_types", "swiglu_limits", "swiglu_limits_shared")
    return tuple(kind == "sparse" for kind in types)


def _read_activations(own: dict[str, Any], name: str, layers: int) -> tuple[str, ...]:
    limits = own.get(name) or [0.0] * layers
    if not isinstance(limits, list) or len(limits) != layers:
        raise ModelError(f"{name} should be a list of {layers} numbers.")
    if unknown := [limit for limit in limits if (limit or 0) not in _ACTIVATIONS]:
        raise ModelError(f"{name} has {shorten(unknown[0])}; only 0, 7 and 16 are supported.")
    return tuple(_ACTIVATIONS[limit or 0] for limit in limits)


def _with_layer_ropes(raw: dict[str, Any], types: tuple[str, ...]) -> dict[str, Any]:
    """The fields with a description of RoPE for each type of layers. Published ones have lists by layer."""
    theta, partial, scaling = (
        raw.get(name) for name in ("rope_theta", "partial_rotary_factors", "rope_scaling")
    )
    expect(raw, yarn_only_types=[_FULL])
    if (_FULL in find_rope_fields(raw)) or (_SLIDING in find_rope_fields(raw)):
        return raw
    described: dict[str, Any] = {}
    for kind in dict.fromkeys(types):
        mine = [i for i, each in enumerate(types) if each == kind]
        thetas = {theta[i] for i in mine} if isinstance(theta, list) else {theta or 1e4}
        parts = {partial[i] for i in mine} if isinstance(partial, list) else {1.0}
        if len(thetas) > 1 or len(parts) > 1:
            raise ModelError(
                f"rope_theta and partial_rotary_factors should be the same for all {kind} layers."
            )
        described[kind] = {"rope_theta": thetas.pop(), "partial_rotary_factor": parts.pop()}
    if scaling and _FULL in described:
        described[_FULL] |= scaling
    return {name: value for name, value in raw.items() if not name.startswith("rope_")} | {
        "rope_parameters": described
    }


def write_tape(t: Tape, c: StepConfig) -> None:
    """x += attention(norm(x)), x += mlp(norm(x)) in each layer. Stored norms are smaller by 1."""
    norm = partial(t.norm, eps=c.norm_eps, offset=1.0)
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = norm(x, f"{p}.input_layernorm", to="h")
        x = t.add(x, _write_attention(t, replace(c, heads=c.layer_heads[i]), h, i))
        h = norm(x, f"{p}.post_attention_layernorm", to="h")
        like = replace(c, activation=c.mlp_activations[i])
        if c.has_experts[i]:
            shared = write_named_mlp(t, like, h, f"{p}.share_expert", c.shared_size)
            x = t.add(x, t.add(_write_mixture(t, c, h, i), shared))
        else:
            x = t.add(x, write_named_mlp(t, like, h, f"{p}.mlp", c.intermediate_size))
    write_head(t, c, x, offset=1.0)


def _write_attention(t: Tape, c: StepConfig, h: Span, i: int) -> Span:
    p = f"model.layers.{i}.self_attn"
    q, k, v = write_qkv(t, c, h, i)
    q, k = (t.norm(x, f"{p}.{name}_norm", c.norm_eps, offset=1.0) for x, name in ((q, "q"), (k, "k")))
    gates = t.map("sigmoid", t.linear(h, "gate", {f"{p}.g_proj": (c.heads, 1)})[0])
    mixed = t.map("multiply", write_attend(t, c, q, k, v, i), gates)
    return t.project(mixed, "out", f"{p}.o_proj", c.hidden_size, bias=c.output_bias)


def _write_mixture(t: Tape, c: StepConfig, h: Span, i: int) -> Span:
    """The experts, each matrix of which is a part of a tensor for all."""
    p, hidden, inner = f"model.layers.{i}.moe", c.hidden_size, c.expert_size
    wide, narrow = (c.experts, inner, hidden), (c.experts, hidden, inner)
    experts = [
        Expert(
            gate=WeightRef(f"{p}.gate_proj.weight", wide, expert=expert),
            up=WeightRef(f"{p}.up_proj.weight", wide, expert=expert),
            down=WeightRef(f"{p}.down_proj.weight", narrow, expert=expert),
        )
        for expert in range(c.experts)
    ]
    like = replace(c, activation=c.expert_activations[i])
    return write_experts(t, like, h, f"{p}.gate", experts, choice_bias=f"{p}.router_bias")
