"""Reads, cuts and embeds the files of vector stores, in the background and after a restart.

How far a file is lies in the database, so a process may die at any moment: the next one begins the file anew.
Several services may share a database: the one that holds the lock on a file's bytes indexes it.
"""

import asyncio
import base64
import fcntl
import json
import logging
import math
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import numpy as np
from starlette.types import ASGIApp

from model_core.errors import InvalidRequest, TritonchatError

from ...client import AsyncChatClient
from ...collections import vectors
from ...collections.embedder import Embedder
from ...collections.parsing import MAX_MEBIBYTES, read_passages
from ...collections.passages import Chunk, Chunking, cut, halve
from ...collections.plain_text import clean_name
from ...collections.tasks import Task, TaskStore
from ...contract.conversation_errors import CollectionFull, SessionsFull, StoreError
from ...conversations.files import FileStore
from ...system.waiting import wait_for_event
from ..batches.calls import ServiceCaller
from ..batches.lines import BatchLine
from ..batches.run import Later
from ..extras.health import Readiness
from ..served_models import ServedModels
from .embedders import get_loaded

LOGGER = logging.getLogger(__name__)

_POLL_S = 1.0  # between two looks at the database
_TASKS_OF_OWNER = 20  # files of one owner that are looked at; the first whose bytes are here is taken
_MAX_RUNNING = 2  # files that are read and embedded at the same time, of different owners
_MAX_OWNERS = 16  # whose files are running, or wait until a limit of their owner lets them
_EMBEDDED_AT_A_TIME = 16  # chunks
_ELSEWHERE_S = 3600.0  # a file fails if no service has noted its bytes for so long
_NOTED_S = 300.0  # from one such note to the next
_RETRY_S = 10.0  # after a failure that passes
_PASSING = (408, 429, 503)  # statuses of such failures
_TOO_LONG = "context_length_exceeded"


