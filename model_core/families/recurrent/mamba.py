"""Mamba-2 layers (Dao and Gu, 2024, arXiv:2405.21060), which are a part of several families."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...checks.file_values import ignore, read_size, shorten
from ...errors import ModelError
from ...tape.references import Span, WeightRef
from ...tape.tape import Tape
from ..parts import write_convs


@dataclass(frozen=True)
class MambaShape:
    """The sizes of a layer. The heads of a group share keys B and queries C, which have `state` numbers."""

    heads: int
    head_dim: int
    groups: int
    state: int
    conv_width: int
    conv_bias: bool
    bias: bool  # of both projections
    has_norm: bool = True  # of the output
    norms_before_gate: bool = False

    @property
    def inner(self) -> int:
        """Columns of all heads."""
        return self.heads * self.head_dim


def read_mamba_shape(raw: dict[str, Any], inner: int, **norm: bool) -> MambaShape:
    """The fields of config.json whose names begin with `mamba_`.

    inner: columns of all heads. norm: has_norm and norms_before_gate, which some families have.
    """
    ignore(raw, "mamba_chunk_size", "mamba_expand")
    ignore(raw, "time_step_min", "time_step_max", "time_step_floor")  # of the first values of training
    limit = raw.get("time_step_limit")
    if limit not in (None, [0.0, math.inf], [0.0, {"__float__": "Infinity"}]):  # as Transformers writes it
        raise ModelError(f"time_step_limit is {shorten(limit)}, but only 0 to infinity is supported.")
    heads = read_size(raw, "mamba_n_heads", default=128)
    groups = read_size(raw, "mamba_n_groups", default=1)
    auto = raw.get("mamba_d_head") in (None, "auto")
    head_dim = inner // heads if auto else read_size(raw, "mamba_d_head")
    if heads * head_dim != inner or heads % groups:
        raise ModelError(f"{inner} columns do not divide into {heads} Mamba heads in {groups} groups.")
    return MambaShape(
        heads=heads,
        head_dim=head_dim,
        groups=groups,
        state=read_size(raw, "mamba_d_state", default=256),
        conv_width=read_size(raw, "mamba_d_conv", default=4, max_value=64),
        conv_bias=bool(raw.get("mamba_conv_bias", True)),
        bias=bool(raw.get("mamba_proj_bias", False)),
        **norm,
    )


def write_mamba(
    t: Tape, m: MambaShape, h: Span, p: str, eps: float, factors: Sequence[float] = (1.0,) * 5
) -> Span:
    """S_t = exp(-exp(A) dt) S_(t-1) + dt x B^T, y = S_t C + D x, for each head; then a gate and a norm.

    p: the name of the layer's weights. dt is softplus(dt + bias), one number a head. factors: of the gate, x,
    B, C and dt, after their projection.
    """
    keys = (m.groups, m.state)
    values = (m.heads, m.head_dim)
    parts = [values, values, keys, keys, (m.heads, 1)]
    projected = t.linear_split(h, "mamba", f"{p}.in_proj", parts, m.bias)
    z, x, b, c, dt = (t.scale(part, factor) for part, factor in zip(projected, factors, strict=True))
    x, b, c = write_convs(t, (x, b, c), f"{p}.conv1d", m.conv_width, m.conv_bias)
    rate = WeightRef(f"{p}.A_log", (m.heads,), is_log=True)
    dt = t.map("softplus", t.map("add", dt, WeightRef(f"{p}.dt_bias", (m.heads,))))
    v = t.map("multiply", x, dt, to="values")
    y = t.scan(t.map("decay", t.map("multiply", dt, rate, to="decay")), v, b, c, to="mixed")
    y = t.map("multiply_add", y, x, WeightRef(f"{p}.D", (m.heads,)))
    if not m.norms_before_gate:
        y = t.map("swiglu", z, y, to="mixed")
    if m.has_norm:
        y = replace(y, heads=m.groups)
        y = replace(t.norm(y, f"{p}.norm", eps, per_head=True), heads=m.heads)
    if m.norms_before_gate:
        y = t.map("swiglu", z, y, to="mixed")
    return t.project(y, "out", f"{p}.out_proj", h.width, m.bias)
