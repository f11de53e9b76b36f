"""BitNet b1.58 (Ma et al., 2025, arXiv:2504.12285): Llama with a norm before the output of attention and MLP.

Its gate is the square of ReLU. Weights are -1, 0 and 1 times a scale (files/quantized/bitnet.py).
"""

from dataclasses import replace
from functools import partial
from typing import Any

from ...checks.file_values import expect
from ...tape.references import Span
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import ModelConfig, read_attention_bias, read_decoder_config
from ..parts import write_attend, write_layers, write_qkv


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """BitNet's config.json."""
    expect(raw, hidden_act="relu2")
    return read_decoder_config(
        raw, activation="relu_squared", ropes=read_rope(raw, theta=500_000.0), **read_attention_bias(raw)
    )


def write_tape(t: Tape, c: ModelConfig) -> None:
    """Llama's layers, with two norms more. Source: Transformers, modeling_bitnet.py."""
    write_layers(t, c, partial(_write_mlp, t, c), partial(_write_attention, t, c))


def _write_attention(t: Tape, c: ModelConfig, h: Span, i: int) -> Span:
    p = f"model.layers.{i}.self_attn"
    q, k, v = write_qkv(t, c, h, i)
    mixed = replace(write_attend(t, c, q, k, v, i), heads=1)
    t.norm(mixed, f"{p}.attn_sub_norm", c.norm_eps)
    return t.project(mixed, "out", f"{p}.o_proj", c.hidden_size, c.output_bias)


def _write_mlp(t: Tape, c: ModelConfig, h: Span, i: int) -> Span:
    """down(norm(relu(gate(h))^2 * up(h)))."""
    p = f"model.layers.{i}.mlp"
    names = (f"{p}.gate_proj", f"{p}.up_proj")
    gate, up = t.linear(h, "inner", dict.fromkeys(names, (1, c.intermediate_size)))
    inner = t.map("multiply", t.map(c.activation, gate), up)
    t.norm(inner, f"{p}.ffn_sub_norm", c.norm_eps)
    return t.project(inner, "out", f"{p}.down_proj", c.hidden_size)
