"""Jamba (AI21, 2024, arXiv:2403.19887): Mamba layers and a few of attention, each with an MLP or experts."""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import ignore, read_number, read_size
from ...errors import ModelError
from ...tape.tape import Tape
from ..config import read_decoder_config, read_layer_count
from ..experts.mixture import MixtureConfig, no_experts, read_mixture, separate_experts, write_experts
from ..parts import write_attention, write_head, write_named_mlp
from .mamba1 import SelectiveShape, read_rank, write_selective


@dataclass(frozen=True)
class JambaConfig(MixtureConfig):
    """`attends`: which layers have attention, without positions; the others are Mamba."""

    attends: tuple[bool, ...]
    mamba: SelectiveShape


def read_config(raw: dict[str, Any]) -> JambaConfig:
    """Jamba's config.json."""
    ignore(raw, "use_mambapy", "use_associative_scan", "num_experts_per_tok")
    mixture, has_experts = no_experts(read_layer_count(raw)), _every(raw, "expert_layer", 2, 1)
    if raw.get("num_experts", 16) != 1:
        mixture = read_mixture(raw, "num_experts", "intermediate_size") | {"has_experts": has_experts}
    return read_decoder_config(
        raw,
        JambaConfig,
        ropes=None,
        attends=_every(raw, "attn_layer", 8, 4),
        mamba=SelectiveShape(
            inner=read_size(raw, "mamba_expand", default=2) * read_size(raw, "hidden_size"),
            state=read_size(raw, "mamba_d_state", default=16),
            rank=read_rank(raw, "mamba_dt_rank"),
            conv_width=read_size(raw, "mamba_d_conv", default=4, max_value=64),
            conv_bias=bool(raw.get("mamba_conv_bias", True)),
            bias=bool(raw.get("mamba_proj_bias", False)),
            norm_eps=read_number(raw, "rms_norm_eps", 1e-6, 1e-30, 1),
            norms=("dt_layernorm", "b_layernorm", "c_layernorm"),
        ),
        **mixture,
    )


def _every(raw: dict[str, Any], name: str, period: int, offset: int) -> tuple[bool, ...]:
    """Whether each layer is one of every `{name}_period`, from `{name}_offset` on.

    period, offset: their defaults.
    """
    period = read_size(raw, f"{name}_period", default=period)
    offset = raw.get(f"{name}_offset", offset)
    if type(offset) is not int or not 0 <= offset < period:
        raise ModelError(f"{name}_offset should be a whole number below {name}_period.")
    return tuple(i % period == offset for i in range(read_layer_count(raw)))


def write_tape(t: Tape, c: JambaConfig) -> None:
    """x += mixer(norm(x)), x += mlp(norm(x)) in each layer, where the mixer is Mamba or attention."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h, mlp = t.norm(x, f"{p}.input_layernorm", c.norm_eps, to="h"), f"{p}.feed_forward"
        mixer = write_attention(t, c, h, i) if c.attends[i] else write_selective(t, c.mamba, h, f"{p}.mamba")
        x = t.add(x, mixer)
        h = t.norm(x, f"{p}.pre_ff_layernorm", c.norm_eps, to="h")
        if c.has_experts[i]:
            y = write_experts(t, c, h, f"{mlp}.router", separate_experts(c, f"{mlp}.experts"))
        else:
            y = write_named_mlp(t, c, h, mlp, c.intermediate_size)
        x = t.add(x, y)
    write_head(t, c, x, norm="model.final_layernorm")
