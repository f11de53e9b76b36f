"""K-EXAONE (LG AI Research, 2026): the attention of EXAONE 4 in Llama's layers, and experts of DeepSeek-V3.

Layers with a window have positions, and the others have none. Source: Transformers, modeling_exaone_moe.py.
"""

from functools import partial
from typing import Any

from ...checks.file_values import expect
from ...tape.references import Span
from ...tape.tape import Tape
from ..config import read_decoder_config
from ..dense.exaone4 import read_windows_and_ropes
from ..parts import write_attention, write_layers, write_mlp
from .mixture import SharedMixtureConfig, read_mlp_types, read_shared_mixture, write_shared_mixture

# Names of fields in DeepSeek-V3 -> those here.
_MIXTURE = {"n_routed_experts": "num_experts", "n_shared_experts": "num_shared_experts"} | {
    name: name
    for name in (
        *("num_hidden_layers", "num_local_experts", "num_experts_per_tok", "moe_intermediate_size"),
        *("norm_topk_prob", "routed_scaling_factor", "n_group", "topk_group"),
    )
}


def read_config(raw: dict[str, Any]) -> SharedMixtureConfig:
    """K-EXAONE's config.json."""
    expect(raw, attention_bias=False, mlp_bias=False, scoring_func="sigmoid", topk_method="noaux_tc")
    dense = raw.get("first_k_dense_replace", raw.get("first_last_k_dense_replace", 1))
    fields = {name: raw[own] for name, own in _MIXTURE.items() if own in raw}
    mixture = read_shared_mixture({"routed_scaling_factor": 2.5, **fields}, dense_layers=dense)
    mixture["has_experts"] = read_mlp_types(raw, mixture["has_experts"])
    expect(raw, is_moe_layer=[*mixture["has_experts"]])  # which says it again
    return read_decoder_config(raw, SharedMixtureConfig, **read_windows_and_ropes(raw), **mixture)


def write_tape(t: Tape, c: SharedMixtureConfig) -> None:
    """Llama's layers with a norm of each query and key head, and with experts instead of most MLPs."""
    write_layers(t, c, partial(_write_mlp, t, c), partial(write_attention, t, c, head_norm=True))


def _write_mlp(t: Tape, c: SharedMixtureConfig, h: Span, i: int) -> Span:
    if not c.has_experts[i]:
        return write_mlp(t, c, h, i)
    return write_shared_mixture(t, c, h, i, choice_bias="e_score_correction_bias")
