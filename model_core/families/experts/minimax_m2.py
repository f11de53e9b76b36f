"""MiniMax-M2 (2025): experts that are chosen by sigmoids with a bias, and a part of each head is rotated.

Queries and keys are normed, all heads at once.
"""

from functools import partial
from typing import Any

from ...checks.file_values import expect, ignore, read_size
from ...tape.references import Span
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import read_decoder_config, read_layer_count
from ..parts import write_attention, write_layers
from .mixture import MixtureConfig, read_mixture, separate_experts, write_experts


def read_config(raw: dict[str, Any]) -> MixtureConfig:
    """MiniMax-M2's config.json. Published files name the rotated columns of a head in `rotary_dim`."""
    expect(raw, scoring_func="sigmoid", use_routing_bias=True, use_qk_norm=True, qk_norm_type="per_layer")
    expect(raw, shared_intermediate_size=0)
    ignore(raw, "use_mtp", "num_mtp_modules", "mtp_transformer_layers", "router_jitter_noise")
    expect(raw, attn_type_list=[1] * read_layer_count(raw))
    head_dim = read_size(raw, "head_dim", default=128)
    rotated = read_size(raw, "rotary_dim", default=head_dim, max_value=head_dim)
    return read_decoder_config(
        raw,
        MixtureConfig,
        head_dim=head_dim,
        ropes=read_rope(raw, theta=5e6, partial=rotated / head_dim),
        **read_mixture(raw, "num_local_experts", "intermediate_size", score="sigmoid", normalizes=True),
    )


def write_tape(t: Tape, c: MixtureConfig) -> None:
    """Llama's layers, with experts instead of MLPs."""

    def write_mixture(h: Span, i: int) -> Span:
        p = f"model.layers.{i}.block_sparse_moe"
        experts = separate_experts(c, f"{p}.experts", ("w1", "w3", "w2"))
        return write_experts(t, c, h, f"{p}.gate", experts, choice_bias=f"{p}.e_score_correction_bias")

    write_layers(t, c, write_mixture, partial(write_attention, t, c, full_norm=True))
