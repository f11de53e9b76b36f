"""Responses that are computed in the background, after their clients have gone.

Each runs as a task of this process, which holds a slot for an answer as any other, and keeps its events so
that any number of streams can follow them. A response that the process cannot end is `failed`, not computed
again: streams have shown a part of it, cut into events by the time at which its tokens came, and another
computation has the same tokens but other events. The error says so, and the response has its seed, with which
the same request gets the same answer.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from typing import Any

from fastapi import Request
from starlette.types import Message

from model_core.errors import ShuttingDown, TritonchatError

from ...contract.conversation_errors import ResponseNotFound, StoreRefusal
from ...conversations.responses import ResponseStore
from ...conversations.tables import StoredResponse
from ..errors import failure_of
from ..generation import KEEP_ALIVE_S
from ..stream_response import KEEP_ALIVE
from .render import ResponseWriter, StreamEvent, render_event
from .replay import replay

LOGGER = logging.getLogger(__name__)

BEAT_S = 10.0  # how often a process says that it still computes a response, see conversations/responses.py
_POLL_S = 1.0  # how often a response of another process is read
# Stores the end of a response. Returns False if somebody else has ended it.
Finish = Callable[[], Awaitable[bool]]
IS_STOPPED = "the service was stopped before the response was complete; send the request again."
_Key = tuple[str, str]  # an owner, and the id of a response


class EndedElsewhere(Exception):
    """Another process has ended the response, or it was removed."""


def detach(request: Request) -> Request:
    """A request as it goes on without its client: nobody disconnects it."""

    async def receive() -> Message:
        return await asyncio.get_running_loop().create_future()

    return Request({**request.scope, "state": dict(request.scope["state"])}, receive)


class BackgroundResponse:
    """A response that runs."""

    def __init__(self, writer: ResponseWriter, written: AsyncGenerator[list[StreamEvent], None]) -> None:
        """`written`: the events of the answer, the first of them when the engine has accepted it."""
        self._writer, self._written = writer, written
        self._parts = [render_event(event) for event in writer.start()]  # by their sequence numbers
        self._changed = asyncio.Event()
        self._first = asyncio.ensure_future(anext(written))
        self._task: asyncio.Task[None] | None = None
        self._is_accepted = self._is_stopping = self._is_ended_elsewhere = False
        self._ending: TritonchatError | None = None  # why it is stopped; None: its client wants that

    async def wait_until_accepted(self, timeout_s: float) -> None:
        """Wait a moment for the engine to accept the request. Raises what it is refused with."""
        try:
            await asyncio.wait({self._first}, timeout=timeout_s)
        except asyncio.CancelledError:
            self._first.cancel()
            raise
        if self._first.done():
            self._accept(self._first.result())

    async def discard(self) -> None:
        """End it before it was run."""
        self._first.cancel()
        await asyncio.wait({self._first})
        await self._written.aclose()

    def snapshot(self) -> dict[str, Any]:
        """The response as far as it has come."""
        return self._writer.snapshot()

    def start(self, finish: Finish, store: ResponseStore, owner: str) -> "asyncio.Task[None]":
        """Compute the response to its end, and store it; the task in which this is done."""
        self._task = asyncio.create_task(self._run(finish, store, owner))
        return self._task

    async def stop(self, ending: TritonchatError | None = None, is_ended_elsewhere: bool = False) -> None:
        """End it, as failed with an error or as cancelled, and wait until that is stored."""
        if self._task is None:
            return
        task = self._task
        if not self._is_stopping:
            self._is_stopping, self._ending, self._is_ended_elsewhere = True, ending, is_ended_elsewhere
            task.cancel()
        await asyncio.wait({task})

    async def follow(self, after: int, gone: "asyncio.Task[None]") -> AsyncGenerator[bytes, None]:
        """The events after the sequence number `after`, as they come, until the client is `gone`."""
        place = after + 1
        while not gone.done():
            changed = self._changed
            if place < len(self._parts):
                yield b"".join(self._parts[place:])
                place = len(self._parts)
                continue
            if self._task is None:
                return
            waiter = asyncio.ensure_future(changed.wait())
            try:
                done, _ = await asyncio.wait(
                    {waiter, gone}, timeout=KEEP_ALIVE_S, return_when=asyncio.FIRST_COMPLETED
                )
            finally:
                waiter.cancel()
            if not done:
                yield KEEP_ALIVE

    async def _run(self, finish: Finish, store: ResponseStore, owner: str) -> None:
        try:
            if not self._is_accepted:
                self._accept(await self._first)
                with suppress(StoreRefusal):  # the end is stored, too
                    await asyncio.to_thread(store.update, owner, dict(self._writer.response))
            async for events in self._written:
                self._add(events)
        except EndedElsewhere:
            await self._end_as_stored(store, owner)
        except (Exception, asyncio.CancelledError) as error:
            await self._written.aclose()
            await self._end_early(error, finish, store, owner)
        finally:
            self._task = None
            self._notify()
        response = self._writer.response
        usage = response["usage"] or {}
        counts = usage.get("input_tokens", 0), usage.get("output_tokens", 0)
        LOGGER.info("Background response %s: %s, %d + %d tokens", response["id"], response["status"], *counts)

    async def _end_early(
        self, error: BaseException, finish: Finish, store: ResponseStore, owner: str
    ) -> None:
        """End what was cancelled, or has failed where no event says so."""
        if self._is_ended_elsewhere:
            return await self._end_as_stored(store, owner)
        if isinstance(error, asyncio.CancelledError) and self._ending is None:
            self._add(self._writer.cancel())
        else:
            cause = self._ending or error
            assert isinstance(cause, Exception)
            if not isinstance(cause, TritonchatError):
                LOGGER.error("A background response failed", exc_info=cause)
            self._add(self._writer.write(failure_of(cause)))
        try:
            if not await finish():
                return await self._end_as_stored(store, owner)
        except StoreRefusal:  # the database has logged it; readers will find that nobody computes it
            pass
        self._add([self._writer.end()])

    async def _end_as_stored(self, store: ResponseStore, owner: str) -> None:
        """End it as somebody else has."""
        with suppress(StoreRefusal):
            stored = await asyncio.to_thread(store.get, owner, self._writer.response["id"])
            self._writer.response = stored.response
            self._add([self._writer.end()])

    def _accept(self, events: list[StreamEvent]) -> None:
        self._is_accepted = True
        self._add(events)

    def _add(self, events: list[StreamEvent]) -> None:
        self._parts += map(render_event, events)
        self._notify()

    def _notify(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


class BackgroundResponses:
    """The responses that run in this process, for one event loop."""

    def __init__(self, store: ResponseStore) -> None:
        self._store = store
        self._running: dict[_Key, BackgroundResponse] = {}
        self._beating: asyncio.Task[None] | None = None

    def start(self, owner: str, response_id: str, response: BackgroundResponse, finish: Finish) -> None:
        """Let a response run, which is in the database."""
        key = owner, response_id
        self._running[key] = response
        task = response.start(finish, self._store, owner)
        task.add_done_callback(lambda _: self._running.pop(key))
        if self._beating is None:
            self._beating = asyncio.create_task(self._beat())

    def find(self, owner: str, response_id: str) -> BackgroundResponse | None:
        """A response that runs here."""
        return self._running.get((owner, response_id))

    async def close(self) -> None:
        """End all as failed, because the service stops."""
        if self._beating is not None:
            self._beating.cancel()
        error = ShuttingDown(IS_STOPPED)
        await asyncio.gather(*(response.stop(error) for response in list(self._running.values())))

    async def _beat(self) -> None:
        """Say at intervals that they run, and stop those that others have ended."""
        while True:
            await asyncio.sleep(BEAT_S)
            if keys := list(self._running):
                with suppress(StoreRefusal):  # the database has logged it
                    for key in await asyncio.to_thread(self._store.beat, keys):
                        if response := self._running.get(key):
                            await response.stop(is_ended_elsewhere=True)


async def follow_elsewhere(
    read: Callable[[], Awaitable[StoredResponse]], after: int, gone: "asyncio.Task[None]"
) -> AsyncGenerator[bytes, None]:
    """The events of a stored response after a sequence number. It waits for one that runs elsewhere."""
    waited_s = 0.0
    while not gone.done():
        try:
            stored = await read()
        except ResponseNotFound:
            return  # it was removed
        if stored.running is None:
            for events in replay(stored, after):
                yield b"".join(map(render_event, events))
            return
        await asyncio.wait({gone}, timeout=_POLL_S)
        waited_s += _POLL_S
        if waited_s >= KEEP_ALIVE_S:
            waited_s = 0.0
            yield KEEP_ALIVE
