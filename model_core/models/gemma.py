"""Gemma 2 (2024, arXiv:2408.00118) and Gemma 3 (2025, arXiv:2503.19786).

Embeddings are scaled by sqrt(hidden_size). Each layer has four norms; their stored weights are smaller by 1.
Most layers attend to a window. Gemma 2 caps scores and logits. Gemma 3 norms queries and keys instead, and
has other rotary positions in windowed layers.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..config import ModelConfig, read_activation, read_decoder_config, read_layer_types
from ..errors import ModelError
from ..fields import ignore, read_number, read_size
from ..rope import read_rope
from ..tape import Tape
from .olmo3 import read_ropes_by_layer_type
from .parts import write_attention, write_head, write_mlp


@dataclass(frozen=True)
class GemmaConfig(ModelConfig):
    """`query_scale` is the factor of scores. A cap is None where the model has none."""

    query_scale: float
    attention_cap: float | None
    logits_cap: float | None
    has_head_norm: bool


# Some files leave these out.
_GEMMA3_DEFAULTS = {
    "vocab_size": 262208,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "max_position_embeddings": 131072,
    "rms_norm_eps": 1e-6,
}


def read_config(raw: dict[str, Any]) -> GemmaConfig:
    """The config.json of Gemma 2 or Gemma 3 (its text part)."""
    ignore(raw, "hidden_act")  # hidden_activation counts
    if raw.get("use_bidirectional_attention"):
        raise ModelError("use_bidirectional_attention is not supported.")
    layers = read_size(raw, "num_hidden_layers", max_value=10_000)
    is_gemma3 = raw["model_type"] == "gemma3_text"
    if is_gemma3:
        for name, value in _GEMMA3_DEFAULTS.items():
            raw.setdefault(name, value)
    pattern = read_size(raw, "sliding_window_pattern", default=6) if is_gemma3 else 2
    types = read_layer_types(
        raw, ["sliding_attention" if (i + 1) % pattern else "full_attention" for i in range(layers)]
    )
    window, bias = raw.get("sliding_window", 4096), bool(raw.get("attention_bias", False))
    return read_decoder_config(
        raw,
        GemmaConfig,
        head_dim=read_size(raw, "head_dim", default=256),
        activation=read_activation(raw, "hidden_activation", "gelu_pytorch_tanh"),
        ropes=read_ropes_by_layer_type(raw, types, 1e6, 1e4) if is_gemma3 else (read_rope(raw),) * layers,
        windows=tuple(window if layer_type == "sliding_attention" else None for layer_type in types),
        tie_word_embeddings=bool(raw.get("tie_word_embeddings", True)),
        qkv_bias=bias,
        output_bias=bias,
        query_scale=read_number(raw, "query_pre_attn_scalar", 256, 1e-6, 1e6) ** -0.5,
        attention_cap=_read_cap(raw, "attn_logit_softcapping", None if is_gemma3 else 50.0),
        logits_cap=_read_cap(raw, "final_logit_softcapping", None if is_gemma3 else 30.0),
        has_head_norm=is_gemma3,
    )


def _read_cap(raw: dict[str, Any], name: str, default: float | None) -> float | None:
    """A cap, or None if it is null or 0."""
    return read_number(raw, name, 0.0, 0, 1e6) or None if name in raw else default


def write_tape(t: Tape, c: GemmaConfig) -> None:
    """Attention and MLP, each between two norms, added to the hidden states x."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    x = t.scale(x, float(np.float32(c.hidden_size**0.5)))
    for i in range(c.layers):
        p, norm = f"model.layers.{i}", {"eps": c.rms_norm_eps, "offset": 1.0}
        h = t.norm(x, f"{p}.input_layernorm", to="h", **norm)
        y = write_attention(
            t, c, h, i, head_norm=c.has_head_norm, offset=1.0, scale=c.query_scale, softcap=c.attention_cap
        )
        x = t.add(x, t.norm(y, f"{p}.post_attention_layernorm", **norm))
        h = t.norm(x, f"{p}.pre_feedforward_layernorm", to="h", **norm)
        x = t.add(x, t.norm(write_mlp(t, c, h, i), f"{p}.post_feedforward_layernorm", **norm))
    t.softcap(write_head(t, c, x, offset=1.0), c.logits_cap)
