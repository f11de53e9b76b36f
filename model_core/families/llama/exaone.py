"""EXAONE 3 and 3.5 (LG AI Research, 2024, arXiv:2408.03541): Llama with the names of GPT-2."""

from typing import Any

from ...checks.file_values import read_number, read_size
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import ModelConfig, read_activation, read_decoder_config
from ..parts import write_attend, write_logits, write_named_mlp


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """EXAONE's config.json."""
    usual = (
        *("model_type", "vocab_size", "hidden_size", "intermediate_size", "num_attention_heads"),
        *("num_key_value_heads", "head_dim", "max_position_embeddings", "tie_word_embeddings"),
    )
    fields = {name: raw.get(name) for name in usual}
    return read_decoder_config(
        fields | {"num_hidden_layers": read_size(raw, "num_layers", max_value=10_000)},
        ropes=read_rope(raw),
        activation=read_activation(raw, "activation_function", "silu"),
        norm_eps=read_number(raw, "layer_norm_epsilon", 1e-5, 1e-30, 1),
    )


def write_tape(t: Tape, c: ModelConfig) -> None:
    """Llama's layers. Source: modeling_exaone.py of LGAI-EXAONE/EXAONE-3.5-2.4B-Instruct."""
    x = t.embed("wte", c.vocab_size, c.hidden_size)
    sizes = {"q": (c.heads, c.head_dim)} | dict.fromkeys("kv", (c.kv_heads, c.head_dim))
    for i in range(c.layers):
        p, names = f"h.{i}", ("c_fc_0", "c_fc_1", "c_proj")
        h = t.norm(x, f"{p}.ln_1", c.norm_eps, to="h")
        parts = {f"{p}.attn.attention.{part}_proj": size for part, size in sizes.items()}
        q, k, v = t.linear(h, "qkv", parts)
        mixed = write_attend(t, c, q, k, v, i)
        x = t.add(x, t.project(mixed, "out", f"{p}.attn.attention.out_proj", c.hidden_size))
        h = t.norm(x, f"{p}.ln_2", c.norm_eps, to="h")
        x = t.add(x, write_named_mlp(t, c, h, f"{p}.mlp", c.intermediate_size, names))
    write_logits(t, c, t.norm(t.take_rows(x), "ln_f", c.norm_eps, to="h"), embedding="wte")
