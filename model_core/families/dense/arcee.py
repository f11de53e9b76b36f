"""Arcee Foundation Models (2025): Llama, whose MLP has no gate: down(relu(up(x))^2) (arXiv:2109.08668)."""

from typing import Any

from ...checks.file_values import expect
from ...tape.references import Span
from ...tape.tape import Tape
from ..config import ModelConfig, read_attention_bias, read_decoder_config
from ..parts import write_layers, write_plain_mlp


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
    """Llama's layers, with an MLP without gate."""

    def write_mlp(h: Span, i: int) -> Span:
        p = f"model.layers.{i}.mlp"
        return write_plain_mlp(t, c, h, f"{p}.up_proj", f"{p}.down_proj", c.mlp_bias)

    write_layers(t, c, write_mlp)
