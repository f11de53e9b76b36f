"""Granite 3 with a mixture of experts in each layer (IBM, 2024)."""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import expect
from ...tape.tape import Tape
from ..config import read_attention_bias, read_decoder_config
from ..llama.granite import GraniteConfig, read_multipliers
from ..parts import Scores, write_attention, write_head
from .mixture import MixtureConfig, read_mixture, stacked_experts, write_experts


@dataclass(frozen=True)
class GraniteMoEConfig(GraniteConfig, MixtureConfig):
    """Granite's multipliers, and experts."""


def read_config(raw: dict[str, Any]) -> GraniteMoEConfig:
    """Granite-MoE's config.json. A row takes the softmax over the experts that it chose."""
    expect(raw, position_embedding_type="rope", mlp_bias=False)
    return read_decoder_config(
        raw,
        GraniteMoEConfig,
        **read_attention_bias(raw),
        **read_multipliers(raw),
        **read_mixture(raw, "num_local_experts", "intermediate_size", normalizes=True),
    )


def write_tape(t: Tape, c: GraniteMoEConfig) -> None:
    """Granite's layers, with experts instead of MLPs."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    x = t.scale(x, c.embedding_multiplier)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.input_layernorm", c.norm_eps, to="h")
        y = write_attention(t, c, h, i, scores=Scores(c.attention_multiplier))
        x = t.add(x, y, c.residual_multiplier)
        h = t.norm(x, f"{p}.post_attention_layernorm", c.norm_eps, to="h")
        p += ".block_sparse_moe"
        experts = stacked_experts(c, f"{p}.input_linear.weight", f"{p}.output_linear.weight")
        x = t.add(x, write_experts(t, c, h, f"{p}.router.layer", experts), c.residual_multiplier)
    t.scale(write_head(t, c, x), 1 / c.logits_scaling)
