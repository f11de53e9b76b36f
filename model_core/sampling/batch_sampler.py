"""Chooses the next tokens of many requests at once, in the threads that compute steps."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba.core.dispatcher import Dispatcher

from ..errors import NotFinite, TritonchatError
from ..kernels.sampling.choice import CHOICE, NOT_FINITE, choose_tokens
from ..kernels.sampling.masking import MASK_BITS
from ..kernels.sampling.top_k_top_p import BLOCK, BUCKETS
from ..kernels.team import Team
from ..machine.memory import round_up
from ..requests.results import TokenLogprob
from ..requests.sampling import GenerationDefaults, SamplingParams
from .sampler import Guess, Sampler

_NO_MASK = np.zeros(1, np.uint32)
_MIN_SHARED_LOGITS = 2**18  # with fewer in a step, waking other threads takes longer than choosing


class Draw(NamedTuple):
    """A token to choose: for whom, from which row of logits, and from which tokens (None: all).

    `mask`: uint32 [words], see kernels/sampling/masking.py.
    """

    sampler: Sampler | Guess
    row: int
    mask: np.ndarray | None = None


class Sample(NamedTuple):
    """A token that was chosen, and its log probability if the request wants it."""

    token: int
    logprob: TokenLogprob | None


class RowSampler:
    """Chooses tokens from rows of logits. Its memory is a few bytes for each token and thread."""

    def __init__(self, vocab_size: int, threads: int = 1, run: Callable[..., None] | None = None) -> None:
        """`run(kernel, *args)` calls a kernel in `threads` threads; None: in that of the caller."""
        blocks = -(-vocab_size // BLOCK)
        self._scratch = [
            np.empty((threads, round_up(vocab_size, 16)), np.float32),  # weights
            np.empty((threads, round_up(vocab_size, 16)), np.int32),  # ids
            np.empty((threads, blocks), np.float32),  # peaks
            np.empty((threads, max(BUCKETS, blocks)), np.float64),  # sums
            np.empty((threads, max(BUCKETS, blocks)), np.int32),  # counts
        ]
        self._alone = Team(1)
        self._run = run or self._run_alone

    def sample(self, logits: np.ndarray, draws: Sequence[Draw]) -> list[Sample | TritonchatError]:
        """Choose a token for each draw, from float32 logits [rows, vocabulary]. This changes the rows.

        An error stands for the token of a row with numbers that are not finite.
        """
        tokens, masks = [NOT_FINITE] * len(draws), [_NO_MASK]
        indices, choices = [], []  # of the draws that are left to the kernel
        for index, draw in enumerate(draws):
            sampler = draw.sampler
            settings = sampler.prepare(logits[draw.row], draw.mask)
            if isinstance(settings, int):
                tokens[index] = settings
                continue
            mask = -1
            if draw.mask is not None and not sampler.reads_row:
                mask = len(masks)
                masks.append(draw.mask)
            indices.append(index)
            choices.append((draw.row, mask, not sampler.reads_row, *settings, NOT_FINITE))
        if choices:
            records = np.array(choices, CHOICE)
            table = np.zeros((len(masks), max(map(len, masks))), np.uint32)
            for row, words in zip(table, masks, strict=True):
                row[: len(words)] = words
            size = logits.shape[1]
            run = self._run if len(choices) * size >= _MIN_SHARED_LOGITS else self._run_alone
            run(choose_tokens, _with_padding(logits), size, table, records, *self._scratch)
            for index, token in zip(indices, records["token"].tolist(), strict=True):
                tokens[index] = token
        return [_finish(draw, token) for draw, token in zip(draws, tokens, strict=True)]

    def _run_alone(self, kernel: Dispatcher, *args: Any) -> None:
        self._alone.run(kernel, self._alone.address, *args)


def compile_sampling() -> None:
    """Compile the kernels that choose tokens, so that the first answer does not wait for them."""
    params = SamplingParams(temperature=1, logprobs=1, seed=0, dry_multiplier=1, dry_allowed_length=0)
    params = params.with_defaults(GenerationDefaults())
    logits, mask = np.zeros((1, MASK_BITS), np.float32), np.full(1, 3, np.uint32)
    RowSampler(MASK_BITS).sample(logits, [Draw(Sampler(params, [0], MASK_BITS), 0, mask)])


def _with_padding(rows: np.ndarray) -> np.ndarray:
    """The same memory without gaps between rows, which then end with what was in the gaps.

    So the kernel gets one type of array, and is compiled once, whether a model's vocabulary has gaps or not.
    """
    if rows.flags.c_contiguous:  # also a single row, whatever its distance to the next one is said to be
        return rows
    return np.lib.stride_tricks.as_strided(rows, (len(rows), rows.strides[0] // rows.itemsize))


def _finish(draw: Draw, token: int) -> Sample | TritonchatError:
    if token == NOT_FINITE:
        return NotFinite()
    return Sample(token, draw.sampler.finish(token))
