"""BERT (Devlin et al., 2018, arXiv:1810.04805): an encoder, whose tokens attend to all others."""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import read_size
from ...tape.tape import Tape
from ..config import ModelConfig
from .layers import read_encoder_config, write_bert, write_classifier


@dataclass(frozen=True)
class BertConfig(ModelConfig):
    """`types`: of tokens; in a pair of texts, those of the second have type 1."""

    types: int


def read_config(raw: dict[str, Any]) -> BertConfig:
    """BERT's config.json."""
    return read_encoder_config(raw, BertConfig, types=read_size(raw, "type_vocab_size", default=2))


def write_tape(t: Tape, c: BertConfig) -> None:
    """The hidden states. A cross encoder's score comes from those of the first token."""
    write_bert(t, c, c.types)
    if c.labels:
        write_classifier(t, c, "pooler.dense", "tanh", "classifier")
