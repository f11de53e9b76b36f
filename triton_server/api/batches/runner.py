"""Runs the batches of the service, in the background and after a restart.

What a batch is and how far it is lies in the database and in its files, so a process may die at any moment:
the next one begins where it was. Several services may share a database: the one that holds the lock on the
output of a batch runs it, and only one that has its files does.
"""

import asyncio
import logging
import time
from contextlib import suppress
from functools import partial

from starlette.types import ASGIApp

from model_core.errors import TritonchatError

from ...client import AsyncChatClient
from ...contract.conversation_errors import StoreError, StoreRefusal
from ...conversations.batches import BatchStore
from ...conversations.files import FileStore
from ...conversations.tables import StoredBatch, StoredFile
from ...system.waiting import wait_for_event
from ..extras.health import Readiness
from ..settings import ServiceSettings
from .calls import ServiceCaller
from .lines import check_lines
from .results import Results, ResultsBusy
from .run import BatchRun
from .schemas import BATCH_OUTPUT
from .share import BatchSlots, make_room_for_people

LOGGER = logging.getLogger(__name__)

_POLL_S = 1.0  # between two looks at the database, for batches and for what has become of them
_READY_POLL_S = 0.5
_ENDS = {
    "cancelled": ("batch_cancelled", "The batch was cancelled before this request was executed."),
    "expired": (
        "batch_expired",
        "This request could not be executed before the completion window expired.",
    ),
}


