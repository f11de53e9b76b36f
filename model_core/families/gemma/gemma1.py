"""Gemma (2024, arXiv:2403.08295): Llama with a scaled embedding, whose norms store weights smaller by 1."""

from functools import partial
from typing import Any

from ...checks.file_values import expect, ignore, read_size
from ...tape.tape import Tape
from ..config import ModelConfig, read_activation, read_attention_bias, read_decoder_config
from ..parts import write_attention, write_head, write_mlp
from .gemma import write_scaled_embedding


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """Gemma's config.json. Older files name GELU, and Gemma was trained with its approximation by tanh."""
    expect(raw, use_bidirectional_attention=None)
    ignore(raw, "hidden_activation")
    if raw.get("hidden_act") in ("gelu", None):
        raw["hidden_act"] = "gelu_pytorch_tanh"
    return read_decoder_config(
        raw,
        head_dim=read_size(raw, "head_dim", default=256),
        activation=read_activation(raw, "hidden_act", "gelu_pytorch_tanh"),
        tie_word_embeddings=bool(raw.get("tie_word_embeddings", True)),
        **read_attention_bias(raw),
    )


def write_tape(t: Tape, c: ModelConfig) -> None:
    """x += attention(norm(x)), x += mlp(norm(x)) in each layer."""
    norm = partial(t.norm, eps=c.norm_eps, offset=1.0)
    x = write_scaled_embedding(t, c)
    for i in range(c.layers):
        h = norm(x, f"model.layers.{i}.input_layernorm", to="h")
        x = t.add(x, write_attention(t, c, h, i))
        h = norm(x, f"model.layers.{i}.post_attention_layernorm", to="h")
        x = t.add(x, write_mlp(t, c, h, i))
    write_head(t, c, x, offset=1.0)
