"""Mixtral (Jiang et al., 2024, arXiv:2401.04088): Mistral with a mixture of experts in each layer."""

from typing import Any

from ...checks.file_values import expect
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import read_decoder_config
from ..parts import write_attention, write_head
from .mixture import MixtureConfig, read_mixture, separate_experts, write_experts


def read_config(raw: dict[str, Any]) -> MixtureConfig:
    """Mixtral's config.json. A row takes the softmax over the experts that it chose."""
    expect(raw, attention_bias=False, mlp_bias=False, norm_topk_prob=True)
    mixture = read_mixture(raw, "num_local_experts", "intermediate_size", normalizes=True)
    return read_decoder_config(
        raw,
        MixtureConfig,
        ropes=read_rope(raw, theta=1e6),
        windows=raw.get("sliding_window"),
        **mixture,
    )


def write_tape(t: Tape, c: MixtureConfig) -> None:
    """Mistral's layers. w1, w3 and w2 are gate, up and down projections of an expert."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.input_layernorm", c.norm_eps, to="h")
        x = t.add(x, write_attention(t, c, h, i))
        h = t.norm(x, f"{p}.post_attention_layernorm", c.norm_eps, to="h")
        experts = separate_experts(c, f"{p}.block_sparse_moe.experts", ("w1", "w3", "w2"))
        x = t.add(x, write_experts(t, c, h, f"{p}.block_sparse_moe.gate", experts))
    write_head(t, c, x)
