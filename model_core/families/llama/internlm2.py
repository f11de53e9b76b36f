"""InternLM2 (Cai et al., 2024, arXiv:2403.17297): Llama with other names, and one matrix for attention."""

from typing import Any

from ...checks.file_values import ignore, read_flag
from ...tape.tape import Tape
from ..config import ModelConfig, read_decoder_config
from ..parts import write_attend, write_grouped_qkv, write_logits, write_named_mlp


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """InternLM2's config.json."""
    ignore(raw, "attn_implementation")
    bias = read_flag(raw, "bias", True)
    return read_decoder_config(raw, qkv_bias=bias, output_bias=bias)


def write_tape(t: Tape, c: ModelConfig) -> None:
    """Llama's layers. Source: modeling_internlm2.py of internlm/internlm2-7b."""
    x = t.embed("model.tok_embeddings", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.attention_norm", c.norm_eps, to="h")
        q, k, v = write_grouped_qkv(t, c, h, f"{p}.attention.wqkv")
        mixed = write_attend(t, c, q, k, v, i)
        x = t.add(x, t.project(mixed, "out", f"{p}.attention.wo", c.hidden_size, bias=c.output_bias))
        h = t.norm(x, f"{p}.ffn_norm", c.norm_eps, to="h")
        names = ("w1", "w3", "w2")
        x = t.add(x, write_named_mlp(t, c, h, f"{p}.feed_forward", c.intermediate_size, names))
    h = t.norm(t.take_rows(x), "model.norm", c.norm_eps, to="h")
    write_logits(t, c, h, embedding="model.tok_embeddings", head="output")
