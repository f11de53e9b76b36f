"""Hunyuan (Tencent, 2025): Llama with a norm of each query and key head after they are rotated."""

from typing import Any

from ..config import ModelConfig
from ..fields import expect, ignore
from ..tape import Tape
from . import llama
from .parts import write_head, write_mlp, write_qkv


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """Hunyuan's config.json."""
    expect(raw, use_qk_norm=True, use_rotary_pos_emb=True, norm_type="rms")
    # of its larger siblings, or inert while use_cla is false
    ignore(raw, "attention_head_dim", "cla_share_factor", "dense_list", "num_media_embeds", "pool_type")
    return llama.read_config(raw)


def write_tape(t: Tape, c: ModelConfig) -> None:
    """Llama's layers; queries and keys are normed after they are rotated."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p, eps = f"model.layers.{i}", c.norm_eps
        h = t.norm(x, f"{p}.input_layernorm", eps, to="h")
        q, k, v = write_qkv(t, c, h, i)
        q = t.norm(t.rope(q, c.ropes[i]), f"{p}.self_attn.query_layernorm", eps)
        k = t.norm(t.rope(k, c.ropes[i]), f"{p}.self_attn.key_layernorm", eps)
        mixed = t.attend(q, k, v, c.head_dim**-0.5)
        x = t.add(x, t.project(mixed, "out", f"{p}.self_attn.o_proj", c.hidden_size, bias=c.output_bias))
        h = t.norm(x, f"{p}.post_attention_layernorm", eps, to="h")
        x = t.add(x, write_mlp(t, c, h, i))
    write_head(t, c, x)
