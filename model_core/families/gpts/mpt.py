"""MPT (MosaicML, 2023): layer norms and projections without biases, and scores that fall with the distance.

The slopes are those of ALiBi (arXiv:2108.12409).
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import Fields, expect, ignore, read_flag, read_number, read_size, shorten
from ...errors import ModelError
from ...tape.distances import alibi
from ...tape.tape import Tape
from ..config import ModelConfig, read_decoder_config
from ..parts import Scores, write_attend, write_logits, write_plain_mlp


@dataclass(frozen=True)
class MptConfig(ModelConfig):
    """`score_scale`: of the scores of attention, None: head_dim^-0.5."""

    score_scale: float | None


def read_config(raw: dict[str, Any]) -> MptConfig:
    """MPT's config.json. Clipped queries, norms of queries and keys, and other positions are refused."""
    expect(raw, no_bias=True, expansion_ratio=4, logit_scale=None, norm_type="low_precision_layernorm")
    ignore(raw, "learned_pos_emb")  # with ALiBi, no model has one
    ignore(raw, "embedding_fraction", "init_config", "init_device", "tokenizer_name", "verbose")
    stated = raw.get("attn_config") or {}
    if not isinstance(stated, dict):
        raise ModelError(f"attn_config should be an object, not {shorten(stated)}.")
    attention = Fields(stated)
    expect(attention, alibi=True, alibi_bias_max=8, attn_type="multihead_attention", clip_qkv=None)
    expect(attention, prefix_lm=False, qk_ln=False, attn_uses_sequence_id=False)
    ignore(attention, "attn_impl")
    scale = attention.get("softmax_scale")
    attention.check_all_read()
    width = read_size(raw, "d_model")
    sizes = {
        "hidden_size": width,
        "num_hidden_layers": read_size(raw, "n_layers", max_value=10_000),
        "num_attention_heads": read_size(raw, "n_heads"),
        "max_position_embeddings": read_size(raw, "max_seq_len", default=2048),
        "intermediate_size": 4 * width,
    }
    return read_decoder_config(
        {"model_type": raw["model_type"], "vocab_size": raw.get("vocab_size"), **sizes},
        MptConfig,
        activation="gelu",
        norm_eps=read_number(raw, "layer_norm_epsilon", 1e-5, 1e-30, 1),
        ropes=None,
        tie_word_embeddings=read_flag(raw, "tie_word_embeddings", True),
        score_scale=None if scale is None else read_number(attention, "softmax_scale", None, 1e-6, 1e6),
    )


def write_tape(t: Tape, c: MptConfig) -> None:
    """x += attention(norm(x)), x += mlp(norm(x)) in each layer. Source: Transformers, modeling_mpt.py."""
    x = t.embed("wte", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p, eps = f"blocks.{i}", c.norm_eps
        h = t.layer_norm(x, f"{p}.norm_1", eps, to="h")
        q, k, v = t.linear_split(h, "qkv", f"{p}.attn.Wqkv", [(c.heads, c.head_dim)] * 3)
        mixed = write_attend(t, c, q, k, v, i, Scores(c.score_scale, distances=alibi(c.heads)))
        x = t.add(x, t.project(mixed, "out", f"{p}.attn.out_proj", c.hidden_size))
        h = t.layer_norm(x, f"{p}.norm_2", eps, to="h")
        x = t.add(x, write_plain_mlp(t, c, h, f"{p}.ffn.up_proj", f"{p}.ffn.down_proj"))
    write_logits(t, c, t.layer_norm(t.take_rows(x), "norm_f", c.norm_eps, to="h"), embedding="wte")
