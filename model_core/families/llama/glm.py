"""ChatGLM3 and GLM-4 9B (Zhipu AI, 2024, arXiv:2406.12793): Llama with its projections in fewer matrices.

Neighbouring dimensions are rotated together, in the first half of each head. `chatglm` is the model as its
own code has it, `glm` as Transformers.
"""

from dataclasses import replace
from typing import Any

from ...checks.file_values import expect, ignore, read_flag, read_number, read_size
from ...tape.rope import RopeConfig, read_rope
from ...tape.tape import Tape
from ..config import ModelConfig, read_decoder_config
from ..parts import write_attend, write_joined_mlp, write_layers, write_logits


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """The config.json of `glm` or `chatglm`."""
    if raw["model_type"] == "chatglm":
        return _read_chatglm(raw)
    return read_decoder_config(
        raw,
        ropes=replace(read_rope(raw, partial=0.5), is_interleaved=True),
        qkv_bias=read_flag(raw, "attention_bias", True),
    )


def _read_chatglm(raw: dict[str, Any]) -> ModelConfig:
    expect(raw, add_bias_linear=False, apply_residual_connection_post_layernorm=False, rmsnorm=True)
    expect(raw, post_layer_norm=True, multi_query_attention=True, original_rope=True, pre_seq_len=None)
    expect(raw, quantization_bit=0, tie_word_embeddings=False, num_hidden_layers=raw.get("num_layers"))
    # How its code computes: scores are divided by a number, and multiplied by it.
    ignore(raw, "apply_query_key_layer_scaling", "attention_softmax_in_fp32", "bias_dropout_fusion")
    ignore(raw, "fp32_residual_connection", "prefix_projection", "vocab_size")
    names = {
        "hidden_size": "hidden_size",
        "intermediate_size": "ffn_hidden_size",
        "num_hidden_layers": "num_layers",
        "num_attention_heads": "num_attention_heads",
        "num_key_value_heads": "multi_query_group_num",
        "head_dim": "kv_channels",
        "max_position_embeddings": "seq_length",
        "vocab_size": "padded_vocab_size",
    }
    sizes = {name: read_size(raw, own) for name, own in names.items()}
    theta = 10000.0 * read_number(raw, "rope_ratio", 1.0, 1e-3, 1e6)
    return read_decoder_config(
        {"model_type": raw["model_type"], **sizes},
        norm_eps=read_number(raw, "layernorm_epsilon", 1e-5, 1e-30, 1),
        ropes=RopeConfig(theta, partial=0.5, is_interleaved=True),
        qkv_bias=read_flag(raw, "add_qkv_bias", False),
    )


def write_tape(t: Tape, c: ModelConfig) -> None:
    """Llama's layers."""
    if c.family == "chatglm":
        _write_chatglm(t, c)
    else:
        write_layers(
            t, c, lambda h, i: write_joined_mlp(t, c, h, f"model.layers.{i}.mlp", c.intermediate_size)
        )


def _write_chatglm(t: Tape, c: ModelConfig) -> None:
    """Source: modeling_chatglm.py of THUDM/glm-4-9b-chat."""
    t.unused.add("rotary_pos_emb.inv_freq")
    x = t.embed("embedding.word_embeddings", c.vocab_size, c.hidden_size)
    names = ("dense_h_to_4h", "dense_4h_to_h")
    heads = [(c.heads, c.head_dim), (c.kv_heads, c.head_dim), (c.kv_heads, c.head_dim)]
    for i in range(c.layers):
        p = f"encoder.layers.{i}"
        h = t.norm(x, f"{p}.input_layernorm", c.norm_eps, to="h")
        q, k, v = t.linear_split(h, "qkv", f"{p}.self_attention.query_key_value", heads, c.qkv_bias)
        mixed = write_attend(t, c, q, k, v, i)
        x = t.add(x, t.project(mixed, "out", f"{p}.self_attention.dense", c.hidden_size))
        h = t.norm(x, f"{p}.post_attention_layernorm", c.norm_eps, to="h")
        x = t.add(x, write_joined_mlp(t, c, h, f"{p}.mlp", c.intermediate_size, names))
    h = t.norm(t.take_rows(x), "encoder.final_layernorm", c.norm_eps, to="h")
    write_logits(t, c, h, head="output_layer")
