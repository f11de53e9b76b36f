"""GPT-J (Wang and Komatsuzaki, 2021) and CodeGen (Nijkamp et al., 2022, arXiv:2203.13474).

Attention and MLP read the same layer norm, in parallel. A part of each head is rotated, in pairs of columns.
"""

from typing import Any

from ...checks.file_values import expect, read_size
from ...errors import ModelError
from ...tape.references import Span, WeightRef
from ...tape.rope import RopeConfig, part_of
from ...tape.tape import Tape
from ..config import ModelConfig
from ..parts import write_attend, write_logits, write_plain_mlp
from .gpt2 import read_gpt_config

_GROUPS = 4  # of CodeGen's heads, whose queries, values and keys follow each other


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """The config.json of GPT-J or CodeGen. Heads that are rotated whole would have other frequencies."""
    expect(raw, rotary=True, scale_attn_weights=True, tie_word_embeddings=False)
    heads, width = read_size(raw, "n_head"), read_size(raw, "n_embd")
    part = part_of(read_size(raw, "rotary_dim", max_value=width // heads), width // heads)
    if raw["model_type"] == "codegen" and heads % _GROUPS:
        raise ModelError(f"{heads} heads of CodeGen cannot be in {_GROUPS} groups.")
    return read_gpt_config(
        raw,
        positions=2048,
        ropes=RopeConfig(partial=part, is_interleaved=True),
        tie_word_embeddings=False,
    )


def write_tape(t: Tape, c: ModelConfig) -> None:
    """h = norm(x), x += attention(h) + mlp(h) in each layer. Source: Transformers, modeling_gptj.py."""
    x = t.embed("wte", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p = f"h.{i}"
        h = t.layer_norm(x, f"{p}.ln_1", c.norm_eps, to="h", bias=True)
        write_qkv = _write_codegen_qkv if c.family == "codegen" else _write_gptj_qkv
        q, k, v = write_qkv(t, c, h, f"{p}.attn")
        mixed = write_attend(t, c, q, k, v, i)
        x = t.add(x, t.project(mixed, "out", f"{p}.attn.out_proj", c.hidden_size))
        y = write_plain_mlp(t, c, h, f"{p}.mlp.fc_in", f"{p}.mlp.fc_out", bias=True)
        x = t.add(x, y)
    h = t.layer_norm(t.take_rows(x), "ln_f", c.norm_eps, to="h", bias=True)
    write_logits(t, c, h, bias=True)


def _write_gptj_qkv(t: Tape, c: ModelConfig, h: Span, p: str) -> list[Span]:
    return t.linear(h, "qkv", {f"{p}.{name}_proj": (c.heads, c.head_dim) for name in "qkv"})


def _write_codegen_qkv(t: Tape, c: ModelConfig, h: Span, p: str) -> list[Span]:
    t.unused.add(f"{p}.causal_mask")  # in older files
    name, shape = f"{p}.qkv_proj.weight", (3 * c.hidden_size, c.hidden_size)
    size = c.hidden_size // _GROUPS
    q, v, k = (WeightRef(name, shape, n * size, (n + 1) * size, groups=_GROUPS) for n in range(3))
    return t.matmul(h, "qkv", [(weight, c.heads) for weight in (q, k, v)])
