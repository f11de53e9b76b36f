"""GLM-4 (Zhipu AI, 2024, arXiv:2406.12793): norms before and after attention and MLP.

Neighbouring dimensions are rotated together, in the first half of each head.
"""

from dataclasses import replace
from typing import Any

from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import ModelConfig, read_decoder_config
from ..parts import write_attention, write_head, write_joined_mlp


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """GLM-4's config.json."""
    return read_decoder_config(
        raw,
        ropes=replace(read_rope(raw, partial=0.5), is_interleaved=True),
        qkv_bias=bool(raw.get("attention_bias", True)),
    )


def write_tape(t: Tape, c: ModelConfig) -> None:
    """x += norm(attention(norm(x))), x += norm(mlp(norm(x))) in each layer."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p, eps = f"model.layers.{i}", c.norm_eps
        h = t.norm(x, f"{p}.input_layernorm", eps, to="h")
        x = t.add(x, t.norm(write_attention(t, c, h, i), f"{p}.post_self_attn_layernorm", eps))
        h = t.norm(x, f"{p}.post_attention_layernorm", eps, to="h")
        y = write_joined_mlp(t, c, h, f"{p}.mlp", c.intermediate_size)
        x = t.add(x, t.norm(y, f"{p}.post_mlp_layernorm", eps))
    write_head(t, c, x)
