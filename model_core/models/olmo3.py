"""OLMo 3 (Ai2, 2025): OLMo 2 with a sliding window on three of four layers."""

from typing import Any

from ..config import ModelConfig, read_decoder_config, read_layer_types
from ..fields import ignore, read_size
from ..rope import RopeConfig, read_rope
from .olmo2 import write_tape

__all__ = ["read_config", "write_tape"]


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """OLMo 3's config.json."""
    layers = read_size(raw, "num_hidden_layers", max_value=10_000)
    types = read_layer_types(
        raw, ["sliding_attention" if (i + 1) % 4 else "full_attention" for i in range(layers)]
    )
    window, bias = raw.get("sliding_window", 4096), bool(raw.get("attention_bias", False))
    return read_decoder_config(
        raw,
        ropes=read_ropes_by_layer_type(raw, types, theta=5e5, local_theta=None),
        windows=tuple(window if layer_type == "sliding_attention" else None for layer_type in types),
        qkv_bias=bias,
        output_bias=bias,
    )


def read_ropes_by_layer_type(
    raw: dict[str, Any], types: tuple[str, ...], theta: float, local_theta: float | None
) -> tuple[RopeConfig, ...]:
    """The rotary positions of each layer, which differ between full and windowed layers.

    Those of windowed layers are never scaled. theta, local_theta: of full and windowed layers, if config.json
    has none. `local_theta` None: the same as `theta`.
    """
    ignore(raw, "rope_local_base_freq")  # in newer files a copy
    parameters = raw.get("rope_parameters") or {}
    if "full_attention" in parameters or "sliding_attention" in parameters:
        full, local = parameters.get("full_attention") or {}, parameters.get("sliding_attention") or {}
    else:  # older files
        theta = raw.get("rope_theta", theta)
        full, local = parameters or raw.get("rope_scaling") or {}, {}
        local_theta = raw.get("rope_local_base_freq", theta if local_theta is None else local_theta)
    ropes = {
        "full_attention": read_rope(raw, {"rope_theta": theta, **full}),
        "sliding_attention": read_rope(raw, {"rope_theta": local_theta or theta, **local}),
    }
    return tuple(ropes[layer_type] for layer_type in types)