class BatchRunner:
    """Runs batches, one of each owner at a time, in tasks of one event loop."""

    def __init__(
        self,
        app: ASGIApp,
        stores: tuple[FileStore, BatchStore],
        settings: ServiceSettings,
        client: AsyncChatClient,
        readiness: Readiness,
    ) -> None:
        """`app` answers the requests."""
        self._app, (self._files, self._batches), self._settings = app, stores, settings
        self._client, self._readiness = client, readiness
        total = min(settings.max_concurrency, settings.max_streams or settings.max_concurrency)
        self._total, self._slots = total, BatchSlots(total)
        self._tasks: dict[str, asyncio.Task[None]] = {}  # by batch
        self._answered: dict[str, str] = {}  # by owner, the batch whose requests are answered
        self._checking = asyncio.Lock()
        self._nudge = asyncio.Event()

    def nudge(self) -> None:
        """Look at the database now: there is a new batch, or one is to be cancelled."""
        self._nudge.set()

    async def run(self) -> None:
        """Run the batches that there are, and those that come, until this is cancelled."""
        room: asyncio.Task[None] | None = None
        try:
            while True:
                if self._files.folder.is_dir():  # else nobody has uploaded anything, and there is no database
                    with suppress(StoreError):  # the database has logged it
                        self._start(await asyncio.to_thread(self._batches.list_open))
                if self._tasks and room is None:
                    share = self._total, self._settings.batch_share
                    room = asyncio.create_task(make_room_for_people(self._slots, self._client, *share))
                elif not self._tasks and room is not None:
                    room.cancel()
                    room = None
                await self._wait()
        finally:
            tasks = [*self._tasks.values(), *([] if room is None else [room])]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _wait(self) -> None:
        await wait_for_event(self._nudge, _POLL_S)
        self._nudge.clear()

    def _start(self, batches: list[StoredBatch]) -> None:
        """Begin with what can be done for these batches now."""
        for batch in batches:
            if batch.id in self._tasks or not (self._has_input(batch) or _is_over(batch)):
                continue
            if batch.batch["status"] in ("in_progress", "finalizing") and not _is_over(batch):
                if batch.owner in self._answered:
                    continue
                self._answered[batch.owner] = batch.id
            self._tasks[batch.id] = task = asyncio.create_task(self._work(batch))
            task.add_done_callback(partial(self._end, batch))

    def _end(self, batch: StoredBatch, _: asyncio.Task[None]) -> None:
        del self._tasks[batch.id]
        if self._answered.get(batch.owner) == batch.id:
            del self._answered[batch.owner]
        self._nudge.set()

    def _has_input(self, batch: StoredBatch) -> bool:
        return self._files.path(batch.input_file).is_file()

    async def _work(self, batch: StoredBatch) -> None:
        """Check a batch, or answer it. What is in the way now may not be at the next look at the database."""
        try:
            if not self._has_input(batch):  # its machine is gone
                await asyncio.to_thread(self._batches.end, batch, "expired", [])
            elif batch.batch["status"] == "validating":
                async with self._checking:
                    await self._check(batch)
            else:
                await self._run(batch)
        except ResultsBusy:  # another service runs it
            await asyncio.sleep(_POLL_S)
        except StoreRefusal as error:
            LOGGER.warning("The batch %s was stopped, and is tried again: %s", batch.id, error)
            await asyncio.sleep(_POLL_S)
        except OSError as error:  # its files cannot be read or written: the disk is full, mostly
            LOGGER.error("The batch %s was stopped, and is tried again: %s.", batch.id, error.strerror)
            await asyncio.sleep(10 * _POLL_S)
        except Exception:
            LOGGER.exception("The batch %s was stopped, and is tried again", batch.id)
            await asyncio.sleep(10 * _POLL_S)

    async def _check(self, batch: StoredBatch) -> None:
        """Read the input, and begin the batch, or let it fail."""
        path, limit = self._files.path(batch.input_file), self._settings.body_limit
        total, problems = await asyncio.to_thread(check_lines, path, limit, batch.batch["endpoint"])
        counts = {"total": total, "completed": 0, "failed": 0}
        if problems:
            errors = {"object": "list", "data": [problem.to_dict() for problem in problems]}
            await asyncio.to_thread(
                self._batches.end, batch, "failed", [], errors=errors, request_counts=counts
            )
        else:
            await asyncio.to_thread(self._batches.change, batch, "in_progress", request_counts=counts)

    async def _run(self, batch: StoredBatch) -> None:
        """Answer the requests without a result, and end the batch."""
        if not (await asyncio.to_thread(self._batches.refresh, batch)).is_open:
            return
        paths = self._files.path(batch.output_file), self._files.path(batch.error_file)
        results = await asyncio.to_thread(lambda: Results(*paths, is_own=True))
        try:
            # It may have ended before this process had the lock.
            batch = await asyncio.to_thread(self._batches.refresh, batch)
            if not batch.is_open:
                return
            caller = ServiceCaller(self._app, batch.owner, self._wait_until_ready)
            path, limit = self._files.path(batch.input_file), self._settings.body_limit
            run = BatchRun(path, results, self._slots, caller.ask, limit)
            try:
                end = await self._answer(batch, run, results)
            finally:
                await caller.close()
            if end in _ENDS:
                await asyncio.to_thread(run.refuse_rest, *_ENDS[end])
            await self._finish(batch, results, end)
        finally:
            results.close()

    async def _answer(self, batch: StoredBatch, run: BatchRun, results: Results) -> str:
        """Answer the requests until all are done, or the batch is to end before. Returns how it has ended."""
        answering = asyncio.create_task(run.answer_all())
        try:
            while True:
                batch = await self._report(batch, results)
                if batch.batch["status"] == "cancelling":
                    return "cancelled"
                if _is_over(batch):
                    return "expired"
                await asyncio.wait({answering}, timeout=_POLL_S)
                if answering.done():
                    answering.result()
                    return "completed"
        finally:
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)

    async def _report(self, batch: StoredBatch, results: Results) -> StoredBatch:
        """Store how far a batch is; return it as it is now."""
        completed, failed = results.count()
        counts = {**batch.batch["request_counts"], "completed": completed, "failed": failed}
        with suppress(StoreError):  # the results do not depend on it
            if counts != batch.batch["request_counts"]:
                return await asyncio.to_thread(self._batches.change, batch, request_counts=counts)
            return await asyncio.to_thread(self._batches.refresh, batch)
        return batch

    async def _finish(self, batch: StoredBatch, results: Results, end: str) -> None:
        """Make files of the results, and end the batch."""
        batch = await asyncio.to_thread(self._batches.change, batch, "finalizing")
        await asyncio.to_thread(results.sync)
        usage = await asyncio.to_thread(results.sum_usage)
        now, files = time.time(), []
        for file, kind in zip(results.files, ("output", "error"), strict=True):
            if not file.size:
                file.path.unlink(missing_ok=True)
                continue
            files.append(
                StoredFile(
                    owner=batch.owner,
                    id=file.path.name,
                    purpose=BATCH_OUTPUT,
                    filename=f"{batch.id}_{kind}.jsonl",
                    bytes=file.size,
                    created=now,
                    expires=now + batch.output_expiry_s if batch.output_expiry_s else None,
                )
            )
        completed, failed = results.count()
        counts = {**batch.batch["request_counts"], "completed": completed, "failed": failed}
        await asyncio.to_thread(self._batches.end, batch, end, files, request_counts=counts, usage=usage)

    async def _wait_until_ready(self) -> None:
        while True:
            try:
                return await self._readiness.check()
            except TritonchatError:
                await asyncio.sleep(_READY_POLL_S)


def _is_over(batch: StoredBatch) -> bool:
    """Whether the time of a batch is over."""
    return time.time() >= batch.batch["expires_at"]
