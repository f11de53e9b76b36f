"""BERT (Devlin et al., 2018, arXiv:1810.04805): an encoder, whose tokens attend to all others.

Jina's BERT 2 (Günther et al., 2023, arXiv:2310.19923) has ALiBi instead of positions, and gated MLPs. Its
files call it BERT too.
"""

from dataclasses import dataclass, replace
from typing import Any

from ...checks.file_values import expect, ignore, read_size
from ...tape.distances import alibi
from ...tape.tape import Tape
from ..config import ModelConfig
from .layers import BERT_NAMES, read_encoder_config, write_bert, write_classifier, write_logits_of_words

JOINED_QKV = "_is_qkv_joined"  # a field of files that are read as config.json, see BertConfig
_ALIBI = "alibi"
_JOINED_NAMES = replace(BERT_NAMES, qkv=("attention.self.qkv",))
_JINA_NAMES = replace(BERT_NAMES, inner="mlp.gated_layers", out="mlp.wo", norm="mlp.layernorm", gate=0)


@dataclass(frozen=True)
class BertConfig(ModelConfig):
    """`types`: of tokens; in a pair of texts, those of the second have type 1. `has_alibi`: see above.

    `is_joined`: whether queries, keys and values have one matrix, as in some GGUF files.
    """

    types: int
    has_alibi: bool
    is_joined: bool


def read_config(raw: dict[str, Any]) -> BertConfig:
    """The config.json of BERT, and of Jina's BERT 2."""
    has_alibi = raw.get("position_embedding_type") == _ALIBI
    if has_alibi:
        expect(raw, feed_forward_type="geglu")
        ignore(raw, "emb_pooler")  # of code that makes vectors; modules.json says it
    return read_encoder_config(
        raw,
        BertConfig,
        _ALIBI if has_alibi else "absolute",
        types=read_size(raw, "type_vocab_size", default=2),
        has_alibi=has_alibi,
        is_joined=bool(raw.get(JOINED_QKV)),
    )


def write_tape(t: Tape, c: BertConfig) -> None:
    """The hidden states. A cross encoder's score comes from those of the first token."""
    if c.has_alibi:
        write_bert(t, c, c.types, None, _JINA_NAMES, alibi(c.heads))
    else:
        write_bert(t, c, c.types, names=_JOINED_NAMES if c.is_joined else BERT_NAMES)
    if c.labels:
        write_classifier(t, c, "pooler.dense", "tanh", "classifier")


def write_word_logits(t: Tape, c: BertConfig) -> None:
    """The head that fills in words."""
    p = "cls.predictions"
    write_logits_of_words(t, c, c.activation, f"{p}.transform.dense", f"{p}.transform.LayerNorm", f"{p}.bias")
