"""Hunyuan-A13B (Tencent, 2025): Hunyuan with experts in each layer, and one that is always chosen.

Source: Transformers, modeling_hunyuan_v1_moe.py.
"""

from functools import partial
from typing import Any

from ...checks.file_values import expect, shorten
from ...errors import ModelError
from ...tape.references import Span
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import read_attention_bias, read_decoder_config
from ..llama.hunyuan import check_fields, write_attention
from ..parts import write_layers, write_named_mlp
from .mixture import MixtureConfig, read_mixture, separate_experts, write_experts


def read_config(raw: dict[str, Any]) -> MixtureConfig:
    """Hunyuan-A13B's config.json, where some fields have a number for each layer."""
    check_fields(raw)
    expect(raw, mlp_bias=False, use_mixed_mlp_moe=True, moe_drop_tokens=False, moe_layer_num_skipped=0)
    expect(raw, norm_topk_prob=True, routed_scaling_factor=1.0, group_limited_greedy=False)
    sizes = {"moe_topk": _read_one(raw, "moe_topk"), "num_experts": _read_one(raw, "num_experts")}
    same = {name: _read_one(raw, name) for name in ("num_shared_expert", "moe_intermediate_size")}
    expect(same, num_shared_expert=1, moe_intermediate_size=raw["intermediate_size"])
    fields = {name: raw.get(name) for name in ("num_hidden_layers", "intermediate_size")} | sizes
    return read_decoder_config(
        raw,
        MixtureConfig,
        ropes=read_rope(raw),
        **read_attention_bias(raw),
        **read_mixture(fields, "num_experts", "intermediate_size", chosen="moe_topk", normalizes=True),
    )


def _read_one(raw: dict[str, Any], name: str) -> Any:
    """The value of a field that may be a list with the same number for each layer."""
    value = raw.get(name)
    if not isinstance(value, list):
        return value
    if any(other != value[0] for other in value):
        raise ModelError(f"{name} is {shorten(value)}, but only the same number for all layers is supported.")
    return value[0] if value else None


def write_tape(t: Tape, c: MixtureConfig) -> None:
    """Hunyuan's layers, with experts instead of MLPs."""

    def write_mixture(h: Span, i: int) -> Span:
        p = f"model.layers.{i}.mlp"
        mixture = write_experts(t, c, h, f"{p}.gate.wg", separate_experts(c, f"{p}.experts"))
        return t.add(mixture, write_named_mlp(t, c, h, f"{p}.shared_mlp", c.expert_size))

    write_layers(t, c, write_mixture, partial(write_attention, t, c))
