"""Nemotron-H (NVIDIA, 2025, arXiv:2504.03624): each layer is Mamba-2, attention or an MLP, with one norm.

Nemotron Nano 2 is the same. Nemotron 3 (arXiv:2512.20856) has mixtures of experts instead of MLPs. Neither an
MLP nor an expert has a gate, and attention has no positions. Steps have no lower limit, as in the code that
NVIDIA published; Transformers 5.24 raises those of prompts, but not those of answers, to `time_step_min`.
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import expect, ignore, read_number, read_size
from ...tape.operations import Expert
from ...tape.references import Span, WeightRef
from ...tape.tape import Tape
from ..config import read_decoder_config, read_layer_types
from ..experts.mixture import SharedMixtureConfig, no_experts, read_shared_mixture
from ..parts import write_attend, write_logits, write_plain_mlp
from .mamba import MambaShape, read_mamba_shape, write_mamba

# letters of hybrid_override_pattern -> names of layers_block_type
_LETTERS = {"M": "mamba", "*": "attention", "-": "mlp", "E": "moe"}
_NEWER_NAMES = {"linear_attention": "mamba", "full_attention": "attention"}
# See mamba.MAMBA_FIELDS.
NEMOTRON_FIELDS = {
    "heads": ("mamba_num_heads", 128),
    "head_dim": ("mamba_head_dim", 64),
    "groups": ("n_groups", 8),
    "state": ("ssm_state_size", 128),
    "conv_width": ("conv_kernel", 4),
    "conv_bias": ("use_conv_bias", True),
    "bias": ("use_bias", False),
}
_OF_EXPERTS = (
    *("n_routed_experts", "num_experts_per_tok", "moe_intermediate_size", "moe_latent_size"),
    *("moe_shared_expert_intermediate_size", "n_group", "topk_group", "norm_topk_prob"),
    "routed_scaling_factor",
)


@dataclass(frozen=True)
class NemotronHConfig(SharedMixtureConfig):
    """The layers of Nemotron-H.

    Attributes:
        kinds: of each layer, a value of _LETTERS.
        latent_size: columns of what experts take and give; None: those of hidden states.
    """

    kinds: tuple[str, ...]
    mamba: MambaShape
    latent_size: int | None


def read_config(raw: dict[str, Any]) -> NemotronHConfig:
    """The config.json of Nemotron-H, Nemotron Nano 2 and Nemotron 3."""
    expect(raw, mlp_hidden_act="relu2", mamba_hidden_act="silu", n_shared_experts=1)
    expect(raw, attention_bias=False, mlp_bias=False, mamba_proj_bias=False)
    # of positions that attention does not have, repeated in other fields, of how it is computed, and of
    # layers that predict several tokens at once
    ignore(raw, "rope_theta", "partial_rotary_factor")
    ignore(raw, "attention_head_dim", "norm_eps", "expand", "chunk_size", "mamba_ssm_cache_dtype")
    ignore(raw, "moe_shared_expert_overlap", "mtp_hybrid_override_pattern", "mtp_layers_block_type")
    kinds = _read_kinds(raw)
    has_experts, mixture = tuple(kind == "moe" for kind in kinds), no_experts(len(kinds))
    latent_size, shared = None, {"shared_size": 0, "has_choice_bias": False}
    if any(has_experts):
        mixture = read_shared_mixture(raw, dense_layers=0) | {"has_experts": has_experts}
        shared = {"shared_size": read_size(raw, "moe_shared_expert_intermediate_size")}
        latent_size = raw.get("moe_latent_size") and read_size(raw, "moe_latent_size")
    else:
        ignore(raw, *_OF_EXPERTS)
    return read_decoder_config(
        raw,
        NemotronHConfig,
        head_dim=read_size(raw, "head_dim" if "head_dim" in raw else "attention_head_dim", default=128),
        norm_eps=read_number(raw, "layer_norm_epsilon", 1e-5, 1e-30, 1),
        activation="relu_squared",
        ropes=None,
        kinds=kinds,
        mamba=read_mamba_shape(raw, None, NEMOTRON_FIELDS),
        latent_size=latent_size,
        **(mixture | shared),
    )


def _read_kinds(raw: dict[str, Any]) -> tuple[str, ...]:
    """The kind of each layer, of layers_block_type or else of hybrid_override_pattern."""
    pattern = raw.get("hybrid_override_pattern") or ""
    default = [_LETTERS.get(letter, letter) for letter in pattern]
    raw.setdefault("num_hidden_layers", len(raw.get("layers_block_type") or default))
    types = read_layer_types(raw, default, (*_LETTERS.values(), *_NEWER_NAMES), "layers_block_type")
    return tuple(_NEWER_NAMES.get(kind, kind) for kind in types)


def write_tape(t: Tape, c: NemotronHConfig) -> None:
    """x += mixer(norm(x)) in each layer, where the mixer is Mamba-2, attention, an MLP or experts."""
    x = t.embed("backbone.embeddings", c.vocab_size, c.hidden_size)
    for i, kind in enumerate(c.kinds):
        p = f"backbone.layers.{i}.mixer"
        h = t.norm(x, f"backbone.layers.{i}.norm", c.norm_eps, to="h")
        if kind == "mamba":
            y = write_mamba(t, c.mamba, h, p, c.norm_eps)
        elif kind == "attention":
            y = _write_attention(t, c, h, i)
        elif kind == "mlp":
            y = _write_mlp(t, c, h, p, c.intermediate_size)
        else:
            y = _write_mixture(t, c, h, p)
        x = t.add(x, y)
    h = t.norm(t.take_rows(x), "backbone.norm_f", c.norm_eps, to="h")
    write_logits(t, c, h, embedding="backbone.embeddings")


def _write_attention(t: Tape, c: NemotronHConfig, h: Span, i: int) -> Span:
    p, heads = f"backbone.layers.{i}.mixer", {"q": c.heads, "k": c.kv_heads, "v": c.kv_heads}
    parts = {f"{p}.{part}_proj": (count, c.head_dim) for part, count in heads.items()}
    q, k, v = t.linear(h, "qkv", parts)
    return t.project(write_attend(t, c, q, k, v, i), "out", f"{p}.o_proj", c.hidden_size)


def _write_mlp(t: Tape, c: NemotronHConfig, h: Span, p: str, size: int) -> Span:
    """down(relu(up(h))^2), with `size` inner activations."""
    return write_plain_mlp(t, c, h, f"{p}.up_proj", f"{p}.down_proj", size=size)


def _write_mixture(t: Tape, c: NemotronHConfig, h: Span, p: str) -> Span:
    """The experts that a row chooses, which may take and give latents, and an MLP that all rows share."""
    size, inner = c.latent_size or c.hidden_size, c.expert_size
    experts = [
        Expert(
            gate=None,
            up=WeightRef(f"{p}.experts.{expert}.up_proj.weight", (inner, size)),
            down=WeightRef(f"{p}.experts.{expert}.down_proj.weight", (size, inner)),
        )
        for expert in range(c.experts)
    ]
    bias = f"{p}.gate.e_score_correction_bias"
    weights = t.route(h, f"{p}.gate", c.experts, c.routing, choice_bias=bias)
    x = t.project(h, "latent", f"{p}.fc1_latent_proj", size) if c.latent_size else h
    y = t.experts(x, weights, c.routing, experts, c.activation)
    if c.latent_size:
        y = t.project(y, "expanded", f"{p}.fc2_latent_proj", c.hidden_size)
    return t.add(y, _write_mlp(t, c, h, f"{p}.shared_experts", c.shared_size))
