"""Gemma 2 (2024, arXiv:2408.00118) and Gemma 3 (2025, arXiv:2503.19786).

Embeddings are scaled by sqrt(hidden_size). Each layer has four norms; their stored weights are smaller by 1.
Most layers attend to a window. Gemma 2 caps scores and logits. Gemma 3 norms queries and keys instead, and
has other rotary positions in windowed layers.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

from ...checks.file_values import expect, ignore, read_number, read_size
from ...errors import ModelError
from ...tape.references import Span
from ...tape.rope import read_layer_ropes, read_rope
from ...tape.tape import Tape
from ..config import (
    ModelConfig,
    read_activation,
    read_attention_bias,
    read_decoder_config,
    read_layer_types,
    windows_of,
)
from ..parts import Scores, write_attention, write_head, write_mlp


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
    expect(raw, mlp_bias=False)
    is_gemma3 = raw["model_type"] == "gemma3_text"
    is_causal, window = True, raw.get("sliding_window", 4096)
    if raw.get("use_bidirectional_attention"):
        if not is_gemma3:
            raise ModelError("use_bidirectional_attention is supported for Gemma 3 alone.")
        # Transformers takes half of the window on each side, and one more where config.json has both fields.
        is_causal, window = False, window and window // 2 + (raw.get("is_causal") is False)
    if is_gemma3:
        for name, value in _GEMMA3_DEFAULTS.items():
            raw.setdefault(name, value)
    interval = read_size(raw, "sliding_window_pattern", default=6) if is_gemma3 else 2
    types = read_layer_types(raw, interval)
    return read_decoder_config(
        raw,
        GemmaConfig,
        head_dim=read_size(raw, "head_dim", default=256),
        activation=read_activation(raw, "hidden_activation", "gelu_pytorch_tanh"),
        ropes=read_layer_ropes(raw, types, theta=1e6, local_theta=1e4) if is_gemma3 else read_rope(raw),
        windows=windows_of(types, window),
        is_causal=is_causal,
        tie_word_embeddings=bool(raw.get("tie_word_embeddings", True)),
        query_scale=read_number(raw, "query_pre_attn_scalar", 256, 1e-6, 1e6) ** -0.5,
        attention_cap=_read_cap(raw, "attn_logit_softcapping", None if is_gemma3 else 50.0),
        logits_cap=_read_cap(raw, "final_logit_softcapping", None if is_gemma3 else 30.0),
        has_head_norm=is_gemma3,
        **read_attention_bias(raw),
    )


def _read_cap(raw: dict[str, Any], name: str, default: float | None) -> float | None:
    """A cap, or None if it is null or 0."""
    return read_number(raw, name, 0.0, 0, 1e6) or None if name in raw else default


def write_tape(t: Tape, c: GemmaConfig) -> None:
    """x += norm(attention(norm(x))), x += norm(mlp(norm(x))) in each layer."""
    norm = partial(t.norm, eps=c.norm_eps, offset=1.0)
    x = write_scaled_embedding(t, c)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = norm(x, f"{p}.input_layernorm", to="h")
        scores = Scores(c.query_scale, c.attention_cap, is_bounded=c.has_head_norm)  # in Gemma 3
        y = write_attention(t, c, h, i, head_norm=c.has_head_norm, offset=1.0, scores=scores)
        x = t.add(x, norm(y, f"{p}.post_attention_layernorm"))
        h = norm(x, f"{p}.pre_feedforward_layernorm", to="h")
        x = t.add(x, norm(write_mlp(t, c, h, i), f"{p}.post_feedforward_layernorm"))
    t.softcap(write_head(t, c, x, offset=1.0), c.logits_cap)


def write_scaled_embedding(t: Tape, c: ModelConfig) -> Span:
    """The embedding, times sqrt(hidden_size)."""
    return t.scale(t.embed("model.embed_tokens", c.vocab_size, c.hidden_size), c.hidden_size**0.5)
