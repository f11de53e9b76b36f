"""OLMo 3 (Ai2, 2025): OLMo 2 with a sliding window on three of four layers."""

from typing import Any

from ...checks.file_values import expect
from ...tape.rope import read_layer_ropes
from ..config import ModelConfig, read_attention_bias, read_decoder_config, read_layer_types, windows_of
from .olmo2 import write_tape

__all__ = ["read_config", "write_tape"]


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """OLMo 3's config.json."""
    expect(raw, mlp_bias=False)
    types = read_layer_types(raw, default=4)
    return read_decoder_config(
        raw,
        ropes=read_layer_ropes(raw, types, theta=5e5),
        windows=windows_of(types, raw.get("sliding_window", 4096)),
        **read_attention_bias(raw),
    )
