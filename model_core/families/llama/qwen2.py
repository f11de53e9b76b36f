"""Qwen2 (Yang et al., 2024, arXiv:2407.10671): Llama with biases on queries, keys and values.

Also the text models of Qwen2-VL (arXiv:2409.12191) and Qwen2.5-VL (arXiv:2502.13923). The three axes of their
positions are the same in a text.
"""

from typing import Any

from ...checks.file_values import expect
from ...tape.rope import read_rope
from ..config import (
    ModelConfig,
    read_decoder_config,
    read_layer_count,
    read_layer_types,
    read_window,
    windows_of,
)
from .llama import write_tape

__all__ = ["read_config", "write_tape"]
_SECTIONS = (16, 24, 24)  # of models that see


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """The config.json of Qwen2, or of the text model of Qwen2-VL or Qwen2.5-VL."""
    is_text = raw["model_type"] == "qwen2"
    ropes = read_rope(raw, theta=1e4 if is_text else 1e6, sections=() if is_text else _SECTIONS)
    config = read_decoder_config(raw, ropes=ropes, qkv_bias=True, windows=read_windows(raw))
    expect(raw, attention_bias=True)  # of queries, keys and values
    return config


def read_windows(raw: dict[str, Any]) -> tuple[int | None, ...]:
    """The window of each layer. With `use_sliding_window`, layers from `max_window_layers` on have it."""
    first, layers = raw.get("max_window_layers", 28), read_layer_count(raw)
    types = read_layer_types(
        raw, ["sliding_attention" if i >= first else "full_attention" for i in range(layers)]
    )
    return windows_of(types, read_window(raw))
