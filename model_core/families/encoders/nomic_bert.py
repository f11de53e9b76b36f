"""Nomic BERT (Nussbaum et al., 2024, arXiv:2402.01613): BERT with rotary positions and gated MLPs.

Version 2 (Nussbaum and Duderstadt, 2025, arXiv:2502.07972) has MLPs without gate, and in every second layer a
mixture of experts. Source: modeling_hf_nomic_bert.py of nomic-ai/nomic-bert-2048.
"""

from dataclasses import dataclass, replace
from typing import Any

from ...checks.file_values import expect, ignore, read_number, read_size, shorten
from ...errors import ModelError
from ...tape.operations import Routing
from ...tape.references import Span, WeightRef
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import ModelConfig, read_activation, read_decoder_config
from ..parts import write_plain_mlp
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
    """`types`: of tokens; in a pair of texts, those of the second have type 1. `is_gated`: its MLPs.

    Attributes:
        experts: of a mixture, of which a token chooses `top_k`. 0: there are no mixtures.
        every: the layers i with i % every == 1 have mixtures.
        has_stacks: whether experts are one tensor each for all up and all down projections, with a bias
            behind the mixture.
    """

    types: int
    is_gated: bool = True
    experts: int = 0
    top_k: int = 0
    every: int = 0
    has_stacks: bool = True


def read_config(raw: dict[str, Any]) -> NomicBertConfig:
    """Nomic BERT's config.json: GPT-2's names as published, or BERT's as Transformers writes it."""
    kind = raw.get("activation_function", "swiglu")
    if kind not in ("swiglu", "gelu"):
        raise ModelError(f"activation_function {shorten(kind)} is not supported; swiglu and gelu are.")
    is_gated = kind == "swiglu"
    if "n_embd" not in raw:
        biases: dict[str, Any] = dict.fromkeys(("qkv_bias", "output_bias", "mlp_bias"), not is_gated)
        return read_encoder_config(
            raw,
            NomicBertConfig,
            activation=read_activation(raw, "hidden_act", "silu", is_gated),
            ropes=read_rope(raw, theta=1000.0),
            types=read_size(raw, "type_vocab_size", default=2),
            is_gated=is_gated,
            **biases,
            **_read_mixture(raw),
            has_stacks=False,
        )
    expect(
        raw, prenorm=False, parallel_block=False, causal=False, use_rms_norm=False, scale_attn_weights=True
    )
    expect(raw, scale_attn_by_inverse_layer_idx=False)
    expect(raw, rotary_emb_interleaved=False, rotary_emb_scale_base=None, rotary_scaling_factor=None)
    ignore(raw, *_NOT_COMPUTED, "max_trained_positions", "pad_vocab_size_multiple", "reorder_and_upcast_attn")
    width, bias = read_size(raw, "n_embd"), bool(raw.get("qkv_proj_bias", False))
    expect(raw, mlp_fc1_bias=not is_gated, mlp_fc2_bias=not is_gated)
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
        activation="silu" if is_gated else "gelu",
        qkv_bias=bias,
        output_bias=bias,
        mlp_bias=not is_gated,
        types=read_size(raw, "type_vocab_size", default=2),
        is_gated=is_gated,
        **_read_mixture(raw),
    )


def _read_mixture(raw: dict[str, Any]) -> dict[str, Any]:
    """The fields of mixtures of experts."""
    expect(raw, moe_normalize_expert_weights=False, expert_choice_router=False)
    expect(raw, num_shared_experts=0, ffn_div=1)
    ignore(raw, "moe_impl", "add_pooling_layer")
    if not raw.get("moe_every_n_layers"):
        ignore(raw, "num_experts", "moe_top_k")
        return {}
    experts, top_k = read_size(raw, "num_experts"), read_size(raw, "moe_top_k")
    if top_k > experts:
        raise ModelError(f"moe_top_k is {top_k}, but there are only {experts} experts.")
    return {"experts": experts, "top_k": top_k, "every": read_size(raw, "moe_every_n_layers")}


def write_tape(t: Tape, c: NomicBertConfig) -> None:
    """x = norm(x + attention(x)), x = norm(x + mlp(x)) in each layer."""
    x = t.embed("embeddings.word_embeddings", c.vocab_size, c.hidden_size)
    x = t.add(x, t.embed_types("embeddings.token_type_embeddings", c.types, c.hidden_size))
    x = t.layer_norm(x, "emb_ln", c.norm_eps, to="x", bias=True)
    for i in range(c.layers):
        p = f"encoder.layers.{i}"
        x = t.add(x, _write_attention(t, c, x, i))
        x = t.layer_norm(x, f"{p}.norm1", c.norm_eps, to="x", bias=True)
        has_mixture = c.experts and i % c.every == 1
        x = t.add(x, _write_mixture(t, c, x, f"{p}.mlp") if has_mixture else _write_mlp(t, c, x, f"{p}.mlp"))
        x = t.layer_norm(x, f"{p}.norm2", c.norm_eps, to="x", bias=True)
    t.take_rows(x)


def _write_mlp(t: Tape, c: NomicBertConfig, x: Span, p: str) -> Span:
    if not c.is_gated:
        return write_plain_mlp(t, c, x, f"{p}.fc1", f"{p}.fc2", c.mlp_bias)
    gate, up = t.linear(x, "inner", {f"{p}.{name}": (1, c.intermediate_size) for name in ("fc12", "fc11")})
    return t.project(t.gate(gate, up, c.activation), "out", f"{p}.fc2", c.hidden_size)


def _write_mixture(t: Tape, c: NomicBertConfig, x: Span, p: str) -> Span:
    """The sum of all experts' MLPs without gates, times their routing weights.

    All are computed: those that a token does not choose have the weight 0.
    """
    weights = t.route(x, f"{p}.router.layer", c.experts, Routing(c.top_k))
    if c.has_stacks:
        shape = (c.experts * c.intermediate_size, c.hidden_size)
        up, down = (WeightRef(f"{p}.experts.mlp.{name}", shape) for name in ("w1", "w2"))
        inner = t.map(c.activation, t.matmul(x, "inner", [(up, c.experts)])[0])
        t.map("multiply", inner, replace(weights, heads=c.experts))
        mixture = t.matmul(replace(inner, heads=1), "mixture", [(replace(down, is_transposed=True), 1)])[0]
        return t.map("add", mixture, WeightRef(f"{p}.experts.bias", (c.hidden_size,)))
    mixture = Span("mixture", 0, c.hidden_size)
    for e in range(c.experts):
        inner = t.map(c.activation, t.project(x, "inner", f"{p}.experts.{e}.fc1", c.intermediate_size))
        t.map("multiply", inner, Span(weights.buffer, e, 1))
        out = t.project(inner, "out" if e else mixture.buffer, f"{p}.experts.{e}.fc2", c.hidden_size)
        mixture = t.add(mixture, out) if e else mixture
    return mixture


def _write_attention(t: Tape, c: NomicBertConfig, x: Span, i: int) -> Span:
    p = f"encoder.layers.{i}.attn"
    q, k, v = t.linear_split(x, "qkv", f"{p}.Wqkv", [(c.heads, c.head_dim)] * 3, c.qkv_bias)
    mixed = t.attend(t.rope(q, c.ropes[i]), t.rope(k, c.ropes[i]), v, c.head_dim**-0.5, ahead=None)
    return t.project(mixed, "out", f"{p}.out_proj", c.hidden_size, c.output_bias)
