"""MiMo-V2-Flash (Xiaomi, 2025): most layers attend to a window, with sinks and twice the heads of keys.

Keys and values have heads of different sizes. The first layer has an MLP, the others experts. The MTP heads
are left out. Source: Transformers, modeling_mimo_v2_flash.py.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

from ...checks.file_values import expect, ignore, read_number, read_size, shorten
from ...errors import ModelError
from ...tape.references import Span
from ...tape.rope import RopeConfig, read_layer_ropes
from ...tape.tape import Tape
from ..config import read_decoder_config, read_layer_count, read_layer_types, windows_of
from ..experts.mixture import MixtureConfig, read_shared_mixture, separate_experts, write_experts
from ..parts import write_layers, write_mlp

_ATTENTION, _MLP = ("full_attention", "sliding_attention"), ("dense", "sparse")


@dataclass(frozen=True)
class MiMoV2Config(MixtureConfig):
    """Fields beside those of a mixture.

    Attributes:
        window_kv_heads: heads of keys and values in layers with a window.
        value_dim: numbers of a head of values.
        value_scale: values are multiplied by it.
    """

    window_kv_heads: int
    value_dim: int
    value_scale: float


def read_config(raw: dict[str, Any]) -> MiMoV2Config:
    """The config.json of MiMo-V2-Flash, as published or as Transformers writes it.

    `sliding_window_size` of published files does not count a token itself.
    """
    expect(raw, add_swa_attention_sink_bias=True, add_full_attention_sink_bias=False)
    expect(raw, scoring_func="sigmoid", topk_method="noaux_tc", n_shared_experts=None)
    ignore(raw, "attention_chunk_size", "hybrid_block_size", "sliding_window")
    heads, kv_heads = read_size(raw, "num_attention_heads"), read_size(raw, "num_key_value_heads", default=4)
    head_dim, value_dim = read_size(raw, "head_dim", default=192), read_size(raw, "v_head_dim", default=128)
    expect(raw, swa_num_attention_heads=heads, swa_head_dim=head_dim, swa_v_head_dim=value_dim)
    window_kv_heads = read_size(raw, "swa_num_key_value_heads", default=2 * kv_heads)
    if heads % window_kv_heads:
        raise ModelError(f"{heads} attention heads do not divide among {window_kv_heads} KV heads.")
    layers = range(read_layer_count(raw))
    types = _read_kinds(
        raw, "hybrid_layer_pattern", "layer_types", _ATTENTION, [i > 0 and (i + 1) % 6 > 0 for i in layers]
    )
    kinds = _read_kinds(raw, "moe_layer_freq", "mlp_layer_types", _MLP, [i > 0 for i in layers])
    if raw.get("sliding_window_size") is not None:
        window = read_size(raw, "sliding_window_size") + 1
    else:
        window = read_size(raw, "sliding_window", default=129)
    mixture = read_shared_mixture(raw, dense_layers=1)
    del mixture["shared_size"], mixture["has_choice_bias"]
    value_scale = raw.get("attention_value_scale", 0.707)
    epsilon = "rms_norm_eps" if raw.get("layernorm_epsilon") is None else "layernorm_epsilon"
    return read_decoder_config(
        raw,
        MiMoV2Config,
        head_dim=head_dim,
        kv_heads=kv_heads,
        window_kv_heads=window_kv_heads,
        value_dim=value_dim,
        value_scale=1.0 if value_scale is None else read_number(raw, "attention_value_scale", 0.707),
        norm_eps=read_number(raw, epsilon, 1e-5, 1e-30, 1),
        ropes=_read_ropes(raw, types),
        windows=windows_of(types, window),
        qkv_bias=bool(raw.get("attention_bias", False)),
        **mixture | {"has_experts": tuple(kind == "sparse" for kind in kinds)},
    )


def _read_kinds(
    raw: dict[str, Any], name: str, newer: str, known: tuple[str, str], default: list[bool]
) -> tuple[str, ...]:
    """One of `known` for each layer, from 0 and 1 in the field `name`, or from words in the field `newer`."""
    flags = raw.get(name)
    if flags is None:
        flags = default
    elif (
        not isinstance(flags, list) or len(flags) != len(default) or not all(flag in (0, 1) for flag in flags)
    ):
        raise ModelError(
            f"{name} should have 0 or 1 for each of {len(default)} layers, not {shorten(flags)}."
        )
    kinds = tuple(known[flag] for flag in flags)
    words = read_layer_types(raw, kinds, known, newer)
    if raw.get(name) is not None and words != kinds:
        raise ModelError(f"{name} and {newer} differ; remove the one that is wrong.")
    return words


def _read_ropes(raw: dict[str, Any], types: tuple[str, ...]) -> tuple[RopeConfig, ...]:
    """A third of each head is rotated, in windows with a base of their own."""
    local_theta = read_number(raw, "swa_rope_theta", 1e4, 1, 1e15)
    fields = {"partial_rotary_factor": 0.334} | {k: v for k, v in raw.items() if v is not None}
    ignore(raw, "rope_parameters", "rope_scaling", "rope_theta", "partial_rotary_factor")
    return read_layer_ropes(fields, types, theta=5e6, local_theta=local_theta)


def write_tape(t: Tape, c: MiMoV2Config) -> None:
    """x += attention(norm(x)), x += mlp(norm(x)) in each layer, the later ones with experts."""
    write_layers(t, c, partial(_write_mlp, t, c), partial(_write_attention, t, c))


def _write_attention(t: Tape, c: MiMoV2Config, h: Span, i: int) -> Span:
    p, window = f"model.layers.{i}.self_attn", c.windows[i]
    kv_heads = c.kv_heads if window is None else c.window_kv_heads
    parts = {
        f"{p}.q_proj": (c.heads, c.head_dim),
        f"{p}.k_proj": (kv_heads, c.head_dim),
        f"{p}.v_proj": (kv_heads, c.value_dim),
    }
    q, k, v = t.linear(h, "qkv", parts, bias=c.qkv_bias)
    q, k, v = t.rope(q, c.ropes[i]), t.rope(k, c.ropes[i]), t.scale(v, c.value_scale)
    sinks = None if window is None else f"{p}.attention_sink_bias"
    mixed = t.attend(q, k, v, c.head_dim**-0.5, window, sinks=sinks)
    return t.project(mixed, "out", f"{p}.o_proj", c.hidden_size)


def _write_mlp(t: Tape, c: MiMoV2Config, h: Span, i: int) -> Span:
    if not c.has_experts[i]:
        return write_mlp(t, c, h, i)
    p = f"model.layers.{i}.mlp"
    bias = f"{p}.gate.e_score_correction_bias"
    return write_experts(t, c, h, f"{p}.gate", separate_experts(c, f"{p}.experts"), choice_bias=bias)
