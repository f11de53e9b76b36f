"""Seed-OSS (ByteDance, 2025): Llama with biases on queries, keys and values, and perhaps on their output."""

from typing import Any

from ...checks.file_values import expect, read_flag
from ..config import ModelConfig, read_decoder_config
from .llama import write_tape

__all__ = ["read_config", "write_tape"]


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """Seed-OSS' config.json."""
    expect(raw, activation="swiglu")
    return read_decoder_config(
        raw,
        qkv_bias=read_flag(raw, "attention_bias", True),
        output_bias=read_flag(raw, "attention_out_bias", False),
        mlp_bias=read_flag(raw, "mlp_bias", False),
    )
