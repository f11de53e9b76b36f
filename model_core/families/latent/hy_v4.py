"""Hy4 (Tencent, 2026): gated latent attention with sinks, between hyper-connections that mix no streams.

An indexer chooses positions for each token, as in DeepSeek-V3.2. Source: Transformers, modeling_hy_v4.py.
"""

from dataclasses import dataclass, fields, replace
from typing import Any

from ...checks.file_values import expect, ignore, read_number, read_size
from ...errors import ModelError
from ...tape.references import Span
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import read_layer_count, read_layer_types
from ..experts.mixture import read_mlp_types, read_shared_mixture, separate_experts, write_experts
from ..hyper import Hyper, HyperNames, spread, write_through, write_weighted_sum
from ..indexer import Indexer, read_indexer, read_shared_indexers
from ..parts import write_head, write_mlp, write_named_mlp
from .deepseek import DeepSeekConfig, read_latent_config, write_latent_attention


@dataclass(frozen=True)
class Hy4Config(DeepSeekConfig):
    """`expert_activation`: of experts that a row chooses. Shared ones have the model's."""

    expert_activation: str
    hyper: Hyper
    indexer: Indexer


def read_config(raw: dict[str, Any]) -> Hy4Config:
    """The config.json of Hy4."""
    expect(raw, swiglu_limit=10.0, mlp_bias=False, scoring_func="sigmoid", topk_method="noaux_tc")
    expect(raw, use_mla=True, use_dsa=True, gated_mla=True, gating_type="elementwise")
    expect(raw, enable_ihc=True, learnable_sink=True)
    ignore(raw, "learnable_sink_init", "mtp_loss_factor", "enable_lm_head_fp32", "bitwise_backward_align")
    raw["num_key_value_heads"] = raw.get("num_attention_heads")  # files have 8; each head has its own
    read_layer_types(raw, ["indexed_attention"] * read_layer_count(raw), ("indexed_attention",))
    raw.setdefault("routed_scaling_factor", 2.827)
    mixture = read_shared_mixture(raw, dense_layers=1)
    mixture["has_experts"] = read_mlp_types(raw, mixture["has_experts"])
    rope = read_rope(raw)
    if rope.partial != 1 or rope.query_growth:
        raise ModelError("partial_rotary_factor and llama_4_scaling_beta are not supported here.")
    eps = read_number(raw, "hc_eps", 1e-6, 0, 1)
    latent = read_latent_config(raw, rope, **mixture)
    layers = read_layer_count(raw)
    names = ["full" if i == 0 or i % 4 == 1 else "shared" for i in range(layers)]
    chooses = read_shared_indexers(raw, default=names)
    return Hy4Config(
        **{field.name: getattr(latent, field.name) for field in fields(latent)},
        expert_activation="swiglu_to_10",
        hyper=Hyper(
            streams=read_size(raw, "hc_mult", default=4, max_value=16),
            norm_eps=latent.norm_eps,
            eps=eps,
            post_scale=read_number(raw, "hc_magnitude", 2.0),
            post_offset=eps,
        ),
        indexer=read_indexer(
            raw, 16, latent.rotated_dim, chooses=chooses, rotates="last", norm_eps=latent.norm_eps
        ),
    )


def write_tape(t: Tape, c: Hy4Config) -> None:
    """Streams through attention(norm) and mlp(norm) in each layer."""
    x = spread(t, t.embed("model.embed_tokens", c.vocab_size, c.hidden_size), c.hyper)
    for i in range(c.layers):
        p = f"model.layers.{i}"

        def attend(h: Span, i: int = i, p: str = p) -> Span:
            h = t.norm(h, f"{p}.input_layernorm", c.norm_eps, to="h")
            sinks, gate = f"{p}.self_attn.sinks", f"{p}.self_attn.gate_proj"
            return write_latent_attention(t, c, h, i, sinks=sinks, gate=gate, indexer=c.indexer)

        def feed(h: Span, i: int = i, p: str = p) -> Span:
            h = t.norm(h, f"{p}.post_attention_layernorm", c.norm_eps, to="h")
            return (_write_mixture if c.has_experts[i] else write_mlp)(t, c, h, i)

        for name, layer in (("attn", attend), ("ffn", feed)):
            x = write_through(t, c.hyper, x, _names(f"{p}.{name}_hc."), layer)
    x = write_weighted_sum(t, c.hyper, x, _names("model.hc_head.hc_"))
    write_head(t, c, x)


def _names(p: str) -> HyperNames:
    return HyperNames(*(f"{p}{part}" for part in ("fn", "scale", "base")))


def _write_mixture(t: Tape, c: Hy4Config, h: Span, i: int) -> Span:
    """The experts that a row chooses, and those that all rows share."""
    p = f"model.layers.{i}.mlp"
    like = replace(c, activation=c.expert_activation)
    bias = f"{p}.gate.e_score_correction_bias"
    mixture = write_experts(t, like, h, f"{p}.gate", separate_experts(c, f"{p}.experts"), choice_bias=bias)
    return t.add(mixture, write_named_mlp(t, c, h, f"{p}.shared_experts", c.shared_size))
