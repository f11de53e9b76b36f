"""Prompt lookup: guess the next tokens from what the request's own text said before.

Answers quote their prompts and repeat themselves, so the tokens that followed the last few ones earlier are
a good guess (Saxena, 2023, github.com/apoorvumang/prompt-lookup-decoding; LLMA, Yang et al., 2023,
arXiv:2304.04487). A guess is computed together with the token before it and kept only as far as it is what
the sampler chooses, so it changes the time an answer takes and nothing else.
"""

_SIZES = (3, 2)  # tokens that must agree: the longer match is the better guess


class PromptLookup:
    """The drafts of one request. Each token costs a few dictionary entries, however long the text is."""

    def __init__(self, most: int) -> None:
        """`most`: the longest draft."""
        self._most = self._length = most
        self._after: dict[tuple[int, ...], int] = {}  # tokens -> where they were last followed by another
        self._known = 0

    def draft(self, tokens: list[int], most: int) -> list[int]:
        """Up to `most` tokens that may follow `tokens`, which must begin with those of the call before."""
        for end in range(self._known + 1, len(tokens)):
            for size in _SIZES:
                if size <= end:
                    self._after[tuple(tokens[end - size : end])] = end
        self._known = len(tokens) - 1
        for size in _SIZES:
            at = self._after.get(tuple(tokens[-size:]))
            if at is not None:
                period = len(tokens) - at  # where the text runs out, it is taken to repeat itself
                return [tokens[at + i % period] for i in range(min(most, self._length))]
        return []

    def learn(self, drafted: int, accepted: int) -> None:
        """Draft as much as was accepted the last time, and twice as much once all of it was."""
        if drafted:
            longer = min(self._most, max(self._length, 2 * drafted))
            self._length = longer if accepted == drafted else max(1, accepted)
