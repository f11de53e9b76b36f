"""Mistral Small 4 (Mistral AI, 2026): DeepSeek's latent attention, whose queries grow with their positions.

Experts are chosen by a softmax over all of them. Source: Transformers, modeling_mistral4.py.
"""

from dataclasses import replace
from typing import Any

from ...checks.file_values import expect, read_size
from ...errors import ModelError
from ...tape.rope import part_of, read_rope
from ..experts.mixture import read_shared_mixture
from .deepseek import DeepSeekConfig, read_latent_config, write_tape

__all__ = ["read_config", "write_tape"]


def read_config(raw: dict[str, Any]) -> DeepSeekConfig:
    """Mistral 4's config.json. partial_rotary_factor is the part of a head that qk_rope_head_dim is."""
    plain_dim, rotated_dim = read_size(raw, "qk_nope_head_dim"), read_size(raw, "qk_rope_head_dim")
    head_dim = plain_dim + rotated_dim
    rope = read_rope(raw, partial=part_of(rotated_dim, head_dim))
    if int(head_dim * rope.partial) != rotated_dim:
        raise ModelError(f"partial_rotary_factor should make {rotated_dim} of {head_dim} dimensions.")
    if rope.query_growth and plain_dim % 2:
        raise ModelError(f"qk_nope_head_dim is {plain_dim}, but queries that grow need an even size.")
    rope = replace(rope, partial=1.0, is_interleaved=bool(raw.get("rope_interleave", True)))
    # Groups would be ranked by softmaxes, but experts are chosen by their logits here.
    expect(raw, n_group=1, topk_group=1)
    mixture = read_shared_mixture(raw, dense_layers=0, has_choice_bias=False, score="softmax")
    return read_latent_config(raw, rope, **mixture)
