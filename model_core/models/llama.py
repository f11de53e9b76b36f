"""Llama (Touvron et al., 2023, arXiv:2302.13971), and the decoder that its relatives share.

TinyLlama, DeepSeek-LLM and SmolLM2 are this very architecture. transformer.py computes it.
"""

from typing import Any

from ..config import ModelConfig, decoder_config


def architecture(raw: dict[str, Any]) -> ModelConfig:
    """Llama's config.json: biases where it says so, no window."""
    attention_bias = bool(raw.get("attention_bias", False))
    return decoder_config(
        raw,
        qkv_bias=attention_bias,
        output_bias=attention_bias,
        mlp_bias=bool(raw.get("mlp_bias", False)),
    )
