"""Qwen3 with mixtures of experts (Yang et al., 2025, arXiv:2505.09388), in all layers or in some.

Also the text model of Qwen3-VL with mixtures (arXiv:2511.21631).
"""

from functools import partial
from typing import Any

from ...checks.file_values import expect, read_size, shorten
from ...errors import ModelError
from ...tape.references import Span
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import read_attention_bias, read_decoder_config, read_layer_count, read_window
from ..llama.qwen3 import read_vl_rope
from ..parts import write_attention, write_layers, write_mlp
from .mixture import MixtureConfig, read_mixture, separate_experts, write_experts


def read_config(raw: dict[str, Any]) -> MixtureConfig:
    """The config.json of Qwen3-MoE, or of the text model of Qwen3-VL-MoE, which always normalizes.

    Every `decoder_sparse_step`-th layer has experts, unless it is named.
    """
    expect(raw, use_qk_norm=True, qkv_bias=False, mlp_bias=False, shared_expert_intermediate_size=0)
    is_vl = raw["model_type"] == "qwen3_vl_moe_text"
    if is_vl:
        expect(raw, norm_topk_prob=True)
    normalizes = is_vl or bool(raw.get("norm_topk_prob", False))
    mixture = read_mixture(raw, "num_experts", "moe_intermediate_size", normalizes=normalizes)
    mixture["has_experts"] = read_sparse_layers(raw)
    return read_decoder_config(
        raw,
        MixtureConfig,
        ropes=read_vl_rope(raw) if is_vl else read_rope(raw, theta=1e4),
        windows=read_window(raw),
        **read_attention_bias(raw),
        **mixture,
    )


def read_sparse_layers(raw: dict[str, Any]) -> tuple[bool, ...]:
    """Whether each layer has experts."""
    layers = read_layer_count(raw)
    step, dense = read_size(raw, "decoder_sparse_step", default=1), raw.get("mlp_only_layers") or []
    if not isinstance(dense, list) or not all(type(i) is int for i in dense):
        raise ModelError(f"mlp_only_layers should be a list of layers, not {shorten(dense)}.")
    return tuple((i + 1) % step == 0 and i not in dense for i in range(layers))


def write_tape(t: Tape, c: MixtureConfig) -> None:
    """Qwen3's layers, with experts instead of MLPs."""

    def write_mixture(h: Span, i: int) -> Span:
        if not c.has_experts[i]:
            return write_mlp(t, c, h, i)
        p = f"model.layers.{i}.mlp"
        return write_experts(t, c, h, f"{p}.gate", separate_experts(c, f"{p}.experts"))

    write_layers(t, c, write_mixture, partial(write_attention, t, c, head_norm=True))
