"""Drafts tokens that may follow the answers, from two sources: their own text, and a small model.

Drafts are computed together with the token before them. They are accepted as far as the sampler chooses the
same tokens, so they change the time that an answer takes, and nothing else.
"""

import logging
from collections.abc import Sequence as Items

from .draft_length import SequenceDrafts, StepCost
from .draft_model import DraftModel
from .sequence import Sequence

LOGGER = logging.getLogger(__name__)

# The longest draft of a model: each token of it is a step of that model.
_LONGEST_MODEL_DRAFT = 8


class Drafter:
    """Drafts for all answers of an engine, in its thread."""

    def __init__(self, longest_lookup: int, model: DraftModel | None = None) -> None:
        """`longest_lookup`: tokens to draft from the text of a request."""
        self._model = model
        self._longest_lookup = longest_lookup
        self._longest_model_draft = 0 if model is None else _LONGEST_MODEL_DRAFT
        self._drafts: dict[Sequence, SequenceDrafts] = {}
        self.steps = StepCost()

    def propose(self, sequences: Items[Sequence], most: int) -> dict[Sequence, list[int]]:
        """Drafts for those that compute one token next, at most so many tokens of all together.

        The model drafts where the text repeats nothing.
        """
        cost = self.steps.row_share(len(sequences))
        found: dict[Sequence, list[int]] = {}
        wanted: dict[Sequence, int] = {}
        for sequence in sequences:
            room = min(most, sequence.max_new_tokens - sequence.answer_length - 1)
            if room <= 0 or sequence.uncomputed_tokens != 1 or sequence.forced_tokens:
                continue
            drafts, tokens = self._drafts.get(sequence), []
            if drafts is None:
                drafts = SequenceDrafts(self._longest_lookup, self._longest_model_draft)
                self._drafts[sequence] = drafts
            if drafts.lookup is not None and (length := drafts.lookup_length.choose(cost)):
                tokens = drafts.lookup.draft(sequence.tokens, min(room, length))
            if tokens:
                found[sequence], drafts.last_length = tokens, drafts.lookup_length
                most -= len(tokens)
            elif self._model is not None:
                step_s = self.steps.seconds_of(len(sequences))
                model_cost = self._model.pass_s / step_s if step_s else 0.0
                if length := min(room, drafts.model_length.choose(cost + model_cost)):
                    wanted[sequence], drafts.last_length = length, drafts.model_length
                    most -= length
        if self._model is not None and wanted:
            try:
                found |= self._model.draft(wanted)
            except Exception:  # answers do not need drafts
                LOGGER.exception("The draft model failed")
        for sequence, tokens in found.items():
            if sequence.constraint is not None:
                found[sequence] = sequence.constraint.keep_valid(tokens)
        return found

    def record(self, sequence: Sequence, drafted: int, accepted: int) -> None:
        """Note how many drafts of a request were accepted."""
        self._drafts[sequence].last_length.record(drafted, accepted)

    def check(self) -> None:
        """Raise AssertionError if something is kept of a request that has ended. None may run."""
        if self._drafts:
            raise AssertionError(f"the drafter keeps something of {len(self._drafts)} requests.")
        if self._model is not None:
            self._model.check()

    def forget(self, sequence: Sequence) -> None:
        """Free what is kept of a request that has ended."""
        self._drafts.pop(sequence, None)
        if self._model is not None:
            self._model.forget(sequence)
