"""ERNIE 4.5 with mixtures of experts (Baidu, 2025): a few dense layers, then routed and shared experts.

A row chooses experts by their softmax scores plus a bias that balances the choice. Source: Transformers,
modeling_ernie4_5_moe.py.
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import expect, ignore, read_number, read_size, shorten
from ...errors import ModelError
from ...tape.references import Span, WeightRef
from ...tape.tape import Tape
from ..config import read_decoder_config, read_layer_count
from ..llama.ernie4_5 import read_shared_fields
from ..parts import write_layers, write_mlp, write_named_mlp
from .mixture import MixtureConfig, read_mixture, separate_experts, write_experts


@dataclass(frozen=True)
class ErnieMoEConfig(MixtureConfig):
    """`shared_size`: inner size of the shared experts, as one MLP; 0 if there are none."""

    shared_size: int


def read_config(raw: dict[str, Any]) -> ErnieMoEConfig:
    """ERNIE 4.5's config.json, with experts. Biases, which no published model has, are refused."""
    expect(raw, moe_gate="topk", moe_use_aux_free=True, use_rmsnorm=True, use_bias=False)
    # No expert is ever full, and the MTP head is not read.
    ignore(raw, "moe_capacity", "num_nextn_predict_layers")
    # The sum of chosen scores is not smaller in any model that chooses by its scores.
    read_number(raw, "moe_norm_min", 1e-12, 0, 1e-6)
    mixture = read_mixture(raw, "moe_num_experts", "moe_intermediate_size", chosen="moe_k", normalizes=True)
    shared = raw.get("moe_num_shared_experts", 2)
    if type(shared) is not int or not 0 <= shared <= 4096:
        raise ModelError(f"moe_num_shared_experts should be a whole number from 0, not {shorten(shared)}.")
    mixture["has_experts"] = _read_sparse_layers(raw)
    return read_decoder_config(
        raw,
        ErnieMoEConfig,
        shared_size=shared * mixture["expert_size"],
        **read_shared_fields(raw),
        **mixture,
    )


def _read_sparse_layers(raw: dict[str, Any]) -> tuple[bool, ...]:
    """Whether each layer has experts: every `moe_layer_interval`-th one from the first to the last index."""
    layers, step = read_layer_count(raw), read_size(raw, "moe_layer_interval", default=1)
    first, last = raw.get("moe_layer_start_index", 1), raw.get("moe_layer_end_index")
    last = -1 if last is None else last
    if type(first) is not int or type(last) is not int or first < 0 or last < -1:
        raise ModelError("moe_layer_start_index and moe_layer_end_index should be numbers of layers.")
    last = layers - 1 if last == -1 else last
    return tuple((i + 1) % step == 0 and first <= i <= last for i in range(layers))


def write_tape(t: Tape, c: ErnieMoEConfig) -> None:
    """ERNIE 4.5's layers, with experts instead of most MLPs."""

    def write_mixture(h: Span, i: int) -> Span:
        if not c.has_experts[i]:
            return write_mlp(t, c, h, i)
        p = f"model.layers.{i}.mlp"
        bias = WeightRef(f"{p}.moe_statics.e_score_correction_bias", (1, c.experts))
        mixture = write_experts(t, c, h, f"{p}.gate", separate_experts(c, f"{p}.experts"), choice_bias=bias)
        if not c.shared_size:
            return mixture
        return t.add(mixture, write_named_mlp(t, c, h, f"{p}.shared_experts", c.shared_size))

    write_layers(t, c, write_mixture)
