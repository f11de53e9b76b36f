"""From logits to the next token of a request."""

import math
from dataclasses import dataclass

import numpy as np

from .errors import InvalidRequest
from .kernels.masking import apply_mask
from .sampling import SamplingParams


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

    def __init__(self, params: SamplingParams, prompt: list[int], vocab_size: int) -> None:
        """`params` must have their defaults. Raises InvalidRequest for a wrong token in `logit_bias`."""
        unknown = [token for token in params.logit_bias if not 0 <= token < vocab_size]
        if unknown:
            raise InvalidRequest(
                f"logit_bias names token {unknown[0]}, but the model's tokens go from 0 to {vocab_size - 1}."
            )
        self._params = params
        self._random = np.random.Generator(np.random.PCG64(params.seed % 2**64))
        # For the likeliest token, 0 is divided by the temperature, which must not be 0 in float32.
        self._temperature = np.float32(max(params.temperature, 1e-20))
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
        self._is_greedy = params.temperature == 0 and not self._changes_logits

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
            largest = int(choosable.argmax())
        # Without a choice no random number is drawn, as for tokens that are appended without their logits.
        if has_choice and not self._is_greedy:
            token = self._choose_token(self._apply_penalties(choosable))
        else:
            token = largest
        self.record(token)
        return token, None if top is None else _compute_logprob(logits, token, top)

    def record(self, token: int) -> None:
        """Count a token of the answer, for the penalties of the next ones."""
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

    def _choose_token(self, logits: np.ndarray) -> int:
        params = self._params
        if params.temperature == 0:
            return int(np.argmax(logits))
        weights = logits - logits.max()
        weights /= self._temperature  # in place: each new large array costs page faults
        np.exp(weights, out=weights)  # 1 for the likeliest
        ids = None  # of the weights; None: all tokens, in their own order
        if params.top_k:
            ids = _find_largest(logits, params.top_k)
            weights = weights[ids]
        if params.top_p < 1:
            nucleus = _find_nucleus(weights, params.top_p)
            ids, weights = nucleus if ids is None else ids[nucleus], weights[nucleus]
        if params.min_p > 0:
            weights[weights < np.float32(params.min_p)] = 0
        index = _sample_index(weights, self._random.random())
        return index if ids is None else int(ids[index])


def _find_largest(values: np.ndarray, count: int) -> np.ndarray:
    """The indices of the `count` largest values, the largest first, ties by index; int [count]."""
    groups = 8 * count
    if groups >= len(values):
        return np.argsort(-values, kind="stable")[:count]
    # At least `count` values, and few more, reach the count-th largest maximum of the groups.
    maxima = values[: len(values) // groups * groups].reshape(-1, groups).max(axis=0)
    candidates = np.flatnonzero(values >= np.partition(maxima, -count)[-count])
    return candidates[np.argsort(-values[candidates], kind="stable")[:count]]


def _find_nucleus(weights: np.ndarray, top_p: float) -> np.ndarray:
    """The indices of the largest weights whose sum reaches the fraction `top_p` of the sum of all.

    They include the weight that crosses the threshold, so there is always one.
    """
    threshold = top_p * float(weights.sum(dtype=np.float64))
    largest = _find_largest(weights, min(128, len(weights)))
    sums = np.cumsum(weights[largest], dtype=np.float64)
    if sums[-1] >= threshold:
        return largest[: int(np.searchsorted(sums, threshold)) + 1]
    # Sorting values is much faster than sorting indices.
    descending = np.sort(weights)[::-1]
    count = int(np.searchsorted(np.cumsum(descending, dtype=np.float64), threshold)) + 1
    smallest = descending[min(count, len(weights)) - 1]
    above, ties = np.flatnonzero(weights > smallest), np.flatnonzero(weights == smallest)
    return np.concatenate([above, ties[: count - len(above)]])


def _sample_index(weights: np.ndarray, fraction: float) -> int:
    """The index at which the running sum of weights exceeds `fraction`, from 0 to below 1, of their sum.

    It looks at the sums of blocks first: NumPy computes them much faster than a running sum.
    """
    block = 256
    sums = np.add.reduceat(weights, np.arange(0, len(weights), block), dtype=np.float64)
    ends = np.concatenate([[0.0], np.cumsum(sums)])
    point = fraction * ends[-1]
    first = int(np.searchsorted(ends, point, side="right")) - 1
    inside = np.cumsum(weights[first * block : (first + 1) * block], dtype=np.float64)
    # The same sum in another order may end a little below.
    point = min(point - ends[first], np.nextafter(inside[-1], 0))
    return first * block + int(np.searchsorted(inside, point, side="right"))


def _compute_logprob(logits: np.ndarray, token: int, top: int) -> TokenLogprob:
    largest = logits.max()
    # With a sum in float64, float32's exp changes the logarithm by no more than 1e-7.
    log_sum = float(largest) + math.log(np.exp(logits - largest).sum(dtype=np.float64))
    top_tokens = _find_largest(logits, top) if top else ()
    return TokenLogprob(
        token, float(logits[token]) - log_sum, tuple((int(i), float(logits[i]) - log_sum) for i in top_tokens)
    )
