"""Mamba-2 layers (Dao and Gu, 2024, arXiv:2405.21060), which are a part of several families."""

import math
from collections.abc import Mapping, Sequence
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


# field of MambaShape -> its name in config.json and its default, as in most families
MAMBA_FIELDS: dict[str, tuple[str, Any]] = {
    "heads": ("mamba_n_heads", 128),
    "head_dim": ("mamba_d_head", "auto"),
    "groups": ("mamba_n_groups", 1),
    "state": ("mamba_d_state", 256),
    "conv_width": ("mamba_d_conv", 4),
    "conv_bias": ("mamba_conv_bias", True),
    "bias": ("mamba_proj_bias", False),
}


def read_mamba_shape(
    raw: dict[str, Any],
    inner: int | None,
    fields: Mapping[str, tuple[str, Any]] = MAMBA_FIELDS,
    **norm: bool,
) -> MambaShape:
    """The fields of config.json that describe Mamba-2.

    inner: columns of all heads; None: as many as the heads have. fields: names and defaults, as MAMBA_FIELDS.
    norm: has_norm and norms_before_gate, which some families have.
    """
    ignore(raw, "mamba_chunk_size", "mamba_expand")
    ignore(raw, "time_step_min", "time_step_max", "time_step_floor")  # of the first values of training
    limit = raw.get("time_step_limit")
    if limit not in (None, [0.0, math.inf], [0.0, {"__float__": "Infinity"}]):  # as Transformers writes it
        raise ModelError(f"time_step_limit is {shorten(limit)}, but only 0 to infinity is supported.")

    def size(field: str, **limits: int) -> int:
        name, default = fields[field]
        return read_size(raw, name, default=default, **limits)

    def flag(field: str) -> bool:
        name, default = fields[field]
        return bool(raw.get(name, default))

    heads, groups, (name, default) = size("heads"), size("groups"), fields["head_dim"]
    if inner is not None and (raw.get(name) or default) == "auto":
        head_dim = inner // heads
    else:
        head_dim = size("head_dim")
    inner = heads * head_dim if inner is None else inner
    if heads * head_dim != inner or heads % groups:
        raise ModelError(f"{inner} columns do not divide into {heads} Mamba heads in {groups} groups.")
    return MambaShape(
        heads=heads,
        head_dim=head_dim,
        groups=groups,
        state=size("state"),
        conv_width=size("conv_width", max_value=64),
        conv_bias=flag("conv_bias"),
        bias=flag("bias"),
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
