"""GPT-NeoX (Black et al., 2022, arXiv:2204.06745), of which Pythia is the best known.

Attention and MLP read the same hidden states in parallel, each through a layer norm of its own.
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import read_number, read_size
from ...tape.references import Span
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import ModelConfig, read_activation, read_attention_bias, read_decoder_config
from ..parts import write_attend, write_grouped_qkv, write_logits, write_plain_mlp


@dataclass(frozen=True)
class GPTNeoXConfig(ModelConfig):
    """`is_parallel`: the MLP reads the hidden states before those of attention are added."""

    is_parallel: bool


def read_config(raw: dict[str, Any]) -> GPTNeoXConfig:
    """The config.json of GPT-NeoX."""
    rope = read_rope(
        raw,
        theta=read_number(raw, "rotary_emb_base", 10000.0, 1, 1e15),
        partial=read_number(raw, "rotary_pct", 0.25, 1e-3, 1),
    )
    return read_decoder_config(
        raw,
        GPTNeoXConfig,
        activation=read_activation(raw, "hidden_act", "gelu", is_gate=False),
        norm_eps=read_number(raw, "layer_norm_eps", 1e-5, 1e-30, 1),
        ropes=rope,
        kv_heads=read_size(raw, "num_attention_heads"),
        is_parallel=bool(raw.get("use_parallel_residual", True)),
        **read_attention_bias(raw, default=True),
    )


def write_tape(t: Tape, c: GPTNeoXConfig) -> None:
    """x += attention(norm_1(x)) + mlp(norm_2(x)) in each layer."""
    x = t.embed("gpt_neox.embed_in", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p, eps = f"gpt_neox.layers.{i}", c.norm_eps
        h = t.layer_norm(x, f"{p}.input_layernorm", eps, to="h", bias=True)
        if c.is_parallel:
            for_mlp = t.layer_norm(x, f"{p}.post_attention_layernorm", eps, to="h_mlp", bias=True)
            x = t.add(x, _write_attention(t, c, h, i))
        else:
            x = t.add(x, _write_attention(t, c, h, i))
            for_mlp = t.layer_norm(x, f"{p}.post_attention_layernorm", eps, to="h_mlp", bias=True)
        y = write_plain_mlp(t, c, for_mlp, f"{p}.mlp.dense_h_to_4h", f"{p}.mlp.dense_4h_to_h", bias=True)
        x = t.add(x, y)
    h = t.layer_norm(t.take_rows(x), "gpt_neox.final_layer_norm", c.norm_eps, to="h", bias=True)
    write_logits(t, c, h, embedding="gpt_neox.embed_in", head="embed_out")


def _write_attention(t: Tape, c: GPTNeoXConfig, h: Span, i: int) -> Span:
    p = f"gpt_neox.layers.{i}.attention"
    q, k, v = write_grouped_qkv(t, c, h, f"{p}.query_key_value")
    mixed = write_attend(t, c, q, k, v, i)
    return t.project(mixed, "out", f"{p}.dense", c.hidden_size, bias=c.output_bias)
