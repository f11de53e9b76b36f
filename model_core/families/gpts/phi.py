"""Phi-1, Phi-1.5 and Phi-2 (Microsoft, 2023, arXiv:2309.05463): GPT-NeoX's layer with one norm.

Attention and MLP read the same layer norm, in parallel. A part of each head is rotated. All projections have
biases, the head too. Source: Transformers, modeling_phi.py.
"""

from typing import Any

from ...checks.file_values import expect, ignore, read_number
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import ModelConfig, read_activation, read_decoder_config
from ..parts import write_attend, write_plain_mlp, write_qkv


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """Phi's config.json. Norms of queries and keys, which no published model has, are refused."""
    expect(raw, qk_layernorm=False, tie_word_embeddings=False)
    ignore(raw, "embd_pdrop", "resid_pdrop")
    return read_decoder_config(
        raw,
        activation=read_activation(raw, "hidden_act", "gelu_new", is_gate=False),
        norm_eps=read_number(raw, "layer_norm_eps", 1e-5, 1e-30, 1),
        ropes=read_rope(raw, partial=0.5),
        qkv_bias=True,
        output_bias=True,
        mlp_bias=True,
    )


def write_tape(t: Tape, c: ModelConfig) -> None:
    """h = norm(x), x += attention(h) + fc2(activation(fc1(h))) in each layer."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.layer_norm(x, f"{p}.input_layernorm", c.norm_eps, to="h", bias=True)
        q, k, v = write_qkv(t, c, h, i)
        mixed = write_attend(t, c, q, k, v, i)
        x = t.add(x, t.project(mixed, "out", f"{p}.self_attn.dense", c.hidden_size, bias=True))
        x = t.add(x, write_plain_mlp(t, c, h, f"{p}.mlp.fc1", f"{p}.mlp.fc2", bias=True))
    h = t.layer_norm(t.take_rows(x), "model.final_layernorm", c.norm_eps, to="h", bias=True)
    t.project(h, "logits", "lm_head", c.vocab_size, bias=True, is_head=True)
