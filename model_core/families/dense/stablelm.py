"""StableLM (Bellagente et al., 2024, arXiv:2402.17834): layer norms, and a part of each head is rotated.

In StableLM 2 12B, each head of queries and of keys has a layer norm of its own.
"""

from dataclasses import dataclass, replace
from typing import Any

from ...checks.file_values import expect, ignore, read_flag, read_number
from ...tape.references import Span
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import ModelConfig, read_decoder_config
from ..parts import write_attend, write_logits, write_mlp, write_qkv


@dataclass(frozen=True)
class StableLMConfig(ModelConfig):
    """`is_parallel`: attention and MLP read the same norm. has_head_norms: of queries and keys."""

    is_parallel: bool
    has_head_norms: bool


def read_config(raw: dict[str, Any]) -> StableLMConfig:
    """StableLM's config.json."""
    expect(raw, mlp_bias=False)
    ignore(raw, "num_heads")  # num_attention_heads counts
    return read_decoder_config(
        raw,
        StableLMConfig,
        norm_eps=read_number(raw, "layer_norm_eps", 1e-5, 1e-30, 1),
        ropes=read_rope(raw, partial=0.25),
        qkv_bias=bool(raw.get("use_qkv_bias", False)),
        is_parallel=bool(raw.get("use_parallel_residual", False)),
        has_head_norms=read_flag(raw, "qk_layernorm", False),
    )


def write_tape(t: Tape, c: StableLMConfig) -> None:
    """Llama's layers, with layer norms."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p, eps = f"model.layers.{i}", c.norm_eps
        h = t.layer_norm(x, f"{p}.input_layernorm", eps, to="h", bias=True)
        x = t.add(x, _write_attention(t, c, h, i))
        if not c.is_parallel:
            h = t.layer_norm(x, f"{p}.post_attention_layernorm", eps, to="h", bias=True)
        x = t.add(x, write_mlp(t, c, h, i))
    write_logits(t, c, t.layer_norm(t.take_rows(x), "model.norm", c.norm_eps, to="h", bias=True))


def _write_attention(t: Tape, c: StableLMConfig, h: Span, i: int) -> Span:
    p = f"model.layers.{i}.self_attn"
    q, k, v = write_qkv(t, c, h, i)
    if c.has_head_norms:
        for x, name in ((q, "q_layernorm"), (k, "k_layernorm")):
            for head in range(x.heads):
                one = replace(x, start=x.start + head * x.size, width=x.size, heads=1)
                t.layer_norm(one, f"{p}.{name}.norms.{head}", c.norm_eps, to=None)
    return t.project(write_attend(t, c, q, k, v, i), "out", f"{p}.o_proj", c.hidden_size)
