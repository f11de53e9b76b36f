"""From the logits of a step to the next tokens of its requests, and to their text."""

import time
from collections.abc import Sequence as Items
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..errors import TritonchatError
from ..sampling.batch_sampler import Draw, RowSampler, Sample
from ..sampling.sampler import Guess
from .masks import Masks
from .sequence import FinishReason, Sequence
from .work import WorkItem

# That a step appends to an answer. More would make the others wait.
MAX_FORCED_TOKENS = 256


class Chosen(NamedTuple):
    """What a step knows of the next tokens of its requests before any of them is appended.

    Attributes:
        logits: float32 [rows, vocabulary]. masks: the tokens of which one is chosen.
        samples: chosen from the first rows of each item of the work.
        first_rows: for each item, its first row of logits.
        first_samples: for each item, its first sample; and the number of all.
    """

    logits: np.ndarray
    masks: Masks
    samples: list[Sample | TritonchatError]
    first_rows: list[int]
    first_samples: list[int]


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

    def __init__(self, sampler: RowSampler, eos_token_ids: frozenset[int]) -> None:
        self._sampler, self._eos_token_ids = sampler, eos_token_ids

    def choose(self, work: Items[WorkItem], logits: np.ndarray, masks: Masks) -> Chosen:
        """Choose the first token of each item that has logits, all together, and guess those after drafts.

        The guesses are right as far as the drafts are. logits: float32 [rows, vocabulary], for each item as
        many rows as it has logits.
        """
        draws: list[Draw] = []
        first_rows: list[int] = []
        first_samples, row = [0], 0
        for item in work:
            sequence, count = item.sequence, item.logit_count
            first_rows.append(row)
            if count and not sequence.forced_tokens:
                mask, sampler = masks.get(sequence), sequence.sampler
                draws.append(Draw(sampler, row, None if mask is None else mask[0]))
                if count > 1 and mask is None and sampler.can_be_guessed:
                    draws += [Draw(Guess(sampler, index - 1), row + index) for index in range(1, count)]
            row += count
            first_samples.append(len(draws))
        return Chosen(logits, masks, self._sampler.sample(logits, draws), first_rows, first_samples)

    def append(self, item: WorkItem, chosen: Chosen, index: int) -> Appended:
        """Append the next tokens of a request, that of the item `index` of the work.

        One is chosen, and those after it are known: its drafts, as long as they are right, and the tokens
        that must follow in the form of the answer. Raises TritonchatError.
        """
        sequence, drafts, forced = item.sequence, item.drafts, item.sequence.forced_tokens
        start, end = chosen.first_samples[index : index + 2]
        appended = Appended()
        if not sequence.wants_answer:
            appended.reason = None if sequence.uncomputed_tokens else "length"
            return appended
        while appended.reason is None:
            if sequence.constraint is not None and sequence.constraint.is_at_dead_end:
                appended.reason = "length"  # what there is, is the beginning of an answer
                break
            count = appended.tokens
            if forced and count < MAX_FORCED_TOKENS:
                token = forced.popleft()
                sequence.sampler.record(token)
                appended.forced += 1
            elif count == appended.accepted and count < item.logit_count and not forced:
                if start + count < end:
                    sample = chosen.samples[start + count]
                    if count:
                        sequence.sampler.accept_guess()
                else:  # the token before it is known only now
                    masks = chosen.masks.get(sequence)
                    mask = None if masks is None else masks[count]
                    draw = Draw(sequence.sampler, chosen.first_rows[index] + count, mask)
                    (sample,) = self._sampler.sample(chosen.logits, [draw])
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
        constraint, params = sequence.constraint, sequence.job.params
        budget = sequence.job.plan.budget
        is_stop_token = token in params.stop_token_ids
        is_end_token = token in self._eos_token_ids and not params.ignore_eos
        stopped = is_end_token
        if budget is not None:
            sequence.forced_tokens.extend(budget.push(token))
        if constraint is not None:
            constraint.accept(token)
            stopped = constraint.has_ended and not constraint.is_at_dead_end
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
