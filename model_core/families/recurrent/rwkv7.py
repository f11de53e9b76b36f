"""RWKV-7 "Goose" (Peng et al., 2025, arXiv:2503.14456): no attention, but a state matrix for each head.

Tensors have the names of the released files (github.com/BlinkDL/RWKV-LM). Each token also sees the one before
it: "token shift" mixes both, with weights of its own for each use.
"""

import math
from dataclasses import dataclass
from typing import Any

from ...checks.file_values import expect, ignore, read_number, read_size
from ...errors import ModelError
from ...tape.references import Span, WeightRef
from ...tape.tape import Tape
from ..config import ModelConfig, read_decoder_config
from ..parts import write_logits

# letter of the paper -> name and default of the inner size of its low-rank product
_LOW_RANKS = {
    "w": ("decay_low_rank_dim", 64),
    "a": ("a_low_rank_dim", 64),
    "v": ("v_low_rank_dim", 32),
    "g": ("gate_low_rank_dim", 128),
}


@dataclass(frozen=True)
class Rwkv7Config(ModelConfig):
    """`low_ranks` are the inner sizes of the low-rank products, by the letters of the paper."""

    low_ranks: dict[str, int]


def read_config(raw: dict[str, Any]) -> Rwkv7Config:
    """A config.json with the fields of the Hugging Face port (github.com/fla-org/flash-linear-attention)."""
    expect(raw, norm_first=True, norm_bias=True, hidden_act="sqrelu", attn=None)
    ignore(raw, "fuse_norm", "fuse_cross_entropy", "fuse_linear_cross_entropy", "value_dim", "num_heads")
    ignore(raw, "attn_mode", "use_l2warp")  # how it is computed, and trained
    hidden_size, head_dim = read_size(raw, "hidden_size"), read_size(raw, "head_dim", default=64)
    if hidden_size % head_dim:
        raise ModelError(f"hidden_size {hidden_size} is not a multiple of head_dim {head_dim}.")
    expect(raw, num_attention_heads=hidden_size // head_dim)
    raw["num_attention_heads"] = hidden_size // head_dim  # which files leave out
    return read_decoder_config(
        raw,
        Rwkv7Config,
        head_dim=head_dim,
        intermediate_size=_read_inner_size(raw, hidden_size),
        norm_eps=read_number(raw, "norm_eps", 1e-5, 1e-30, 1),
        max_context=read_size(raw, "max_position_embeddings", default=2**17),
        activation="relu_squared",
        ropes=None,
        low_ranks={x: read_size(raw, name, default=size) for x, (name, size) in _LOW_RANKS.items()},
    )


def _read_inner_size(raw: dict[str, Any], hidden_size: int) -> int:
    """The rows of channel mixing, where the file leaves them out a multiple of 32."""
    ratio = read_number(raw, "hidden_ratio", 4.0, 1e-3, 1e3)
    return read_size(raw, "intermediate_size", default=-(-int(hidden_size * ratio) // 32) * 32)


def write_tape(t: Tape, c: Rwkv7Config) -> None:
    """x += time_mixing(norm(x)), x += channel_mixing(norm(x)) in each layer."""
    x = t.embed("emb", c.vocab_size, c.hidden_size)
    x = t.layer_norm(x, "blocks.0.ln0", c.norm_eps, to="x", bias=True)
    first_value = None
    for i in range(c.layers):
        h = t.layer_norm(x, f"blocks.{i}.ln1", c.norm_eps, to="h", bias=True)
        y, first_value = _write_time_mixing(t, c, h, i, first_value)
        x = t.add(x, y)
        h = t.layer_norm(x, f"blocks.{i}.ln2", c.norm_eps, to="h", bias=True)
        x = t.add(x, _write_channel_mixing(t, c, h, i))
    h = t.layer_norm(t.take_rows(x), "ln_out", c.norm_eps, to="h", bias=True)
    write_logits(t, c, h, embedding="emb", head="head")


def _write_time_mixing(
    t: Tape, c: Rwkv7Config, h: Span, i: int, first_value: Span | None
) -> tuple[Span, Span]:
    """S_t = S_(t-1) (diag(w) - kappa (a * kappa)^T) + v k^T, y = S_t r, for each head.

    The decay is w = exp(-e^-0.5 sigmoid(...)). kappa is the key that is removed, a how much of it, and k the
    key that is added. The bonus sum(r * u * k) v is for the token itself, and g a gate on the output.

    first_value: v of layer 0, which each later layer mixes into its own. Returns the output and first_value.
    """
    p, n, heads = f"blocks.{i}.att", c.hidden_size, c.heads
    before = t.shift(h, "before")
    mixed = {x: t.map("mix", h, before, _vector(f"{p}.x_{x}", n), to=f"x_{x}") for x in "rwkvag"}

    def project(x: str, name: str, to: str) -> Span:
        [y] = t.linear(mixed[x], to, {f"{p}.{name}": (heads, n // heads)})
        return y

    def low_rank(x: str, function: str | None = None) -> Span:
        """function(x W1) W2, with bias W0 if it has one."""
        size, names = c.low_ranks[x], (f"{p}.{x}1", f"{p}.{x}2")
        inner = WeightRef(names[0], (n, size), is_transposed=True)
        outer = WeightRef(names[1], (size, n), is_transposed=True)
        [y] = t.matmul(mixed[x], "low_rank", [(inner, 1)])
        y = t.map(function, y) if function else y
        [y] = t.matmul(y, x, [(outer, heads)])
        return y if x == "g" else t.map("add", y, _vector(f"{p}.{x}0", n))

    r, k = project("r", "receptance", "r_heads"), project("k", "key", "k_heads")
    v = project("v", "value", "first_value" if first_value is None else "v_heads")
    w = t.map("decay", t.scale(t.map("sigmoid", low_rank("w", "tanh")), math.exp(-0.5)))
    a, g = t.map("sigmoid", low_rank("a")), low_rank("g", "sigmoid")
    if first_value is None:
        first_value = v
    else:
        v = t.map("mix", v, first_value, t.map("sigmoid", low_rank("v")))
    kappa = t.l2_norm(t.map("multiply", k, _vector(f"{p}.k_k", n), to="kappa"), 1e-24)
    k = t.map("mix", k, t.map("multiply", k, a, to="scaled"), _vector(f"{p}.k_a", n))
    y = t.scan(w, v, k, r, to="mixed", a=kappa, b=t.map("multiply", a, kappa))
    y = t.layer_norm(y, f"{p}.ln_x", c.head_dim * 1e-5, to="mixed", bias=True, per_head=True)
    u = WeightRef(f"{p}.r_k", (heads, n // heads))
    bonus = t.dot(t.map("multiply", r, u), k, to="bonus")
    y = t.map("multiply", t.map("multiply_add", y, v, bonus), g)
    return t.project(y, "out", f"{p}.output", n), first_value


def _write_channel_mixing(t: Tape, c: Rwkv7Config, h: Span, i: int) -> Span:
    """W_v relu(W_k x)^2, where x is h mixed with the token before."""
    p = f"blocks.{i}.ffn"
    x = t.map("mix", h, t.shift(h, "before"), _vector(f"{p}.x_k", c.hidden_size), to="x_k")
    inner = t.map("relu_squared", t.project(x, "inner", f"{p}.key", c.intermediate_size))
    return t.project(inner, "out", f"{p}.value", c.hidden_size)


def _vector(name: str, size: int) -> WeightRef:
    """A vector, as the files store it."""
    return WeightRef(name, (1, 1, size))
