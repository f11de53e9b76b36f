"""Llama (Touvron et al., 2023, arXiv:2302.13971): TinyLlama, DeepSeek-LLM and SmolLM2 are the same."""

from typing import Any

from ...checks.file_values import expect
from ...tape.tape import Tape
from ..config import ModelConfig, read_attention_bias, read_decoder_config
from ..parts import write_attention, write_head, write_mlp


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """Llama's config.json, which may have biases and has no window."""
    expect(raw, activation="swiglu")
    return read_decoder_config(raw, mlp_bias=bool(raw.get("mlp_bias", False)), **read_attention_bias(raw))


def write_tape(t: Tape, c: ModelConfig) -> None:
    """x += attention(norm(x)), x += mlp(norm(x)) in each layer, where x are the hidden states."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        h = t.norm(x, f"model.layers.{i}.input_layernorm", c.norm_eps, to="h")
        x = t.add(x, write_attention(t, c, h, i))
        h = t.norm(x, f"model.layers.{i}.post_attention_layernorm", c.norm_eps, to="h")
        x = t.add(x, write_mlp(t, c, h, i))
    write_head(t, c, x)
