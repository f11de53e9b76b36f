"""BLOOM (BigScience, 2022, arXiv:2211.05100): GPT-2 whose scores fall with the distance (ALiBi).

Embeddings have a layer norm, too.
"""

from typing import Any

from ...checks.file_values import expect, ignore, read_flag, read_number, read_size
from ...tape.distances import alibi
from ...tape.tape import Tape
from ..config import ModelConfig, read_decoder_config
from ..parts import Scores, write_attend, write_grouped_qkv, write_logits, write_plain_mlp


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """BLOOM's config.json, in which sizes have one of two names."""
    expect(raw, apply_residual_connection_post_layernorm=False, skip_bias_add_qkv=False, n_inner=None)
    ignore(raw, "attention_softmax_in_fp32", "masked_softmax_fusion", "bias_dropout_fusion", "skip_bias_add")
    ignore(raw, "offset_alibi", "slow_but_exact")  # change no result, or only its rounding
    ignore(raw, "hidden_size", "n_head", "num_attention_heads", "n_layer", "num_hidden_layers")
    width = read_size(raw, "n_embed" if raw.get("n_embed") else "hidden_size")
    layers = "n_layer" if "n_layer" in raw else "num_hidden_layers"
    sizes = {
        "hidden_size": width,
        "num_hidden_layers": read_size(raw, layers, max_value=10_000),
        "num_attention_heads": read_size(raw, "n_head" if "n_head" in raw else "num_attention_heads"),
        "max_position_embeddings": read_size(raw, "seq_length", default=2048),
        "intermediate_size": 4 * width,
    }
    return read_decoder_config(
        {"model_type": raw["model_type"], "vocab_size": raw.get("vocab_size"), **sizes},
        activation="gelu_tanh",
        norm_eps=read_number(raw, "layer_norm_epsilon", 1e-5, 1e-30, 1),
        ropes=None,
        tie_word_embeddings=read_flag(raw, "tie_word_embeddings", True),
        qkv_bias=True,
    )


def write_tape(t: Tape, c: ModelConfig) -> None:
    """x += attention(norm(x)), x += mlp(norm(x)) in each layer."""
    x, eps = t.embed("word_embeddings", c.vocab_size, c.hidden_size), c.norm_eps
    x = t.layer_norm(x, "word_embeddings_layernorm", eps, to=None, bias=True)
    for i in range(c.layers):
        p = f"h.{i}"
        h = t.layer_norm(x, f"{p}.input_layernorm", eps, to="h", bias=True)
        q, k, v = write_grouped_qkv(t, c, h, f"{p}.self_attention.query_key_value")
        mixed = write_attend(t, c, q, k, v, i, Scores(distances=alibi(c.heads)))
        x = t.add(x, t.project(mixed, "out", f"{p}.self_attention.dense", c.hidden_size, bias=True))
        h = t.layer_norm(x, f"{p}.post_attention_layernorm", eps, to="h", bias=True)
        y = write_plain_mlp(t, c, h, f"{p}.mlp.dense_h_to_4h", f"{p}.mlp.dense_4h_to_h", bias=True)
        x = t.add(x, y)
    h = t.layer_norm(t.take_rows(x), "ln_f", eps, to="h", bias=True)
    write_logits(t, c, h, embedding="word_embeddings")
