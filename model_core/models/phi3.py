"""Phi-3 (Abdin et al., 2024, arXiv:2404.14219): Llama with its projections in fewer matrices.

Phi-4-mini rotates a part of each head. With LongRoPE, the context ends where the model's original one does.
"""

from typing import Any

from ..config import ModelConfig, read_decoder_config
from ..fields import expect, read_size
from ..tape import Tape
from .parts import write_attend, write_head


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """Phi-3's config.json."""
    expect(raw, full_attn_mod=1, interpolate_factor=1)
    window = (raw.get("sliding_window"),) * read_size(raw, "num_hidden_layers", max_value=10_000)
    return read_decoder_config(raw, windows=window)


def write_tape(t: Tape, c: ModelConfig) -> None:
    """Llama's layers, with one matrix for queries, keys and values, and one for gate and up projections."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.input_layernorm", c.rms_norm_eps, to="h")
        heads = [(c.heads, c.head_dim), (c.kv_heads, c.head_dim), (c.kv_heads, c.head_dim)]
        mixed = write_attend(t, c, *t.split(h, "qkv", f"{p}.self_attn.qkv_proj", heads), i)
        x = t.add(x, t.project(mixed, "out", f"{p}.self_attn.o_proj", c.hidden_size))
        h = t.norm(x, f"{p}.post_attention_layernorm", c.rms_norm_eps, to="h")
        gate, up = t.split(h, "inner", f"{p}.mlp.gate_up_proj", [(1, c.intermediate_size)] * 2)
        product = t.gate(gate, up, c.activation)
        x = t.add(x, t.project(product, "out", f"{p}.mlp.down_proj", c.hidden_size))
    write_head(t, c, x)
