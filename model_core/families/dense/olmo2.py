"""OLMo 2 (2025, arXiv:2501.00656): norms after attention and MLP, and over all query and key heads."""

from functools import partial
from typing import Any

from ...checks.file_values import expect
from ...tape.references import Span
from ...tape.tape import Tape
from ..config import ModelConfig, read_attention_bias, read_decoder_config
from ..parts import Part, write_attention, write_head, write_mlp


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """OLMo 2's config.json."""
    expect(raw, mlp_bias=False)
    return read_decoder_config(raw, **read_attention_bias(raw))


def write_tape(t: Tape, c: ModelConfig) -> None:
    """An embedding, layers and the head."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        x = write_layer(t, c, x, i, partial(write_mlp, t, c))
    write_head(t, c, x)


def write_layer(t: Tape, c: ModelConfig, x: Span, i: int, mlp: Part) -> Span:
    """x += norm(attention(x)), x += norm(mlp(x)). mlp: see parts.write_layer."""
    y = write_attention(t, c, x, i, full_norm=True)
    x = t.add(x, t.norm(y, f"model.layers.{i}.post_attention_layernorm", c.norm_eps))
    y = mlp(x, i)
    return t.add(x, t.norm(y, f"model.layers.{i}.post_feedforward_layernorm", c.norm_eps))
