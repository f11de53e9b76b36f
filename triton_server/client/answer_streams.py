"""How the asyncio client reads Triton's streams: those of answers, and the feed with pieces of many."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable
from typing import Any

import tritonclient.grpc.aio as triton

from ..contract import wire
from ..contract.codec import Piece
from ..contract.json_tensors import encode
from ..contract.tensors import CHAT_STREAM

_MAX_QUEUED_RESULTS = 16  # of a stream; more wait in gRPC


def open_stream(client: triton.InferenceServerClient, arrays: dict[str, Any]) -> AsyncIterator[Any]:
    """Start a request to `chat_stream`; iterate over its results and errors, as of tritonclient."""
    request = {"model_name": CHAT_STREAM, "inputs": wire.create_inputs(arrays)}
    return client.stream_infer(_single_request(request))


class AnswerReader:
    """Reads an answer in a task of its own; iterate over its pieces.

    A caller that is cancelled while it waits for the next piece would else cancel Triton's stream. It raises
    what the stream does, or InferenceServerException for an error of Triton's.

    Attributes:
        last_piece: that came in the stream itself, and may have been dropped; the last of all has the usage.
    """

    def __init__(self, call: AsyncIterator[Any], on_end: Callable[[], Any] = lambda: None) -> None:
        """`on_end` is called when the stream has ended."""
        self._call, self._on_end = call, on_end
        self._pieces: asyncio.Queue[tuple[Piece | BaseException, bool]] = asyncio.Queue()
        self._room = asyncio.Semaphore(_MAX_QUEUED_RESULTS)  # in the queue, for what is not from a feed
        self._fed, self._has_changed = 0, asyncio.Event()  # the number of pieces from the feed
        self._failure: BaseException | None = None  # of the feed
        self._is_discarding = False
        self.last_piece: Piece | None = None
        self._task = asyncio.create_task(self._read())

    @property
    def has_ended(self) -> bool:
        """Whether the stream has ended, and no piece is left."""
        return self._task.done() and self._pieces.empty()

    def __aiter__(self) -> "AnswerReader":
        return self

    async def __anext__(self) -> Piece:
        piece, is_fed = await self._pieces.get()
        if not is_fed:
            self._room.release()
        if isinstance(piece, BaseException):
            if self._failure is None:  # else the stream may go on
                await self.wait(None)
            raise piece
        return piece

    def feed(self, pieces: list[Piece]) -> None:
        """Add pieces from the feed."""
        self._fed += len(pieces)
        self._has_changed.set()
        if not self._is_discarding:
            for text, details in pieces:
                self._pieces.put_nowait(((text, details), True))

    def fail(self, error: BaseException) -> None:
        """End with an error of the feed."""
        self._failure = error
        self._has_changed.set()
        self._pieces.put_nowait((error, True))

    def discard(self) -> None:
        """Read on to the end, but drop the pieces."""
        self._is_discarding = True
        self._has_changed.set()
        while not self._pieces.empty():
            self._pieces.get_nowait()
        self._room.release()  # the task may wait for it

    async def wait(self, timeout_s: float | None) -> bool:
        """Wait until the stream has ended. False if it has not within the timeout."""
        await asyncio.wait({self._task}, timeout=timeout_s)
        return self._task.done()

    def cancel(self) -> None:
        """Cancel the stream."""
        self._task.cancel()

    async def _read(self) -> None:
        end: BaseException = StopAsyncIteration()
        try:
            async for result, error in self._call:
                if error is not None:
                    raise error
                text, details = wire.parse_piece(result)
                await self._wait_for_feed(details.pop("fed", 0))
                self.last_piece = text, details
                if not self._is_discarding:
                    await self._room.acquire()
                    self._pieces.put_nowait(((text, details), False))
        except (Exception, asyncio.CancelledError) as error:
            end = error
        self._on_end()
        self._pieces.put_nowait((end, True))

    async def _wait_for_feed(self, count: int) -> None:
        """Wait until the feed has brought so many pieces. They may come later than the stream's next one."""
        while self._fed < count and not self._is_discarding and self._failure is None:
            self._has_changed.clear()
            await self._has_changed.wait()


class Feed:
    """A feed of pieces of answers, opened at once. Create it in a coroutine."""

    def __init__(self, client: triton.InferenceServerClient) -> None:
        self.name = uuid.uuid4().hex
        self.is_open = self.has_ended = False
        self._readers: dict[str, AnswerReader] = {}  # by the ids of their requests
        self._task = asyncio.create_task(
            self._read(open_stream(client, {"messages": encode({"feed": self.name})}))
        )

    def carry(self, request_id: str, call: AsyncIterator[Any]) -> AnswerReader:
        """Read an answer that names this feed."""
        reader = AnswerReader(call, lambda: self._readers.pop(request_id, None))
        self._readers[request_id] = reader
        return reader

    async def wait(self, timeout_s: float) -> None:
        """Wait until the feed has ended, at most for the timeout."""
        await asyncio.wait({self._task}, timeout=timeout_s)

    async def _read(self, call: AsyncIterator[Any]) -> None:
        try:
            async for result, error in call:
                if error is not None:
                    raise error
                text, details = wire.parse_piece(result)
                if details:  # an error, such as of a server that knows no feeds
                    break
                self.is_open = True
                for request_id, pieces in json.loads(text).items():
                    if (reader := self._readers.get(request_id)) is not None:
                        reader.feed(pieces)
        except (Exception, asyncio.CancelledError) as error:
            for reader in list(self._readers.values()):
                reader.fail(error)
        finally:
            self.is_open, self.has_ended = False, True


async def _single_request(request: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
    yield request
