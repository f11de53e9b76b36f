"""Falcon-H1 (TII, 2025, arXiv:2507.22448): attention and Mamba-2 side by side in each layer."""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import expect, ignore, read_number, read_size, shorten
from ...errors import ModelError
from ...tape.references import Span
from ...tape.tape import Tape
from ..config import ModelConfig, read_decoder_config
from ..parts import Scores, write_attention, write_head
from .mamba import MambaShape, read_mamba_shape, write_mamba

_MULTIPLIERS = (
    "embedding_multiplier",
    "attention_in_multiplier",
    "key_multiplier",
    "attention_out_multiplier",
    "ssm_in_multiplier",
    "ssm_out_multiplier",
    "lm_head_multiplier",
)


@dataclass(frozen=True)
class FalconH1Config(ModelConfig):
    """The shapes and multipliers of Falcon-H1.

    Attributes:
        mamba: the shape of Mamba-2.
        multipliers: by their names in config.json.
        mlp_multipliers: of the MLP's gate, and of its output.
        ssm_multipliers: of the gate, x, B, C and dt of Mamba-2.
    """

    mamba: MambaShape
    multipliers: dict[str, float]
    mlp_multipliers: tuple[float, ...]
    ssm_multipliers: tuple[float, ...]


def read_config(raw: dict[str, Any]) -> FalconH1Config:
    """Falcon-H1's config.json. Projections have no biases, so inputs may be multiplied after them."""
    expect(raw, attention_bias=False, mlp_bias=False, mamba_proj_bias=False, projectors_bias=False)
    expect(raw, mamba_use_mlp=True, attn_layer_indices=None)
    ignore(raw, "mlp_expansion_factor")
    hidden_size = read_size(raw, "hidden_size")
    expanded = read_size(raw, "mamba_expand", default=2) * hidden_size
    inner = read_size(raw, "mamba_d_ssm", default=expanded if "mamba_d_ssm" in raw else 1024)
    return read_decoder_config(
        raw,
        FalconH1Config,
        mamba=read_mamba_shape(
            raw,
            inner,
            has_norm=bool(raw.get("mamba_rms_norm", False)),
            norms_before_gate=bool(raw.get("mamba_norm_before_gate", True)),
        ),
        multipliers={name: read_number(raw, name, 1.0) for name in _MULTIPLIERS},
        mlp_multipliers=_read_multipliers(raw, "mlp_multipliers", 2),
        ssm_multipliers=_read_multipliers(raw, "ssm_multipliers", 5),
    )


def _read_multipliers(raw: dict[str, Any], name: str, count: int) -> tuple[float, ...]:
    values = raw.get(name) or [1.0] * count
    if (
        not isinstance(values, list)
        or len(values) != count
        or not all(type(v) in (int, float) for v in values)
    ):
        raise ModelError(f"{name} should be a list of {count} numbers, not {shorten(values)}.")
    return tuple(map(float, values))


def write_tape(t: Tape, c: FalconH1Config) -> None:
    """h = norm(x), x += mamba(h) + attention(h), x += mlp(norm(x)) in each layer, all with multipliers."""
    m = c.multipliers
    into, out = m["attention_in_multiplier"], m["attention_out_multiplier"]
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    x = t.scale(x, m["embedding_multiplier"])
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.input_layernorm", c.norm_eps, to="h")
        factors = [m["ssm_in_multiplier"] * factor for factor in c.ssm_multipliers]
        y = write_mamba(t, c.mamba, h, f"{p}.mamba", c.norm_eps, factors)
        x = t.add(x, y, m["ssm_out_multiplier"])
        # h times `into` would multiply queries, keys and values.
        scale = c.head_dim**-0.5 * into * into * m["key_multiplier"]
        x = t.add(x, write_attention(t, c, h, i, scores=Scores(scale)), into * out)
        h = t.norm(x, f"{p}.pre_ff_layernorm", c.norm_eps, to="h")
        x = t.add(x, _write_mlp(t, c, h, i), c.mlp_multipliers[1])
    t.scale(write_head(t, c, x, norm="model.final_layernorm"), m["lm_head_multiplier"])


def _write_mlp(t: Tape, c: FalconH1Config, h: Span, i: int) -> Span:
    """down(activation(factor * gate(h)) * up(h))."""
    p, inner = f"model.layers.{i}.feed_forward", (1, c.intermediate_size)
    gate, up = t.linear(h, "inner", {f"{p}.gate_proj": inner, f"{p}.up_proj": inner})
    gated = t.gate(t.scale(gate, c.mlp_multipliers[0]), up, c.activation)
    return t.project(gated, "out", f"{p}.down_proj", c.hidden_size)
