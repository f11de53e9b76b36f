"""Computes which tokens may come next in answers of a given form, beside the model's step."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
from llguidance import LLExecutor

from ..grammar.constraint import Constraint
from .sequence import Sequence
from .work import WorkItem

# By sequence: uint32 [logits of its work item, words], see kernels/sampling/masking.py.
Masks = dict[Sequence, np.ndarray]


class TokenMasks:
    """Computes the masks of an engine in a thread of its own. `close` ends it."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(
            max_workers=1, thread_name_prefix="masks"
        )  # starts when it is needed
        self._executor: LLExecutor | None = None
        self._memory = np.empty((0, 0), np.uint32)

    @contextmanager
    def computed(self, work: list[WorkItem]) -> Iterator[Masks]:
        """Compute the masks of a step while the block runs. They are there after it, until the next call.

        Within the block nobody may use the constraints of these sequences.
        """
        masks: Masks = {}
        items = [
            (item, constraint)
            for item in work
            if (constraint := item.sequence.constraint) is not None
            and item.logit_count
            and not item.sequence.forced_tokens  # which come next, whatever the logits are
        ]
        pending = self._thread.submit(self._compute, items, masks) if items else None
        try:
            yield masks
        finally:
            if pending is not None:
                pending.result()

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown()

    def _compute(self, items: list[tuple[WorkItem, Constraint]], masks: Masks) -> None:
        self._executor = self._executor or LLExecutor()
        rows, words = sum(item.logit_count for item, _ in items), items[0][1].mask_words
        if len(self._memory) < rows:
            self._memory = np.empty((rows, words), np.uint32)
        single, drafted, row = [], [], 0
        for item, constraint in items:
            if item.drafts:
                # A draft may lead to a dead end, from which a matcher cannot come back.
                drafted.append((constraint.matcher.deep_copy(), row, list(item.drafts)))
            else:
                single.append((constraint.matcher, row))
            masks[item.sequence] = self._memory[row : row + item.logit_count]
            row += item.logit_count
        memory = (self._memory.ctypes.data, self._memory.strides[0], len(self._memory))
        if single:
            self._executor.unsafe_compute_mask_ptr(single, *memory)
        if drafted:
            self._executor.unsafe_compute_mask_ptr_with_draft_token(drafted, *memory)
        with_drafts = [(item, constraint) for item, constraint in items if item.drafts]
        for (item, constraint), (matcher, _, drafts) in zip(with_drafts, drafted, strict=True):
            if matcher.is_error():
                item.drafts = drafts[: constraint.count_before_dead_end(drafts)]
        for item, constraint in items:
            constraint.forbid_end(masks[item.sequence])
