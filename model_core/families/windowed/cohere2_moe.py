"""Command A Plus and North Mini Code (Cohere, 2026): Cohere 2's layers, with experts.

The first layers may have MLPs. Source: Transformers, modeling_cohere2_moe.py.
"""

from dataclasses import dataclass, replace
from typing import Any

from ...checks.file_values import expect, ignore, read_number, read_size, shorten
from ...errors import ModelError
from ...tape.references import Span
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import (
    read_attention_bias,
    read_decoder_config,
    read_layer_count,
    read_layer_types,
    windows_of,
)
from ..experts.mixture import MixtureConfig, read_mixture, read_mlp_types, separate_experts, write_experts
from ..parts import write_attention, write_logits, write_mlp, write_named_mlp


@dataclass(frozen=True)
class Cohere2MoEConfig(MixtureConfig):
    """Fields beside those of a mixture.

    Attributes:
        logit_scale: logits are multiplied by it.
        has_rms_norm: norms are RMS norms instead of layer norms.
        shared_size: inner size of the experts that all rows share, as one MLP; 0: there are none.
        mixture_scale: the sum of shared and chosen experts is multiplied by it.
    """

    logit_scale: float
    has_rms_norm: bool
    shared_size: int
    mixture_scale: float


def read_config(raw: dict[str, Any]) -> Cohere2MoEConfig:
    """The config.json of Command A Plus (its text model) or North Mini Code."""
    expect(raw, use_qk_norm=False, mlp_bias=False, use_gated_activation=True, use_parallel_block=True)
    expect(raw, position_embedding_type="rope_gptj", rotary_pct=1.0)
    ignore(raw, "layer_switch", "order_of_interleaved_layers")  # layer_types says the same
    ignore(raw, "use_embedding_sharing", "use_parallel_embedding")
    layers, dense = read_layer_count(raw), raw.get("first_k_dense_replace") or 0
    has_experts = read_mlp_types(raw, (i >= dense for i in range(layers)))
    dense_interval = read_size(raw, "prefix_dense_sliding_window_pattern", default=1)
    interval = read_size(raw, "sliding_window_pattern", default=4)
    is_full = [
        (i + 1) % dense_interval == 0 if i < dense else (i - dense + 1) % interval == 0 for i in range(layers)
    ]
    types = read_layer_types(raw, ["full_attention" if full else "sliding_attention" for full in is_full])
    # Layers that attend to everything have no positions, but the dense ones may.
    rope = replace(read_rope(raw), is_interleaved=True)
    has_rope = [
        kind == "sliding_attention" or (not is_sparse and dense_interval == 1)
        for kind, is_sparse in zip(types, has_experts, strict=True)
    ]
    mixture = _read_mixture(raw)
    inner = read_size(raw, "intermediate_size")
    has_rms_norm = raw.get("rms_norm_eps") is not None
    epsilon = "rms_norm_eps" if has_rms_norm else "layer_norm_eps"
    ignore(raw, "layer_norm_eps")
    return read_decoder_config(
        raw,
        Cohere2MoEConfig,
        head_dim=read_size(raw, "head_dim", default=128),
        intermediate_size=read_size(raw, "prefix_dense_intermediate_size", default=inner),
        norm_eps=read_number(raw, epsilon, 1e-5, 1e-30, 1),
        has_rms_norm=has_rms_norm,
        ropes=tuple(rope if rotated else None for rotated in has_rope),
        windows=windows_of(types, read_size(raw, "sliding_window", default=4096)),
        tie_word_embeddings=raw.get("tie_word_embeddings") is not False,
        logit_scale=read_number(raw, "logit_scale", 0.0625),
        **read_attention_bias(raw),
        **mixture | {"has_experts": has_experts},
    )


def _read_mixture(raw: dict[str, Any]) -> dict[str, Any]:
    """The experts. Those that rows choose, and those that all share, are added or averaged."""
    score = raw.get("expert_selection_fn", "softmax")
    if score not in ("softmax", "sigmoid"):
        raise ModelError(f"expert_selection_fn {shorten(score)} is not supported; softmax and sigmoid are.")
    # The softmax is that of the chosen experts.
    normalizes = bool(raw.get("norm_topk_prob", True)) or score == "softmax"
    mixture = read_mixture(raw, "num_experts", "intermediate_size", score=score, normalizes=normalizes)
    shared = read_size(raw, "num_shared_experts") if raw.get("num_shared_experts") else 0
    strategy = raw.get("shared_expert_combination_strategy", "average")
    if strategy not in ("average", "sum"):
        raise ModelError(
            f"shared_expert_combination_strategy {shorten(strategy)} is not supported; average and sum are."
        )
    scale = 0.5 if shared and strategy == "average" else 1.0
    return mixture | {"shared_size": shared * mixture["expert_size"], "mixture_scale": scale}


def write_tape(t: Tape, c: Cohere2MoEConfig) -> None:
    """h = norm(x), x += attention(h) + mlp(h) in each layer."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        h = _norm(t, c, x, f"model.layers.{i}.input_layernorm")
        x = t.add(x, write_attention(t, c, h, i))
        x = t.add(x, _write_mixture(t, c, h, i) if c.has_experts[i] else write_mlp(t, c, h, i))
    h = _norm(t, c, t.take_rows(x), "model.norm")
    t.scale(write_logits(t, c, h), c.logit_scale)


def _norm(t: Tape, c: Cohere2MoEConfig, x: Span, name: str) -> Span:
    norm = t.norm if c.has_rms_norm else t.layer_norm
    return norm(x, name, c.norm_eps, to="h")


def _write_mixture(t: Tape, c: Cohere2MoEConfig, h: Span, i: int) -> Span:
    p = f"model.layers.{i}.mlp"
    y = write_experts(t, c, h, f"{p}.gate", separate_experts(c, f"{p}.experts"))
    if c.shared_size:
        y = t.add(y, write_named_mlp(t, c, h, f"{p}.shared_experts", c.shared_size))
    return t.scale(y, c.mixture_scale)
