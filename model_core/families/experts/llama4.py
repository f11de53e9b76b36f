"""Llama 4 Scout and Maverick (Meta, 2025), the text models.

Three of four layers have rotary positions, and attend within chunks of positions. The others attend to
everything without positions, with queries that grow (arXiv:2501.19399). A row is multiplied by the sigmoid of
its best expert's logit before it goes through this expert. Source: Transformers, modeling_llama4.py.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ...checks.file_values import expect, ignore, read_flag, read_number, read_size, shorten
from ...errors import ModelError
from ...tape.references import Span
from ...tape.rope import RopeConfig, read_rope
from ...tape.tape import Tape
from ..config import read_attention_bias, read_decoder_config, read_layer_count, read_layer_types
from ..parts import write_layers, write_named_mlp, write_qkv
from .mixture import MixtureConfig, read_mixture, separate_experts

_TYPES = ("full_attention", "chunked_attention")


@dataclass(frozen=True)
class Llama4Config(MixtureConfig):
    """`windows` are chunks. has_head_norm: queries and keys are normed after they are rotated."""

    has_head_norm: bool


def read_config(raw: dict[str, Any]) -> Llama4Config:
    """The text_config of Llama 4."""
    expect(raw, num_experts_per_tok=1, for_llm_compressor=False)
    ignore(raw, "router_jitter_noise")  # of training
    layers = read_layer_count(raw)
    interval = read_size(raw, "no_rope_layer_interval", default=4)
    rotated = raw.get("no_rope_layers") or [int((i + 1) % interval != 0) for i in range(layers)]
    if not isinstance(rotated, list) or len(rotated) != layers or not all(i in (0, 1) for i in rotated):
        raise ModelError(f"no_rope_layers should have a 0 or a 1 for each of {layers} layers.")
    chunk = (
        None
        if raw.get("attention_chunk_size", 8192) is None
        else read_size(raw, "attention_chunk_size", 8192)
    )
    types = read_layer_types(raw, [_TYPES[bool(i and chunk)] for i in rotated], _TYPES)
    if chunk is None and _TYPES[1] in types:
        raise ModelError("layer_types names chunked_attention, but attention_chunk_size is null.")
    rope, still = replace(read_rope(raw, theta=500_000.0), is_interleaved=True), _read_growth(raw)
    mixture = read_mixture(raw, "num_local_experts", "intermediate_size", normalizes=True)
    mixture["has_experts"] = _read_sparse_layers(raw)
    return read_decoder_config(
        raw,
        Llama4Config,
        intermediate_size=read_size(raw, "intermediate_size_mlp", default=16384),
        ropes=tuple(rope if i else still for i in rotated),
        windows=tuple(chunk if kind == _TYPES[1] else None for kind in types),
        has_head_norm=read_flag(raw, "use_qk_norm", True),
        **read_attention_bias(raw),
        **mixture,
    )


def _read_growth(raw: dict[str, Any]) -> RopeConfig | None:
    """The growth of queries in layers without positions; None if they do not grow."""
    growth, length = read_number(raw, "attn_scale", 0.1, 0, 1e6), read_size(raw, "floor_scale", 8192)
    if not raw.get("attn_temperature_tuning", True):
        return None
    return RopeConfig(original_max_position=length, query_growth=growth, growth_start=1, is_still=True)


def _read_sparse_layers(raw: dict[str, Any]) -> tuple[bool, ...]:
    """Whether each layer has experts: those of `moe_layers`, or every n-th one."""
    layers, step = read_layer_count(raw), read_size(raw, "interleave_moe_layer_step", default=1)
    sparse = raw.get("moe_layers")
    if sparse is None:
        sparse = list(range(step - 1, layers, step))
    if not isinstance(sparse, list) or not all(type(i) is int for i in sparse):
        raise ModelError(f"moe_layers should be a list of layers, not {shorten(sparse)}.")
    return tuple(i in sparse for i in range(layers))


def write_tape(t: Tape, c: Llama4Config) -> None:
    """x += attention(norm(x)), x += experts or mlp(norm(x)) in each layer."""
    write_layers(t, c, partial(_write_mlp, t, c), partial(_write_attention, t, c))


def _write_attention(t: Tape, c: Llama4Config, h: Span, i: int) -> Span:
    """Attention of layer i, to its chunk or to everything."""
    rope, chunk, scale = c.ropes[i], c.windows[i], c.head_dim**-0.5
    q, k, v = write_qkv(t, c, h, i)
    q = t.rope(q, rope)
    if rope is not None and not rope.is_still:
        k = t.rope(k, rope)
        if c.has_head_norm:
            q, k = t.norm(q, None, c.norm_eps), t.norm(k, None, c.norm_eps)
    mixed = t.attend(q, k, v, scale) if chunk is None else t.attend_in_chunks(q, k, v, scale, chunk)
    return t.project(mixed, "out", f"model.layers.{i}.self_attn.o_proj", c.hidden_size, bias=c.output_bias)


def _write_mlp(t: Tape, c: Llama4Config, h: Span, i: int) -> Span:
    """The best expert of each row times the sigmoid of its logit, and the expert that all rows share."""
    p = f"model.layers.{i}.feed_forward"
    if not c.has_experts[i]:
        return write_named_mlp(t, c, h, p, c.intermediate_size)
    logits = t.score(h, f"{p}.router", c.experts)
    sigmoids = t.map("sigmoid", logits, to="sigmoids")
    chosen = t.choose(logits, c.routing)  # 1 for the best expert
    scaled = t.map("multiply", h, t.dot(sigmoids, chosen, to="share"), to="scaled")
    mixture = t.experts(scaled, chosen, c.routing, separate_experts(c, f"{p}.experts"), c.activation)
    return t.add(mixture, write_named_mlp(t, c, h, f"{p}.shared_expert", c.expert_size))
