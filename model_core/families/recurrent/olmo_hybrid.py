"""Olmo Hybrid (Ai2, 2026): three layers of gated delta net to one of OLMo 2's attention.

Delta nets are those of Qwen3-Next, but queries, keys and values have matrices of their own, and beta may be
up to 2. Norms stand before delta nets and their MLPs, but after attention and its MLPs. Source: Transformers,
modeling_olmo_hybrid.py.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

from ...checks.file_values import expect, ignore, read_flag, read_size
from ...errors import ModelError
from ...tape.references import Span
from ...tape.rope import RopeConfig, find_rope_fields, read_rope
from ...tape.tape import Tape
from ..config import (
    ModelConfig,
    read_attention_bias,
    read_decoder_config,
    read_layer_count,
    read_layer_types,
)
from ..dense.olmo2 import write_layer
from ..parts import write_conv, write_head, write_mlp
from .qwen3_next import write_delta_rule

_NORM_EPS = 1e-5  # of the outputs of delta nets, whatever rms_norm_eps is


@dataclass(frozen=True)
class OlmoHybridConfig(ModelConfig):
    """Fields beside those of a transformer.

    Attributes:
        is_delta_net: which layers are delta nets.
        delta_heads: heads of their queries, keys and values.
        key_dim, value_dim: numbers of such a head.
        conv_width: tokens of their convolutions.
        max_beta: beta is a sigmoid times this.
    """

    is_delta_net: tuple[bool, ...]
    delta_heads: int
    key_dim: int
    value_dim: int
    conv_width: int
    max_beta: float


def read_config(raw: dict[str, Any]) -> OlmoHybridConfig:
    """Olmo Hybrid's config.json."""
    expect(raw, hidden_act="silu", mlp_bias=False, linear_use_gate=True)
    ignore(raw, "linear_a_log_min", "linear_a_log_max")  # of training
    ignore(raw, "linear_dt_min", "linear_dt_max", "linear_dt_init_floor")
    default = ["full_attention" if i % 4 == 3 else "linear_attention" for i in range(read_layer_count(raw))]
    if "full_attention" not in default:
        default[-1] = "full_attention"
    types = read_layer_types(raw, default, known=("full_attention", "linear_attention"))
    heads = read_size(raw, "linear_num_key_heads", default=read_size(raw, "num_attention_heads"))
    expect(raw, linear_num_value_heads=heads)
    key_dim = read_size(raw, "linear_key_head_dim", default=int(0.75 * read_size(raw, "hidden_size") / heads))
    return read_decoder_config(
        raw,
        OlmoHybridConfig,
        ropes=_read_rope(raw),
        is_delta_net=tuple(kind == "linear_attention" for kind in types),
        delta_heads=heads,
        key_dim=key_dim,
        value_dim=read_size(raw, "linear_value_head_dim", default=2 * key_dim),
        conv_width=read_size(raw, "linear_conv_kernel_dim", default=4, max_value=64),
        max_beta=2.0 if read_flag(raw, "linear_allow_neg_eigval", True) else 1.0,
        **read_attention_bias(raw),
    )


def _read_rope(raw: dict[str, Any]) -> RopeConfig | None:
    """None if `rope_theta` is null, as in published files: attention has no positions then.

    Without rope_parameters, Transformers takes the base of Llama, though files that were converted by its
    older versions mean a model without positions.
    """
    fields = find_rope_fields(raw)
    if fields.get("rope_theta", raw.get("rope_theta")) is not None:
        return read_rope(raw)
    if "rope_theta" not in fields:
        raise ModelError(
            'rope_parameters should have rope_theta: {"rope_theta": null} in a model without positions.'
        )
    return None


def write_tape(t: Tape, c: OlmoHybridConfig) -> None:
    """x += delta_net(norm(x)), x += mlp(norm(x)), or a layer of OLMo 2."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        if not c.is_delta_net[i]:
            x = write_layer(t, c, x, i, partial(write_mlp, t, c))
            continue
        h = t.norm(x, f"model.layers.{i}.attention_layer_norm", c.norm_eps, to="h")
        x = t.add(x, _write_delta_net(t, c, h, i))
        h = t.norm(x, f"model.layers.{i}.feedforward_layer_norm", c.norm_eps, to="h")
        x = t.add(x, write_mlp(t, c, h, i))
    write_head(t, c, x)


def _write_delta_net(t: Tape, c: OlmoHybridConfig, h: Span, i: int) -> Span:
    """The delta rule of silu(conv(q)), silu(conv(k)) and silu(conv(v)); its output is normed and gated."""
    p, heads = f"model.layers.{i}.linear_attn", c.delta_heads
    sizes = {"q": c.key_dim, "k": c.key_dim, "v": c.value_dim, "g": c.value_dim, "b": 1, "a": 1}
    parts = {f"{p}.{name}_proj": (heads, size) for name, size in sizes.items()}
    q, k, v, gate, b, a = t.linear(h, "delta", parts)
    q, k, v = (write_conv(t, x, f"{p}.{n}_conv1d", c.conv_width) for x, n in ((q, "q"), (k, "k"), (v, "v")))
    y = t.norm(write_delta_rule(t, q, k, v, a, b, p, c.max_beta), f"{p}.o_norm", _NORM_EPS)
    return t.project(t.map("swiglu", gate, y, to="mixed"), "out", f"{p}.o_proj", c.hidden_size)
