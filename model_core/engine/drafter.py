"""Drafts tokens that may follow the answers, from two sources: their own text, and a model.

The model is a small one, or a head of the large one (MTP or EAGLE-3).

Drafts are computed together with the token before them. They are accepted as far as the sampler chooses the
same tokens, so they change the time that an answer takes, and nothing else.
"""

import logging
from collections.abc import Sequence as Items

import numpy as np

from .draft_length import Acceptance, ModelDraftLengths, SequenceDrafts, StepCost
from .draft_model import DraftModel
from .head_drafts import HeadDrafts
from .sequence import Sequence
from .work import WorkItem

LOGGER = logging.getLogger(__name__)

# The longest draft of a model: each token of it is a step of that model.
_LONGEST_MODEL_DRAFT = 8


class Drafter:
    """Drafts for all answers of an engine, in its thread."""

    def __init__(self, longest_lookup: int, model: DraftModel | HeadDrafts | None = None) -> None:
        """`longest_lookup`: tokens to draft from the text of a request; `model`: what else drafts."""
        self.model = model
        self._head = model if isinstance(model, HeadDrafts) else None
        self._longest_lookup = longest_lookup
        self._lengths = ModelDraftLengths(_LONGEST_MODEL_DRAFT)
        self._drafts: dict[Sequence, SequenceDrafts] = {}
        self._acceptance = Acceptance()  # of the model's drafts, of all requests
        self.steps = StepCost()

    def propose(self, sequences: Items[Sequence], most: int) -> dict[Sequence, list[int]]:
        """Drafts for those that compute one token next, at most so many tokens of all together.

        The model drafts where the text repeats nothing.
        """
        cost = self.steps.row_share(len(sequences))
        found: dict[Sequence, list[int]] = {}
        for_model: dict[Sequence, int] = {}  # the longest draft that each can have
        for sequence in sequences:
            room = min(most, sequence.max_new_tokens - sequence.answer_length - 1)
            if room <= 0 or sequence.uncomputed_tokens != 1 or sequence.forced_tokens:
                continue
            drafts, tokens = self._drafts.get(sequence), []
            if drafts is None:
                drafts = self._drafts[sequence] = SequenceDrafts(self._longest_lookup, self._acceptance)
            if drafts.lookup is not None and (length := drafts.lookup_length.choose(cost)):
                tokens = drafts.lookup.draft(sequence.tokens, min(room, length))
            if tokens:
                found[sequence], drafts.was_of_model = tokens, False
                most -= len(tokens)
            elif sequence.images is None or self._head is not None:  # a small model sees nothing
                for_model[sequence] = room
        if self.model is not None:
            wanted = self._choose_lengths(self.model, for_model, len(sequences), most)
            try:
                found |= self.model.draft(wanted)
            except Exception:  # answers do not need drafts
                LOGGER.exception("Drafting failed")
        for sequence, tokens in found.items():
            if sequence.constraint is not None:
                found[sequence] = sequence.constraint.keep_valid(tokens)
        return found

    def _choose_lengths(
        self, model: DraftModel | HeadDrafts, rooms: dict[Sequence, int], streams: int, most: int
    ) -> dict[Sequence, int]:
        """How many tokens the model drafts of each request, at most so many together."""
        step_s = self.steps.seconds_of(streams)
        pass_cost = model.pass_s / step_s if step_s else 0.0
        row_cost = self.steps.row_share(streams) / max(streams, 1)
        rates = [self._drafts[sequence].of_model.rate for sequence in rooms]
        lengths = self._lengths.choose(rates, list(rooms.values()), most, streams, pass_cost, row_cost)
        wanted = {sequence: length for sequence, length in zip(rooms, lengths, strict=True) if length}
        for sequence in wanted:
            self._drafts[sequence].was_of_model = True
        return wanted

    @property
    def needs_hidden_states(self) -> bool:
        """Whether `keep` wants those of each step."""
        return self._head is not None

    def keep(self, work: Items[WorkItem], hidden: np.ndarray) -> None:
        """Keep the hidden states of a step (see HeadDrafts)."""
        if self._head is not None:
            self._head.keep(work, hidden)

    def finish(self, sequences: Items[Sequence]) -> None:
        """Prepare the pages of requests that end well for requests that find them."""
        if self._head is not None:
            try:
                self._head.finish(sequences)
            except Exception:  # later drafts are wrong, and no answer is
                LOGGER.exception("The head that drafts failed")

    def record(self, sequence: Sequence, drafted: int, accepted: int) -> None:
        """Note how many drafts of a request were accepted."""
        drafts = self._drafts[sequence]
        if drafts.was_of_model:
            self._lengths.record(drafts.of_model, drafted, accepted)
            self._acceptance.record(drafted, accepted)
        else:
            drafts.lookup_length.record(drafted, accepted)

    def check(self) -> None:
        """Raise AssertionError if something is kept of a request that has ended. None may run."""
        if self._drafts:
            raise AssertionError(f"the drafter keeps something of {len(self._drafts)} requests.")
        if self.model is not None:
            self.model.check()

    def forget(self, sequence: Sequence) -> None:
        """Free what is kept of a request that has ended."""
        self._drafts.pop(sequence, None)
        if self.model is not None:
            self.model.forget(sequence)
