"""GPT-2 (Radford et al., 2019): learned positions, layer norms, biases, and an MLP without gate.

The file has transposed matrices.
"""

from typing import Any

from ...checks.file_values import expect, ignore, read_number, read_size
from ...tape.references import Span, WeightRef
from ...tape.tape import Tape
from ..config import ModelConfig, read_activation, read_decoder_config
from ..parts import write_logits


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """GPT-2's config.json, which has its own names for sizes."""
    expect(raw, scale_attn_weights=True, scale_attn_by_inverse_layer_idx=False, add_cross_attention=False)
    ignore(raw, "reorder_and_upcast_attn")
    return read_gpt_config(raw, ropes=None, tie_word_embeddings=bool(raw.get("tie_word_embeddings", True)))


def read_gpt_config(
    raw: dict[str, Any], positions: int = 1024, activation: str = "gelu_new", **family: Any
) -> ModelConfig:
    """The config.json of GPT-2 and models with its names. positions, activation: the family's defaults.

    family: see read_decoder_config.
    """
    ignore(raw, "n_ctx")
    width = read_size(raw, "n_embd")
    sizes = {
        "hidden_size": width,
        "num_hidden_layers": read_size(raw, "n_layer", max_value=10_000),
        "num_attention_heads": read_size(raw, "n_head"),
        "max_position_embeddings": read_size(raw, "n_positions", default=positions),
        "intermediate_size": read_size(raw, "n_inner", default=4 * width),
    }
    return read_decoder_config(
        {"model_type": raw["model_type"], "vocab_size": raw.get("vocab_size"), **sizes},
        activation=read_activation(raw, "activation_function", activation, is_gate=False),
        norm_eps=read_number(raw, "layer_norm_epsilon", 1e-5, 1e-30, 1),
        **family,
    )


def write_tape(t: Tape, c: ModelConfig) -> None:
    """x += attention(norm(x)), x += mlp(norm(x)) in each layer."""
    x = t.embed("wte", c.vocab_size, c.hidden_size)
    x = t.add_position(x, "wpe", c.max_context)
    for i in range(c.layers):
        p, eps = f"h.{i}", c.norm_eps
        h = t.layer_norm(x, f"{p}.ln_1", eps, to="h", bias=True)
        q, k, v = _project(t, h, "qkv", f"{p}.attn.c_attn", [c.hidden_size] * 3, c.heads)
        mixed = t.attend(q, k, v, c.head_dim**-0.5)
        x = t.add(x, _project(t, mixed, "out", f"{p}.attn.c_proj", [c.hidden_size])[0])
        h = t.layer_norm(x, f"{p}.ln_2", eps, to="h", bias=True)
        (inner,) = _project(t, h, "inner", f"{p}.mlp.c_fc", [c.intermediate_size])
        inner = t.map(c.activation, inner)
        x = t.add(x, _project(t, inner, "out", f"{p}.mlp.c_proj", [c.hidden_size])[0])
    h = t.layer_norm(t.take_rows(x), "ln_f", c.norm_eps, to="h", bias=True)
    write_logits(t, c, h, embedding="wte")


def _project(t: Tape, x: Span, to: str, name: str, sizes: list[int], heads: int = 1) -> list[Span]:
    """x times the parts of a matrix that is stored as [inputs, outputs], plus a bias."""
    shape, parts = (x.width, sum(sizes)), []
    for part, size in enumerate(sizes):
        weight = WeightRef(f"{name}.weight", shape, part * size, (part + 1) * size, is_transposed=True)
        parts.append((weight, heads))
    return t.matmul(x, to, parts, bias=True)
