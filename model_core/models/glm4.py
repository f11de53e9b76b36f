"""GLM-4 (Zhipu AI, 2024, arXiv:2406.12793): norms before and behind attention and MLP.

Neighbouring dimensions are rotated together, in the first half of each head.
"""

from dataclasses import replace
from typing import Any

from ..config import ModelConfig, read_decoder_config
from ..fields import read_size
from ..rope import read_rope
from ..tape import Tape
from .parts import write_attention, write_head


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """GLM-4's config.json."""
    rope = replace(read_rope(raw, partial=0.5), is_interleaved=True)
    return read_decoder_config(
        raw,
        ropes=(rope,) * read_size(raw, "num_hidden_layers", max_value=10_000),
        qkv_bias=bool(raw.get("attention_bias", True)),
    )


def write_tape(t: Tape, c: ModelConfig) -> None:
    """Attention and MLP, each between two norms, added to the hidden states x."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p, eps = f"model.layers.{i}", c.rms_norm_eps
        h = t.norm(x, f"{p}.input_layernorm", eps, to="h")
        x = t.add(x, t.norm(write_attention(t, c, h, i), f"{p}.post_self_attn_layernorm", eps))
        h = t.norm(x, f"{p}.post_attention_layernorm", eps, to="h")
        gate, up = t.split(h, "inner", f"{p}.mlp.gate_up_proj", [(1, c.intermediate_size)] * 2)
        y = t.project(t.gate(gate, up, c.activation), "out", f"{p}.mlp.down_proj", c.hidden_size)
        x = t.add(x, t.norm(y, f"{p}.post_mlp_layernorm", eps))
    write_head(t, c, x)
