"""Muse Glimmer (Meta, 2026): gated attention with norms before and after, of which most have a window.

Every fourth layer, counted from the last, attends to all positions, and has none itself. Embeddings are
normed, and so are queries and keys, without weights. Source: Transformers, modeling_muse_glimmer.py.
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import ignore, read_number, shorten
from ...errors import ModelError
from ...tape.references import Span
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import (
    ModelConfig,
    read_activation,
    read_attention_bias,
    read_decoder_config,
    read_layer_count,
    read_layer_types,
    windows_of,
)
from ..parts import Scores, write_attend, write_head, write_mlp, write_qkv


@dataclass(frozen=True)
class MuseConfig(ModelConfig):
    """`query_scale`: factor of normed queries. post_eps: of norms behind attention and MLPs.

    `logits_scale`, `logits_cap`: logits are multiplied by the one, and then capped by the other.
    """

    query_scale: float
    post_eps: float
    logits_scale: float
    logits_cap: float


def read_config(raw: dict[str, Any]) -> MuseConfig:
    """The text_config of Muse Glimmer."""
    ignore(raw, "hidden_act")  # hidden_activation counts
    layers, rope = read_layer_count(raw), read_rope(raw)
    every_fourth = [(layers - 1 - i) % 4 == 0 for i in range(layers)]
    types = read_layer_types(
        raw, ["full_attention" if is_full else "sliding_attention" for is_full in every_fourth]
    )
    bases = raw.get("layer_rope_theta") or [0 if is_full else rope.theta for is_full in every_fourth]
    if (
        not isinstance(bases, list)
        or len(bases) != layers
        or any(base not in (0, rope.theta) for base in bases)
    ):
        raise ModelError(
            f"layer_rope_theta should be 0 or {rope.theta:g} for each layer, not {shorten(bases)}."
        )
    return read_decoder_config(
        raw,
        MuseConfig,
        activation=read_activation(raw, "hidden_activation", "silu"),
        ropes=tuple(rope if base else None for base in bases),
        windows=windows_of(types, raw.get("sliding_window", 2048)),
        query_scale=read_number(raw, "qk_scale_factor", 3.87),
        post_eps=read_number(raw, "post_norm_eps", 1e-8, 1e-30, 1),
        logits_scale=read_number(raw, "output_multiplier", 0.19611613513818404),
        logits_cap=read_number(raw, "final_logit_softcapping", 20.0, 1e-6, 1e6),
        **read_attention_bias(raw),
    )


def write_tape(t: Tape, c: MuseConfig) -> None:
    """x += norm(attention(norm(x))), x += norm(mlp(norm(x))). Stored norms are smaller by 1."""
    x = t.norm(t.embed("model.embed_tokens", c.vocab_size, c.hidden_size), None, c.norm_eps)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.input_layernorm", c.norm_eps, to="h", offset=1.0)
        y = _write_attention(t, c, h, i)
        x = t.add(x, t.norm(y, f"{p}.post_attention_layernorm", c.post_eps, offset=1.0))
        h = t.norm(x, f"{p}.pre_feedforward_layernorm", c.norm_eps, to="h", offset=1.0)
        y = write_mlp(t, c, h, i)
        x = t.add(x, t.norm(y, f"{p}.post_feedforward_layernorm", c.post_eps, offset=1.0))
    t.softcap(t.scale(write_head(t, c, x), c.logits_scale), c.logits_cap)


def _write_attention(t: Tape, c: MuseConfig, h: Span, i: int) -> Span:
    p = f"model.layers.{i}.self_attn"
    q, k, v = write_qkv(t, c, h, i)
    q, k = t.norm(q, None, c.norm_eps), t.norm(k, None, c.norm_eps)
    gates = t.map("sigmoid", t.linear(h, "gate", {f"{p}.gate_proj": (c.heads, c.head_dim)})[0])
    mixed = write_attend(t, c, q, k, v, i, Scores(scale=c.query_scale * c.head_dim**-0.5))
    return t.project(t.map("multiply", mixed, gates), "out", f"{p}.o_proj", c.hidden_size, bias=c.output_bias)
