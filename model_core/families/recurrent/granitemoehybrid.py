"""Granite 4 (IBM, 2025): Mamba-2 layers and some of attention, each with an MLP plus experts."""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import expect, ignore, read_size
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import read_attention_bias, read_decoder_config, read_layer_count, read_layer_types
from ..experts.granitemoe import GraniteMoEConfig
from ..experts.mixture import no_experts, read_mixture, stacked_experts, write_experts
from ..llama.granite import read_multipliers
from ..parts import Scores, write_attention, write_head, write_joined_mlp
from .mamba import MambaShape, read_mamba_shape, write_mamba

_MAMBA_TYPES = ("mamba", "linear_attention")  # names in older and newer files
_ATTENTION_TYPES = ("attention", "full_attention")


@dataclass(frozen=True)
class GraniteHybridConfig(GraniteMoEConfig):
    """`is_mamba` says which layers are Mamba-2; the others attend. shared_size: of the MLP in each layer."""

    shared_size: int
    is_mamba: tuple[bool, ...]
    mamba: MambaShape


def read_config(raw: dict[str, Any]) -> GraniteHybridConfig:
    """Granite 4's config.json."""
    expect(raw, normalization_function="rmsnorm", mlp_bias=False)
    ignore(raw, "init_method", "num_experts_per_tok")
    layers = read_layer_count(raw)
    default = raw.get("layers_block_type") or ["mamba"] * layers
    types = read_layer_types(raw, default, known=_MAMBA_TYPES + _ATTENTION_TYPES)
    mixture = no_experts(layers)
    if raw.get("num_local_experts", 8):
        mixture = read_mixture(raw, "num_local_experts", "intermediate_size", normalizes=True)
    rope, has_rope = read_rope(raw), raw.get("position_embedding_type") == "rope"
    inner = read_size(raw, "mamba_expand", default=2) * read_size(raw, "hidden_size")
    return read_decoder_config(
        raw,
        GraniteHybridConfig,
        ropes=rope if has_rope else None,
        shared_size=read_size(raw, "shared_intermediate_size", default=1024),
        is_mamba=tuple(kind in _MAMBA_TYPES for kind in types),
        mamba=read_mamba_shape(raw, inner),
        **read_attention_bias(raw),
        **read_multipliers(raw),
        **mixture,
    )


def write_tape(t: Tape, c: GraniteHybridConfig) -> None:
    """Granite's layers, most of them with Mamba-2 instead of attention."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    x = t.scale(x, c.embedding_multiplier)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.input_layernorm", c.norm_eps, to="h")
        if c.is_mamba[i]:
            y = write_mamba(t, c.mamba, h, f"{p}.mamba", c.norm_eps)
        else:
            y = write_attention(t, c, h, i, scores=Scores(c.attention_multiplier))
        x = t.add(x, y, c.residual_multiplier)
        h = t.norm(x, f"{p}.post_attention_layernorm", c.norm_eps, to="h")
        names = ("input_linear", "output_linear")
        y = write_joined_mlp(t, c, h, f"{p}.shared_mlp", c.shared_size, names)
        if c.has_experts[i]:
            moe = f"{p}.block_sparse_moe"
            experts = stacked_experts(c, f"{moe}.input_linear.weight", f"{moe}.output_linear.weight")
            y = t.add(y, write_experts(t, c, h, f"{moe}.router.layer", experts))
        x = t.add(x, y, c.residual_multiplier)
    t.scale(write_head(t, c, x), 1 / c.logits_scaling)
