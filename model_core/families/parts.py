"""What families have in common: attention, MLP, head and so on. Each function adds records to the tape t."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..tape.distances import DistanceBias
from ..tape.references import Span, WeightRef
from ..tape.selection import Chosen
from ..tape.tape import Tape
from .config import ModelConfig


@dataclass(frozen=True)
class Scores:
    """How the scores of attention are made.

    Attributes:
        scale: of the scores; None: head_dim^-0.5.
        softcap: see Tape.attend.
        has_sinks: each head has an attention sink, see Tape.attend.
        distances: what is added by distance, such as ALiBi.
        is_bounded: whether rows of images see each other both ways, see Tape.attend.
        chosen: the positions that take part, None: all.
    """

    scale: float | None = None
    softcap: float | None = None
    has_sinks: bool = False
    distances: DistanceBias | None = None
    is_bounded: bool = False
    chosen: Chosen | None = None


PLAIN = Scores()
# Writes a part of a layer: its input, and the number of the layer -> its output.
Part = Callable[[Span, int], Span]


def write_attention(
    t: Tape,
    c: ModelConfig,
    h: Span,
    i: int,
    head_norm: bool = False,
    full_norm: bool = False,
    offset: float = 0.0,
    scores: Scores = PLAIN,
) -> Span:
    """Grouped-query attention with rotary positions (Ainslie et al., 2023, arXiv:2305.13245).

    Args:
        h: the input, of layer i.
        head_norm: norm queries and keys before they are rotated, each head by itself.
        full_norm: the same, all heads at once.
        offset: see Tape.norm.
    """
    p = f"model.layers.{i}.self_attn"
    q, k, v = write_qkv(t, c, h, i)
    if head_norm or full_norm:
        for x, name in ((q, "q_norm"), (k, "k_norm")):
            t.norm(replace(x, heads=1) if full_norm else x, f"{p}.{name}", c.norm_eps, offset=offset)
    mixed = write_attend(t, c, q, k, v, i, scores)
    return t.project(mixed, "out", f"{p}.o_proj", c.hidden_size, bias=c.output_bias)


def write_gated_attention(t: Tape, c: ModelConfig, h: Span, i: int, size: int) -> Span:
    """Attention whose query and key heads are normed, and whose output is times the sigmoid of a gate.

    size: numbers of the gate for each head: one, or head_dim.
    """
    p = f"model.layers.{i}.self_attn"
    q, k, v = write_qkv(t, c, h, i)
    q, k = t.norm(q, f"{p}.q_norm", c.norm_eps), t.norm(k, f"{p}.k_norm", c.norm_eps)
    gates = t.map("sigmoid", t.linear(h, "gate", {f"{p}.gate_proj": (c.heads, size)})[0])
    mixed = t.map("multiply", write_attend(t, c, q, k, v, i), gates)
    return t.project(mixed, "out", f"{p}.o_proj", c.hidden_size, bias=c.output_bias)


def write_qkv(t: Tape, c: ModelConfig, h: Span, i: int) -> list[Span]:
    """The queries, keys and values of layer i."""
    p = f"model.layers.{i}.self_attn"
    parts = {
        f"{p}.q_proj": (c.heads, c.head_dim),
        f"{p}.k_proj": (c.kv_heads, c.head_dim),
        f"{p}.v_proj": (c.kv_heads, c.head_dim),
    }
    return t.linear(h, "qkv", parts, bias=c.qkv_bias)


def write_grouped_qkv(t: Tape, c: ModelConfig, h: Span, name: str) -> list[Span]:
    """Queries, keys and values of one matrix: rows of each KV head's queries, of its key, of its value."""
    size, queries = c.head_dim, c.heads // c.kv_heads * c.head_dim
    shape = ((c.heads + 2 * c.kv_heads) * size, h.width)
    parts = [
        (0, queries, c.heads),
        (queries, queries + size, c.kv_heads),
        (queries + size, queries + 2 * size, c.kv_heads),
    ]
    weights = [
        (WeightRef(f"{name}.weight", shape, start, stop, groups=c.kv_heads), heads)
        for start, stop, heads in parts
    ]
    return t.matmul(h, "qkv", weights, c.qkv_bias)


def write_attend(t: Tape, c: ModelConfig, q: Span, k: Span, v: Span, i: int, scores: Scores = PLAIN) -> Span:
    """Rotate queries and keys by their positions, and attend with the window of layer i."""
    if (rope := c.ropes[i]) is not None:
        q, k = t.rope(q, rope), t.rope(k, replace(rope, query_growth=0.0))  # keys do not grow
    scale = c.head_dim**-0.5 if scores.scale is None else scores.scale
    sinks = f"model.layers.{i}.self_attn.sinks" if scores.has_sinks else None
    settings: dict[str, Any] = {"softcap": scores.softcap, "sinks": sinks, "distances": scores.distances}
    settings |= {"is_bounded": scores.is_bounded, "chosen": scores.chosen}
    return t.attend(q, k, v, scale, c.windows[i], **settings)


