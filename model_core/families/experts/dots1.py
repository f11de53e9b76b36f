"""dots.llm1 (rednote-hilab, 2025, arXiv:2506.05767): GLM-4.5's layers, with whole heads rotated.

Source: Transformers, modeling_dots1.py.
"""

from typing import Any

from ...checks.file_values import expect, read_size
from ...tape.rope import read_rope
from ..config import read_attention_bias, read_decoder_config, read_layer_count, read_layer_types, windows_of
from .glm4_moe import Glm4MoEConfig, write_tape
from .mixture import read_shared_mixture

__all__ = ["read_config", "write_tape"]


def read_config(raw: dict[str, Any]) -> Glm4MoEConfig:
    """dots.llm1's config.json. Layers from `max_window_layers` on attend to a window."""
    expect(raw, scoring_func="noaux_tc", moe_layer_freq=1)
    layers, window = read_layer_count(raw), raw.get("sliding_window", 4096)
    first = read_size(raw, "max_window_layers", default=62)
    default = ["sliding_attention" if window and i >= first else "full_attention" for i in range(layers)]
    normalizes = bool(raw.get("norm_topk_prob", False))
    return read_decoder_config(
        raw,
        Glm4MoEConfig,
        ropes=read_rope(raw),
        windows=windows_of(read_layer_types(raw, default), window),
        has_head_norm=True,
        **read_attention_bias(raw),
        **read_shared_mixture(raw, dense_layers=0, normalizes=normalizes),
    )
