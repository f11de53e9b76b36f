"""From logits to the next token of a request.

1. Tokens outside the form of the answer are left out, then those that the request forbids (token_bans.py). If
   these are all that the form allows, the form wins.
2. `logit_bias` is added, `repetition_penalty` is applied, and `presence_penalty` and `frequency_penalty` are
   subtracted.
3. A token is chosen (token_choice.py).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from .kernels.masking import MASK_BITS, apply_mask
from .kernels.weights import weigh_tokens
from .sampling import SamplingParams
from .token_bans import TokenBans, check_token_ids
from .token_choice import TokenChooser, find_largest, log_of_sum


@dataclass(frozen=True)
class TokenLogprob:
    """A token's log probability under the model, before penalties, bias and temperature.

    `top` holds the likeliest alternatives, the likeliest first, as (token id, log probability).
    """

    token_id: int
    logprob: float
    top: tuple[tuple[int, float], ...]


class Sampler:
    """Chooses the tokens of one request. Its state depends on this request alone."""

    def __init__(
        self,
        params: SamplingParams,
        prompt: list[int],
        vocab_size: int,
        end_ids: Collection[int] = (),
        bad_words: Sequence[Sequence[int]] = (),
    ) -> None:
        """`params` must have their defaults. `end_ids`: the tokens that end the answer. `bad_words`: their
        tokens.

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
        self._seen_tokens = self._answer_counts = None
        if params.repetition_penalty != 1:
            self._seen_tokens = np.zeros(vocab_size, bool)
            self._seen_tokens[prompt] = True
        if params.presence_penalty or params.frequency_penalty:
            self._answer_counts = np.zeros(vocab_size, np.int32)
        self._changes_logits = (
            self._seen_tokens is not None or self._answer_counts is not None or bool(len(self._bias))
        )
        self._is_greedy = params.temperature == 0 and not self._changes_logits and self._bans is None

    def sample(
        self, logits: np.ndarray, largest: int, mask: np.ndarray | None = None
    ) -> tuple[int, TokenLogprob | None]:
        """The next token for float32 logits [vocabulary], and its log probability if the request wants it.

        `largest` is the index of the largest logit, the first of equal ones. With a `mask` of at least one
        token (kernels/masking.py), the token is one of these, and the logits of all others are lost.
        """
        top, choosable = self._params.logprobs, logits
        has_choice = True
        if mask is not None:
            choosable = logits if top is None else logits.copy()
            has_choice = apply_mask(choosable, mask) > 1
        # Without a choice no random number is drawn, as for tokens that are appended without their logits.
        if has_choice and not self._is_greedy:
            if self._bans is not None:
                choosable = self._bans.apply(choosable)
            token = self._chooser.choose(self._apply_penalties(choosable))
        else:
            token = largest if mask is None else int(choosable.argmax())
        self.record(token)
        return token, None if top is None else _compute_logprob(logits, token, top)

    def record(self, token: int) -> None:
        """Add a token to the answer, for the bans and penalties of the next ones."""
        if self._bans is not None:
            self._bans.record(token)
        if self._answer_counts is not None:
            self._answer_counts[token] += 1
        if self._seen_tokens is not None:
            self._seen_tokens[token] = True

    def _apply_penalties(self, logits: np.ndarray) -> np.ndarray:
        params = self._params
        if not self._changes_logits:
            return logits
        logits = logits.copy()
        if len(self._bias):
            logits[self._bias_tokens] += self._bias
        if self._seen_tokens is not None:
            seen = logits[self._seen_tokens]
            penalty = np.float32(params.repetition_penalty)
            logits[self._seen_tokens] = np.where(seen > 0, seen / penalty, seen * penalty)
        if self._answer_counts is not None:
            logits -= np.float32(params.presence_penalty) * (self._answer_counts > 0)
            logits -= np.float32(params.frequency_penalty) * self._answer_counts
        return logits


def compile_sampling() -> None:
    """Compile the kernels of `Sampler`, so that the first answer does not wait for them."""
    logits = np.zeros(MASK_BITS, np.float32)
    apply_mask(logits, np.ones(1, np.uint32))
    weigh_tokens(logits, np.float32(0), np.float32(1))


def _compute_logprob(logits: np.ndarray, token: int, top: int) -> TokenLogprob:
    log_sum = log_of_sum(logits)
    top_tokens = find_largest(logits, top) if top else ()
    return TokenLogprob(
        token, float(logits[token]) - log_sum, tuple((int(i), float(logits[i]) - log_sum) for i in top_tokens)
    )
