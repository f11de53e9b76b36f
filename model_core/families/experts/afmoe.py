"""Trinity (Arcee AI, 2025): gated attention, norms before and after, and many experts.

Layers with a window have positions, and those without have none. Source: Transformers, modeling_afmoe.py.
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import expect, ignore, read_number, read_size
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import read_attention_bias, read_decoder_config, read_layer_types, windows_of
from ..parts import write_gated_attention, write_head, write_mlp
from .mixture import SharedMixtureConfig, read_mixture, write_shared_mixture


@dataclass(frozen=True)
class AfmoeConfig(SharedMixtureConfig):
    """`embedding_scale`: factor of embeddings."""

    embedding_scale: float


def read_config(raw: dict[str, Any]) -> AfmoeConfig:
    """The config.json of Trinity."""
    expect(raw, mlp_bias=False, score_func="sigmoid", route_norm=True)
    expect(raw, n_group=1, topk_group=1, num_expert_groups=1, num_limited_groups=1)
    ignore(raw, "use_grouped_mm", "load_balance_coeff")  # how it was run and trained
    interval = read_size(raw, "global_attn_every_n_layers", default=4)
    types, rope = read_layer_types(raw, interval), read_rope(raw)
    mixture = read_mixture(
        raw,
        "num_experts",
        "moe_intermediate_size",
        score="sigmoid",
        normalizes=True,
        epsilon=1e-20,
        scale=read_number(raw, "route_scale", 1.0),
    )
    dense = raw.get("num_dense_layers", 1)
    mixture["has_experts"] = tuple(i >= dense for i in range(len(types)))
    hidden_size = read_size(raw, "hidden_size")
    return read_decoder_config(
        raw,
        AfmoeConfig,
        head_dim=read_size(raw, "head_dim", default=128),
        ropes=tuple(rope if kind == "sliding_attention" else None for kind in types),
        windows=windows_of(types, raw.get("sliding_window", 1024)),
        shared_size=mixture["expert_size"] * read_size(raw, "num_shared_experts", default=2),
        has_choice_bias=True,
        embedding_scale=hidden_size**0.5 if raw.get("mup_enabled", False) else 1.0,
        **read_attention_bias(raw),
        **mixture,
    )


def write_tape(t: Tape, c: AfmoeConfig) -> None:
    """x += norm(attention(norm(x))), x += norm(mlp(norm(x))) in each layer."""
    x = t.scale(t.embed("model.embed_tokens", c.vocab_size, c.hidden_size), c.embedding_scale)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.input_layernorm", c.norm_eps, to="h")
        y = write_gated_attention(t, c, h, i, size=c.head_dim)
        x = t.add(x, t.norm(y, f"{p}.post_attention_layernorm", c.norm_eps))
        h = t.norm(x, f"{p}.pre_mlp_layernorm", c.norm_eps, to="h")
        if c.has_experts[i]:
            y = write_shared_mixture(t, c, h, i, "router.gate", "expert_bias")
        else:
            y = write_mlp(t, c, h, i)
        x = t.add(x, t.norm(y, f"{p}.post_mlp_layernorm", c.norm_eps))
    write_head(t, c, x)
