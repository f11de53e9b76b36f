"""gpt-oss (OpenAI, 2025, arXiv:2508.10925): experts with clamped gates, and attention sinks.

Every second layer attends to a window. Projections have biases. Positions are stretched by YaRN.
"""

from functools import partial
from typing import Any

from ...checks.file_values import expect, ignore
from ...tape.operations import Expert
from ...tape.references import Span, WeightRef
from ...tape.rope import find_rope_fields, read_rope
from ...tape.tape import Tape
from ..config import read_attention_bias, read_decoder_config, read_layer_types, windows_of
from ..parts import Scores, write_attention, write_layers
from .mixture import MixtureConfig, read_mixture, write_experts

_YARN = {
    "rope_type": "yarn",
    "factor": 32.0,
    "truncate": False,
    "original_max_position_embeddings": 4096,
}


def read_config(raw: dict[str, Any]) -> MixtureConfig:
    """gpt-oss's config.json. A row takes the softmax over the experts that it chose."""
    expect(raw, swiglu_alpha=1.702, swiglu_limit=7.0, hidden_act="silu")
    ignore(raw, "experts_per_token", "initial_context_length")  # are there by other names, too
    mixture = read_mixture(raw, "num_local_experts", "intermediate_size", normalizes=True)
    types = read_layer_types(raw, default=2)
    parameters = find_rope_fields(raw) or _YARN
    return read_decoder_config(
        raw,
        MixtureConfig,
        activation="clamped_swiglu",
        ropes=read_rope(raw, parameters, theta=150000.0),
        windows=windows_of(types, raw.get("sliding_window", 128)),
        **read_attention_bias(raw, default=True),
        **mixture,
    )


def write_tape(t: Tape, c: MixtureConfig) -> None:
    """x += attention(norm(x)), x += experts(norm(x)) in each layer."""

    def write_mixture(h: Span, i: int) -> Span:
        p = f"model.layers.{i}.mlp"
        return write_experts(t, c, h, f"{p}.router", _interleaved_experts(c, f"{p}.experts"), bias=True)

    write_layers(t, c, write_mixture, partial(write_attention, t, c, scores=Scores(has_sinks=True)))


def _interleaved_experts(c: MixtureConfig, p: str) -> list[Expert]:
    """Experts in tensors [experts, k, n]. Columns of gate and up projections alternate."""
    hidden, inner = c.hidden_size, c.expert_size
    both, shape = (c.experts, hidden, 2 * inner), (c.experts, inner, hidden)

    def gate_up(expert: int, start: int) -> tuple[WeightRef, WeightRef]:
        weight = WeightRef(f"{p}.gate_up_proj", both, start, expert=expert, is_transposed=True, step=2)
        bias = WeightRef(f"{p}.gate_up_proj_bias", (c.experts, 2 * inner), start, expert=expert, step=2)
        return weight, bias

    experts = []
    for expert in range(c.experts):
        (gate, gate_bias), (up, up_bias) = gate_up(expert, 0), gate_up(expert, 1)
        down = WeightRef(f"{p}.down_proj", shape, is_transposed=True, expert=expert)
        down_bias = WeightRef(f"{p}.down_proj_bias", (c.experts, hidden), expert=expert)
        experts.append(Expert(gate, up, down, gate_bias, up_bias, down_bias))
    return experts
