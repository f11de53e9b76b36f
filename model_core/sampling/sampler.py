"""From logits to the next tokens of requests.

1. Tokens outside the form of the answer are left out, then those that the request forbids (sampling/bans.py).
If
   these are all that the form allows, the form wins.
2. `logit_bias` is added, `repetition_penalty` is applied, and `presence_penalty`, `frequency_penalty` and the
   penalty of repeats (sampling/dry.py) are subtracted.
3. A token is chosen (sampling/methods.py).
"""

from collections.abc import Collection, Sequence

import numpy as np

from ..kernels.sampling.choice import NOT_FINITE
from ..kernels.sampling.masking import MASK_BITS, apply_mask
from ..requests.results import TokenLogprob
from ..requests.sampling import FilledParams
from .bans import TokenBans, check_token_ids
from .breakers import NO_BREAKERS, Breakers
from .dry import RepeatPenalty, penalizes_repeats
from .methods import ChoiceSettings, TokenChooser, find_largest, log_of_sum


class TokenCounts:
    """How often each token has occurred in a text."""

    def __init__(self, tokens: Sequence[int] = ()) -> None:
        ids, counts = np.unique(np.array(tokens, np.int64), return_counts=True)
        self._places = {token: place for place, token in enumerate(ids.tolist())}
        self._ids, self._counts = ids, counts.astype(np.int32)

    @property
    def ids(self) -> np.ndarray:
        """The tokens, each once: int64 [n]."""
        return self._ids[: len(self._places)]

    @property
    def counts(self) -> np.ndarray:
        """How often each of `ids` has occurred: int32 [n]."""
        return self._counts[: len(self._places)]

    def add(self, token: int) -> None:
        """Count a token once more."""
        place = self._places.setdefault(token, len(self._places))
        if place == len(self._ids):
            self._ids = np.concatenate([self._ids, np.zeros(place + 64, np.int64)])
            self._counts = np.concatenate([self._counts, np.zeros(place + 64, np.int32)])
        self._ids[place] = token
        self._counts[place] += 1


