"""Mamba (Gu and Dao, 2023, arXiv:2312.00752), and Falcon-Mamba (TII, 2024, arXiv:2410.05355).

No attention and no MLP, but a selective scan: each column has a state, and each number of it a decay of its
own. Falcon-Mamba norms what the scan is selected by.
"""

import math
from dataclasses import dataclass
from typing import Any

from ...checks.file_values import expect, ignore, read_number, read_size
from ...tape.references import Span, WeightRef
from ...tape.tape import Tape
from ..config import ModelConfig
from ..parts import write_convs, write_logits
from .mamba2 import read_mamba_config


@dataclass(frozen=True)
class SelectiveShape:
    """The sizes of a layer of Mamba.

    Attributes:
        inner: columns. state: numbers that each of them keeps.
        rank: inner size of the low-rank product that gives steps.
        bias: of the first and the last projection.
        norm_eps: of the norms of steps, B and C; None: there are none.
        norms: the names of their weights; None: they have none.
    """

    inner: int
    state: int
    rank: int
    conv_width: int
    conv_bias: bool
    bias: bool
    norm_eps: float | None = None
    norms: tuple[str, str, str] | None = None


@dataclass(frozen=True)
class MambaConfig(ModelConfig):
    """The layers of Mamba."""

    mamba: SelectiveShape


def read_config(raw: dict[str, Any]) -> MambaConfig:
    """The config.json of Mamba and of Falcon-Mamba."""
    is_falcon, hidden = raw["model_type"] == "falcon_mamba", read_size(raw, "hidden_size")
    # Files of Falcon-Mamba have an `expand` that does not fit.
    inner = read_size(raw, "intermediate_size", default=read_size(raw, "expand", default=2) * hidden)
    expect(raw, ssm_cfg={})
    # of the first values of training, of how it is computed, and repeated in other fields
    ignore(raw, "time_step_min", "time_step_max", "time_step_floor", "use_associative_scan")
    ignore(raw, "use_mambapy", "use_falcon_mambapy", "fused_add_norm", "pad_vocab_size_multiple")
    ignore(raw, "d_inner", "d_model", "n_layer")
    shape = SelectiveShape(
        inner=inner,
        state=read_size(raw, "state_size", default=16),
        rank=read_rank(raw, "time_step_rank"),
        conv_width=read_size(raw, "conv_kernel", default=4, max_value=64),
        conv_bias=bool(raw.get("use_conv_bias", True)),
        bias=bool(raw.get("use_bias", False)),
        norm_eps=read_number(raw, "mixer_rms_eps", 1e-6, 1e-30, 1) if is_falcon else None,
    )
    tied = bool(raw.get("tie_word_embeddings", True))
    return read_mamba_config(raw, MambaConfig, inner, mamba=shape, tie_word_embeddings=tied)


def read_rank(raw: dict[str, Any], name: str) -> int:
    """The inner size of the low-rank product that gives steps: by default a sixteenth of hidden states."""
    if raw.get(name) in (None, "auto"):
        return math.ceil(read_size(raw, "hidden_size") / 16)
    return read_size(raw, name)


def write_tape(t: Tape, c: MambaConfig) -> None:
    """x += mamba(norm(x)) in each layer."""
    x = t.embed("backbone.embeddings", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        h = t.norm(x, f"backbone.layers.{i}.norm", c.norm_eps, to="h")
        x = t.add(x, write_selective(t, c.mamba, h, f"backbone.layers.{i}.mixer"))
    h = t.norm(t.take_rows(x), "backbone.norm_f", c.norm_eps, to="h")
    write_logits(t, c, h, embedding="backbone.embeddings")


def write_selective(t: Tape, m: SelectiveShape, h: Span, p: str) -> Span:
    """S_t = exp(-exp(A) dt) * S_(t-1) + dt x B^T, y = S_t C + D x for each column; then a gate.

    p: the name of the layer's weights. dt, B and C are projections of x, dt through a low rank.
    """
    x, z = t.linear_split(h, "mamba", f"{p}.in_proj", [(1, m.inner)] * 2, m.bias)
    [x] = write_convs(t, (x,), f"{p}.conv1d", m.conv_width, m.conv_bias)
    name, shape = f"{p}.x_proj.weight", (m.rank + 2 * m.state, m.inner)
    middle = m.rank + m.state
    # In a buffer of its own, because a product takes its inputs from the first column on.
    [low] = t.matmul(x, "low_rank", [(WeightRef(name, shape, 0, m.rank), 1)])
    parts = [WeightRef(name, shape, m.rank, middle), WeightRef(name, shape, middle, middle + m.state)]
    b, c = t.matmul(x, "keys", [(part, 1) for part in parts])
    if m.norm_eps is not None:
        for span, norm in zip((low, b, c), m.norms or (None,) * 3, strict=True):
            t.norm(span, norm and f"{p}.{norm}", m.norm_eps)
    dt = t.map("softplus", t.project(low, "steps", f"{p}.dt_proj", m.inner, bias=True))
    v = t.map("multiply", x, dt, to="values")
    rates = WeightRef(f"{p}.A_log", (m.inner, m.state), is_log=True)
    y = t.selective_scan(dt, v, b, c, rates, to="mixed")
    y = t.map("multiply_add", y, x, WeightRef(f"{p}.D", (m.inner,)))
    return t.project(t.map("swiglu", z, y, to="mixed"), "out", f"{p}.out_proj", h.width, m.bias)
