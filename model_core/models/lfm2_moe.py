"""LFM2 with mixtures of experts behind a few dense layers (Liquid AI, 2025, arXiv:2511.23404)."""

from dataclasses import dataclass
from typing import Any

from ..config import read_decoder_config
from ..fields import read_number
from ..records import Span
from ..tape import Tape
from .lfm2 import Lfm2Config, read_convolutions, write_feed_forward, write_layers
from .mixture import MixtureConfig, read_mixture, separate_experts, write_experts


@dataclass(frozen=True)
class Lfm2MoEConfig(Lfm2Config, MixtureConfig):
    """LFM2's layers, and experts. `has_choice_bias`: a bias balances the choice of experts."""

    has_choice_bias: bool


def read_config(raw: dict[str, Any]) -> Lfm2MoEConfig:
    """LFM2-MoE's config.json."""
    mixture = read_mixture(
        raw,
        "num_experts",
        "moe_intermediate_size",
        score="sigmoid",
        normalizes=bool(raw.get("norm_topk_prob", True)),
        epsilon=1e-6,
        scale=read_number(raw, "routed_scaling_factor", 1.0),
    )
    dense = raw.get("num_dense_layers", 2)
    mixture["has_experts"] = tuple(i >= dense for i in range(len(mixture["has_experts"])))
    has_choice_bias = bool(raw.get("use_expert_bias", True))
    fields = read_convolutions(raw) | mixture
    return read_decoder_config(raw, Lfm2MoEConfig, has_choice_bias=has_choice_bias, **fields)


def write_tape(t: Tape, c: Lfm2MoEConfig) -> None:
    """LFM2's layers, the later ones with experts in the place of MLPs."""
    write_layers(t, c, _write_feed_forward)


def _write_feed_forward(t: Tape, c: Lfm2MoEConfig, h: Span, i: int) -> Span:
    if not c.has_experts[i]:
        return write_feed_forward(t, c, h, i)
    p = f"model.layers.{i}.feed_forward"
    experts = separate_experts(c, f"{p}.experts", ("w1", "w3", "w2"))
    bias = f"{p}.expert_bias" if c.has_choice_bias else None
    return write_experts(t, c, h, f"{p}.gate", experts, choice_bias=bias)
