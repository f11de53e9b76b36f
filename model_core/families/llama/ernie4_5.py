"""ERNIE 4.5 (Baidu, 2025): Llama, with neighbouring dimensions of a head rotated together."""

from dataclasses import replace
from typing import Any

from ...checks.file_values import expect, ignore
from ...tape.rope import read_rope
from ..config import ModelConfig, read_decoder_config
from .llama import write_tape

__all__ = ["read_config", "write_tape"]


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """ERNIE 4.5's config.json."""
    return read_decoder_config(raw, **read_shared_fields(raw))


def read_shared_fields(raw: dict[str, Any]) -> dict[str, Any]:
    """The fields that models with experts share. All projections have a bias or none has."""
    bias = bool(raw.get("use_bias", False))
    expect(raw, attention_bias=bias, mlp_bias=bias, compression_ratio=1.0)
    ignore(raw, "weight_share_add_bias", "ignored_index")  # of the head, where there are biases; of training
    return {
        "ropes": replace(read_rope(raw, theta=500_000.0), is_interleaved=True),
        "qkv_bias": bias,
        "output_bias": bias,
        "mlp_bias": bias,
        "tie_word_embeddings": bool(raw.get("tie_word_embeddings", True)),
    }
