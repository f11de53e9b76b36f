"""Qwen2 (Yang et al., 2024, arXiv:2407.10671): Llama with biases on queries, keys and values."""

from typing import Any

from ..config import ModelConfig, decoder_config, size


def architecture(raw: dict[str, Any]) -> ModelConfig:
    """Qwen2's config.json. With `use_sliding_window`, layers from `max_window_layers` on have the window."""
    window = raw.get("sliding_window") if raw.get("use_sliding_window") else None
    first_windowed = raw.get("max_window_layers", 28)
    kinds = raw.get("layer_types") or [
        "sliding_attention" if i >= first_windowed else "full_attention"
        for i in range(size(raw, "num_hidden_layers", most=10_000))
    ]
    windows = tuple(window if kind == "sliding_attention" else None for kind in kinds)
    return decoder_config(raw, qkv_bias=True, windows=windows)
