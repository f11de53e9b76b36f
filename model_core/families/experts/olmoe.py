"""OLMoE (Muennighoff et al., 2024, arXiv:2409.02060): queries and keys are normed, all heads at once."""

from typing import Any

from ...checks.file_values import expect
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import read_attention_bias, read_decoder_config
from ..parts import write_attention, write_head
from .mixture import MixtureConfig, read_mixture, separate_experts, write_experts


def read_config(raw: dict[str, Any]) -> MixtureConfig:
    """OLMoE's config.json."""
    expect(raw, clip_qkv=None)
    normalizes = bool(raw.get("norm_topk_prob", False))
    return read_decoder_config(
        raw,
        MixtureConfig,
        ropes=read_rope(raw),
        **read_attention_bias(raw),
        **read_mixture(raw, "num_experts", "intermediate_size", normalizes=normalizes),
    )


def write_tape(t: Tape, c: MixtureConfig) -> None:
    """Llama's layers, with experts instead of MLPs."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.input_layernorm", c.norm_eps, to="h")
        x = t.add(x, write_attention(t, c, h, i, full_norm=True))
        h = t.norm(x, f"{p}.post_attention_layernorm", c.norm_eps, to="h")
        x = t.add(x, write_experts(t, c, h, f"{p}.mlp.gate", separate_experts(c, f"{p}.mlp.experts")))
    write_head(t, c, x)
