"""Baichuan (Yang et al., 2023, arXiv:2309.10305): Llama with one matrix for queries, keys and values.

Models of 13B have no rotary positions: scores fall with the distance (ALiBi). The rows of Baichuan 2's head
are divided by their length.
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import expect, ignore, read_size
from ...tape.distances import alibi
from ...tape.references import WeightRef
from ...tape.rope import RopeConfig
from ...tape.tape import Tape
from ..config import ModelConfig, read_decoder_config, read_layer_count
from ..parts import Scores, write_attend, write_mlp

_LAYERS_OF_13B = 40
_VOCABULARY_OF_2 = 125_696


@dataclass(frozen=True)
class BaichuanConfig(ModelConfig):
    """has_unit_head: the rows of the head are divided by their length."""

    has_unit_head: bool


def read_config(raw: dict[str, Any]) -> BaichuanConfig:
    """Baichuan's config.json. That of 13B has no max_position_embeddings, that of Baichuan 2 more tokens."""
    expect(raw, num_key_value_heads=read_size(raw, "num_attention_heads"))
    ignore(raw, "max_position_embeddings", "z_loss_weight")  # the latter is of the training
    positions: dict[str, Any] = {"ropes": RopeConfig()}
    if raw.get("max_position_embeddings") is None or read_layer_count(raw) == _LAYERS_OF_13B:
        context = read_size(raw, "model_max_length", default=4096)
        positions = {"ropes": None, "max_context": context}
    return read_decoder_config(
        raw,
        BaichuanConfig,
        has_unit_head="z_loss_weight" in raw or read_size(raw, "vocab_size") >= _VOCABULARY_OF_2,
        **positions,
    )


def write_tape(t: Tape, c: BaichuanConfig) -> None:
    """Llama's layers. Source: modeling_baichuan.py of baichuan-inc/Baichuan2-7B-Base and 13B-Base."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    heads = [(c.heads, c.head_dim)] * 3
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = t.norm(x, f"{p}.input_layernorm", c.norm_eps, to="h")
        q, k, v = t.linear_split(h, "qkv", f"{p}.self_attn.W_pack", heads)
        scores = Scores(distances=alibi(c.heads) if c.ropes[i] is None else None)
        mixed = write_attend(t, c, q, k, v, i, scores)
        x = t.add(x, t.project(mixed, "out", f"{p}.self_attn.o_proj", c.hidden_size))
        h = t.norm(x, f"{p}.post_attention_layernorm", c.norm_eps, to="h")
        x = t.add(x, write_mlp(t, c, h, i))
    h = t.norm(t.take_rows(x), "model.norm", c.norm_eps, to="h")
    name = "model.embed_tokens" if c.tie_word_embeddings else "lm_head"
    head = WeightRef(f"{name}.weight", (c.vocab_size, c.hidden_size), has_unit_rows=c.has_unit_head)
    t.matmul(h, "logits", [(head, 1)], is_head=True)
