"""Granite 3 (IBM, 2024): Llama with multipliers of embedding, scores, residuals and logits."""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import expect, read_number
from ...tape.tape import Tape
from ..config import ModelConfig, read_attention_bias, read_decoder_config
from ..parts import Scores, write_attention, write_head, write_mlp


@dataclass(frozen=True)
class GraniteConfig(ModelConfig):
    """`attention_multiplier` takes the place of head_dim^-0.5; logits are divided by `logits_scaling`."""

    embedding_multiplier: float
    attention_multiplier: float
    residual_multiplier: float
    logits_scaling: float


def read_config(raw: dict[str, Any]) -> GraniteConfig:
    """Granite's config.json."""
    expect(raw, position_embedding_type="rope")
    mlp_bias = bool(raw.get("mlp_bias", False))
    return read_decoder_config(
        raw, GraniteConfig, mlp_bias=mlp_bias, **read_attention_bias(raw), **read_multipliers(raw)
    )


def read_multipliers(raw: dict[str, Any]) -> dict[str, float]:
    """The fields of GraniteConfig."""
    names = ("embedding_multiplier", "attention_multiplier", "residual_multiplier")
    multipliers = {name: read_number(raw, name, 1.0) for name in names}
    return multipliers | {"logits_scaling": read_number(raw, "logits_scaling", 1.0, 1e-6)}


def write_tape(t: Tape, c: GraniteConfig) -> None:
    """x += m attention(norm(x)), x += m mlp(norm(x)) in each layer, where m is the residual multiplier."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    x = t.scale(x, c.embedding_multiplier)
    for i in range(c.layers):
        h = t.norm(x, f"model.layers.{i}.input_layernorm", c.norm_eps, to="h")
        y = write_attention(t, c, h, i, scores=Scores(c.attention_multiplier))
        x = t.add(x, y, c.residual_multiplier)
        h = t.norm(x, f"model.layers.{i}.post_attention_layernorm", c.norm_eps, to="h")
        x = t.add(x, write_mlp(t, c, h, i), c.residual_multiplier)
    t.scale(write_head(t, c, x), 1 / c.logits_scaling)
