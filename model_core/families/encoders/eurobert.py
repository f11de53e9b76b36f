"""EuroBERT (Boizard et al., 2025, arXiv:2503.05500): Llama's layers, whose tokens attend to all others.

Source: Transformers, modeling_eurobert.py.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

from ...checks.file_values import shorten
from ...errors import ModelError
from ...tape.tape import Tape
from ..config import ModelConfig, read_attention_bias, read_decoder_config
from ..parts import write_layer, write_mlp
from .layers import write_classifier

_POOLINGS = {"bos": "cls", "mean": "mean"}


@dataclass(frozen=True)
class EuroBertConfig(ModelConfig):
    """`classifier_pooling`: of a cross encoder, a field of config.json."""

    classifier_pooling: str


def read_config(raw: dict[str, Any]) -> EuroBertConfig:
    """EuroBERT's config.json."""
    return read_decoder_config(
        raw,
        EuroBertConfig,
        mlp_bias=bool(raw.get("mlp_bias", False)),
        **read_attention_bias(raw),
        is_causal=False,
        classifier_pooling=raw.get("classifier_pooling", "late"),
    )


def write_tape(t: Tape, c: EuroBertConfig) -> None:
    """Llama's layers, and the norm behind them. Raises ModelError for a score that is not known."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        x = write_layer(t, c, x, i, partial(write_mlp, t, c))
    t.norm(t.take_rows(x), "model.norm", c.norm_eps, to="h")
    t.unused |= {"lm_head.weight", "lm_head.bias"}
    if c.labels:
        if c.classifier_pooling not in _POOLINGS:  # such as the mean of scores of tokens ("late")
            raise ModelError(
                f"classifier_pooling {shorten(c.classifier_pooling)} is not supported; bos and mean are."
            )
        write_classifier(t, c, "dense", "gelu", "classifier", _POOLINGS[c.classifier_pooling])
