"""A stage of a tower with its weights, which is computed in pieces: others take turns at the processor.

A piece computes some rows of what lies between two attentions, or some queries of an attention. The bits of a
row do not depend on the other rows, so they do not depend on the pieces.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..cache.memory import KVCache
from ..kernels.interpreter import Operation, run_tape
from ..model.batch import Batch
from ..model.step_buffers import StepBuffers
from ..model.transformer import Transformer
from ..tape.references import Span

_FIRST_ROWS = 64  # of a piece whose time is not known yet
_MAX_GROWTH = 2  # from one piece to the next


class EncodingStopped(Exception):
    """Nobody wants the image any more."""


@dataclass
class PiecePace:
    """How long a piece may take, in seconds, and whether the work goes on."""

    seconds: float
    is_wanted: Callable[[], bool] = lambda: True


class TowerModel(Transformer):
    """A stage that any thread may compute. `turns` is held for a piece at a time."""

    def compute_rows(
        self, batch: Batch, cache: KVCache, outputs: tuple[Span, ...], pace: PiecePace
    ) -> list[np.ndarray]:
        """The outputs of all rows of a batch: for each span float32 [rows, width].

        Raises EncodingStopped when they are no longer wanted.
        """
        with self._lock:
            try:
                with self.turns:
                    _arrays = self._begin_step(batch, None)  # alive until the end
                for part in self._split_instructions():
                    self._run_part(cache, part, batch, pace)
                floats, rows = self._buffers.floats, len(batch.tokens)
                return [floats[x.buffer][:rows, x.columns].copy() for x in outputs]
            finally:
                # Those of a large image take gigabytes.
                self._buffers = StepBuffers(self._program, self._query_group, self._team)

    def _split_instructions(self) -> Iterator[slice]:
        """The parts of the program: each attention, and what is between two."""
        attends = np.flatnonzero(self._instructions["op"] == Operation.ATTEND).tolist()
        start = 0
        for at in attends:
            yield slice(start, at)
            yield slice(at, at + 1)
            start = at + 1
        yield slice(start, len(self._instructions))

    def _run_part(self, cache: KVCache, part: slice, batch: Batch, pace: PiecePace) -> None:
        """Run some instructions for all rows, or an attention for all blocks of queries."""
        if part.start == part.stop:
            return
        is_attention = self._instructions[part.start]["op"] == Operation.ATTEND
        step = self._buffers.step
        count = int(step["block_count"][0]) if is_attention else len(batch.tokens)
        first, size = 0, _FIRST_ROWS
        while first < count:
            if not pace.is_wanted():
                raise EncodingStopped()
            end = min(first + size, count)
            with self.turns:
                start = time.perf_counter()
                (self._run_blocks if is_attention else self._run_rows)(cache, part, first, end)
                seconds = time.perf_counter() - start
            # infinite, if others may wait so long
            fitting = (end - first) * pace.seconds / max(seconds, 1e-9)
            size, first = max(1, int(min(fitting, _MAX_GROWTH * size))), end

    def _run_blocks(self, cache: KVCache, part: slice, first: int, end: int) -> None:
        """Run an attention for the queries of some blocks."""
        step = self._buffers.step.copy()
        step["blocks"] += 12 * first
        step["block_count"] = end - first
        self._run(step, self._buffers.records, cache, part)

    def _run_rows(self, cache: KVCache, part: slice, first: int, end: int) -> None:
        """Run instructions for some rows, to which all addresses of rows are moved."""
        step, records = self._buffers.step.copy(), self._buffers.records.copy()
        step["tokens"] = end - first
        for name in ("positions", "rope_rows", "sequences"):
            step[name] += 4 * first
        for name, row in (("floats", "row"), ("codes", "codes_row"), ("runs", "runs_row")):
            records[name] += first * records[row]
        records["parts"] += first * records["parts_row"]
        self._run(step, records, cache, part)

    def _run(self, step: np.ndarray, records: np.ndarray, cache: KVCache, part: slice) -> None:
        arguments = (step, self._instructions[part], records, cache.records, self.adapters.factors)
        self._team.run(run_tape, *arguments)
