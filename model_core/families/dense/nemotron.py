"""Nemotron-4 (NVIDIA, 2024, arXiv:2402.16819), of which Minitron was cut, and Jais 2 (Inception, 2025).

Layer norms, and an MLP without gate: down(relu(up(x))^2) (arXiv:2109.08668). Nemotron stores the weights of
its norms smaller by 1, and rotates half of each head. Source: Transformers, modeling_nemotron.py and
modeling_jais2.py.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

from ...checks.file_values import expect, read_flag, read_number
from ...tape.references import Span, WeightRef
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import ModelConfig, read_attention_bias, read_decoder_config
from ..parts import write_attention, write_logits, write_plain_mlp


@dataclass(frozen=True)
class NemotronConfig(ModelConfig):
    """`norm_offset` is added to the stored weights of norms."""

    norm_offset: float


def read_config(raw: dict[str, Any]) -> NemotronConfig:
    """The config.json of Nemotron or Jais 2."""
    expect(raw, hidden_act="relu2")
    is_jais = raw["model_type"] == "jais2"
    return read_decoder_config(
        raw,
        NemotronConfig,
        activation="relu_squared",
        norm_eps=read_number(raw, "layer_norm_eps" if is_jais else "norm_eps", 1e-5, 1e-30, 1),
        norm_offset=0.0 if is_jais else 1.0,
        ropes=read_rope(raw, partial=1.0 if is_jais else 0.5),
        mlp_bias=read_flag(raw, "mlp_bias", is_jais),
        **read_attention_bias(raw, default=is_jais),
    )


def write_tape(t: Tape, c: NemotronConfig) -> None:
    """x += attention(norm(x)), x += down(relu(up(norm(x)))^2) in each layer."""
    norm = partial(_norm, t, c)
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        x = t.add(x, write_attention(t, c, norm(x, f"{p}.input_layernorm"), i))
        h = norm(x, f"{p}.post_attention_layernorm")
        x = t.add(x, write_plain_mlp(t, c, h, f"{p}.mlp.up_proj", f"{p}.mlp.down_proj", c.mlp_bias))
    write_logits(t, c, norm(t.take_rows(x), "model.norm"))


def _norm(t: Tape, c: NemotronConfig, x: Span, name: str) -> Span:
    """Layer norm with weights and a bias."""
    y = t.center(x, "h")
    t.norm(y, name, c.norm_eps, offset=c.norm_offset)
    return t.map("add", y, WeightRef(f"{name}.bias", (x.size,)))
