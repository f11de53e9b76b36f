"""Llama (Touvron et al., 2023, arXiv:2302.13971): TinyLlama, DeepSeek-LLM and SmolLM2 are the same."""

from functools import partial
from typing import Any

from ...checks.file_values import expect
from ...tape.tape import Tape
from ..config import ModelConfig, read_attention_bias, read_decoder_config
from ..parts import write_layers, write_mlp


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """Llama's config.json, which may have biases and has no window."""
    expect(raw, activation="swiglu")
    return read_decoder_config(raw, mlp_bias=bool(raw.get("mlp_bias", False)), **read_attention_bias(raw))


def write_tape(t: Tape, c: ModelConfig) -> None:
    """Layers of attention and an MLP, each behind a norm."""
    write_layers(t, c, partial(write_mlp, t, c))
