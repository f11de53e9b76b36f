"""SmolLM3 (Hugging Face, 2025): Llama in which every fourth layer has no positions (arXiv:2501.18795)."""

from typing import Any

from ...checks.file_values import read_size
from ...errors import ModelError
from ...tape.rope import read_rope
from ..config import (
    ModelConfig,
    read_attention_bias,
    read_decoder_config,
    read_layer_count,
    read_layer_types,
    read_window,
    windows_of,
)
from .llama import write_tape

__all__ = ["read_config", "write_tape"]


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """SmolLM3's config.json. `no_rope_layers` has a 1 for each layer with positions."""
    layers, window = read_layer_count(raw), read_window(raw)
    interval = read_size(raw, "no_rope_layer_interval", default=4)
    rotated = raw.get("no_rope_layers") or [(i + 1) % interval for i in range(layers)]
    if not isinstance(rotated, list) or len(rotated) != layers:
        raise ModelError(f"no_rope_layers should have a number for each of {layers} layers.")
    types = read_layer_types(
        raw, ["sliding_attention" if window and not rotated[i] else "full_attention" for i in range(layers)]
    )
    rope = read_rope(raw, theta=2e6)
    return read_decoder_config(
        raw,
        ropes=tuple(rope if rotated[i] else None for i in range(layers)),
        windows=windows_of(types, window),
        tie_word_embeddings=bool(raw.get("tie_word_embeddings", True)),
        mlp_bias=bool(raw.get("mlp_bias", False)),
        **read_attention_bias(raw),
    )
