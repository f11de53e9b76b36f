"""The tokens that a request forbids: always, or at this place of its answer."""

from collections import deque
from collections.abc import Collection, Sequence

import numpy as np

from ..errors import InvalidRequest
from ..requests.sampling import FilledParams
from ..text.tokenizer import AnyTokenizer


class TokenBans:
    """Forbids tokens outside `allowed_token_ids`, ends of `bad_words`, and end tokens before `min_tokens`."""

    def __init__(
        self,
        params: FilledParams,
        vocab_size: int,
        end_ids: Collection[int],
        bad_words: Sequence[Sequence[int]],
    ) -> None:
        """`end_ids`: the tokens that end the answer. `bad_words`: their tokens.

        Raises InvalidRequest for tokens outside the vocabulary.
        """
        check_token_ids(params.allowed_token_ids or (), vocab_size, "allowed_token_ids")
        self._allowed = None
        if params.allowed_token_ids is not None:
            self._allowed = np.unique(params.allowed_token_ids)
        self._end_ids, self._missing_tokens = sorted(end_ids), params.min_tokens
        self._bad_words = [tuple(word) for word in bad_words if word]
        longest = max(map(len, self._bad_words), default=1)
        self._last_tokens: deque[int] = deque(maxlen=longest - 1)  # of the answer

    def add(self, token: int) -> None:
        """Add a token to the answer."""
        self._missing_tokens -= 1
        self._last_tokens.append(token)

    def apply(self, logits: np.ndarray) -> None:
        """Set the logits of forbidden tokens to -inf; of none if no token would be left."""
        single = self._find_single()
        if self._allowed is not None:
            kept = logits[self._allowed]
            kept[np.isin(self._allowed, single)] = -np.inf
            if np.isfinite(kept.max()):
                logits.fill(-np.inf)
                logits[self._allowed] = kept
        elif single:
            before = logits[single]
            logits[single] = -np.inf
            if not np.isfinite(logits.max()):
                logits[single] = before

    def _find_single(self) -> list[int]:
        """The tokens that are forbidden at this place only."""
        tokens = tuple(self._last_tokens)
        single = [word[-1] for word in self._bad_words if tokens[len(tokens) - len(word) + 1 :] == word[:-1]]
        return single + self._end_ids if self._missing_tokens > 0 else single


def encode_bad_words(words: Collection[str], tokenizer: AnyTokenizer | None) -> list[list[int]]:
    """The tokens of words, as they are written at the start of a text and behind a space.

    Raises InvalidRequest for words if there is no tokenizer.
    """
    if not words:
        return []
    if tokenizer is None:
        raise InvalidRequest("bad_words need a tokenizer, which this model does not have.", "bad_words")
    texts: dict[str, None] = {}  # a set in order
    for word in words:
        texts[word] = None
        if start := word.lstrip():
            texts.update({start: None, f" {start}": None})
    return [tokenizer.encode_inside(text) for text in texts]


def check_token_ids(ids: Collection[int], vocab_size: int, param: str) -> None:
    """Raises InvalidRequest if an id is outside the vocabulary."""
    unknown = next((token for token in ids if not 0 <= token < vocab_size), None)
    if unknown is not None:
        raise InvalidRequest(
            f"{param} names token {unknown}, but the model's tokens go from 0 to {vocab_size - 1}.", param
        )
