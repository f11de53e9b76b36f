"""StarCoder and SantaCoder (Li et al., 2023, arXiv:2305.06161): GPT-2 with one KV head for all queries."""

from typing import Any

from ...checks.file_values import expect, ignore, read_flag, read_size
from ...tape.tape import Tape
from ..config import ModelConfig
from ..parts import write_attend, write_grouped_qkv, write_logits, write_plain_mlp
from .gpt2 import read_gpt_config


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """The config.json of StarCoder or SantaCoder."""
    expect(raw, scale_attn_weights=True, add_cross_attention=False)
    ignore(raw, "attention_softmax_in_fp32", "scale_attention_softmax_in_fp32", "num_key_value_heads")
    # How its makers ran it.
    ignore(raw, "inference_runner", "validate_runner_input", "pre_allocate_kv_cache", "pad_key_length")
    ignore(raw, "max_batch_size")
    return read_gpt_config(
        raw,
        activation="gelu_pytorch_tanh",
        kv_heads=1 if read_flag(raw, "multi_query", True) else read_size(raw, "n_head"),
        ropes=None,
        tie_word_embeddings=read_flag(raw, "tie_word_embeddings", True),
        qkv_bias=True,
    )


def write_tape(t: Tape, c: ModelConfig) -> None:
    """x += attention(norm(x)), x += mlp(norm(x)) in each layer.

    Source: Transformers, modeling_gpt_bigcode.py.
    """
    x = t.embed("wte", c.vocab_size, c.hidden_size)
    x = t.add_position(x, "wpe", c.max_context)
    for i in range(c.layers):
        p, eps = f"h.{i}", c.norm_eps
        h = t.layer_norm(x, f"{p}.ln_1", eps, to="h", bias=True)
        q, k, v = write_grouped_qkv(t, c, h, f"{p}.attn.c_attn")
        mixed = write_attend(t, c, q, k, v, i)
        x = t.add(x, t.project(mixed, "out", f"{p}.attn.c_proj", c.hidden_size, bias=True))
        h = t.layer_norm(x, f"{p}.ln_2", eps, to="h", bias=True)
        y = write_plain_mlp(t, c, h, f"{p}.mlp.c_fc", f"{p}.mlp.c_proj", bias=True)
        x = t.add(x, y)
    h = t.layer_norm(t.take_rows(x), "ln_f", c.norm_eps, to="h", bias=True)
    write_logits(t, c, h, embedding="wte")
