"""Prompt lookup: draft the next tokens of a request from its own text.

Answers quote their prompts and repeat themselves. So the last few tokens are looked up earlier in the text,
and the tokens that followed them there are the draft (Saxena, 2023,
github.com/apoorvumang/prompt-lookup-decoding; LLMA, Yang et al., 2023, arXiv:2304.04487). A draft is computed
together with the token before it. Its tokens are accepted only as far as the sampler chooses the same ones,
so drafts change the time that an answer takes and nothing else.
"""

_MATCH_SIZES = (3, 2)  # tokens that must be the same; a longer match gives a better draft


class PromptLookup:
    """Finds drafts for one request. Each token of its text costs a few dictionary entries."""

    def __init__(self) -> None:
        # tokens -> the position after their last occurrence
        self._continuations: dict[tuple[int, ...], int] = {}
        self._indexed = 0

    def draft(self, tokens: list[int], max_draft: int) -> list[int]:
        """Up to `max_draft` tokens that may follow `tokens`, which begin with those of the last call."""
        for end in range(self._indexed + 1, len(tokens)):
            for size in _MATCH_SIZES:
                if size <= end:
                    self._continuations[tuple(tokens[end - size : end])] = end
        self._indexed = len(tokens) - 1
        for size in _MATCH_SIZES:
            position = self._continuations.get(tuple(tokens[-size:]))
            if position is not None:
                period = len(tokens) - position  # a draft beyond the end of the text repeats this part
                return [tokens[position + i % period] for i in range(max_draft)]
        return []
