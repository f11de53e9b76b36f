"""MTP heads: a layer after those of a model that predicts the token after the next one.

The head is trained with the model (multi-token prediction; DeepSeek-V3, 2024, arXiv:2412.19437, section
2.2), and then drafts for it (engine/head_drafts.py). Its input at a position is the last hidden state there,
after the final norm, and the embedding of the next token. Embedding and head are those of the model.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..tape.references import Span
from ..tape.tape import Tape
from .config import ModelConfig
from .parts import write_logits

HIDDEN_INPUT = "previous"  # the buffer of the hidden states that a step takes


@dataclass(frozen=True)
class MTPNames:
    """The names of what a head has beside its layer: the norms of two inputs, their matrix, the last norm."""

    embedding_norm: str
    hidden_norm: str
    projection: str
    norm: str


def layer_names(layer: int) -> MTPNames:
    """The names where the head is stored as a further layer of the model."""
    p = f"model.layers.{layer}"
    return MTPNames(f"{p}.enorm", f"{p}.hnorm", f"{p}.eh_proj", f"{p}.shared_head.norm")


def write_mtp_head(
    t: Tape,
    c: ModelConfig,
    names: MTPNames,
    write_layer: Callable[[Span], Span],
    offset: float = 0.0,
    hands_on_normed: bool = True,
) -> None:
    """h = layer(projection([norm(embedding), norm(hidden)])), and the logits of norm(h).

    Args:
        write_layer: writes the layer for these hidden states.
        offset: see Tape.norm.
        hands_on_normed: drafts after the first take norm(h) as the hidden state, instead of h.
    """
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    embedded = t.norm(x, names.embedding_norm, c.norm_eps, to="embedded", offset=offset)
    hidden = t.norm(t.take_input(HIDDEN_INPUT, c.hidden_size), names.hidden_norm, c.norm_eps, offset=offset)
    x = t.project(t.join(embedded, hidden, to="pair"), "x", names.projection, c.hidden_size)
    last = t.take_rows(write_layer(x))
    h = t.norm(last, names.norm, c.norm_eps, to="h", offset=offset)
    t.handed_on = h if hands_on_normed else last
    write_logits(t, c, h)
