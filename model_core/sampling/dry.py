"""DRY ("don't repeat yourself"): a penalty on tokens that would continue a repeat.

If the last n tokens of the text have occurred in it before, the token that followed them there gets the
penalty multiplier * base^(n - allowed_length), for n of allowed_length or more; the longest of several
repeats counts. A repeat does not reach over a breaker, and breakers themselves get no penalty.

Described in github.com/oobabooga/text-generation-webui/pull/5677; what is penalized, and how much, is as in
llama.cpp (`llama_sampler_init_dry`).
"""

from collections.abc import Sequence

import numpy as np

from ..kernels.sampling.repeats import find_repeats
from ..machine.exact_math import log
from ..requests.sampling import FilledParams
from .breakers import Breakers

_GROWTH = 256  # tokens
_MAX = float(np.finfo(np.float32).max)
_LOG_OF_MAX = 88.7228391  # of float32
_MIN_BASE = 1.000001  # no power of a smaller base gets too large


class RepeatPenalty:
    """The text of one request, with the penalties of its next token. A step takes time for each token of it.

    The text has each token as its place in a list of those that occur, so that memory grows as the text does,
    not as the vocabulary.
    """

    def __init__(self, params: FilledParams, prompt: Sequence[int], breakers: Breakers) -> None:
        self._params, self._breakers = params, breakers
        self._window = params.dry_penalty_last_n
        if self._window >= 0:
            prompt = prompt[max(0, len(prompt) - self._window) :]
        ids, text = np.unique(np.array(prompt, np.int64), return_inverse=True)
        self._places = {token: place for place, token in enumerate(ids.tolist())}
        self._ids = ids
        self._text, self._size = text.astype(np.int32).reshape(-1), len(prompt)
        self._lengths = np.zeros(0, np.int32)
        self._penalties = np.zeros(0, np.float32)  # by the number of tokens beyond the allowed ones
        # The last breaker whose tokens no later token can change: its first token, and the place after it.
        self._settled = (-1, 0)
        is_head = np.array([self._is_head(token) for token in ids.tolist()], bool)
        known = self._text[: max(0, self._size - breakers.longest_tail)]
        for position in reversed(np.flatnonzero(is_head[known]).tolist()):
            if (end := self._find_end(position)) is not None:
                self._settled = (position, end)
                break

    def add(self, token: int) -> None:
        """Add a token to the text."""
        place = self._places.setdefault(token, len(self._places))
        if place == len(self._ids):
            self._ids = np.concatenate([self._ids, np.zeros(place + _GROWTH, np.int64)])
        self._ids[place] = token
        if self._size == len(self._text):
            self._text = np.concatenate([self._text, np.zeros(self._size + _GROWTH, np.int32)])
        self._text[self._size] = place
        self._size += 1
        position = self._size - 1 - self._breakers.longest_tail
        if position >= 0 and (end := self._find_end(position)) is not None:
            self._settled = (position, end)

    def apply(self, logits: np.ndarray) -> None:
        """Subtract the penalties from float32 logits [vocabulary]."""
        allowed = self._params.dry_allowed_length
        start = 0 if self._window < 0 else max(0, self._size - self._window)
        size = self._size - start
        limit = self._find_limit(start)
        if size <= allowed or limit < allowed:
            return
        if len(self._lengths) < size:
            self._lengths = np.zeros(size + _GROWTH, np.int32)
        longest = np.full(len(self._places), -1, np.int32)
        find_repeats(self._text[start : self._size], limit, self._lengths, longest)
        places = np.flatnonzero(longest >= allowed)
        ids, beyond = self._ids[places], longest[places] - allowed
        if len(self._breakers.whole):
            kept = ~self._breakers.whole[ids]
            ids, beyond = ids[kept], beyond[kept]
        if len(ids):
            largest = int(beyond.max())
            if len(self._penalties) <= largest:
                self._penalties = _compute_penalties(self._params, 2 * largest + 1)
            logits[ids] -= self._penalties[beyond]

    def _find_limit(self, start: int) -> int:
        """The number of tokens after the last breaker in the text from `start` on; of all without one."""
        for position in range(self._size - 1, max(start, self._size - self._breakers.longest_tail) - 1, -1):
            if (end := self._find_end(position)) is not None:
                return self._size - end
        position, end = self._settled
        return self._size - (end if position >= start else start)

    def _is_head(self, token: int) -> bool:
        return self._breakers.is_whole(token) or token in self._breakers.tails

    def _find_end(self, position: int) -> int | None:
        """The place after the longest breaker that begins with the token at `position`, if one does."""
        token = int(self._ids[self._text[position]])
        found = position + 1 if self._breakers.is_whole(token) else None
        for tail in self._breakers.tails.get(token, ()):
            end = position + 1 + len(tail)
            if end > self._size or (found is not None and end <= found):
                continue
            if tuple(self._ids[self._text[position + 1 : end]].tolist()) == tail:
                found = end
        return found


def penalizes_repeats(params: FilledParams) -> bool:
    """Whether the request asks for the penalty."""
    return params.dry_multiplier > 0 and params.dry_penalty_last_n != 0


def _compute_penalties(params: FilledParams, count: int) -> np.ndarray:
    """multiplier * base^n for the first `count` n: float32. All powers that are too large are alike.

    Products have the same bits on every processor; powers may differ.
    """
    base, multiplier = float(np.float32(params.dry_base)), float(np.float32(params.dry_multiplier))
    exponents = np.arange(count)
    if base > _MIN_BASE:
        exponents = np.minimum(exponents, int(_LOG_OF_MAX / log(base)))
    powers = np.multiply.accumulate(np.concatenate([[1.0], np.full(exponents[-1], base)]))
    return np.minimum(multiplier * powers[exponents], _MAX).astype(np.float32)
