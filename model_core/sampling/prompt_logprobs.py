"""Log probabilities of the tokens of prompts.

The logits after a token give the log probability of the next one. A prompt of thousands of tokens would have
gigabytes of logits. So a step computes them a few rows at a time (Transformer.forward), and each row is
reduced at once to what the request asks for.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from ..errors import NotFinite
from ..requests.results import TokenLogprob
from .sampler import compute_logprob


@dataclass
class PromptScores:
    """The log probabilities of a prompt's tokens, as far as they are computed and not yet delivered.

    Attributes:
        prompt: its tokens.
        start: the index of the first token to score, 1 or more: nothing precedes the first token of a prompt.
        top: how many alternatives to report for each token.
        next_token: the index of the next token to score.
    """

    prompt: list[int]
    start: int
    top: int
    next_token: int = field(init=False)
    _entries: list[TokenLogprob] = field(default_factory=list)
    _is_delivered: bool = False

    def __post_init__(self) -> None:
        self.next_token = self.start

    @property
    def is_complete(self) -> bool:
        """Whether all tokens are scored."""
        return self.next_token >= len(self.prompt)

    def scored_positions(self, first: int, end: int) -> range:
        """Which of the positions from `first` to `end`, that a step computes, need logits for the scores."""
        return range(max(first, self.next_token - 1), min(end, len(self.prompt) - 1))

    def add(self, entries: Iterable[TokenLogprob]) -> None:
        """Add the scores of the next tokens. Raises NotFinite for numbers that are not finite."""
        for entry in entries:
            if not math.isfinite(entry.logprob):
                raise NotFinite()
            self._entries.append(entry)
            self.next_token += 1

    def take(self) -> list[TokenLogprob] | None:
        """All scores, once, when they are complete; None before and after."""
        if not self.is_complete or self._is_delivered:
            return None
        self._is_delivered, entries, self._entries = True, self._entries, []
        return entries


class StepScores:
    """The scores that a step computes, for all its prompts."""

    def __init__(self) -> None:
        self.rows: list[int] = []  # of the step, whose logits give scores
        self._targets: list[tuple[PromptScores, int]] = []  # which token each of them scores
        self._entries: dict[int, list[TokenLogprob]] = {}

    def want(self, scores: PromptScores, positions: range, first_row: int) -> None:
        """Let the step score the tokens after some positions of a prompt, whose rows begin at `first_row`."""
        self.rows += range(first_row, first_row + len(positions))
        self._targets += ((scores, position + 1) for position in positions)
        self._entries[id(scores)] = []

    def reduce(self, logits: np.ndarray, first: int) -> None:
        """Score the tokens after rows of the step, from row `first` on: float32 logits [rows, vocabulary]."""
        for row, (scores, index) in zip(logits, self._targets[first:], strict=False):
            self._entries[id(scores)].append(compute_logprob(row, scores.prompt[index], scores.top))

    def deliver(self, scores: PromptScores) -> None:
        """Add what the step has computed for a prompt to its scores. Raises NotFinite as `add`."""
        scores.add(self._entries.get(id(scores), ()))
