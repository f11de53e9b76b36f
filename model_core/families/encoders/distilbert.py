"""DistilBERT (Sanh et al., 2019, arXiv:1910.01108): BERT's layers, without types of tokens."""

from typing import Any

from ...checks.file_values import ignore, read_size
from ...tape.tape import Tape
from ..config import ModelConfig, read_activation, read_decoder_config
from .layers import EncoderNames, write_bert, write_classifier, write_logits_of_words

_NAMES = EncoderNames(
    "layer",
    ("attention.q_lin", "attention.k_lin", "attention.v_lin"),
    "attention.out_lin",
    "sa_layer_norm",
    "ffn.lin1",
    "ffn.lin2",
    "output_layer_norm",
)
_UNUSED = {  # of the task that it was trained on
    *(f"vocab_{part}.{kind}" for part in ("transform", "layer_norm") for kind in ("weight", "bias")),
    *(f"vocab_projector.{kind}" for kind in ("weight", "bias")),
}


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """DistilBERT's config.json, which has its own names for sizes."""
    ignore(raw, "sinusoidal_pos_embds")  # the files have the table of positions either way
    ignore(raw, "dropout", "qa_dropout", "seq_classif_dropout", "tie_weights_", "tie_word_embeddings")
    sizes = {
        "hidden_size": read_size(raw, "dim"),
        "num_hidden_layers": read_size(raw, "n_layers", max_value=10_000),
        "num_attention_heads": read_size(raw, "n_heads"),
        "max_position_embeddings": read_size(raw, "max_position_embeddings", default=512),
        "intermediate_size": read_size(raw, "hidden_dim"),
    }
    return read_decoder_config(
        {"model_type": raw["model_type"], "vocab_size": raw.get("vocab_size"), **sizes},
        activation=read_activation(raw, "activation", "gelu", is_gate=False),
        norm_eps=1e-12,
        ropes=None,
    )


def write_tape(t: Tape, c: ModelConfig) -> None:
    """The hidden states. A cross encoder's score comes from those of the first token."""
    write_bert(t, c, types=0, names=_NAMES)
    t.unused |= _UNUSED
    if c.labels:
        write_classifier(t, c, "pre_classifier", "relu", "classifier")


def write_word_logits(t: Tape, c: ModelConfig) -> None:
    """The head that fills in words."""
    write_logits_of_words(t, c, c.activation, "vocab_transform", "vocab_layer_norm", "vocab_projector.bias")
