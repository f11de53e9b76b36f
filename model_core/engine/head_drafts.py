"""Drafts of a head that needs the model's hidden states: an MTP head, or one of EAGLE-3 (families/eagle3.py).

The head computes each position once the next token is known. So it is a step behind: what the model has
computed is kept here, and the head computes it together before it drafts. Its keys and values are a layer of
the pages of the model itself, and so are found again with these by later requests. Where a page was computed
without the head, drafts are wrong, and nothing else.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ..cache.memory import PAGE, KVCache
from ..families.mtp import HIDDEN_INPUT
from ..model.batch import STEP_TOKENS, BatchBuilder, Sight
from ..model.transformer import Transformer
from ..sampling.batch_sampler import Draw, RowSampler, Sample
from ..sampling.sampler import Guess
from .sequence import Sequence
from .work import WorkItem

MOST_PENDING = 64  # positions of a request that wait for a draft; more are computed without one
_USUAL_ROWS = 16  # of a request in a pass whose time says what a draft costs
_NEW_WEIGHT = 0.1  # of a new measurement in the mean
_NEVER = -1e20  # the logit of a token that the head does not know


@dataclass
class _Pending:
    """Hidden states, each float32 [hidden size], of positions from `first` on, for the head to compute."""

    first: int
    hidden: list[np.ndarray]

    @property
    def end(self) -> int:
        """The position after the last one."""
        return self.first + len(self.hidden)


@dataclass
class _Row:
    """A position that the head computes: its hidden state, and the next token, which may be a draft.

    is_own: the head has computed the hidden state, not the model.
    """

    position: int
    token: int
    hidden: np.ndarray
    is_own: bool = False


class HeadDrafts:
    """Drafts for many requests at once. Not thread-safe: it belongs to the engine's thread.

    Attributes:
        pass_s: mean seconds of a pass that drafts a token of each request.
    """

    def __init__(self, model: Transformer, cache: KVCache) -> None:
        """`model` has a head that drafts. `cache`: that of the model."""
        assert model.draft_head is not None
        self._head, self._cache, self._vocab_size = model.draft_head, cache, model.config.vocab_size
        self._rows = RowSampler(model.config.vocab_size, model.threads, self._head.run_kernel)
        self._pending: dict[Sequence, _Pending] = {}
        self.pass_s = 0.0

    def keep(self, work: Iterable[WorkItem], hidden: np.ndarray) -> None:
        """Keep the hidden states of a step, float32 [tokens, hidden size], before its work is recorded."""
        row = 0
        for item in work:
            sequence, first = item.sequence, item.sequence.computed_tokens
            count = item.end - first + len(item.drafts)
            new, old = hidden[row : row + count], self._pending.get(sequence)
            row += count
            if old is None or not old.first <= first <= old.end:
                self._pending[sequence] = _Pending(first, list(new))
            else:  # it goes on; wrong drafts are dropped
                old.hidden[first - old.first :] = new

    def draft(self, wanted: Mapping[Sequence, int]) -> dict[Sequence, list[int]]:
        """Drafts of so many tokens. A request whose last hidden state is unknown has none."""
        rows = self._take(
            sequence
            for sequence, pending in self._pending.items()
            if sequence in wanted or len(pending.hidden) > MOST_PENDING
        )
        drafting = {s for s in wanted if s in rows and rows[s][-1].position == len(s.tokens) - 2}
        drafts: dict[Sequence, list[int]] = {}
        while rows:
            start = time.perf_counter()
            is_usual = bool(drafting) and all(len(part) <= _USUAL_ROWS for part in rows.values())
            samples, handed_on = self._compute(rows, drafting, drafts)
            if is_usual:
                weight = _NEW_WEIGHT if self.pass_s else 1.0
                self.pass_s += weight * (time.perf_counter() - start - self.pass_s)
            last, rows = {sequence: part[-1].position for sequence, part in rows.items()}, {}
            for sequence, sample in samples.items():
                if not isinstance(sample, Sample):
                    continue  # its logits are no numbers
                tokens, position = drafts.setdefault(sequence, []), last[sequence] + 1
                tokens.append(sample.token)
                if len(tokens) < wanted[sequence] and position < sequence.pages.count * PAGE:
                    rows[sequence] = [_Row(position, sample.token, handed_on[sequence], is_own=True)]
            drafting = set(rows)
        return drafts

    def finish(self, sequences: Iterable[Sequence]) -> None:
        """Compute what is left of requests that end, whose pages other requests may find."""
        ending = [sequence for sequence in sequences if sequence in self._pending]
        while rows := self._take(ending):
            self._compute(rows, set(), {})

    def forget(self, sequence: Sequence) -> None:
        """Drop what is kept of a request that has ended."""
        self._pending.pop(sequence, None)

    def check(self) -> None:
        """Raise AssertionError if something is kept. No request may run."""
        if self._pending:
            raise AssertionError(f"hidden states of {len(self._pending)} requests are left.")

    def _take(self, sequences: Iterable[Sequence]) -> dict[Sequence, list[_Row]]:
        """What the head can compute in a pass, of requests that have most to compute first."""
        room, rows = STEP_TOKENS, {}
        for sequence in sorted(sequences, key=lambda s: len(self._pending[s].hidden), reverse=True):
            if part := self._take_rows(sequence, room):
                rows[sequence] = part
                room -= len(part)
        return rows

    def _take_rows(self, sequence: Sequence, most: int) -> list[_Row]:
        """At most so many pending positions of a request that are no wrong drafts."""
        pending = self._pending[sequence]
        count = max(0, min(sequence.computed_tokens, pending.end) - pending.first)
        del pending.hidden[count:]
        taken, first = pending.hidden[:most], pending.first
        # What follows a prompt alone is unknown.
        tokens = [*sequence.tokens[first + 1 : first + len(taken) + 1], 0]
        pending.first, pending.hidden = first + len(taken), pending.hidden[most:]
        return [_Row(first + row, tokens[row], hidden) for row, hidden in enumerate(taken)]

    def _compute(
        self,
        rows: Mapping[Sequence, list[_Row]],
        drafting: set[Sequence],
        drafts: Mapping[Sequence, list[int]],
    ) -> tuple[dict[Sequence, Sample | Exception], dict[Sequence, np.ndarray]]:
        """Compute rows of each request. For those that draft: the next tokens, and what is handed on."""
        builder, guessing = BatchBuilder(), [sequence for sequence in rows if sequence in drafting]
        for sequence, part in rows.items():
            end = part[-1].position + 1
            builder.add(
                [row.token for row in part], part[0].position, range(end - (sequence in drafting), end)
            )
        for number, (sequence, part) in enumerate(rows.items()):
            if sequence.images is not None:
                axes = sequence.images.axes(part[0].position, part[-1].position + 1)
                builder.sights[number] = Sight(axes=axes)
        most_pages = max(sequence.pages.count for sequence in rows)
        tables = np.stack([sequence.pages.table[:, :most_pages] for sequence in rows], axis=1)
        hidden = self._join_hidden([row for part in rows.values() for row in part])
        batch = builder.build(np.ascontiguousarray(tables), inputs={HIDDEN_INPUT: hidden})
        logits, handed_on = self._head.forward_for_drafts(batch, self._cache)
        draws = [
            Draw(Guess(sequence.sampler, len(drafts.get(sequence, ()))), row)
            for row, sequence in enumerate(guessing)
        ]
        samples = self._rows.sample(self._spread(logits), draws) if draws else []
        return dict(zip(guessing, samples, strict=True)), dict(zip(guessing, handed_on, strict=True))

    def _join_hidden(self, rows: list[_Row]) -> np.ndarray:
        """What the head takes, float32 [rows, columns].

        Where its own hidden states have other columns than those of the model, these are the last ones.
        """
        columns = self._head.tape.inputs[HIDDEN_INPUT]
        hidden = np.zeros((len(rows), columns), np.float32)
        for target, row in zip(hidden, rows, strict=True):
            start = columns - len(row.hidden) if row.is_own else 0
            target[start : start + len(row.hidden)] = row.hidden
        return hidden

    def _spread(self, logits: np.ndarray) -> np.ndarray:
        """Logits of all tokens of the model, from those of the tokens that the head knows."""
        if self._head.token_ids is None:
            return logits
        spread = np.full((len(logits), self._vocab_size), _NEVER, np.float32)
        spread[:, self._head.token_ids] = logits
        return spread
