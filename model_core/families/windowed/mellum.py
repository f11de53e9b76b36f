"""Mellum 2 (JetBrains, 2026): Qwen3-MoE's layers, of which some attend to a window and are rotated otherwise.

Source: Transformers, modeling_mellum.py.
"""

from typing import Any

from ...checks.file_values import expect, ignore, read_size
from ...tape.rope import read_layer_ropes
from ..config import (
    read_attention_bias,
    read_decoder_config,
    read_layer_count,
    read_layer_types,
    windows_of,
)
from ..experts.mixture import MixtureConfig, read_mixture, read_mlp_types
from ..experts.qwen3_moe import write_tape

__all__ = ["read_config", "write_tape"]


def read_config(raw: dict[str, Any]) -> MixtureConfig:
    """Mellum 2's config.json. The MTP head is left out."""
    expect(raw, use_sliding_window=True)
    ignore(raw, "mtp_layer_types", "mtp_mlp_layer_types")
    types = read_layer_types(raw, ["full_attention"] * read_layer_count(raw))
    mixture = read_mixture(
        raw, "num_experts", "moe_intermediate_size", normalizes=bool(raw.get("norm_topk_prob", True))
    )
    mixture["has_experts"] = read_mlp_types(raw, mixture["has_experts"])
    return read_decoder_config(
        raw,
        MixtureConfig,
        head_dim=read_size(raw, "head_dim", default=128),
        ropes=read_layer_ropes(raw, types, theta=5e5, local_theta=1e4),
        windows=windows_of(types, raw.get("sliding_window", 1024)),
        **read_attention_bias(raw),
        **mixture,
    )
