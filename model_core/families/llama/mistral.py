"""Mistral (Jiang et al., 2023, arXiv:2310.06825): Llama with a sliding window over all layers."""

from typing import Any

from ...checks.file_values import expect
from ..config import ModelConfig, read_decoder_config
from .llama import write_tape

__all__ = ["read_config", "write_tape"]


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """Mistral's config.json. `sliding_window: null` means no window."""
    expect(raw, attention_bias=False, mlp_bias=False)
    return read_decoder_config(raw, windows=raw.get("sliding_window"))
