"""LFM2 (Liquid AI, 2025, arXiv:2511.23404): layers of gated short convolution, and some of attention.

The larger models have experts instead of MLPs, except in the first layers.
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import expect, ignore, read_number, read_size
from ...tape.references import Span, WeightRef
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import read_decoder_config, read_layer_count, read_layer_types
from ..experts.mixture import MixtureConfig, no_experts, read_mixture, separate_experts, write_experts
from ..parts import write_attend, write_head, write_named_mlp, write_qkv

MLP_NAMES = ("w1", "w3", "w2")  # of gate, up and down projections


@dataclass(frozen=True)
class Lfm2Config(MixtureConfig):
    """The shapes of LFM2.

    Attributes:
        is_convolution: which layers convolve `conv_width` tokens; the others attend.
        has_choice_bias: whether a bias balances the choice of experts.
    """

    is_convolution: tuple[bool, ...]
    conv_width: int
    conv_bias: bool
    has_choice_bias: bool


def read_config(raw: dict[str, Any]) -> Lfm2Config:
    """The config.json of LFM2 or LFM2-MoE."""
    expect(raw, block_use_swiglu=True, use_pos_enc=True, attention_bias=False, mlp_bias=False)
    # repeated in other fields, or of training
    ignore(raw, "block_dim", "block_norm_eps", "conv_dim", "conv_dim_out", "num_heads")
    ignore(raw, "block_mlp_init_scale", "block_out_init_scale", "theta")
    ignore(raw, "block_use_xavier_init", "conv_use_xavier_init")
    layers, attending = read_layer_count(raw), raw.get("full_attn_idxs") or []
    default = ["full_attention" if i in attending else "conv" for i in range(layers)]
    types = read_layer_types(raw, default, known=("full_attention", "conv"))
    is_moe = raw["model_type"] == "lfm2_moe"
    return read_decoder_config(
        raw,
        Lfm2Config,
        intermediate_size=read_size(raw, "intermediate_size") if is_moe else _read_mlp_size(raw),
        norm_eps=read_number(raw, "norm_eps", 1e-5, 1e-30, 1),
        ropes=read_rope(raw, theta=1e6),
        tie_word_embeddings=bool(raw.get("tie_embedding", raw.get("tie_word_embeddings", True))),
        is_convolution=tuple(kind == "conv" for kind in types),
        conv_width=read_size(raw, "conv_L_cache", default=3, max_value=64),
        conv_bias=bool(raw.get("conv_bias", False)),
        has_choice_bias=is_moe and bool(raw.get("use_expert_bias", True)),
        **(_read_experts(raw) if is_moe else no_experts(layers)),
    )


def _read_mlp_size(raw: dict[str, Any]) -> int:
    """LFM2 states the size of an MLP without gate. With a gate, it takes two thirds, rounded up."""
    ignore(raw, "intermediate_size")  # where block_ff_dim counts
    size = read_size(raw, "block_ff_dim" if "block_ff_dim" in raw else "intermediate_size")
    if not raw.get("block_auto_adjust_ff_dim", True):
        return size
    multiple = read_size(raw, "block_multiple_of", default=256)
    factor = read_number(raw, "block_ffn_dim_multiplier", 1.0, 1e-3, 1e3)
    return -(-int(factor * int(2 * size / 3)) // multiple) * multiple


def _read_experts(raw: dict[str, Any]) -> dict[str, Any]:
    """The fields of MixtureConfig."""
    expect(raw, block_auto_adjust_ff_dim=False)
    mixture = read_mixture(
        raw,
        "num_experts",
        "moe_intermediate_size",
        score="sigmoid",
        normalizes=bool(raw.get("norm_topk_prob", True)),
        epsilon=1e-6,
        scale=read_number(raw, "routed_scaling_factor", 1.0),
    )
    dense = raw.get("num_dense_layers", 2)
    return mixture | {"has_experts": tuple(i >= dense for i in range(len(mixture["has_experts"])))}


def write_tape(t: Tape, c: Lfm2Config) -> None:
    """x += mixer(norm(x)), x += mlp(norm(x)) in each layer. The mixer is a convolution or attention."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.operator_norm", c.norm_eps, to="h")
        x = t.add(x, write_conv(t, c, h, i) if c.is_convolution[i] else _write_attention(t, c, h, i))
        h, mlp = t.norm(x, f"{p}.ffn_norm", c.norm_eps, to="h"), f"{p}.feed_forward"
        if c.has_experts[i]:
            experts = separate_experts(c, f"{mlp}.experts", MLP_NAMES)
            bias = f"{mlp}.expert_bias" if c.has_choice_bias else None
            y = write_experts(t, c, h, f"{mlp}.gate", experts, choice_bias=bias)
        else:
            y = write_named_mlp(t, c, h, mlp, c.intermediate_size, MLP_NAMES)
        x = t.add(x, y)
    write_head(t, c, x, norm="model.embedding_norm")


def write_conv(t: Tape, c: Lfm2Config, h: Span, i: int) -> Span:
    """out(C * conv(B * u)), where B, C and u are projections of h."""
    p, n = f"model.layers.{i}.conv", c.hidden_size
    b, c_gate, u = t.linear_split(h, "short", f"{p}.in_proj", [(1, n)] * 3, c.conv_bias)
    bias = WeightRef(f"{p}.conv.bias", (n,)) if c.conv_bias else None
    weight = WeightRef(f"{p}.conv.weight", (n, 1, c.conv_width))
    y = t.map("multiply", t.conv(t.map("multiply", b, u), "convolved", weight, bias), c_gate)
    return t.project(y, "out", f"{p}.out_proj", n, c.conv_bias)


def _write_attention(t: Tape, c: Lfm2Config, h: Span, i: int) -> Span:
    """Attention with a norm of each query and key head."""
    q, k, v = write_qkv(t, c, h, i)
    p = f"model.layers.{i}.self_attn"
    q = t.norm(q, f"{p}.q_layernorm", c.norm_eps)
    k = t.norm(k, f"{p}.k_layernorm", c.norm_eps)
    return t.project(write_attend(t, c, q, k, v, i), "out", f"{p}.out_proj", c.hidden_size)
