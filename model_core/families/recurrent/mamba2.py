"""Mamba-2 by itself (Dao and Gu, 2024, arXiv:2405.21060), such as Mamba-Codestral: no attention, no MLP."""

from dataclasses import dataclass
from typing import Any, TypeVar

from ...checks.file_values import expect, ignore, read_number, read_size
from ...tape.tape import Tape
from ..config import ModelConfig, read_decoder_config
from ..parts import write_logits
from .mamba import MambaShape, read_mamba_shape, write_mamba
from .nemotron_h import NEMOTRON_FIELDS

MAX_CONTEXT = 2**20  # files state none, and a state does not grow
# See mamba.MAMBA_FIELDS.
MAMBA2_FIELDS = NEMOTRON_FIELDS | {
    "heads": ("num_heads", 128),
    "head_dim": ("head_dim", 64),
    "state": ("state_size", 128),
}


Config = TypeVar("Config", bound=ModelConfig)


@dataclass(frozen=True)
class Mamba2Config(ModelConfig):
    """The layers of Mamba-2."""

    mamba: MambaShape


def read_config(raw: dict[str, Any]) -> Mamba2Config:
    """Mamba-2's config.json."""
    inner = read_size(raw, "expand", default=2) * read_size(raw, "hidden_size")
    expect(raw, intermediate_size=inner)
    # `norm_before_gate` is a field of older code. Transformers does not read it: the norm follows the gate.
    ignore(raw, "chunk_size", "time_step_rank", "norm_before_gate")
    shape = read_mamba_shape(raw, inner, MAMBA2_FIELDS)
    return read_mamba_config(raw, Mamba2Config, inner, mamba=shape)


def read_mamba_config(raw: dict[str, Any], kind: type[Config], inner: int, **family: Any) -> Config:
    """The fields that models of Mamba layers alone share. inner: columns of a layer."""
    expect(raw, hidden_act="silu", rms_norm=True)
    ignore(raw, "time_step_scale", "time_step_init_scheme")  # of the first values of training
    raw["num_attention_heads"] = 1  # there is no attention
    return read_decoder_config(
        raw,
        kind,
        head_dim=2,
        intermediate_size=inner,
        norm_eps=read_number(raw, "layer_norm_epsilon", 1e-5, 1e-30, 1),
        max_context=read_size(raw, "max_position_embeddings", default=MAX_CONTEXT),
        activation="silu",
        ropes=None,
        **family,
    )


def write_tape(t: Tape, c: Mamba2Config) -> None:
    """x += mamba(norm(x)) in each layer."""
    x = t.embed("backbone.embeddings", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        h = t.norm(x, f"backbone.layers.{i}.norm", c.norm_eps, to="h")
        x = t.add(x, write_mamba(t, c.mamba, h, f"backbone.layers.{i}.mixer", c.norm_eps))
    h = t.norm(t.take_rows(x), "backbone.norm_f", c.norm_eps, to="h")
    write_logits(t, c, h, embedding="backbone.embeddings")
