"""GLM-4.5 (Zhipu AI, 2025, arXiv:2508.06471): routed and shared experts behind a few dense layers."""

from dataclasses import dataclass
from typing import Any

from ..config import read_decoder_config
from ..fields import read_size
from ..records import Span
from ..rope import read_rope
from ..tape import Tape
from .mixture import MixtureConfig, read_group_routing, read_mixture, separate_experts, write_experts
from .parts import write_attention, write_head, write_mlp, write_named_mlp


@dataclass(frozen=True)
class SharedMixtureConfig(MixtureConfig):
    """Experts that rows choose, and those that all rows share.

    Attributes:
        shared_size: inner size of the shared experts, as one MLP.
        has_choice_bias: whether a bias balances the choice of the others.
    """

    shared_size: int
    has_choice_bias: bool


@dataclass(frozen=True)
class Glm4MoEConfig(SharedMixtureConfig):
    """GLM-4.5. `has_head_norm`: queries and keys are normed."""

    has_head_norm: bool


def read_config(raw: dict[str, Any]) -> Glm4MoEConfig:
    """The config.json of GLM-4.5, 4.6 and 4.7."""
    mixture = read_shared_mixture(raw, dense_layers=1)
    return read_decoder_config(
        raw,
        Glm4MoEConfig,
        ropes=read_rope(raw, partial=0.5),
        qkv_bias=bool(raw.get("attention_bias", False)),  # the output has none
        has_head_norm=bool(raw.get("use_qk_norm", False)),
        **mixture,
    )


def read_shared_mixture(
    raw: dict[str, Any], dense_layers: int, has_choice_bias: bool = True, **routing: Any
) -> dict[str, Any]:
    """The fields of SharedMixtureConfig.

    dense_layers: the default of `first_k_dense_replace`. routing: fields of Routing that differ from
    DeepSeek-V3's.
    """
    routing = read_group_routing(raw) | routing
    mixture = read_mixture(raw, "n_routed_experts", "moe_intermediate_size", **routing)
    layers, dense = len(mixture["has_experts"]), raw.get("first_k_dense_replace", dense_layers)
    return mixture | {
        "has_experts": tuple(i >= dense for i in range(layers)),
        "shared_size": mixture["expert_size"] * read_size(raw, "n_shared_experts", default=1),
        "has_choice_bias": has_choice_bias,
    }


def write_tape(t: Tape, c: Glm4MoEConfig) -> None:
    """Llama's layers, the later ones with experts in the place of MLPs."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        h = t.norm(x, f"model.layers.{i}.input_layernorm", c.norm_eps, to="h")
        x = t.add(x, write_attention(t, c, h, i, head_norm=c.has_head_norm))
        h = t.norm(x, f"model.layers.{i}.post_attention_layernorm", c.norm_eps, to="h")
        x = t.add(x, write_shared_mixture(t, c, h, i) if c.has_experts[i] else write_mlp(t, c, h, i))
    write_head(t, c, x)


def write_shared_mixture(t: Tape, c: SharedMixtureConfig, h: Span, i: int) -> Span:
    """The experts that a row chooses, and those that all rows share."""
    p = f"model.layers.{i}.mlp"
    experts = separate_experts(c, f"{p}.experts")
    bias = f"{p}.gate.e_score_correction_bias" if c.has_choice_bias else None
    mixture = write_experts(t, c, h, f"{p}.gate", experts, choice_bias=bias)
    return t.add(mixture, write_named_mlp(t, c, h, f"{p}.shared_experts", c.shared_size))
