"""Qwen1.5-MoE and Qwen2-MoE (Yang et al., 2024, arXiv:2407.10671): Qwen2 with experts that rows choose.

One expert is always chosen, multiplied by the sigmoid of its own gate.
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import expect, read_size
from ...tape.references import Span
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import read_decoder_config
from ..llama.qwen2 import read_windows
from ..parts import write_layers, write_mlp
from .mixture import MixtureConfig, read_mixture, write_gated_mixture
from .qwen3_moe import read_sparse_layers


@dataclass(frozen=True)
class Qwen2MoEConfig(MixtureConfig):
    """`shared_size`: inner activations of the expert that is always chosen."""

    shared_size: int


def read_config(raw: dict[str, Any]) -> Qwen2MoEConfig:
    """The config.json of Qwen1.5-MoE and Qwen2-MoE."""
    normalizes = bool(raw.get("norm_topk_prob", False))
    mixture = read_mixture(raw, "num_experts", "moe_intermediate_size", normalizes=normalizes)
    mixture["has_experts"] = read_sparse_layers(raw)
    config = read_decoder_config(
        raw,
        Qwen2MoEConfig,
        ropes=read_rope(raw),
        qkv_bias=bool(raw.get("qkv_bias", True)),
        windows=read_windows(raw),
        shared_size=read_size(raw, "shared_expert_intermediate_size", default=5632),
        **mixture,
    )
    expect(raw, attention_bias=config.qkv_bias)
    return config


def write_tape(t: Tape, c: Qwen2MoEConfig) -> None:
    """Qwen2's layers, with experts instead of most MLPs."""

    def write_mixture(h: Span, i: int) -> Span:
        if not c.has_experts[i]:
            return write_mlp(t, c, h, i)
        return write_gated_mixture(t, c, h, f"model.layers.{i}.mlp", c.shared_size)

    write_layers(t, c, write_mixture)