def write_mlp(t: Tape, c: ModelConfig, h: Span, i: int) -> Span:
    """The MLP of layer i: down(activation(gate(h)) * up(h)) (Shazeer, 2020, arXiv:2002.05202)."""
    return write_named_mlp(t, c, h, f"model.layers.{i}.mlp", c.intermediate_size)


def write_named_mlp(
    t: Tape,
    c: ModelConfig,
    h: Span,
    p: str,
    size: int,
    names: tuple[str, str, str] = ("gate_proj", "up_proj", "down_proj"),
) -> Span:
    """The MLP with the matrices {p}.{name} and `size` inner activations."""
    gate_name, up_name, down_name = (f"{p}.{name}" for name in names)
    gate, up = t.linear(h, "inner", {gate_name: (1, size), up_name: (1, size)}, bias=c.mlp_bias)
    return t.project(t.gate(gate, up, c.activation), "out", down_name, c.hidden_size, bias=c.mlp_bias)


def write_joined_mlp(
    t: Tape,
    c: ModelConfig,
    h: Span,
    p: str,
    size: int,
    names: tuple[str, str] = ("gate_up_proj", "down_proj"),
) -> Span:
    """The same, where one matrix has the rows of the gate projection, then those of the up projection."""
    gate_up, down = (f"{p}.{name}" for name in names)
    gate, up = t.linear_split(h, "inner", gate_up, [(1, size)] * 2, bias=c.mlp_bias)
    return t.project(t.gate(gate, up, c.activation), "out", down, c.hidden_size, bias=c.mlp_bias)


def write_plain_mlp(
    t: Tape, c: ModelConfig, h: Span, up: str, down: str, bias: bool = False, size: int | None = None
) -> Span:
    """An MLP without gate: down(activation(up(h))).

    up, down: the whole names of its matrices. size: inner activations; None: the model's intermediate_size.
    """
    inner = t.map(c.activation, t.project(h, "inner", up, size or c.intermediate_size, bias))
    return t.project(inner, "out", down, c.hidden_size, bias)


def write_convs(t: Tape, parts: Sequence[Span], p: str, width: int, bias: bool = False) -> list[Span]:
    """silu of the causal convolution of each part, over `width` tokens.

    p: the name of the weights, in which the columns of the parts follow each other.
    """
    columns, start, convolved = sum(part.width for part in parts), 0, []
    for part in parts:
        rows = (start, start + part.width)
        weight = WeightRef(f"{p}.weight", (columns, 1, width), *rows)
        added = WeightRef(f"{p}.bias", (columns,), *rows) if bias else None
        convolved.append(t.map("silu", t.conv(part, "convolved", weight, added)))
        start += part.width
    return convolved


def write_conv(t: Tape, x: Span, name: str, width: int) -> Span:
    """silu of the causal convolution of x, whose weights are a tensor of their own, over `width` tokens."""
    return t.map("silu", t.conv(x, "convolved", WeightRef(f"{name}.weight", (x.width, 1, width))))


def write_layer(
    t: Tape,
    c: ModelConfig,
    x: Span,
    i: int,
    mlp: Part,
    attention: Part | None = None,
) -> Span:
    """x += attention(norm(x)), x += mlp(norm(x)), as in Llama, where x are the hidden states before layer i.

    mlp, attention: write the MLP, or what is there instead, and the attention: without one, Llama's.
    """
    attention = attention or partial(write_attention, t, c)
    h = t.norm(x, f"model.layers.{i}.input_layernorm", c.norm_eps, to="h")
    x = t.add(x, attention(h, i))
    h = t.norm(x, f"model.layers.{i}.post_attention_layernorm", c.norm_eps, to="h")
    return t.add(x, mlp(h, i))


def write_layers(t: Tape, c: ModelConfig, mlp: Part, attention: Part | None = None) -> None:
    """A whole model: the embedding, layers (see write_layer), and the head."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        x = write_layer(t, c, x, i, mlp, attention)
        if i < c.given_layers:
            x = t.add_given(x, 1 + i)
    write_head(t, c, x)


def write_head(t: Tape, c: ModelConfig, x: Span, norm: str = "model.norm", offset: float = 0.0) -> Span:
    """The final norm, and the logits of the rows that need them."""
    return write_logits(t, c, t.norm(t.take_rows(x), norm, c.norm_eps, to="h", offset=offset))


def write_logits(
    t: Tape,
    c: ModelConfig,
    h: Span,
    embedding: str = "model.embed_tokens",
    head: str = "lm_head",
    bias: bool = False,
) -> Span:
    """h times the head's matrix, which is that of the embedding if they are tied."""
    name = embedding if c.tie_word_embeddings else head
    return t.project(h, "logits", name, c.vocab_size, bias, is_head=True)
