"""Jina Embeddings 3 (Sturua et al., 2024, arXiv:2409.10173): XLM-RoBERTa with rotary positions.

Source: Transformers, modeling_jina_embeddings_v3.py. The adapters for tasks are files of their own.
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import read_size
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import ModelConfig
from .layers import EncoderNames, read_encoder_config, write_bert, write_classifier

_NAMES = EncoderNames(
    "encoder.layers",
    ("mixer.Wqkv",),
    "mixer.out_proj",
    "norm1",
    "mlp.fc1",
    "mlp.fc2",
    "norm2",
    first_norm="emb_ln",
)


@dataclass(frozen=True)
class JinaV3Config(ModelConfig):
    """`types`: of tokens."""

    types: int


def read_config(raw: dict[str, Any]) -> JinaV3Config:
    """The config.json that Transformers writes."""
    return read_encoder_config(
        raw,
        JinaV3Config,
        ropes=read_rope(raw, theta=20000.0),
        types=read_size(raw, "type_vocab_size", default=1),
    )


def write_tape(t: Tape, c: JinaV3Config) -> None:
    """The hidden states. A cross encoder's score comes from those of the first token."""
    write_bert(t, c, c.types, None, _NAMES)
    if c.labels:
        write_classifier(t, c, "classifier.dense", "tanh", "classifier.out_proj")
