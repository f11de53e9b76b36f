"""What Gemma 3n and Gemma 4 have in common: keys and values that layers share, and embeddings for each layer.

The last layers have no keys and values. They attend to those of the last earlier layer of their type, full or
windowed. In each layer, a gate on the hidden states lets an embedding of the token for this layer through.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...errors import ModelError
from ...tape.references import Span
from ...tape.tape import Tape
from ..config import ModelConfig


@dataclass(frozen=True)
class SharedKVConfig(ModelConfig):
    """The shapes of layers that share keys and values.

    Attributes:
        layer_heads: (KV heads, head size) of each layer.
        is_shared: whether each layer attends to keys and values of an earlier one.
        has_values: whether each layer projects values. Otherwise they are the keys before their norm.
        layer_embedding: columns of a token's embedding for each layer, 0: none.
        logits_cap: None where the model has none.
    """

    layer_heads: tuple[tuple[int, int], ...]
    is_shared: tuple[bool, ...]
    has_values: tuple[bool, ...]
    layer_embedding: int
    logits_cap: float | None


def read_shared_layers(raw: dict[str, Any], types: Sequence[str], default: int) -> tuple[bool, ...]:
    """Whether each layer shares keys and values: the last `num_kv_shared_layers` do.

    Raises ModelError if they are all layers, or if no earlier layer has the type of one of them.
    """
    name, layers = "num_kv_shared_layers", len(types)
    shared = default if raw.get(name) is None else raw[name]
    if type(shared) is not int or not 0 <= shared < layers:
        raise ModelError(f"{name} should be a whole number from 0 to {layers - 1}.")
    if set(types[layers - shared :]) - set(types[: layers - shared]):
        raise ModelError(f"{name} leaves a type of layers without keys and values.")
    return tuple(i >= layers - shared for i in range(layers))


def write_attention(t: Tape, c: SharedKVConfig, h: Span, i: int, kv_layers: dict[int | None, int]) -> Span:
    """Grouped-query attention. Scores are not scaled: queries, keys and values are normed.

    kv_layers: by window, the KV layer that was written last. It is read if layer i shares keys and values,
    and else updated.
    """
    p, eps, (kv_heads, size) = f"model.layers.{i}.self_attn", c.norm_eps, c.layer_heads[i]
    # Rows of images see each other both ways in all layers, or in those with a window.
    is_bounded = c.family == "gemma4_unified_text" or (c.family == "gemma4_text" and c.windows[i] is not None)
    parts = {f"{p}.q_proj": (c.heads, size)}
    if not c.is_shared[i]:
        parts[f"{p}.k_proj"] = (kv_heads, size)
        if c.has_values[i]:
            parts[f"{p}.v_proj"] = (kv_heads, size)
    q, *kv = t.linear(h, "qkv", parts, bias=c.qkv_bias)
    q = t.rope(t.norm(q, f"{p}.q_norm", eps), c.ropes[i])
    if c.is_shared[i]:  # some files have matrices for keys and values here, too
        t.unused |= {f"{p}.{name}.weight" for name in ("k_proj", "v_proj", "k_norm")}
        mixed = t.attend_again(q, kv_layers[c.windows[i]], 1.0, is_bounded=is_bounded)
    else:
        values = t.norm(kv[-1], None, eps, to="values")
        keys = t.rope(t.norm(kv[0], f"{p}.k_norm", eps), c.ropes[i])
        mixed = t.attend(q, keys, values, 1.0, c.windows[i], is_bounded=is_bounded)
        kv_layers[c.windows[i]] = len(t.kv_layers) - 1
    return t.project(mixed, "out", f"{p}.o_proj", c.hidden_size, bias=c.output_bias)


def write_layer_embeddings(t: Tape, c: SharedKVConfig, x: Span, vocab_size: int) -> list[Span]:
    """For each layer, an embedding of the token plus a projection of the usual one, x.

    vocab_size: of the embeddings for layers.
    """
    width = c.layer_embedding
    y = t.embed("model.embed_tokens_per_layer", vocab_size, c.layers * width, to="layer_embeddings")
    y = t.scale(y, width**0.5)
    context = t.project(x, "layer_contexts", "model.per_layer_model_projection", c.layers * width)
    context = t.scale(context, c.hidden_size**-0.5)
    t.norm(replace(context, heads=c.layers), "model.per_layer_projection_norm", c.norm_eps)
    y = t.scale(t.add(y, context), 2**-0.5)
    return [Span(y.buffer, i * width, width) for i in range(c.layers)]


def write_gated_embedding(t: Tape, c: SharedKVConfig, h: Span, embedding: Span, i: int) -> Span:
    """norm(W (activation(gate(h)) * embedding)): what the embedding for layer i adds to the hidden states."""
    p = f"model.layers.{i}"
    gate = t.project(h, "gate", f"{p}.per_layer_input_gate", c.layer_embedding)
    y = t.gate(gate, embedding, c.activation)
    y = t.project(y, "out", f"{p}.per_layer_projection", c.hidden_size)
    return t.norm(y, f"{p}.post_per_layer_input_norm", c.norm_eps)
