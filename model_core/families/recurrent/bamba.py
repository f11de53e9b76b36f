"""Bamba (IBM, Princeton and UIUC, 2024): Mamba-2 layers and a few of attention, each with an MLP.

Source: Transformers, modeling_bamba.py.
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import expect, ignore, read_size
from ...errors import ModelError
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import ModelConfig, read_attention_bias, read_decoder_config, read_layer_count
from ..parts import write_attention, write_head, write_named_mlp
from .mamba import MambaShape, read_mamba_shape, write_mamba


@dataclass(frozen=True)
class BambaConfig(ModelConfig):
    """`attends`: which layers have attention, which rotates half of each head; the others are Mamba-2."""

    attends: tuple[bool, ...]
    mamba: MambaShape


def read_config(raw: dict[str, Any]) -> BambaConfig:
    """Bamba's config.json."""
    hidden, layers = read_size(raw, "hidden_size"), read_layer_count(raw)
    indices = raw.get("attn_layer_indices") or []
    if not isinstance(indices, list) or not all(i in range(layers) for i in indices):
        raise ModelError(f"attn_layer_indices should be a list of layers from 0 to {layers - 1}.")
    expect(raw, attn_rotary_emb=hidden // read_size(raw, "num_attention_heads") // 2)
    ignore(raw, "z_loss_coefficient")  # of training
    return read_decoder_config(
        raw,
        BambaConfig,
        ropes=read_rope(raw, partial=0.5),
        mlp_bias=bool(raw.get("mlp_bias", False)),
        attends=tuple(i in indices for i in range(layers)),
        mamba=read_mamba_shape(raw, read_size(raw, "mamba_expand", default=2) * hidden),
        **read_attention_bias(raw),
    )


def write_tape(t: Tape, c: BambaConfig) -> None:
    """x += mixer(norm(x)), x += mlp(norm(x)) in each layer, where the mixer is Mamba-2 or attention."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.input_layernorm", c.norm_eps, to="h")
        if c.attends[i]:
            y = write_attention(t, c, h, i)
        else:
            y = write_mamba(t, c.mamba, h, f"{p}.mamba", c.norm_eps)
        x = t.add(x, y)
        h = t.norm(x, f"{p}.pre_ff_layernorm", c.norm_eps, to="h")
        x = t.add(x, write_named_mlp(t, c, h, f"{p}.feed_forward", c.intermediate_size))
    write_head(t, c, x, norm="model.final_layernorm")
