"""Computes whole texts, several in a step and without padding, in KV memory of their own.

It is for what needs no answer, such as embeddings. Steps take turns with those of the engine and are as long,
so an answer waits no longer than for a prompt. Longer ones would not be faster: MiniLM-L6 and Qwen3-0.6B take
the same processor time with 256 and 512 tokens in a step, within the noise of 5 %.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..cache.memory import PAGE, KVCache
from ..cache.states import StateCache
from ..errors import NoMemory
from .batch import STEP_TOKENS, Batch, BatchBuilder, Sight
from .transformer import Transformer

_MAX_STATES = 16  # texts in a step of a model with recurrent states, each of which may take megabytes


class TextImages(Protocol):
    """The images of a text, all of which are encoded."""

    def find_end(self, first: int, end: int) -> int:
        """Where a step that begins with the token `first` ends, so that it cuts no image that must be whole.

        `end`: where it would end without images.
        """

    def sight(self, first: int, end: int) -> Sight:
        """What a step that computes the tokens from `first` to `end` knows of the images."""


@dataclass(frozen=True)
class TextInput:
    """A text as tokens, and the rows that are wanted of it.

    Attributes:
        tokens: token ids, at least one.
        rows: positions, in their order.
        types: see Batch.types; None: all are 0.
        unseen: to so many of the last tokens none attends, of a model that is not causal.
        images: those whose rows are among the tokens; None: there are none.
    """

    tokens: Sequence[int]
    rows: range
    types: Sequence[int] | None = None
    unseen: int = 0
    images: TextImages | None = None


@dataclass(frozen=True)
class _Piece:
    """The tokens from `start` to `stop` of the text `index`."""

    index: int
    start: int
    stop: int


def compute_texts(
    model: Transformer,
    texts: Sequence[TextInput],
    step: Callable[[Batch, KVCache], np.ndarray],
    memory: int,
) -> Iterator[tuple[int, np.ndarray]]:
    """The rows of each text, float32 [rows, width], with its index, in the order of the texts.

    step: `model.forward` or `model.hidden_states`. The rows of a text do not depend on the other texts, to
    the bit. Raises NoMemory if the keys and values of a text longer than a step take more than `memory`
    bytes.
    """
    if not texts:
        return
    plan = _plan_steps(texts, model.is_causal, bool(model.tape.states))
    cache = _create_cache(model, plan, memory)
    parts: list[np.ndarray] = []  # of a text that takes several steps
    for pieces in plan:
        batch, counts = _make_batch(texts, pieces, cache)
        rows = step(batch, cache)
        for piece, part in zip(pieces, np.split(rows, np.cumsum(counts)[:-1]), strict=True):
            parts.append(part)
            if piece.stop == len(texts[piece.index].tokens):
                yield piece.index, parts[0] if len(parts) == 1 else np.concatenate(parts)
                parts = []


def _plan_steps(texts: Sequence[TextInput], is_causal: bool, has_states: bool) -> list[list[_Piece]]:
    """What each step computes: texts as long as there is room, or a part of a long one.

    Where tokens attend to those after them, a step has the whole text.
    """
    max_texts = _MAX_STATES if has_states else STEP_TOKENS
    plan: list[list[_Piece]] = []
    room = 0
    for index, text in enumerate(texts):
        length = len(text.tokens)
        if length > STEP_TOKENS:
            plan += [[piece] for piece in _cut(index, text, STEP_TOKENS if is_causal else length)]
            room = 0
            continue
        if length > room or len(plan[-1]) == max_texts:
            plan.append([])
            room = STEP_TOKENS
        plan[-1].append(_Piece(index, 0, length))
        room -= length
    return plan


def _cut(index: int, text: TextInput, size: int) -> Iterator[_Piece]:
    """A text in pieces of up to `size` tokens. One with an image that must be whole may be longer."""
    start, length = 0, len(text.tokens)
    while start < length:
        end = min(start + size, length)
        if text.images is not None:
            end = text.images.find_end(start, end)
            assert end > start  # the images are encoded
        yield _Piece(index, start, end)
        start = end


def _create_cache(model: Transformer, plan: Sequence[Sequence[_Piece]], memory: int) -> KVCache:
    """KV memory for the largest of the steps. Raises NoMemory."""
    pages = len(model.kv_groups) * max(sum(-(-p.stop // PAGE) for p in pieces) for pieces in plan)
    size = pages * KVCache.bytes_per_page(model.kv_groups) if pages else 0
    if size > memory and any(piece.stop > STEP_TOKENS for pieces in plan for piece in pieces):
        raise NoMemory(
            f"the longest input needs {size / 2**20:.0f} MiB for its keys and values, but only "
            f"{memory / 2**20:.0f} MiB are allowed (--kv-cache-memory); send shorter inputs."
        )
    shapes = model.tape.states
    states = StateCache(shapes, max(map(len, plan))) if shapes else None
    return KVCache(model.kv_groups, pages, states=states)


def _make_batch(
    texts: Sequence[TextInput], pieces: Sequence[_Piece], cache: KVCache
) -> tuple[Batch, list[int]]:
    """The batch of a step, and how many rows of each piece it gives."""
    builder, types, counts = BatchBuilder(), list[int](), []
    for number, piece in enumerate(pieces):
        text, part = texts[piece.index], slice(piece.start, piece.stop)
        wanted = _rows_within(text.rows, piece)
        builder.add(text.tokens[part], piece.start, wanted, text.unseen)
        types += [0] * (piece.stop - piece.start) if text.types is None else text.types[part]
        counts.append(len(wanted))
        if text.images is not None:
            builder.sights[number] = text.images.sight(piece.start, piece.stop)
    has_types = any(texts[piece.index].types is not None for piece in pieces)
    tables = _make_page_tables(pieces, cache)
    return builder.build(tables, types=np.array(types, np.int32) if has_types else None), counts


def _rows_within(rows: range, piece: _Piece) -> range:
    """Those of a text's rows that are in a piece of it."""
    start = max(rows.start, piece.start)
    return range(start, max(start, min(rows.stop, piece.stop)))


def _make_page_tables(pieces: Sequence[_Piece], cache: KVCache) -> np.ndarray:
    """The pages of each sequence: int32 [groups, pieces, pages]. Each group has its own."""
    counts = [-(-piece.stop // PAGE) for piece in pieces]
    tables = np.zeros((len(cache.groups), len(pieces), max(counts)), np.int32)
    for group in range(len(cache.groups)):
        first = group * (cache.pages // len(cache.groups))
        for sequence, count in enumerate(counts):
            tables[group, sequence, :count] = np.arange(first, first + count)
            first += count
    return tables
