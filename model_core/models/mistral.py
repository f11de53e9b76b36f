"""Mistral (Jiang et al., 2023, arXiv:2310.06825): Llama with a sliding window over all layers."""

from typing import Any

from ..config import ModelConfig, decoder_config, size


def architecture(raw: dict[str, Any]) -> ModelConfig:
    """Mistral's config.json; `sliding_window: null` means none."""
    return decoder_config(
        raw, windows=(raw.get("sliding_window"),) * size(raw, "num_hidden_layers", most=10_000)
    )
