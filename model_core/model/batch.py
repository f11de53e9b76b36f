"""The input of a step of the model, and how large a step is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from ..sampling.prompt_logprobs import StepScores

# The most tokens that a step computes: one for each answer, and the rest for prompts. With more, prompts
# would be only a little faster. Beside answers, prompts get what fits into the time of a step (step_pace.py),
# but at least an eighth of this, however many answers there are: with one token a step a prompt would wait
# for minutes.
STEP_TOKENS = 256


@dataclass(frozen=True)
class Sight:
    """What a step knows of the images of one sequence, for those of its tokens that the step computes.

    Attributes:
        axes: int32 [tokens, 3], positions of three axes; None: they are the positions of the tokens.
        given: float32 [parts, rows, width], rows of images, see Batch.given; None: there are none.
        given_rows: int32 [tokens], see Batch.
        bounds: int32 [tokens, 2], see Batch; None: no token sees those after it.
        filler: the token whose embeddings for layers rows of images have.
    """

    axes: np.ndarray | None = None
    given: np.ndarray | None = None
    given_rows: np.ndarray | None = None
    bounds: np.ndarray | None = None
    filler: int | None = None


@dataclass(frozen=True)
class Batch:
    """The input of a step: the next tokens of several sequences, one sequence after the other.

    Attributes:
        tokens, positions: int32 [tokens], token ids and their positions in their own sequences.
        starts: int32 [sequences + 1]; sequence s has tokens[starts[s] : starts[s + 1]].
        page_tables: int32 [groups, sequences, pages], the pages of each sequence in order, in C order. Pages
            behind a window and after the end may be any numbers.
        logit_rows: int32 [rows], the indices of the tokens whose logits are computed.
        slots: int32 [sequences], the slots of the sequences' recurrent states.
        inputs: float32 [tokens, width], rows for the tape's `inputs`, by their buffers.
        state_slots: int32 [tokens], the slots of the states after each token: that of its sequence, but for
            drafts, which follow the other tokens; None: no token is a draft.
        adapters: int32 [sequences], the slots of their adapters, NO_SLOT for none; None: no sequence has one.
            Sequences with the same adapter should follow each other.
        types: int32 [tokens], such as 0 for a question and 1 for a document in BERT; None: all are 0.
        scores: the rows whose logits are reduced, and what reduces them; None if there are none.
        runs: int32 [runs + 1], where the tokens of neighbouring positions begin, of all sequences, and the
            end; None: `starts`. No token attends to positions behind that of the last token of its sequence.
        axes: int32 [tokens, axes], positions of several axes for RoPE; None: they are `positions`.
        given: float32 [parts, rows, width], rows of images. Those of the first part are the embeddings of
            tokens, and AddGiven adds those of the others. None: there are none.
        given_rows: int32 [tokens], which of these rows belongs to each token, -1 for none.
        bounds: int32 [tokens, 2], for attention that is bounded, positions that each token sees besides those
            that it would see without, and their end; neither falls from a token to the next of its sequence.
    """

    tokens: np.ndarray
    positions: np.ndarray
    starts: np.ndarray
    page_tables: np.ndarray
    logit_rows: np.ndarray
    slots: np.ndarray
    adapters: np.ndarray | None = None
    types: np.ndarray | None = None
    scores: StepScores | None = None
    state_slots: np.ndarray | None = None
    inputs: Mapping[str, np.ndarray] = field(default_factory=dict)
    runs: np.ndarray | None = None
    axes: np.ndarray | None = None
    given: np.ndarray | None = None
    given_rows: np.ndarray | None = None
    bounds: np.ndarray | None = None
    mixed: list[np.ndarray] = field(default_factory=list)  # tables of the step, which must outlive it

    @property
    def sequences(self) -> np.ndarray:
        """The sequence of each token: int32 [tokens]."""
        return np.arange(len(self.starts) - 1, dtype=np.int32).repeat(np.diff(self.starts))

    def query_blocks(self, max_rows: int) -> np.ndarray:
        """Each run's rows in blocks of up to `max_rows`: int32 [blocks, 3], see interpreter.STEP."""
        if len(self.tokens) == len(self.starts) - 1:  # as in most steps
            numbers = np.arange(len(self.tokens), dtype=np.int32)
            return np.stack([numbers, np.ones_like(numbers), numbers], axis=1)
        runs = self.starts if self.runs is None else self.runs
        counts_of_blocks = -(-np.diff(runs) // max_rows)
        numbers = np.repeat(np.arange(len(counts_of_blocks)), counts_of_blocks)  # of the runs
        before = np.repeat(np.cumsum(counts_of_blocks) - counts_of_blocks, counts_of_blocks)
        first = runs[numbers] + (np.arange(len(numbers)) - before) * max_rows
        rows = np.minimum(max_rows, runs[numbers + 1] - first)
        sequences = numbers if self.runs is None else np.searchsorted(self.starts, first, side="right") - 1
        return np.stack([first, rows, sequences], axis=1).astype(np.int32)


class BatchBuilder:
    """Collects the tokens of a step, one sequence after the other.

    Attributes:
        tokens: those so far, of all sequences.
        sights: by the numbers of sequences, what is known of their images.
    """

    def __init__(self, tokens: Sequence[int] = (), positions: Sequence[int] = ()) -> None:
        """Begin with sequences that have one token each, whose logits are computed."""
        self.tokens, self._positions = list(tokens), list(positions)
        self._starts, self._logit_rows = list(range(len(tokens) + 1)), list(range(len(tokens)))
        self._runs = list(self._starts)
        self.sights: dict[int, Sight] = {}

    def add(self, tokens: Sequence[int], position: int, logits: range, unseen: int = 0) -> None:
        """Add the next tokens of a sequence, from `position` on. logits: the positions that need them.

        unseen: to so many of the last tokens, but not all, none attends. Their rows come first (see
            Batch.runs).
        """
        seen, end, shift = len(tokens) - unseen, position + len(tokens), len(self.tokens) - position
        if unseen:
            tokens = [*tokens[seen:], *tokens[:seen]]
            self._positions += range(position + seen, end)
            self._runs.append(len(self.tokens) + unseen)
            self._logit_rows += [shift + (p + unseen if p < position + seen else p - seen) for p in logits]
        else:
            self._logit_rows += range(logits.start + shift, logits.stop + shift)
        self._positions += range(position, position + seen)
        self.tokens.extend(tokens)  # with an array, += would add its numbers to those of the list
        self._starts.append(len(self.tokens))
        self._runs.append(len(self.tokens))

    def build(
        self,
        page_tables: np.ndarray,
        slots: np.ndarray | None = None,
        adapters: np.ndarray | None = None,
        types: np.ndarray | None = None,
        scores: StepScores | None = None,
        state_slots: np.ndarray | None = None,
        inputs: Mapping[str, np.ndarray] = MappingProxyType({}),
    ) -> Batch:
        """The batch. `slots`: by default the numbers of the sequences."""
        lists = (self.tokens, self._positions, self._starts, self._logit_rows)
        tokens, positions, starts, logit_rows = (np.array(values, np.int32) for values in lists)
        if slots is None:
            slots = np.arange(len(starts) - 1, dtype=np.int32)
        runs = np.array(self._runs, np.int32) if len(self._runs) > len(starts) else None
        rest = (adapters, types, scores, state_slots, inputs, runs)
        batch = Batch(tokens, positions, starts, page_tables, logit_rows, slots, *rest)
        return add_sights(batch, self.sights) if self.sights else batch


def add_sights(batch: Batch, sights: Mapping[int, Sight]) -> Batch:
    """A batch with what is known of the images of its sequences, by their numbers."""
    axes = bounds = given_rows = None
    parts, tokens = list[np.ndarray](), batch.tokens.copy()
    if any(sight.axes is not None for sight in sights.values()):
        axes = np.repeat(batch.positions[:, None], 3, axis=1)
    if any(sight.bounds is not None for sight in sights.values()):
        bounds = np.stack([batch.positions, batch.positions + 1], axis=1)
    if any(sight.given is not None for sight in sights.values()):
        given_rows = np.full(len(batch.tokens), -1, np.int32)
    for number, sight in sights.items():
        rows = slice(batch.starts[number], batch.starts[number + 1])
        if axes is not None and sight.axes is not None:
            axes[rows] = sight.axes
        if bounds is not None and sight.bounds is not None:
            bounds[rows] = sight.bounds
        if given_rows is not None and sight.given is not None and sight.given_rows is not None:
            if sight.filler is not None:
                tokens[rows] = np.where(sight.given_rows < 0, tokens[rows], sight.filler)
            before = sum(part.shape[1] for part in parts)
            given_rows[rows] = np.where(sight.given_rows < 0, -1, sight.given_rows + before)
            parts.append(sight.given)
    given = np.ascontiguousarray(np.concatenate(parts, axis=1)) if parts else None
    return replace(batch, tokens=tokens, axes=axes, given=given, given_rows=given_rows, bounds=bounds)
