"""Falcon (Almazrouei et al., 2023, arXiv:2311.16867): attention and MLP in parallel, and few KV heads.

Falcon 7B has one KV head and one layer norm for both, 40B and 180B a norm for each, 11B again one. Falcon-RW
has neither: its layers are those of GPT-2, and its scores fall with the distance (ALiBi).
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import expect, ignore, read_flag, read_number, read_size
from ...errors import ModelError
from ...tape.distances import alibi
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import ModelConfig, read_activation, read_decoder_config
from ..parts import Scores, write_attend, write_grouped_qkv, write_logits, write_plain_mlp


@dataclass(frozen=True)
class FalconConfig(ModelConfig):
    """is_parallel: attention and MLP read the same hidden states. norms: how many layers have for both."""

    is_parallel: bool
    norms: int
    has_alibi: bool


def read_config(raw: dict[str, Any]) -> FalconConfig:
    """Falcon's config.json."""
    expect(raw, apply_residual_connection_post_layernorm=False)
    ignore(raw, "ff_factor")  # ffn_hidden_size counts
    is_new, has_alibi = read_flag(raw, "new_decoder_architecture", False), read_flag(raw, "alibi", False)
    is_parallel, has_one_head = read_flag(raw, "parallel_attn", True), read_flag(raw, "multi_query", True)
    heads, bias = read_size(raw, "num_attention_heads"), read_flag(raw, "bias", False)
    norms = read_size(raw, "num_ln_in_parallel_attn", default=2 if is_new else 1, max_value=2)
    kv_heads = read_size(raw, "num_kv_heads", default=heads)
    if not is_new:
        kv_heads = 1 if has_one_head else heads
    if heads % kv_heads:
        raise ModelError(f"{heads} attention heads do not divide among {kv_heads} KV heads.")
    if (is_new and not is_parallel) or (norms == 2 and not is_new):
        raise ModelError("parallel_attn and num_ln_in_parallel_attn do not fit new_decoder_architecture.")
    return read_decoder_config(
        raw,
        FalconConfig,
        intermediate_size=read_size(raw, "ffn_hidden_size", default=4 * read_size(raw, "hidden_size")),
        kv_heads=kv_heads,
        activation=read_activation(raw, "activation", "gelu", is_gate=False),
        norm_eps=read_number(raw, "layer_norm_epsilon", 1e-5, 1e-30, 1),
        ropes=None if has_alibi else read_rope(raw),
        tie_word_embeddings=read_flag(raw, "tie_word_embeddings", True),
        qkv_bias=bias,
        output_bias=bias,
        mlp_bias=bias,
        is_parallel=is_parallel,
        norms=norms if is_parallel else 2,
        has_alibi=has_alibi,
    )


def write_tape(t: Tape, c: FalconConfig) -> None:
    """x += attention(norm_1(x)) + mlp(norm_2(x)) in each layer. Source: Transformers, modeling_falcon.py.

    Transformers rounds distances to bfloat16, from 256 positions on; here they are exact.
    """
    # Scores are scaled after the slopes are added.
    scores = Scores(distances=alibi(c.heads, c.head_dim**-0.5) if c.has_alibi else None)
    x = t.embed("word_embeddings", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p, eps = f"h.{i}", c.norm_eps
        has_two = c.is_parallel and c.norms == 2
        h = t.layer_norm(x, f"{p}.{'ln_attn' if has_two else 'input_layernorm'}", eps, to="h", bias=True)
        for_mlp = t.layer_norm(x, f"{p}.ln_mlp", eps, to="h_mlp", bias=True) if has_two else h
        q, k, v = write_grouped_qkv(t, c, h, f"{p}.self_attention.query_key_value")
        mixed = write_attend(t, c, q, k, v, i, scores)
        x = t.add(x, t.project(mixed, "out", f"{p}.self_attention.dense", c.hidden_size, c.output_bias))
        if not c.is_parallel:
            for_mlp = t.layer_norm(x, f"{p}.post_attention_layernorm", eps, to="h", bias=True)
        y = write_plain_mlp(t, c, for_mlp, f"{p}.mlp.dense_h_to_4h", f"{p}.mlp.dense_4h_to_h", c.mlp_bias)
        x = t.add(x, y)
    h = t.layer_norm(t.take_rows(x), "ln_f", c.norm_eps, to="h", bias=True)
    write_logits(t, c, h, embedding="word_embeddings")
