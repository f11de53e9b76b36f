"""Nomic BERT (Nussbaum et al., 2024, arXiv:2402.01613): BERT with rotary positions and gated MLPs."""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import expect, ignore, read_number, read_size
from ...tape.references import Span
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import ModelConfig, read_activation, read_decoder_config
from .layers import read_encoder_config

_NOT_COMPUTED = (
    "dense_seq_output",
    "fused_bias_fc",
    "fused_dropout_add_ln",
    "parallel_block_tied_norm",
    "tie_word_embeddings",
    "use_flash_attn",
    "use_xentropy",
)


@dataclass(frozen=True)
class NomicBertConfig(ModelConfig):
    """`types`: of tokens; in a pair of texts, those of the second have type 1."""

    types: int


def read_config(raw: dict[str, Any]) -> NomicBertConfig:
    """Nomic BERT's config.json: GPT-2's names as published, or BERT's as Transformers writes it.

    Mixtures of experts (version 2) are refused.
    """
    if "n_embd" not in raw:
        return read_encoder_config(
            raw,
            NomicBertConfig,
            activation=read_activation(raw, "hidden_act", "silu"),
            ropes=read_rope(raw, theta=1000.0),
            types=read_size(raw, "type_vocab_size", default=2),
        )
    expect(
        raw, prenorm=False, parallel_block=False, causal=False, use_rms_norm=False, scale_attn_weights=True
    )
    expect(raw, activation_function="swiglu", scale_attn_by_inverse_layer_idx=False)
    expect(raw, rotary_emb_interleaved=False, rotary_emb_scale_base=None, rotary_scaling_factor=None)
    ignore(raw, *_NOT_COMPUTED, "max_trained_positions", "pad_vocab_size_multiple", "reorder_and_upcast_attn")
    width, bias = read_size(raw, "n_embd"), bool(raw.get("qkv_proj_bias", False))
    expect(raw, mlp_fc1_bias=False, mlp_fc2_bias=False)
    sizes = {
        "hidden_size": width,
        "num_hidden_layers": read_size(raw, "n_layer", max_value=10_000),
        "num_attention_heads": read_size(raw, "n_head"),
        "max_position_embeddings": read_size(raw, "n_positions", default=2048),
        "intermediate_size": read_size(raw, "n_inner", default=4 * width),
    }
    rope = read_rope(
        raw,
        {"rope_theta": read_number(raw, "rotary_emb_base", 10000.0, 1, 1e15)},
        partial=read_number(raw, "rotary_emb_fraction", 1.0, 1e-3, 1),
    )
    return read_decoder_config(
        {"model_type": raw["model_type"], "vocab_size": raw.get("vocab_size"), **sizes},
        NomicBertConfig,
        norm_eps=read_number(raw, "layer_norm_epsilon", 1e-12, 1e-30, 1),
        ropes=rope,
        activation="silu",
        qkv_bias=bias,
        output_bias=bias,
        types=read_size(raw, "type_vocab_size", default=2),
    )


def write_tape(t: Tape, c: NomicBertConfig) -> None:
    """x = norm(x + attention(x)), x = norm(x + mlp(x)) in each layer."""
    x = t.embed("embeddings.word_embeddings", c.vocab_size, c.hidden_size)
    x = t.add(x, t.embed_types("embeddings.token_type_embeddings", c.types, c.hidden_size))
    x = t.layer_norm(x, "emb_ln", c.norm_eps, to="x", bias=True)
    for i in range(c.layers):
        p = f"encoder.layers.{i}"
        x = t.add(x, _write_attention(t, c, x, i))
        x = t.layer_norm(x, f"{p}.norm1", c.norm_eps, to="x", bias=True)
        parts = {f"{p}.mlp.{name}": (1, c.intermediate_size) for name in ("fc12", "fc11")}
        gate, up = t.linear(x, "inner", parts)
        inner = t.gate(gate, up, c.activation)
        x = t.add(x, t.project(inner, "out", f"{p}.mlp.fc2", c.hidden_size))
        x = t.layer_norm(x, f"{p}.norm2", c.norm_eps, to="x", bias=True)
    t.take_rows(x)


def _write_attention(t: Tape, c: NomicBertConfig, x: Span, i: int) -> Span:
    p = f"encoder.layers.{i}.attn"
    q, k, v = t.linear_split(x, "qkv", f"{p}.Wqkv", [(c.heads, c.head_dim)] * 3, c.qkv_bias)
    mixed = t.attend(t.rope(q, c.ropes[i]), t.rope(k, c.ropes[i]), v, c.head_dim**-0.5, ahead=None)
    return t.project(mixed, "out", f"{p}.out_proj", c.hidden_size, c.output_bias)
