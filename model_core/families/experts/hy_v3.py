"""Hy3 (Tencent, 2026): Qwen3's attention, and experts chosen as in DeepSeek-V3 beside a shared one.

The first layer has an MLP. Source: Transformers, modeling_hy_v3.py.
"""

from functools import partial
from typing import Any

from ...checks.file_values import expect, ignore, read_number, read_size
from ...tape.references import Span
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import read_attention_bias, read_decoder_config, read_layer_count
from ..parts import write_attention, write_layers, write_mlp
from .mixture import SharedMixtureConfig, read_mixture, read_mlp_types, write_shared_mixture


def read_config(raw: dict[str, Any]) -> SharedMixtureConfig:
    """Hy3's config.json. The MTP head is left out."""
    expect(raw, mlp_bias=False, qk_norm=True, use_qk_norm=True, route_norm=True)
    expect(raw, moe_router_use_sigmoid=True, moe_router_enable_expert_bias=True)
    # Of the precision.
    ignore(raw, "enable_moe_fp32_combine", "enable_attention_fp32_softmax", "enable_lm_head_fp32")
    dense = raw.get("first_k_dense_replace", 1)
    mixture = read_mixture(
        raw,
        "num_experts",
        "moe_intermediate_size",
        score="sigmoid",
        normalizes=True,
        epsilon=1e-20,
        scale=read_number(raw, "router_scaling_factor", 2.826),
    )
    mixture["has_experts"] = read_mlp_types(raw, (i >= dense for i in range(read_layer_count(raw))))
    expect(raw, expert_hidden_dim=mixture["expert_size"])
    return read_decoder_config(
        raw,
        SharedMixtureConfig,
        head_dim=read_size(raw, "head_dim", default=128),
        ropes=read_rope(raw, theta=11_158_840.0),
        shared_size=mixture["expert_size"] * read_size(raw, "num_shared_experts", default=1),
        has_choice_bias=True,
        **read_attention_bias(raw),
        **mixture,
    )


def write_tape(t: Tape, c: SharedMixtureConfig) -> None:
    """Llama's layers, the later ones with experts instead of MLPs."""

    def write_mixture(h: Span, i: int) -> Span:
        if not c.has_experts[i]:
            return write_mlp(t, c, h, i)
        return write_shared_mixture(t, c, h, i, "router.gate", "expert_bias", "shared_mlp")

    write_layers(t, c, write_mixture, partial(write_attention, t, c, head_norm=True))