class Sampler:
    """How the tokens of one request are chosen. Its state depends on this request alone."""

    def __init__(
        self,
        params: FilledParams,
        prompt: list[int],
        vocab_size: int,
        end_ids: Collection[int] = (),
        bad_words: Sequence[Sequence[int]] = (),
        breakers: Breakers = NO_BREAKERS,
    ) -> None:
        """`end_ids`: the tokens that end the answer. `bad_words`: their tokens. `breakers`: of repeats.

        Raises InvalidRequest for tokens outside the vocabulary.
        """
        check_token_ids(params.logit_bias, vocab_size, "logit_bias")
        check_token_ids(params.stop_token_ids, vocab_size, "stop_token_ids")
        self._params, self._chooser = params, TokenChooser(params)
        self._bans = None
        if params.allowed_token_ids is not None or bad_words or params.min_tokens:
            self._bans = TokenBans(params, vocab_size, end_ids, bad_words)
        self._bias_tokens = np.array(list(params.logit_bias), np.int64)
        self._bias = np.array(list(params.logit_bias.values()), np.float32)
        self._seen = TokenCounts(prompt) if params.repetition_penalty != 1 else None
        has_penalty = params.presence_penalty or params.frequency_penalty
        self._answered = TokenCounts() if has_penalty else None
        self._repeats = None
        if penalizes_repeats(params):
            self._repeats = RepeatPenalty(params, prompt, breakers)
        histories = (self._bans, self._seen, self._answered, self._repeats)
        self._histories = [history for history in histories if history is not None]
        # Whether `prepare` reads the whole row. Otherwise it changes the logits of a few tokens.
        self.reads_row = self._chooser.is_rare or self._bans is not None
        # Whether a Guess has the logits that the sampler will have.
        changes_logits = self.reads_row or bool(params.logit_bias or self._histories)
        self.can_be_guessed = not changes_logits and params.logprobs is None
        self._raw_logits: np.ndarray | None = None  # of the next token, if its log probability is wanted

    def prepare(self, logits: np.ndarray, mask: np.ndarray | None) -> int | ChoiceSettings:
        """The next token, or how it is to be chosen, for float32 logits [vocabulary].

        With a `mask` of at least one token (kernels/sampling/masking.py), the token is to be one of these.
        Bias and penalties are applied to the logits. If `reads_row`, then so are the mask and the bans, and
        NOT_FINITE stands for the token if a number is not finite. Otherwise the caller applies the mask, and
        checks the
        logits: neither bias nor penalties make a number finite.
        """
        if self._params.logprobs is not None:
            self._raw_logits = logits.copy()
        # Without a choice no random number is drawn, as for tokens that are appended without their logits.
        if mask is not None and (only := _find_only_token(mask)) is not None:
            return only
        if self.reads_row:
            if not np.isfinite(logits).all():
                return NOT_FINITE
            if mask is not None:
                apply_mask(logits, mask)
            if self._bans is not None:
                self._bans.apply(logits)
        self._apply_penalties(logits)
        if self._chooser.is_rare:
            return self._chooser.choose(logits)
        return self._chooser.draw()

    def foresee(self, index: int) -> ChoiceSettings:
        """How the token after `index` others is going to be chosen."""
        return self._chooser.foresee(index)

    def accept_guess(self) -> None:
        """Note that the token of `Guess(self, 0)` is the next one. The sampler `can_be_guessed`."""
        self._chooser.draw()

    def finish(self, token: int) -> TokenLogprob | None:
        """Add the token that was chosen to the answer. Its log probability, if the request wants it."""
        self.record(token)
        raw, self._raw_logits = self._raw_logits, None
        count = self._params.logprobs
        return None if raw is None or count is None else compute_logprob(raw, token, count)

    def record(self, token: int) -> None:
        """Add a token to the answer, for the bans and penalties of the next ones."""
        for history in self._histories:
            history.add(token)

    def _apply_penalties(self, logits: np.ndarray) -> None:
        params = self._params
        if len(self._bias):
            logits[self._bias_tokens] += self._bias
        if self._seen is not None:
            seen, penalty = logits[self._seen.ids], np.float32(params.repetition_penalty)
            logits[self._seen.ids] = np.where(seen > 0, seen / penalty, seen * penalty)
        if self._answered is not None:
            ids, counts = self._answered.ids, self._answered.counts
            logits[ids] -= np.float32(params.presence_penalty)
            logits[ids] -= np.float32(params.frequency_penalty) * counts
        if self._repeats is not None:
            self._repeats.apply(logits)


class Guess:
    """Takes the place of a sampler, to guess the token that it will choose after `index` others.

    The guess is right if the logits are the same, and the sampler `can_be_guessed`.
    """

    reads_row = False

    def __init__(self, sampler: Sampler, index: int) -> None:
        self._sampler, self._index = sampler, index

    def prepare(self, logits: np.ndarray, mask: np.ndarray | None) -> ChoiceSettings:
        """As `Sampler.prepare`."""
        return self._sampler.foresee(self._index)

    def finish(self, token: int) -> None:
        """As `Sampler.finish`."""


def _find_only_token(mask: np.ndarray) -> int | None:
    """The token of a mask that has one token alone."""
    words = np.flatnonzero(mask)
    if len(words) != 1:
        return None
    word = int(mask[words[0]])
    return None if word & (word - 1) else MASK_BITS * int(words[0]) + word.bit_length() - 1


def compute_logprob(logits: np.ndarray, token: int, top: int) -> TokenLogprob:
    """The log probability of a token, with `top` alternatives, for float32 logits [vocabulary]."""
    log_sum = log_of_sum(logits)
    top_tokens = find_largest(logits, top) if top else ()
    return TokenLogprob(
        token,
        float(logits[token]) - log_sum,
        tuple((int(i), float(logits[i]) - log_sum) for i in top_tokens),
        1 + int(np.count_nonzero(logits > logits[token])),
    )
