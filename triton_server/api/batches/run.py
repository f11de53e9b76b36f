"""Answers the requests of a batch that have no result yet, many at a time."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import anyio

from ...system.body_encoding import BodyLimit
from .lines import BatchLine, parse_line, read_lines
from .results import Answer, Results
from .share import BatchSlots

_LINES_AT_A_TIME = 16  # that are read in a thread


@dataclass(frozen=True)
class Later:
    """What there is instead of an answer while the owner has used up a limit. Ask again after `wait_s`."""

    wait_s: float


class BatchRun:
    """A batch that is answered. `ask` answers a request; `limit` is that of a line."""

    def __init__(
        self,
        path: Path,
        results: Results,
        slots: BatchSlots,
        ask: Callable[[BatchLine], Awaitable[Answer | Later]],
        limit: BodyLimit,
    ) -> None:
        self._path, self._results, self._slots, self._ask = path, results, slots, ask
        self._limit = limit
        self._pause_end = 0.0  # until then the owner has used up a limit

    async def answer_all(self, on_answer: Callable[[], object] = lambda: None) -> None:
        """Answer each request that has no result, and add its result. `on_answer` is called for each.

        If this is cancelled, the requests that run are cancelled, and have no result. Raises OSError.
        """
        errors: list[OSError] = []

        async def answer(line: BatchLine, count: int) -> None:
            try:
                while isinstance(answer := await self._ask_with(line, count), Later):
                    self._pause_end = time.monotonic() + answer.wait_s
                    count = await self._take(line)
                self._results.add(line.custom_id, answer)
                on_answer()
            except OSError as error:  # of the disk
                errors.append(error)
                group.cancel_scope.cancel()

        lines = self._list_left()
        async with anyio.create_task_group() as group:
            while chunk := await asyncio.to_thread(lambda: list(islice(lines, _LINES_AT_A_TIME))):
                for line in chunk:
                    group.start_soon(answer, line, await self._take(line))
        if errors:
            raise errors[0]

    async def _take(self, line: BatchLine) -> int:
        """Take slots for a line. Nobody holds one while the owner has to wait: others may need it."""
        while (wait_s := self._pause_end - time.monotonic()) > 0:
            await asyncio.sleep(wait_s)
        return await self._slots.take(line.count_answers())

    async def _ask_with(self, line: BatchLine, count: int) -> Answer | Later:
        """Ask with slots that were taken, and give them back."""
        try:
            return await self._ask(line)
        finally:
            self._slots.give_back(count)

    def refuse_rest(self, code: str, message: str) -> None:
        """Add an error for each request that has no result. Raises OSError."""
        for line in self._list_left():
            self._results.add_unanswered(line.custom_id, code, message)

    def _list_left(self) -> Iterator[BatchLine]:
        """The requests without a result; the file was checked before."""
        for number, raw in read_lines(self._path, self._limit.total):
            line = parse_line(raw, number, self._limit)
            if not self._results.has(line.custom_id):
                yield line
