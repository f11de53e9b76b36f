"""Phi-3 (Abdin et al., 2024, arXiv:2404.14219): Llama with its projections in fewer matrices.

Phi-4-mini rotates a part of each head. With LongRoPE, the context ends where the model's original one does.
"""

from typing import Any

from ...checks.file_values import expect
from ...tape.tape import Tape
from ..config import ModelConfig, read_decoder_config
from ..parts import write_attend, write_head, write_joined_mlp


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """Phi-3's config.json."""
    expect(raw, full_attn_mod=1, interpolate_factor=1, attention_bias=False, mlp_bias=False)
    return read_decoder_config(raw, windows=raw.get("sliding_window"))


def write_tape(t: Tape, c: ModelConfig) -> None:
    """Llama's layers, with one matrix for queries, keys and values, and one for gate and up projections."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    heads = [(c.heads, c.head_dim), (c.kv_heads, c.head_dim), (c.kv_heads, c.head_dim)]
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.input_layernorm", c.norm_eps, to="h")
        q, k, v = t.linear_split(h, "qkv", f"{p}.self_attn.qkv_proj", heads)
        mixed = write_attend(t, c, q, k, v, i)
        x = t.add(x, t.project(mixed, "out", f"{p}.self_attn.o_proj", c.hidden_size))
        h = t.norm(x, f"{p}.post_attention_layernorm", c.norm_eps, to="h")
        x = t.add(x, write_joined_mlp(t, c, h, f"{p}.mlp", c.intermediate_size))
    write_head(t, c, x)
