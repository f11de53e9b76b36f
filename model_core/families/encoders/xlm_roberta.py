"""RoBERTa (Liu et al., 2019, arXiv:1907.11692) and XLM-RoBERTa (arXiv:1911.02116): BERT's layers.

The rows of the table of positions begin behind that of padding.
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import read_size, shorten
from ...errors import ModelError
from ...tape.tape import Tape
from ..config import ModelConfig
from .layers import read_encoder_config, write_bert, write_classifier, write_logits_of_words


@dataclass(frozen=True)
class RobertaConfig(ModelConfig):
    """`types`: of tokens. `first_position`: the row of the first position in the table of positions."""

    types: int
    first_position: int


def read_config(raw: dict[str, Any]) -> RobertaConfig:
    """The config.json of RoBERTa and XLM-RoBERTa."""
    padding, rows = raw.get("pad_token_id", 1), read_size(raw, "max_position_embeddings", default=512)
    if type(padding) is not int or not 0 <= padding < rows - 1:
        raise ModelError(f"pad_token_id should be a whole number below {rows - 1}, not {shorten(padding)}.")
    return read_encoder_config(
        raw,
        RobertaConfig,
        max_context=rows - padding - 1,
        types=read_size(raw, "type_vocab_size", default=2),
        first_position=padding + 1,
    )


def write_tape(t: Tape, c: RobertaConfig) -> None:
    """The hidden states. A cross encoder's score comes from those of the first token."""
    write_bert(t, c, c.types, c.first_position)
    if c.labels:
        write_classifier(t, c, "classifier.dense", "tanh", "classifier.out_proj")


def write_word_logits(t: Tape, c: RobertaConfig) -> None:
    """The head that fills in words, whose activation is GELU whatever hidden_act says."""
    write_logits_of_words(t, c, "gelu", "lm_head.dense", "lm_head.layer_norm", "lm_head.bias")
