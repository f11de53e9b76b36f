"""EXAONE 4 (LG AI Research, 2025, arXiv:2507.11407): norms after attention and MLP.

Each query and key head is normed, too. Where some layers attend to a window, the others have no positions.
"""

from typing import Any

from ...checks.file_values import expect, read_size, shorten
from ...errors import ModelError
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import ModelConfig, read_decoder_config, read_layer_count, read_layer_types, windows_of
from ..parts import write_attention, write_head, write_mlp


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """EXAONE 4's config.json."""
    expect(raw, attention_bias=False, mlp_bias=False)
    return read_decoder_config(raw, **read_windows_and_ropes(raw))


def read_windows_and_ropes(raw: dict[str, Any]) -> dict[str, Any]:
    """The windows and the positions of layers, as fields of ModelConfig."""
    window = None if raw.get("sliding_window") is None else read_size(raw, "sliding_window")
    types = read_layer_types(raw, _default_layer_types(raw))
    rope = read_rope(raw)
    return {
        "windows": windows_of(types, window),
        "ropes": tuple(rope if window is None or kind == "sliding_attention" else None for kind in types),
    }


def _default_layer_types(raw: dict[str, Any]) -> int | list[str]:
    """`sliding_window_pattern` is the interval of full layers, or a text such as "LLLG" that is repeated."""
    pattern, layers = raw.get("sliding_window_pattern", 4), read_layer_count(raw)
    if raw.get("sliding_window") is None:
        return ["full_attention"] * layers
    if not isinstance(pattern, str):
        return read_size(raw, "sliding_window_pattern", default=4)
    if not pattern or set(pattern) - set("LG"):
        raise ModelError(f"sliding_window_pattern should consist of L and G, not {shorten(pattern)}.")
    return [
        "sliding_attention" if pattern[i % len(pattern)] == "L" else "full_attention" for i in range(layers)
    ]


def write_tape(t: Tape, c: ModelConfig) -> None:
    """x += norm(attention(x)), x += norm(mlp(x)) in each layer."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        y = write_attention(t, c, x, i, head_norm=True)
        x = t.add(x, t.norm(y, f"model.layers.{i}.post_attention_layernorm", c.norm_eps))
        y = write_mlp(t, c, x, i)
        x = t.add(x, t.norm(y, f"model.layers.{i}.post_feedforward_layernorm", c.norm_eps))
    write_head(t, c, x)
