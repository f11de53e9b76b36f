"""Where the end of a text has occurred in it before: for the penalty of repeats (sampling/dry.py)."""

import numpy as np

from ..compiler import njit


@njit(nogil=True, cache=True)
def find_repeats(text: np.ndarray, limit: int, lengths: np.ndarray, longest: np.ndarray) -> None:
    """How much of the end of a text precedes each token at an earlier place.

    `longest[token]` becomes the largest number of tokens, up to `limit`, that precede the token at a place
    after the first, and are the end of the text, too. Where it is larger already, it stays.

    This is the Z function of the text from its end to its start (Gusfield, 1997): a comparison goes on where
    those before it have ended, so that the time grows as the text does.

    Args:
        text: int32 [tokens].
        lengths: int32 [tokens at least], of any content.
        longest: int32, with an entry for each token that the text may have.
    """
    size = len(text)
    left, right = 0, 0  # the repeat that reaches furthest back; in both directions, 0 is the last token
    for start in range(1, size):
        length = 0
        if start < right:
            length = min(lengths[start - left], right - start)
        while start + length < size and text[size - 1 - length] == text[size - 1 - start - length]:
            length += 1
        lengths[start] = length
        if start + length > right:
            left, right = start, start + length
        following = text[size - start]
        longest[following] = max(longest[following], min(length, limit))
