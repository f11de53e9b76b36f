"""GLM-4.5 (Zhipu AI, 2025, arXiv:2508.06471): a few dense layers, then routed and shared experts.

Also Solar Open (Upstage, 2025), which has experts in all layers, and rotates whole heads. Source:
Transformers, modeling_glm4_moe.py and modeling_solar_open.py.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

from ...checks.file_values import expect, read_size
from ...tape.references import Span
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import read_decoder_config
from ..mtp import layer_names, write_mtp_head
from ..parts import write_attention, write_head, write_layer, write_mlp
from .mixture import SharedMixtureConfig, read_shared_mixture, with_mtp_layer, write_shared_mixture


@dataclass(frozen=True)
class Glm4MoEConfig(SharedMixtureConfig):
    """`has_head_norm`: queries and keys are normed."""

    has_head_norm: bool


def read_config(raw: dict[str, Any]) -> Glm4MoEConfig:
    """The config.json of GLM-4.5, 4.6 and 4.7, or of Solar Open."""
    if raw["model_type"] == "solar_open":
        return _read_solar_open(raw)
    return read_decoder_config(
        raw,
        Glm4MoEConfig,
        ropes=read_rope(raw, partial=0.5),
        qkv_bias=bool(raw.get("attention_bias", False)),
        has_head_norm=bool(raw.get("use_qk_norm", False)),
        **read_shared_mixture(raw, dense_layers=1),
    )


def _read_solar_open(raw: dict[str, Any]) -> Glm4MoEConfig:
    expect(raw, first_k_dense_replace=0, use_qk_norm=False)
    mixture = read_shared_mixture(raw, dense_layers=0)
    return read_decoder_config(
        raw,
        Glm4MoEConfig,
        head_dim=read_size(raw, "head_dim", default=128),
        # There is no MLP but the shared experts.
        intermediate_size=read_size(raw, "intermediate_size", default=mixture["shared_size"]),
        ropes=read_rope(raw, theta=1e6),
        qkv_bias=bool(raw.get("attention_bias", False)),
        has_head_norm=False,
        **mixture,
    )


def write_tape(t: Tape, c: Glm4MoEConfig) -> None:
    """Llama's layers, the later ones with experts instead of MLPs."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        x = _write_layer(t, c, x, i)
    write_head(t, c, x)


def write_mtp_tape(t: Tape, c: Glm4MoEConfig) -> None:
    """The MTP head: a further layer."""
    names, further = layer_names(c.layers), with_mtp_layer(c)
    write_mtp_head(t, c, names, lambda x: _write_layer(t, further, x, c.layers))


def _write_layer(t: Tape, c: Glm4MoEConfig, x: Span, i: int) -> Span:
    mlp = write_shared_mixture if c.has_experts[i] else write_mlp
    attention = partial(write_attention, t, c, head_norm=c.has_head_norm)
    return write_layer(t, c, x, i, partial(mlp, t, c), attention)
