"""Command R, R7B and Aya (Cohere, 2024): attention and MLP read the same layer norm, in parallel.

Queries and keys rotate neighbouring dimensions together. In newer models (`cohere2`) three of four layers
attend to a window, and the others attend to everything and have no positions.
"""

from dataclasses import dataclass, replace
from typing import Any

from ...checks.file_values import expect, ignore, read_number, read_size
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import ModelConfig, read_attention_bias, read_decoder_config, read_layer_types, windows_of
from ..parts import write_attention, write_logits, write_mlp


@dataclass(frozen=True)
class Cohere2Config(ModelConfig):
    """Logits are multiplied by `logit_scale`."""

    logit_scale: float


def read_config(raw: dict[str, Any]) -> Cohere2Config:
    """The config.json of Command R7B, or of Command R and Aya 23."""
    expect(raw, use_qk_norm=False, mlp_bias=False)
    layers: dict[str, Any]
    if raw["model_type"] == "cohere":
        rope = replace(read_rope(raw, theta=500_000.0), is_interleaved=True)
        # In Command R, max_position_embeddings is a part of the context.
        trained = read_size(raw, "max_position_embeddings", default=8192)
        layers = {"ropes": rope, "max_context": read_size(raw, "model_max_length", default=trained)}
    else:
        expect(raw, use_gated_activation=True, use_parallel_block=True)
        expect(raw, position_embedding_type="rope_gptj", rotary_pct=1.0)
        ignore(raw, "layer_switch", "order_of_interleaved_layers")  # layer_types says the same
        ignore(raw, "use_embedding_sharing", "use_parallel_embedding")
        types = read_layer_types(raw, default=read_size(raw, "sliding_window_pattern", default=4))
        rope = replace(read_rope(raw), is_interleaved=True)
        layers = {
            "ropes": tuple(rope if kind == "sliding_attention" else None for kind in types),
            "windows": windows_of(types, read_size(raw, "sliding_window", default=4096)),
        }
    return read_decoder_config(
        raw,
        Cohere2Config,
        norm_eps=read_number(raw, "layer_norm_eps", 1e-5, 1e-30, 1),
        **layers,
        tie_word_embeddings=bool(raw.get("tie_word_embeddings", True)),
        logit_scale=read_number(raw, "logit_scale", 0.0625),
        **read_attention_bias(raw),
    )


def write_tape(t: Tape, c: Cohere2Config) -> None:
    """h = norm(x), x += attention(h) + mlp(h) in each layer."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        h = t.layer_norm(x, f"model.layers.{i}.input_layernorm", c.norm_eps, to="h")
        x = t.add(x, write_attention(t, c, h, i))
        x = t.add(x, write_mlp(t, c, h, i))
    h = t.layer_norm(t.take_rows(x), "model.norm", c.norm_eps, to="h")
    t.scale(write_logits(t, c, h), c.logit_scale)
