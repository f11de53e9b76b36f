"""MPNet (Song et al., 2020, arXiv:2004.09297): BERT's layers with a bias of attention by distance.

Source: Transformers, modeling_mpnet.py.
"""

from dataclasses import replace
from typing import Any

from ...checks.file_values import expect, read_size
from ...errors import ModelError
from ...tape.distances import DistanceBias
from ...tape.references import WeightRef
from ...tape.tape import Tape
from ..config import ModelConfig
from .layers import BERT_NAMES, read_encoder_config, write_bert, write_classifier

_ATTENTION = "attention.attn"
_NAMES = replace(
    BERT_NAMES,
    qkv=(f"{_ATTENTION}.q", f"{_ATTENTION}.k", f"{_ATTENTION}.v"),
    attention_out=f"{_ATTENTION}.o",
    attention_norm="attention.LayerNorm",
)
_BUCKETS = 32  # whatever relative_attention_num_buckets says
_FIRST_POSITION = 2  # the row of the first position, whatever pad_token_id says


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """MPNet's config.json. Transformers computes with 32 buckets only."""
    expect(raw, relative_attention_num_buckets=_BUCKETS)
    rows = read_size(raw, "max_position_embeddings", default=512)
    if rows <= _FIRST_POSITION:
        raise ModelError(f"max_position_embeddings is {rows}, but should be more than {_FIRST_POSITION}.")
    return read_encoder_config(raw, ModelConfig, max_context=rows - _FIRST_POSITION)


def write_tape(t: Tape, c: ModelConfig) -> None:
    """The hidden states. A cross encoder's score comes from those of the first token."""
    table = WeightRef("encoder.relative_attention_bias.weight", (_BUCKETS, c.heads))
    write_bert(t, c, 0, _FIRST_POSITION, _NAMES, DistanceBias(table))
    if c.labels:
        write_classifier(t, c, "classifier.dense", "tanh", "classifier.out_proj")
