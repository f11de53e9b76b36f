"""The texts that end repeats (sampling/dry.py), as tokens."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidRequest
from ..text.tokenizer import AnyTokenizer

_KEPT = 8  # lists of breakers whose tokens are kept


@dataclass(frozen=True)
class Breakers:
    """The tokens of texts that end repeats.

    Attributes:
        whole: the tokens that have one of the texts in them: bool [vocabulary]; empty: none.
        tails: by token that ends with the start of a text, the tokens of the rest, in all ways.
    """

    whole: np.ndarray
    tails: Mapping[int, tuple[tuple[int, ...], ...]]

    @functools.cached_property
    def longest_tail(self) -> int:
        """The largest number of tokens of a tail."""
        return max((len(tail) for tails in self.tails.values() for tail in tails), default=0)

    def is_whole(self, token: int) -> bool:
        """Whether the token has one of the texts in it."""
        return token < len(self.whole) and bool(self.whole[token])


NO_BREAKERS = Breakers(np.zeros(0, bool), {})


class BreakerFinder:
    """Finds the tokens of breakers for one model. Its methods may be called from any thread."""

    def __init__(self, tokenizer: AnyTokenizer | None, vocab_size: int) -> None:
        self._tokenizer, self._vocab_size = tokenizer, vocab_size
        self._find = functools.lru_cache(_KEPT)(self._find_tokens)

    def find(self, texts: tuple[str, ...]) -> Breakers:
        """The tokens of breakers, as in llama.cpp's `get_overlapping_token_sequences`.

        The first call takes up to a second. Raises InvalidRequest for texts if there is no tokenizer.
        """
        return self._find(texts)

    @functools.cached_property
    def _names(self) -> list[bytes]:
        return [] if self._tokenizer is None else self._tokenizer.all_token_bytes(self._vocab_size)

    def _find_tokens(self, texts: tuple[str, ...]) -> Breakers:
        if not texts:
            return NO_BREAKERS
        if self._tokenizer is None:
            raise InvalidRequest(
                "dry_sequence_breakers need a tokenizer, which this model does not have; send [].",
                "dry_sequence_breakers",
            )
        names = self._names
        whole = np.zeros(self._vocab_size, bool)
        tails: dict[int, dict[tuple[int, ...], None]] = {}
        for text in texts:
            encoded = text.encode()
            whole |= np.fromiter((encoded in name for name in names), bool, len(names))
            for cut in range(1, len(text)):
                start = text[:cut].encode()
                ends = [token for token, name in enumerate(names) if name.endswith(start)]
                tail = tuple(self._tokenizer.encode_inside(text[cut:])) if ends else ()
                for token in ends:
                    if encoded not in names[token]:
                        tails.setdefault(token, {})[tail] = None
        return Breakers(whole, {token: tuple(found) for token, found in tails.items()})