class _Failed(Exception):
    """Why a file cannot be indexed. `code` is OpenAI's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class _NotNow(Exception):
    """Why a file cannot be indexed now. It begins anew."""


class Indexer:
    """Indexes files, one of each owner at a time, in tasks of one event loop."""

    def __init__(
        self,
        app: ASGIApp,
        stores: tuple[FileStore, TaskStore],
        client: AsyncChatClient,
        models: ServedModels,
        readiness: Readiness,
    ) -> None:
        """`app` embeds the chunks, for the owner of each file and within the owner's limits."""
        self._app, (self._files, self._store), self._client = app, stores, client
        self._models, self._readiness = models, readiness
        self._tasks: dict[str, asyncio.Task[None]] = {}  # by owner
        self._served: dict[str, float] = {}  # when the last file of an owner ended, for those who have more
        self._places = asyncio.Semaphore(_MAX_RUNNING)
        self._noted = -math.inf
        self._nudge = asyncio.Event()

    def nudge(self) -> None:
        """Look at the database now: there is a new file."""
        self._nudge.set()

    async def run(self) -> None:
        """Index the files that there are, and those that come, until this is cancelled."""
        try:
            while True:
                if self._files.folder.is_dir():  # else nobody has uploaded anything, and there is no database
                    with suppress(StoreError):  # the database has logged it
                        await self._note_life()
                        self._start(await asyncio.to_thread(self._store.list_tasks, _TASKS_OF_OWNER))
                await wait_for_event(self._nudge, _POLL_S)
                self._nudge.clear()
        finally:
            for task in self._tasks.values():
                task.cancel()
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _note_life(self) -> None:
        """Note which open files have their bytes here, so that no other service lets them fail."""
        if time.monotonic() - self._noted < _NOTED_S:
            return
        await asyncio.to_thread(self._store.note_life, lambda file_id: self._files.path(file_id).is_file())
        self._noted = time.monotonic()

    def _start(self, tasks: Sequence[Task]) -> None:
        """Begin files of those owners first who were served longest ago."""
        owners = {task.owner for task in tasks}
        self._served = {owner: end for owner, end in self._served.items() if owner in owners}
        for task in sorted(tasks, key=lambda task: self._served.get(task.owner, -math.inf)):
            if task.owner in self._tasks or len(self._tasks) >= _MAX_OWNERS:
                continue
            path = self._files.path(task.file.file_id)
            if not path.is_file() and time.time() - task.file.noted < _ELSEWHERE_S:
                continue
            self._tasks[task.owner] = work = asyncio.create_task(self._work(task, path))
            work.add_done_callback(partial(self._end, task.owner))

    def _end(self, owner: str, _: "asyncio.Task[None]") -> None:
        del self._tasks[owner]
        self._served[owner] = time.monotonic()
        self._nudge.set()

    async def _work(self, task: Task, path: Path) -> None:
        """Index a file, or say why it cannot be. What is in the way now may not be at the next look."""
        try:
            async with self._places:
                with _lock(path):
                    if await asyncio.to_thread(self._store.is_open, task):
                        await self._index(task, path)
        except BlockingIOError:  # another service indexes it
            await asyncio.sleep(_POLL_S)
        except (_NotNow, StoreError) as error:
            LOGGER.warning("The file %s was not indexed, and is tried again: %s", task.file.file_id, error)
            await asyncio.sleep(_RETRY_S)
        except _Failed as error:
            await self._fail(task, error.code, str(error))
        except FileNotFoundError:
            await self._fail(task, "server_error", "the bytes of the file are not on this machine.")
        except Exception:
            LOGGER.exception("The file %s was not indexed", task.file.file_id)
            await self._fail(task, "server_error", "the service has failed; its log says why.")

    async def _fail(self, task: Task, code: str, message: str) -> None:
        with suppress(StoreError):  # it is tried again
            await asyncio.to_thread(self._store.fail, task, code, message)

    async def _index(self, task: Task, path: Path) -> None:
        name, sizes = clean_name(task.file.filename), task.file.chunking["static"]
        size = path.stat().st_size
        if size > MAX_MEBIBYTES * 2**20:
            message = f"{name} has {size >> 20} MiB; {MAX_MEBIBYTES} are the limit."
            raise _Failed("invalid_file", message)
        chunking = Chunking(sizes["max_chunk_size_tokens"], sizes["chunk_overlap_tokens"])
        try:
            chunks = await asyncio.to_thread(_read_chunks, name, path, chunking)
        except InvalidRequest as error:
            raise _Failed("invalid_file", str(error)) from None
        if not chunks:
            raise _Failed("invalid_file", f"{name} has no text.")
        await self._wait_until_ready()
        caller = ServiceCaller(self._app, task.owner, self._wait_until_ready)
        try:
            embedder = await get_loaded(task.embedder, self._models, self._client)
            await asyncio.to_thread(self._store.check_room, task, chunks, embedder.dimensions)
            taken, rows = await self._embed_all(task, caller, embedder, chunks)
            await asyncio.to_thread(self._store.finish, task, taken, rows, embedder.fingerprint)
        except (SessionsFull, CollectionFull) as error:
            raise _Failed("invalid_file", str(error)) from None
        except StoreError:
            raise
        except TritonchatError as error:
            if error.status in _PASSING:
                raise _NotNow(str(error)) from None
            raise _Failed("server_error", str(error)) from None
        finally:
            await caller.close()

    async def _embed_all(
        self, task: Task, caller: ServiceCaller, embedder: Embedder, chunks: Sequence[Chunk]
    ) -> tuple[list[Chunk], np.ndarray]:
        """The chunks, those in halves that are too long for the model, and their vectors as whole numbers."""
        left, taken, rows = list(reversed(chunks)), list[Chunk](), list[np.ndarray]()
        count = _EMBEDDED_AT_A_TIME
        while left:
            if not await asyncio.to_thread(self._store.is_open, task):
                break  # it was removed or cancelled, and nothing is stored
            some = [left.pop() for _ in range(min(count, len(left)))]
            found = await self._embed(caller, embedder, [chunk.text for chunk in some])
            if await get_loaded(embedder.name, self._models, self._client) != embedder:
                raise _NotNow(f"the model {embedder.name} has changed.")
            if found is not None:
                taken += some
                rows.append(await asyncio.to_thread(vectors.quantize, found))
                count = _EMBEDDED_AT_A_TIME
            elif len(some) > 1:
                left += reversed(some)
                count = 1
            elif len(some[0].text) < 2:
                raise _Failed("server_error", f"the model {embedder.name} takes no text.")
            else:
                left += reversed(halve(some[0]))
        return taken, np.concatenate(rows) if rows else np.zeros((0, 1), vectors.STORED)

    async def _embed(self, caller: ServiceCaller, embedder: Embedder, texts: list[str]) -> np.ndarray | None:
        """The vectors of texts; None if one is too long for the model."""
        fields = {"model": embedder.name, "input": texts, **embedder.prompt_for("document")}
        body = {**fields, "encoding_format": "base64"}
        line = BatchLine(custom_id="chunks", method="POST", url="/v1/embeddings", body=body)
        while isinstance(answer := await caller.ask(line), Later):
            if len(self._tasks) >= _MAX_OWNERS:  # others wait, and this one may have to for a day
                raise _NotNow("the limit of its owner is reached, and files of others wait.")
            await self._leave_place(answer.wait_s)
        told = json.loads(answer.body)
        if answer.status != 200:
            if told["error"]["code"] == _TOO_LONG:
                return None
            if answer.status in _PASSING:
                raise _NotNow(told["error"]["message"])
            raise _Failed("server_error", told["error"]["message"])
        parts = [base64.b64decode(entry["embedding"]) for entry in told["data"]]
        return np.stack([np.frombuffer(part, "<f4") for part in parts])

    async def _leave_place(self, time_s: float) -> None:
        """Let files of others run for a while."""
        self._places.release()
        try:
            await asyncio.sleep(time_s)
        finally:
            await self._places.acquire()

    async def _wait_until_ready(self) -> None:
        while True:
            try:
                return await self._readiness.check()
            except TritonchatError:
                await asyncio.sleep(_POLL_S)


def _read_chunks(name: str, path: Path, chunking: Chunking) -> list[Chunk]:
    return cut(read_passages(name, path.read_bytes()), chunking)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold the lock on a file. Raises BlockingIOError if another process has it, and FileNotFoundError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
