"""LFM2 (Liquid AI, 2025, arXiv:2511.23404): layers of gated short convolution, and some of attention."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..config import ModelConfig, read_decoder_config
from ..errors import ModelError
from ..fields import expect, ignore, read_number, read_size
from ..records import Span, WeightRef
from ..rope import read_rope
from ..tape import Tape
from .parts import write_attend, write_named_mlp


@dataclass(frozen=True)
class Lfm2Config(ModelConfig):
    """`is_convolution` says which layers convolve `conv_width` tokens; the others attend."""

    is_convolution: tuple[bool, ...]
    conv_width: int
    conv_bias: bool


def read_config(raw: dict[str, Any]) -> Lfm2Config:
    """LFM2's config.json."""
    ignore(raw, "intermediate_size")  # where block_ff_dim counts
    intermediate_size = read_size(raw, "block_ff_dim" if "block_ff_dim" in raw else "intermediate_size")
    if raw.get("block_auto_adjust_ff_dim", True):
        multiple = read_size(raw, "block_multiple_of", default=256)
        factor = read_number(raw, "block_ffn_dim_multiplier", 1.0, 1e-3, 1e3)
        intermediate_size = -(-int(factor * int(2 * intermediate_size / 3)) // multiple) * multiple
    return read_decoder_config(raw, Lfm2Config, intermediate_size=intermediate_size, **read_convolutions(raw))


def read_convolutions(raw: dict[str, Any]) -> dict[str, Any]:
    """The fields of Lfm2Config, without the size of the MLP."""
    expect(raw, block_use_swiglu=True, use_pos_enc=True)
    # repeated in other fields, or of training
    ignore(raw, "block_dim", "block_norm_eps", "conv_dim", "conv_dim_out", "num_heads")
    ignore(raw, "block_mlp_init_scale", "block_out_init_scale", "theta")
    ignore(raw, "block_use_xavier_init", "conv_use_xavier_init")
    layers = read_size(raw, "num_hidden_layers", max_value=10_000)
    attending = raw.get("full_attn_idxs") or []
    types = raw.get("layer_types") or ["full_attention" if i in attending else "conv" for i in range(layers)]
    if len(types) != layers or not all(kind in ("full_attention", "conv") for kind in types):
        raise ModelError(f"layer_types should name full_attention or conv for each of {layers} layers.")
    return dict(
        rms_norm_eps=read_number(raw, "norm_eps", 1e-5, 1e-30, 1),
        ropes=(read_rope(raw, theta=1e6),) * layers,
        tie_word_embeddings=bool(raw.get("tie_embedding", raw.get("tie_word_embeddings", True))),
        is_convolution=tuple(kind == "conv" for kind in types),
        conv_width=read_size(raw, "conv_L_cache", default=3, max_value=64),
        conv_bias=bool(raw.get("conv_bias", False)),
    )


def write_tape(t: Tape, c: Lfm2Config) -> None:
    """Layers with an MLP each."""
    write_layers(t, c, write_feed_forward)


def write_layers(t: Tape, c: Lfm2Config, write_mlp: Callable[[Tape, Any, Span, int], Span]) -> None:
    """A convolution or attention, then an MLP or experts, each with a norm in front and added to x.

    write_mlp: writes the MLP or the experts of a layer, whose input it is given.
    """
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.operator_norm", c.rms_norm_eps, to="h")
        x = t.add(x, _write_conv(t, c, h, i) if c.is_convolution[i] else _write_attention(t, c, h, i))
        h = t.norm(x, f"{p}.ffn_norm", c.rms_norm_eps, to="h")
        x = t.add(x, write_mlp(t, c, h, i))
    h = t.norm(t.take_rows(x), "model.embedding_norm", c.rms_norm_eps, to="h")
    head = "model.embed_tokens" if c.tie_word_embeddings else "lm_head"
    t.project(h, "logits", head, c.vocab_size, is_head=True)


def write_feed_forward(t: Tape, c: Lfm2Config, h: Span, i: int) -> Span:
    """The MLP of layer i."""
    names = ("w1", "w3", "w2")
    return write_named_mlp(t, c, h, f"model.layers.{i}.feed_forward", c.intermediate_size, names)


def _write_conv(t: Tape, c: Lfm2Config, h: Span, i: int) -> Span:
    """out(C * conv(B * u)), where B, C and u are projections of h."""
    p, n = f"model.layers.{i}.conv", c.hidden_size
    b, gate, u = t.split(h, "short", f"{p}.in_proj", [(1, n)] * 3, c.conv_bias)
    bias = WeightRef(f"{p}.conv.bias", (n,)) if c.conv_bias else None
    weight = WeightRef(f"{p}.conv.weight", (n, 1, c.conv_width))
    y = t.map("multiply", t.conv(t.map("multiply", b, u), "convolved", weight, bias), gate)
    return t.project(y, "out", f"{p}.out_proj", n, c.conv_bias)


def _write_attention(t: Tape, c: Lfm2Config, h: Span, i: int) -> Span:
    """Attention with a norm of each query and key head."""
    p, kv = f"model.layers.{i}.self_attn", (c.kv_heads, c.head_dim)
    parts = {f"{p}.q_proj": (c.heads, c.head_dim), f"{p}.k_proj": kv, f"{p}.v_proj": kv}
    q, k, v = t.linear(h, "qkv", parts)
    q = t.norm(q, f"{p}.q_layernorm", c.rms_norm_eps)
    k = t.norm(k, f"{p}.k_layernorm", c.rms_norm_eps)
    return t.project(write_attend(t, c, q, k, v, i), "out", f"{p}.out_proj", c.hidden_size)
