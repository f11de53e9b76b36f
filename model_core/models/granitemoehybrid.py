"""Granite 4 (IBM, 2025): Mamba-2 layers and some of attention, each with an MLP, and experts beside it."""

from dataclasses import dataclass
from typing import Any

from ..config import read_decoder_config
from ..errors import ModelError
from ..fields import expect, ignore, read_size
from ..rope import read_rope
from ..tape import Tape
from .granite import read_multipliers
from .granitemoe import GraniteMoEConfig
from .mamba import MambaShape, read_mamba_shape, write_mamba
from .mixture import read_mixture, stacked_experts, write_experts
from .parts import write_attention, write_head


@dataclass(frozen=True)
class GraniteHybridConfig(GraniteMoEConfig):
    """`is_mamba` says which layers are Mamba-2; the others attend."""

    shared_size: int
    is_mamba: tuple[bool, ...]
    mamba: MambaShape


def read_config(raw: dict[str, Any]) -> GraniteHybridConfig:
    """Granite 4's config.json."""
    layers = read_size(raw, "num_hidden_layers", max_value=10_000)
    expect(raw, normalization_function="rmsnorm")
    ignore(raw, "init_method")
    types = raw.get("layer_types") or raw.get("layers_block_type") or ["mamba"] * layers
    is_mamba = tuple(kind in ("mamba", "linear_attention") for kind in types)
    known = ("mamba", "linear_attention", "attention", "full_attention")
    if len(types) != layers or not all(kind in known for kind in types):
        raise ModelError(f"layer_types should name mamba or attention for each of {layers} layers.")
    mixture = dict(experts=0, expert_size=0, routing=None, has_experts=(False,) * layers)
    if raw.get("num_local_experts", 8):
        mixture = read_mixture(raw, "num_local_experts", "intermediate_size", normalizes=True)
    ignore(raw, "num_experts_per_tok")
    has_rope = raw.get("position_embedding_type") == "rope"
    rope, bias = read_rope(raw), bool(raw.get("attention_bias", False))
    inner = read_size(raw, "mamba_expand", default=2) * read_size(raw, "hidden_size")
    return read_decoder_config(
        raw,
        GraniteHybridConfig,
        ropes=(rope if has_rope else None,) * layers,
        qkv_bias=bias,
        output_bias=bias,
        shared_size=read_size(raw, "shared_intermediate_size", default=1024),
        is_mamba=is_mamba,
        mamba=read_mamba_shape(raw, inner),
        **read_multipliers(raw),
        **mixture,
    )


def write_tape(t: Tape, c: GraniteHybridConfig) -> None:
    """Granite's layers with Mamba-2 in the place of most attention."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    x = t.scale(x, c.embedding_multiplier)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.input_layernorm", c.rms_norm_eps, to="h")
        if c.is_mamba[i]:
            y = write_mamba(t, c.mamba, h, f"{p}.mamba", c.rms_norm_eps)
        else:
            y = write_attention(t, c, h, i, scale=c.attention_multiplier)
        x = t.add(x, y, c.residual_multiplier)
        h = t.norm(x, f"{p}.post_attention_layernorm", c.rms_norm_eps, to="h")
        inner = [(1, c.shared_size)] * 2
        gate, up = t.split(h, "shared_inner", f"{p}.shared_mlp.input_linear", inner)
        gated = t.gate(gate, up, c.activation)
        y = t.project(gated, "shared", f"{p}.shared_mlp.output_linear", c.hidden_size)
        if c.has_experts[i]:
            moe = f"{p}.block_sparse_moe"
            experts = stacked_experts(c, f"{moe}.input_linear.weight", f"{moe}.output_linear.weight")
            y = t.add(y, write_experts(t, c, h, f"{moe}.router.layer", experts))
        x = t.add(x, y, c.residual_multiplier)
    t.scale(write_head(t, c, x), 1 / c.logits_scaling)
