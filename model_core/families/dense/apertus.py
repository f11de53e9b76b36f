"""Apertus (Swiss AI Initiative, 2025, arXiv:2509.14233): Llama, whose MLP has no gate, but xIELU.

Queries and keys are normed, each head by itself. Source: Transformers, modeling_apertus.py.
"""

from typing import Any

from ...checks.file_values import expect
from ...tape.rope import find_rope_fields, read_rope
from ...tape.tape import Tape
from ..config import ModelConfig, read_attention_bias, read_decoder_config
from ..parts import write_attention, write_head

_SCALING = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """Apertus' config.json."""
    expect(raw, hidden_act="xielu", qk_norm=True, post_norm=False, mlp_bias=False)
    return read_decoder_config(
        raw,
        activation="xielu",
        ropes=read_rope(raw, find_rope_fields(raw) or _SCALING, theta=12e6),
        **read_attention_bias(raw),
    )


def write_tape(t: Tape, c: ModelConfig) -> None:
    """x += attention(norm(x)), x += down(xielu(up(norm(x)))) in each layer."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.attention_layernorm", c.norm_eps, to="h")
        x = t.add(x, write_attention(t, c, h, i, head_norm=True))
        h = t.norm(x, f"{p}.feedforward_layernorm", c.norm_eps, to="h")
        inner = t.xielu(t.project(h, "inner", f"{p}.mlp.up_proj", c.intermediate_size), f"{p}.mlp.act_fn")
        x = t.add(x, t.project(inner, "out", f"{p}.mlp.down_proj", c.hidden_size))
    write_head(t, c, x)
