"""MiniCPM and MiniCPM4 (Hu et al., 2024, arXiv:2404.06395): Llama with multipliers, as Granite.

Sparse attention (MiniCPM4.1) is refused.
"""

from typing import Any

from ...checks.file_values import expect, read_number, read_size
from ..config import read_decoder_config, read_layer_count
from .granite import GraniteConfig, write_tape

__all__ = ["read_config", "write_tape"]


def read_config(raw: dict[str, Any]) -> GraniteConfig:
    """MiniCPM's config.json. Source: modeling_minicpm.py of openbmb/MiniCPM-2B-sft-bf16."""
    layers, hidden = read_layer_count(raw), read_size(raw, "hidden_size")
    expect(raw, mup_denominator=layers, attention_bias=False)
    heads = read_size(raw, "num_attention_heads")
    head_dim = read_size(raw, "head_dim", default=max(1, hidden // heads))
    return read_decoder_config(
        raw,
        GraniteConfig,
        embedding_multiplier=read_number(raw, "scale_emb", 1.0),
        attention_multiplier=head_dim**-0.5,
        residual_multiplier=read_number(raw, "scale_depth", 1.0) * layers**-0.5,
        logits_scaling=hidden / read_size(raw, "dim_model_base", default=1),
    )
