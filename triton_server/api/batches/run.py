"""Answers the requests of a batch that have no result yet, many at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from itertools import islice
from pathlib import Path

import anyio

from .lines import BatchLine, parse_line, read_lines
from .results import Answer, Results
from .share import BatchSlots

_LINES_AT_A_TIME = 16  # that are read in a thread


class BatchRun:
    """A batch that is answered. `ask` answers a request, `max_bytes` are those of a line (0: any number)."""

    def __init__(
        self,
        path: Path,
        results: Results,
        slots: BatchSlots,
        ask: Callable[[BatchLine], Awaitable[Answer]],
        max_bytes: int,
    ) -> None:
        self._path, self._results, self._slots, self._ask = path, results, slots, ask
        self._max_bytes = max_bytes

    async def answer_all(self, on_answer: Callable[[], object] = lambda: None) -> None:
        """Answer each request that has no result, and add its result. `on_answer` is called for each.

        If this is cancelled, the requests that run are cancelled, and have no result. Raises OSError.
        """
        errors: list[OSError] = []

        async def answer(line: BatchLine, count: int) -> None:
            try:
                self._results.add(line.custom_id, await self._ask(line))
                on_answer()
            except OSError as error:  # of the disk
                errors.append(error)
                group.cancel_scope.cancel()
            finally:
                self._slots.give_back(count)

        lines = self._list_left()
        async with anyio.create_task_group() as group:
            while chunk := await asyncio.to_thread(lambda: list(islice(lines, _LINES_AT_A_TIME))):
                for line in chunk:
                    count = await self._slots.take(line.count_answers())
                    group.start_soon(answer, line, count)
        if errors:
            raise errors[0]

    def refuse_rest(self, code: str, message: str) -> None:
        """Add an error for each request that has no result. Raises OSError."""
        for line in self._list_left():
            self._results.add_unanswered(line.custom_id, code, message)

    def _list_left(self) -> Iterator[BatchLine]:
        """The requests without a result; the file was checked before."""
        for number, raw in read_lines(self._path, self._max_bytes):
            line = parse_line(raw, number, self._max_bytes)
            if not self._results.has(line.custom_id):
                yield line
