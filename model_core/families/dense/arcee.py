"""Arcee Foundation Models (2025): Llama, whose MLP has no gate: down(relu(up(x))^2) (arXiv:2109.08668)."""

from typing import Any

from ...checks.file_values import expect
from ...tape.tape import Tape
from ..config import ModelConfig, read_attention_bias, read_decoder_config
from ..parts import write_attention, write_head


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """Arcee's config.json."""
    expect(raw, hidden_act="relu2")
    return read_decoder_config(
        raw,
        activation="relu_squared",
        mlp_bias=bool(raw.get("mlp_bias", False)),
        **read_attention_bias(raw),
    )


def write_tape(t: Tape, c: ModelConfig) -> None:
    """x += attention(norm(x)), x += mlp(norm(x)) in each layer."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.input_layernorm", c.norm_eps, to="h")
        x = t.add(x, write_attention(t, c, h, i))
        h = t.norm(x, f"{p}.post_attention_layernorm", c.norm_eps, to="h")
        inner = t.project(h, "inner", f"{p}.mlp.up_proj", c.intermediate_size, c.mlp_bias)
        inner = t.map(c.activation, inner)
        x = t.add(x, t.project(inner, "out", f"{p}.mlp.down_proj", c.hidden_size, c.mlp_bias))
    write_head(t, c, x)
