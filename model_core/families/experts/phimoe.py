"""Phi-3.5-MoE (Microsoft, 2024, arXiv:2404.14219): Mixtral with layer norms, and other routing weights.

A row chooses two experts one after the other, each with its weight in a softmax over those near it
(SparseMixer-v2, arXiv:2409.12136). Positions are those of LongRoPE. Source: Transformers, modeling_phimoe.py.
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import expect, ignore, read_number
from ...errors import ModelError
from ...tape.rope import RopeConfig, find_rope_fields, read_rope
from ...tape.tape import Tape
from ..config import read_attention_bias, read_decoder_config
from ..parts import write_attention
from .mixture import MixtureConfig, read_mixture, separate_experts, write_experts


@dataclass(frozen=True)
class PhiMoEConfig(MixtureConfig):
    """`head_bias`: the head has biases."""

    head_bias: bool


def read_config(raw: dict[str, Any]) -> PhiMoEConfig:
    """The config.json of Phi-3.5-MoE."""
    expect(raw, num_experts_per_tok=2, tie_word_embeddings=False)  # the router knows no other number
    ignore(raw, "input_jitter_noise")  # of training
    nearness = 2 * read_number(raw, "router_jitter_noise", 0.01, 0, 1)
    mixture = read_mixture(
        raw, "num_local_experts", "intermediate_size", score="sparsemixer", nearness=nearness
    )
    return read_decoder_config(
        raw,
        PhiMoEConfig,
        ropes=_read_rope(raw),
        windows=raw.get("sliding_window"),
        head_bias=bool(raw.get("lm_head_bias", False)),
        **read_attention_bias(raw),
        **mixture,
    )


def _read_rope(raw: dict[str, Any]) -> RopeConfig:
    """LongRoPE, whose factor of cosines and sines is in the file, once for short texts and once for long."""
    fields = dict(find_rope_fields(raw))
    factors = [fields.pop(name, None) for name in ("short_mscale", "long_mscale")]
    if factors[0] != factors[1]:
        raise ModelError("short_mscale and long_mscale of LongRoPE differ, which is not supported.")
    if factors[0] is not None:
        fields["attention_factor"] = factors[0]
    return read_rope(raw, fields, theta=1e6)


def write_tape(t: Tape, c: PhiMoEConfig) -> None:
    """x += attention(norm(x)), x += experts(norm(x)) in each layer."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.layer_norm(x, f"{p}.input_layernorm", c.norm_eps, to="h", bias=True)
        x = t.add(x, write_attention(t, c, h, i))
        h = t.layer_norm(x, f"{p}.post_attention_layernorm", c.norm_eps, to="h", bias=True)
        experts = separate_experts(c, f"{p}.block_sparse_moe.experts", ("w1", "w3", "w2"))
        x = t.add(x, write_experts(t, c, h, f"{p}.block_sparse_moe.gate", experts))
    h = t.layer_norm(t.take_rows(x), "model.norm", c.norm_eps, to="h", bias=True)
    t.project(h, "logits", "lm_head", c.vocab_size, bias=c.head_bias, is_head=True)
