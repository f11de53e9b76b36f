"""LFM3 (Liquid AI, 2026): LFM2 with norms before and after mixers and MLPs, and a gate for each head.

Some layers convolve, some attend to a window and some to everything, each kind with positions of its own.
Source: Transformers, modeling_lfm3.py.
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import Fields, expect, ignore, read_number, read_size
from ...checks.known_fields import LAYER_ROPES
from ...tape.references import Span
from ...tape.rope import find_rope_fields, read_rope
from ...tape.tape import Tape
from ..config import (
    read_attention_bias,
    read_decoder_config,
    read_layer_count,
    read_layer_types,
    windows_of,
)
from ..experts.mixture import no_experts
from ..parts import write_attention, write_gated_attention, write_head, write_named_mlp
from .lfm2 import MLP_NAMES, Lfm2Config, write_conv

_DEFAULT_ROPES = {
    "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
    "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.5, "rope_theta": 1e6},
}
_KINDS = ("full_attention", "sliding_attention", "conv")


@dataclass(frozen=True)
class Lfm3Config(Lfm2Config):
    """`has_norms_after`: mixers and MLPs are normed. `has_gate`: the output of each head has a gate."""

    has_norms_after: bool
    has_gate: bool


def read_config(raw: dict[str, Any]) -> Lfm3Config:
    """LFM3's config.json."""
    expect(raw, hidden_act="silu", mlp_bias=False)
    layers = read_layer_count(raw)
    default = [{0: "sliding_attention", 2: "full_attention"}.get(i % 4, "conv") for i in range(layers)]
    types = read_layer_types(raw, ["conv", *default[1:]], _KINDS)
    parameters = Fields(find_rope_fields(raw) or _DEFAULT_ROPES, LAYER_ROPES)
    ignore(parameters, *_DEFAULT_ROPES)
    parameters.check_all_read()
    ropes = {kind: read_rope(raw, parameters[kind], theta=1e6) for kind in {*types} - {"conv"}}
    return read_decoder_config(
        raw,
        Lfm3Config,
        norm_eps=read_number(raw, "norm_eps", 1e-5, 1e-30, 1),
        head_dim=read_size(raw, "head_dim", default=128),
        ropes=tuple(ropes.get(kind) for kind in types),
        windows=windows_of(types, raw.get("sliding_window", 256)),
        tie_word_embeddings=bool(raw.get("tie_word_embeddings", True)),
        is_convolution=tuple(kind == "conv" for kind in types),
        conv_width=read_size(raw, "conv_L_cache", default=7, max_value=64),
        conv_bias=bool(raw.get("conv_bias", False)),
        has_choice_bias=False,
        has_norms_after=bool(raw.get("use_sandwich_norm", True)),
        has_gate=bool(raw.get("use_attention_gate", True)),
        **read_attention_bias(raw),
        **no_experts(layers),
    )


def write_tape(t: Tape, c: Lfm3Config) -> None:
    """x += norm(mixer(norm(x))), x += norm(mlp(norm(x))) in each layer."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.operator_norm", c.norm_eps, to="h")
        y = (write_conv if c.is_convolution[i] else _write_attention)(t, c, h, i)
        x = t.add(x, t.norm(y, f"{p}.post_operator_norm", c.norm_eps) if c.has_norms_after else y)
        h = t.norm(x, f"{p}.ffn_norm", c.norm_eps, to="h")
        y = write_named_mlp(t, c, h, f"{p}.feed_forward", c.intermediate_size, MLP_NAMES)
        x = t.add(x, t.norm(y, f"{p}.post_ffn_norm", c.norm_eps) if c.has_norms_after else y)
    write_head(t, c, x, norm="model.embedding_norm")


def _write_attention(t: Tape, c: Lfm3Config, h: Span, i: int) -> Span:
    """Attention with a norm of each query and key head, and a gate for each head's output."""
    if c.has_gate:
        return write_gated_attention(t, c, h, i, size=1)
    return write_attention(t, c, h, i, head_norm=True)
