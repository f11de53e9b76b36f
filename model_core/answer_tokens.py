"""From the logits of a step to the next tokens of its requests, and to their text."""

import itertools
import time
from collections.abc import Sequence as Items
from dataclasses import dataclass

import numpy as np

from .errors import TritonchatError
from .request import FinishReason, Sequence
from .row_sampler import Draw, RowSampler, Sample
from .sampler import Guess
from .scheduler import WorkItem
from .token_masks import Masks

# That a step appends to an answer. More would make the others wait.
MAX_FORCED_TOKENS = 256


@dataclass(slots=True)
class Appended:
    """What a step has appended to an answer: how many tokens, of its drafts, and of those that had to follow.

    `reason` is the finish reason, None if the answer goes on.
    """

    tokens: int = 0
    accepted: int = 0
    forced: int = 0
    reason: FinishReason | None = None


class AnswerTokens:
    """Chooses and appends tokens. It belongs to the engine's thread."""

    def __init__(self, rows: RowSampler, eos_token_ids: frozenset[int]) -> None:
        self._rows, self._eos_token_ids = rows, eos_token_ids

    def choose(
        self, work: Items[WorkItem], logits: np.ndarray, masks: Masks
    ) -> dict[Sequence, list[Sample | TritonchatError]]:
        """Choose the first token of each item that has logits, all together, and guess those after drafts.

        The guesses are right as far as the drafts are.
        """
        draws: list[Draw] = []
        owners: list[Sequence] = []
        row = 0
        for item in work:
            sequence, count = item.sequence, item.logit_count
            if count and not sequence.forced_tokens:
                mask, sampler = masks.get(sequence), sequence.sampler
                draws.append(Draw(sampler, row, None if mask is None else mask[0]))
                owners.append(sequence)
                if count > 1 and mask is None and sampler.can_be_guessed:
                    draws += [Draw(Guess(sampler, index - 1), row + index) for index in range(1, count)]
                    owners += [sequence] * (count - 1)
            row += count
        samples = self._rows.sample(logits, draws)
        chosen: dict[Sequence, list[Sample | TritonchatError]] = {}
        for sequence, group in itertools.groupby(zip(owners, samples, strict=True), key=lambda pair: pair[0]):
            chosen[sequence] = [sample for _, sample in group]
        return chosen

    def append(
        self,
        item: WorkItem,
        rows: np.ndarray,
        samples: Items[Sample | TritonchatError],
        masks: np.ndarray | None,
    ) -> Appended:
        """Append the next tokens of a request: one that is chosen, and those after it that are known.

        These are its drafts, as long as they are right, and the tokens that must follow in the form of the
        answer. rows: its logits [logit_count, vocabulary]. samples: what `choose` has chosen from the first
        of them. masks: for each row the tokens of which one is chosen, see kernels/masking.py; None: all.

        Raises TritonchatError.
        """
        sequence, drafts, forced = item.sequence, item.drafts, item.sequence.forced_tokens
        appended = Appended()
        while appended.reason is None:
            count = appended.tokens
            if forced and count < MAX_FORCED_TOKENS:
                token = forced.popleft()
                sequence.sampler.record(token)
                appended.forced += 1
            elif count == appended.accepted and count < len(rows) and not forced:
                if count < len(samples):
                    sample = samples[count]
                    if count:
                        sequence.sampler.accept_guess()
                else:  # the token before it is known only now
                    draw = Draw(sequence.sampler, count, None if masks is None else masks[count])
                    (sample,) = self._rows.sample(rows, [draw])
                if isinstance(sample, TritonchatError):
                    raise sample
                token = sample.token
                if sample.logprob is not None:
                    sequence.pending_logprobs.append(sample.logprob)
            else:
                break
            appended.accepted += int(count == appended.accepted < len(drafts) and token == drafts[count])
            appended.tokens += 1
            appended.reason = self._append_token(sequence, token)
        return appended

    def _append_token(self, sequence: Sequence, token: int) -> FinishReason | None:
        """Append a token to an answer. Returns the finish reason if it is the last."""
        sequence.tokens.append(token)
        if sequence.first_token_time is None:
            sequence.first_token_time = time.monotonic()
        constraint, params = sequence.constraint, sequence.params
        budget = sequence.reasoning_budget
        is_stop_token = token in params.stop_token_ids
        is_end_token = token in self._eos_token_ids and not params.ignore_eos
        stopped = is_end_token
        if budget is not None:
            sequence.forced_tokens.extend(budget.push(token))
        if constraint is not None:
            constraint.accept(token)
            stopped = constraint.has_ended
            # A forced token has no logits. So if their log probabilities are wanted, the masks choose them.
            if not sequence.forced_tokens and params.logprobs is None:
                sequence.forced_tokens.extend(constraint.forced_tokens())
        has_text = not is_end_token and (not is_stop_token or params.include_stop_str_in_output)
        if sequence.text_stream is not None and has_text:
            sequence.pending_text += sequence.text_stream.push(token)
            stopped = stopped or sequence.text_stream.has_stopped
        if stopped or is_stop_token:
            return "stop"
        return "length" if sequence.answer_length >= sequence.max_new_tokens else None
