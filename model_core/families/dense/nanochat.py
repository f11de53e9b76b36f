"""nanochat (Karpathy, 2025): a small model to train oneself, in which no norm has weights.

The embedding is normed. Queries and keys are normed after they are rotated, against the usual direction. The
MLP has no gate: fc2(relu(fc1(x))^2). Logits are capped. Source: Transformers, modeling_nanochat.py.
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import expect, read_number
from ...tape.references import Span, WeightRef
from ...tape.tape import Tape
from ..config import ModelConfig, read_attention_bias, read_decoder_config
from ..parts import write_logits, write_plain_mlp


@dataclass(frozen=True)
class NanochatConfig(ModelConfig):
    """`logits_cap` is None where config.json has null."""

    logits_cap: float | None


def read_config(raw: dict[str, Any]) -> NanochatConfig:
    """nanochat's config.json."""
    expect(raw, hidden_act="relu2")
    name, cap = "final_logit_softcapping", None
    if raw.get(name, 15.0) is not None:
        cap = read_number(raw, name, 15.0, 1e-6, 1e6)
    return read_decoder_config(
        raw, NanochatConfig, activation="relu_squared", logits_cap=cap, **read_attention_bias(raw)
    )


def write_tape(t: Tape, c: NanochatConfig) -> None:
    """x = norm(x); x += attention(norm(x)), x += mlp(norm(x)) in each layer."""
    x = t.norm(t.embed("model.embed_tokens", c.vocab_size, c.hidden_size), None, c.norm_eps)
    for i in range(c.layers):
        p = f"model.layers.{i}.mlp"
        x = t.add(x, _write_attention(t, c, t.norm(x, None, c.norm_eps, to="h"), i))
        h = t.norm(x, None, c.norm_eps, to="h")
        x = t.add(x, write_plain_mlp(t, c, h, f"{p}.fc1", f"{p}.fc2"))
    logits = write_logits(t, c, t.norm(t.take_rows(x), None, c.norm_eps, to="h"))
    t.softcap(logits, c.logits_cap)


def _write_attention(t: Tape, c: NanochatConfig, h: Span, i: int) -> Span:
    p = f"model.layers.{i}.self_attn"
    q = _write_swapped(t, c, h, "q", f"{p}.q_proj", c.heads)
    k = _write_swapped(t, c, h, "k", f"{p}.k_proj", c.kv_heads)
    (v,) = t.linear(h, "v", {f"{p}.v_proj": (c.kv_heads, c.head_dim)}, bias=c.qkv_bias)
    q, k = (t.norm(t.rope(part, c.ropes[i]), None, c.norm_eps) for part in (q, k))
    mixed = t.attend(q, k, v, c.head_dim**-0.5)
    return t.project(mixed, "out", f"{p}.o_proj", c.hidden_size, bias=c.output_bias)


def _write_swapped(t: Tape, c: NanochatConfig, h: Span, to: str, name: str, heads: int) -> Span:
    """Queries or keys, with the halves of each head swapped: rotating these turns the other way.

    Scores are the same, because both are swapped.
    """
    shape, half = (heads * c.head_dim, h.width), c.head_dim // 2
    first, second = (
        WeightRef(f"{name}.weight", shape, *rows, groups=heads) for rows in ((0, half), (half, c.head_dim))
    )
    return t.join(*t.matmul(h, f"{to}_halves", [(second, heads), (first, heads)], c.qkv_bias), to=to)
