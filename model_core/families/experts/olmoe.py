"""OLMoE (Muennighoff et al., 2024, arXiv:2409.02060): queries and keys are normed, all heads at once."""

from functools import partial
from typing import Any

from ...checks.file_values import expect
from ...tape.references import Span
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import read_attention_bias, read_decoder_config
from ..parts import write_attention, write_layers
from .mixture import MixtureConfig, read_mixture, separate_experts, write_experts


def read_config(raw: dict[str, Any]) -> MixtureConfig:
    """OLMoE's config.json."""
    expect(raw, clip_qkv=None)
    normalizes = bool(raw.get("norm_topk_prob", False))
    return read_decoder_config(
        raw,
        MixtureConfig,
        ropes=read_rope(raw),
        **read_attention_bias(raw),
        **read_mixture(raw, "num_experts", "intermediate_size", normalizes=normalizes),
    )


def write_tape(t: Tape, c: MixtureConfig) -> None:
    """Llama's layers, with experts instead of MLPs."""

    def write_mixture(h: Span, i: int) -> Span:
        p = f"model.layers.{i}.mlp"
        return write_experts(t, c, h, f"{p}.gate", separate_experts(c, f"{p}.experts"))

    write_layers(t, c, write_mixture, partial(write_attention, t, c, full_norm=True))
