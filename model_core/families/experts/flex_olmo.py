"""FlexOlmo (Ai2, 2025, arXiv:2507.07024): OLMo 2 with OLMoE's experts instead of MLPs.

Source: Transformers, modeling_flex_olmo.py.
"""

from typing import Any

from ...checks.file_values import expect
from ...tape.references import Span
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import read_attention_bias, read_decoder_config
from ..dense.olmo2 import write_layer
from ..parts import write_head
from .mixture import MixtureConfig, read_mixture, separate_experts, write_experts


def read_config(raw: dict[str, Any]) -> MixtureConfig:
    """FlexOlmo's config.json."""
    expect(raw, mlp_bias=False)
    normalizes = bool(raw.get("norm_topk_prob", False))
    return read_decoder_config(
        raw,
        MixtureConfig,
        ropes=read_rope(raw, theta=5e5),
        **read_attention_bias(raw),
        **read_mixture(raw, "num_experts", "intermediate_size", normalizes=normalizes),
    )


def write_tape(t: Tape, c: MixtureConfig) -> None:
    """x += norm(attention(x)), x += norm(mixture(x)) in each layer."""

    def write_mixture(h: Span, i: int) -> Span:
        p = f"model.layers.{i}.mlp"
        return write_experts(t, c, h, f"{p}.gate", separate_experts(c, f"{p}.experts"))

    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        x = write_layer(t, c, x, i, write_mixture)
    write_head(t, c, x)
