"""InternLM3 (Shanghai AI Laboratory, 2025): Llama, whose projections may have biases."""

from typing import Any

from ...checks.file_values import read_flag
from ..config import ModelConfig, read_decoder_config
from .llama import write_tape

__all__ = ["read_config", "write_tape"]


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """InternLM3's config.json, which in older files calls its flags `qkv_bias` and `bias`."""
    qkv_bias = read_flag(raw, "qkv_bias", read_flag(raw, "attention_bias", False))
    bias = read_flag(raw, "bias", read_flag(raw, "mlp_bias", False))
    return read_decoder_config(raw, qkv_bias=qkv_bias, output_bias=bias, mlp_bias=bias)
