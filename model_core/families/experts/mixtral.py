"""Mixtral (Jiang et al., 2024, arXiv:2401.04088): Mistral with a mixture of experts in each layer."""

from typing import Any

from ...checks.file_values import expect
from ...tape.references import Span
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import read_decoder_config
from ..parts import write_layers
from .mixture import MixtureConfig, read_mixture, separate_experts, write_experts


def read_config(raw: dict[str, Any]) -> MixtureConfig:
    """Mixtral's config.json. A row takes the softmax over the experts that it chose."""
    expect(raw, attention_bias=False, mlp_bias=False, norm_topk_prob=True)
    mixture = read_mixture(raw, "num_local_experts", "intermediate_size", normalizes=True)
    return read_decoder_config(
        raw,
        MixtureConfig,
        ropes=read_rope(raw, theta=1e6),
        windows=raw.get("sliding_window"),
        **mixture,
    )


def write_tape(t: Tape, c: MixtureConfig) -> None:
    """Mistral's layers. w1, w3 and w2 are gate, up and down projections of an expert."""

    def write_mixture(h: Span, i: int) -> Span:
        p = f"model.layers.{i}.block_sparse_moe"
        experts = separate_experts(c, f"{p}.experts", ("w1", "w3", "w2"))
        return write_experts(t, c, h, f"{p}.gate", experts)

    write_layers(t, c, write_mixture)
