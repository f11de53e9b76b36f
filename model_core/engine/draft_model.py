"""A small model that drafts for a large one (speculative decoding; Leviathan et al., 2023, arXiv:2211.17192).

It has KV memory of its own. The tokens of an answer are chosen from the large model's logits alone. To guess
them, a draft is sampled in the same way, and with the same random numbers, as they will be.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..cache.memory import PAGE, KVCache
from ..model.batch import BatchBuilder
from ..model.transformer import Transformer
from ..sampling.batch_sampler import Draw, RowSampler, Sample
from ..sampling.sampler import Guess
from .sequence import Sequence

# Tokens of texts that are computed before the first draft of a step. Longer texts take several steps.
KNOWN_TOKENS = 256
_NEW_WEIGHT = 0.1  # of a new measurement in the mean


@dataclass
class _Known:
    """What the model knows of a request: its pages by group, and the tokens that these hold.

    The first `sure` tokens are the request's own, the others are drafts.
    """

    pages: list[list[int]]
    tokens: list[int] = field(default_factory=list)
    sure: int = 0

    def follow(self, tokens: list[int]) -> None:
        """Forget the drafts that are not in the text of the request. Its last token is always computed."""
        end = min(len(self.tokens), len(tokens) - 1)
        while self.sure < end and self.tokens[self.sure] == tokens[self.sure]:
            self.sure += 1
        del self.tokens[self.sure :]


class DraftModel:
    """Drafts for many requests at once. Not thread-safe: it belongs to the engine's thread.

    Attributes:
        model: the small model. It has no recurrent states.
        pass_s: mean seconds of a pass that drafts a token of each request.
    """

    def __init__(self, model: Transformer, cache: KVCache, vocab_size: int) -> None:
        """`vocab_size`: that of the large model; drafts are below it."""
        self.model, self._cache = model, cache
        self._vocab_size = min(vocab_size, model.config.vocab_size)
        self._rows = RowSampler(self._vocab_size, model.threads, model.run_kernel)
        self._known: dict[Sequence, _Known] = {}
        self._free = list(range(cache.pages))
        self.pass_s = 0.0

    def draft(self, wanted: Mapping[Sequence, int]) -> dict[Sequence, list[int]]:
        """Drafts of so many tokens, for those whose text the model knows.

        It reads a part of the others. A request that there are no pages for has no drafts.
        """
        pending = self._find_pending(wanted)
        drafts: dict[Sequence, list[int]] = {}
        while pending:
            start = time.perf_counter()
            samples = self._compute(pending, drafts)
            is_usual = all(len(tokens) <= 2 for tokens in pending.values())
            if is_usual:
                seconds = time.perf_counter() - start
                weight = _NEW_WEIGHT if self.pass_s else 1.0
                self.pass_s += weight * (seconds - self.pass_s)
            pending = {}
            for sequence, sample in samples.items():
                if not isinstance(sample, Sample):
                    continue  # its logits are no numbers
                tokens = drafts.setdefault(sequence, [])
                tokens.append(sample.token)
                if len(tokens) < wanted[sequence]:
                    pending[sequence] = [sample.token]
        return drafts

    def forget(self, sequence: Sequence) -> None:
        """Free the pages of a request."""
        known = self._known.pop(sequence, None)
        if known is not None:
            self._free += [page for pages in known.pages for page in pages]

    def check(self) -> None:
        """Raise AssertionError, which names the page, unless each is free once. No request may run."""
        for known in self._known.values():
            raise AssertionError(f"a request that has ended has the pages {known.pages} of the draft model.")
        for page, count in enumerate(np.bincount(self._free, minlength=self._cache.pages).tolist()):
            if count != 1:
                raise AssertionError(f"page {page} of the draft model is free {count} times.")

    def _find_pending(self, wanted: Mapping[Sequence, int]) -> dict[Sequence, list[int]]:
        """What to compute before the first draft: the tokens of each request that are not known yet."""
        pending: dict[Sequence, list[int]] = {}
        room = KNOWN_TOKENS
        for sequence, length in wanted.items():
            known = self._known.get(sequence)
            if known is None:
                known = self._known[sequence] = _Known([[] for _ in self._cache.groups])
            known.follow(sequence.tokens)
            first = len(known.tokens)
            tokens, end = sequence.tokens[first : first + room], len(sequence.tokens) + length
            if tokens and end <= self.model.config.max_context and self._allocate(known, end):
                pending[sequence] = tokens
                room -= len(tokens)
        return pending

    def _allocate(self, known: _Known, positions: int) -> bool:
        count = -(-positions // PAGE)
        missing = sum(max(0, count - len(pages)) for pages in known.pages)
        if missing > len(self._free):
            return False
        for pages in known.pages:
            pages += [self._free.pop() for _ in range(count - len(pages))]
        return True

    def _compute(
        self, pending: Mapping[Sequence, list[int]], drafts: Mapping[Sequence, list[int]]
    ) -> dict[Sequence, Sample | Exception]:
        """Compute tokens of each request, and choose the next one where all of its text is known then."""
        known = [self._known[sequence] for sequence in pending]
        guessing: list[Sequence] = []
        builder = BatchBuilder()
        for (sequence, tokens), state in zip(pending.items(), known, strict=True):
            start, end = len(state.tokens), len(state.tokens) + len(tokens)
            is_known = end >= len(sequence.tokens)
            if is_known:
                guessing.append(sequence)
            builder.add(tokens, start, range(end - is_known, end))
        most_pages = max(len(pages) for state in known for pages in state.pages)
        tables = np.zeros((len(self._cache.groups), len(known), most_pages), np.int32)
        for row, state in enumerate(known):
            for group, pages in enumerate(state.pages):
                tables[group, row, : len(pages)] = pages
        logits = self.model.forward(builder.build(tables), self._cache)[:, : self._vocab_size]
        for state, tokens in zip(known, pending.values(), strict=True):
            state.tokens += tokens
        draws = [
            Draw(Guess(sequence.sampler, len(drafts.get(sequence, ()))), row)
            for row, sequence in enumerate(guessing)
        ]
        return dict(zip(guessing, self._rows.sample(logits, draws), strict=True))
