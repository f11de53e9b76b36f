"""Carries pieces of many answers to one client, in one response of Triton's for all of them.

A response costs about a millisecond of processor time, however little is in it. The HTTP service has many
answers at a time, so it opens a feed, and names it in its requests to `chat_stream`.
"""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress

from ...contract.codec import Piece
from .pending_answer import PendingAnswer

# Seconds from one response of a feed to the next: a person hardly notices it.
INTERVAL_S = 0.03


class AnswerFeed:
    """A feed, for the event loop in which it is created. Only `close` may be called from another thread."""

    def __init__(self, name: str) -> None:
        """`name`: by which requests name it."""
        self.name = name
        self._loop = asyncio.get_running_loop()
        self._answers: dict[str, PendingAnswer] = {}  # by the ids of their requests
        self._wake, self._closed = asyncio.Event(), asyncio.Event()

    def is_open_in(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Whether it has not ended, and belongs to this loop."""
        return loop is self._loop and not self._closed.is_set()

    def close(self) -> None:
        """End the feed. What is left of its answers goes in responses of their own."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._end)

    async def carry(self, key: str, answer: PendingAnswer) -> int:
        """Send an answer as it grows, until it ends or the feed does. Returns the number of its pieces.

        Its last piece, with its details, is left to the caller.
        """
        answer.is_fed, answer.text_event, answer.fed_pieces = True, self._wake, 0
        self._answers[key] = answer
        self._wake.set()
        ends = [asyncio.ensure_future(event.wait()) for event in (answer.end_event, self._closed)]
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for end in ends:
                end.cancel()
            del self._answers[key]
            answer.is_fed, answer.text_event = False, asyncio.Event()
        return answer.fed_pieces

    async def responses(self) -> AsyncIterator[str]:
        """JSON for each response: an object with the pieces of answers, [text, details] each, by their ids.

        The first one is empty: it says that the feed is open.
        """
        try:
            yield "{}"
            while not self._closed.is_set():
                self._wake.clear()
                for answer in self._answers.values():
                    answer.wake_for_text()
                if pieces := self._take_pieces():
                    yield json.dumps(pieces, ensure_ascii=False)
                    await asyncio.sleep(INTERVAL_S)
                else:
                    await self._wake.wait()
        finally:
            self._end()

    def _take_pieces(self) -> dict[str, list[Piece]]:
        pieces: dict[str, list[Piece]] = {}
        for key, answer in self._answers.items():
            if not answer.has_ended and answer.has_parts and (popped := answer.pop_pieces()):
                answer.fed_pieces += len(popped)
                pieces[key] = popped
        return pieces

    def _end(self) -> None:
        self._closed.set()
        self._wake.set()


class Feeds:
    """The open feeds of a server. Its methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._feeds: dict[str, AnswerFeed] = {}  # by the call ids of their requests

    @contextmanager
    def open(self, call: str, name: str) -> Iterator[AnswerFeed]:
        """A feed for the event loop of the caller, until the block ends."""
        feed = AnswerFeed(name)
        with self._lock:
            self._feeds[call] = feed
        try:
            yield feed
        finally:
            with self._lock:
                del self._feeds[call]

    def find(self, name: str) -> AnswerFeed | None:
        """The open feed of this name, if it belongs to the event loop of the caller."""
        loop = asyncio.get_running_loop()
        with self._lock:
            return next((f for f in self._feeds.values() if f.name == name and f.is_open_in(loop)), None)

    def close(self, call: str | None = None, name: str | None = None) -> bool:
        """End the feed of a call, those of a name, or all. Whether there was one."""
        with self._lock:
            feeds = [
                feed
                for key, feed in self._feeds.items()
                if (call is None or key == call) and (name is None or feed.name == name)
            ]
        for feed in feeds:
            feed.close()
        return bool(feeds)
