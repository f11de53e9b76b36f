"""EXAONE 4 (LG AI Research, 2025, arXiv:2507.11407): norms behind attention and MLP, and of each query and
key head. Where some layers attend to a window, the others have no positions.
"""

from typing import Any

from ..config import ModelConfig, read_decoder_config, read_layer_types
from ..errors import ModelError
from ..fields import read_size, shorten
from ..rope import read_rope
from ..tape import Tape
from .parts import write_attention, write_head, write_mlp


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """EXAONE 4's config.json."""
    layers, window, rope = read_size(raw, "num_hidden_layers", max_value=10_000), None, read_rope(raw)
    types = read_layer_types(raw, _default_layer_types(raw, layers))
    if raw.get("sliding_window") is not None:
        window = read_size(raw, "sliding_window")
    is_windowed = [layer_type == "sliding_attention" for layer_type in types]
    return read_decoder_config(
        raw,
        windows=tuple(window if windowed else None for windowed in is_windowed),
        ropes=tuple(rope if windowed or window is None else None for windowed in is_windowed),
    )


def _default_layer_types(raw: dict[str, Any], layers: int) -> list[str]:
    """`sliding_window_pattern` is the interval of full layers, or a text such as "LLLG" that is repeated."""
    pattern = raw.get("sliding_window_pattern", 4)
    if raw.get("sliding_window") is None:
        return ["full_attention"] * layers
    if not isinstance(pattern, str):
        pattern = "L" * (read_size(raw, "sliding_window_pattern", default=4, max_value=10_000) - 1) + "G"
    if not pattern or set(pattern) - set("LG"):
        raise ModelError(f"sliding_window_pattern should consist of L and G, not {shorten(pattern)}.")
    return [
        "sliding_attention" if pattern[i % len(pattern)] == "L" else "full_attention" for i in range(layers)
    ]


def write_tape(t: Tape, c: ModelConfig) -> None:
    """Attention and MLP read the hidden states x without a norm. Their outputs are normed and added to x."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        y = write_attention(t, c, x, i, head_norm=True)
        x = t.add(x, t.norm(y, f"model.layers.{i}.post_attention_layernorm", c.rms_norm_eps))
        y = write_mlp(t, c, x, i)
        x = t.add(x, t.norm(y, f"model.layers.{i}.post_feedforward_layernorm", c.rms_norm_eps))
    write_head(t, c, x)
