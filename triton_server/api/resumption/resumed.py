"""A stream whose events have ids, and which may begin after one of them.

The whole answer is computed and rendered, so that all blocks, indices and offsets are those of the unbroken
stream. What its client has got is left out. Events of the answer are cut at that place, because how many
tokens come together depends on the time.
"""

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing

from model_core.requests.events import Accepted, Done, Event, Failed, Text

from ..stream_response import KEEP_ALIVE, NumberedEvents
from .event_id import Counts, Origin, Place
from .progress import Progress, gives_nothing

_SEPARATOR = b"\n\n"  # of events
_SILENCE_S = 10.0  # after which a comment is sent while the client is not told anything
_DIVERGED = "this server computes another answer up to the event with that id; send the request without it."
_OTHER_MODEL = "another model answers now than that of the event with that id; send the request without it."
_NOT_THERE = "the answer has no such place as that id names; send the request without it."


class Resumed:
    """A stream with ids: `cut` its events, render them, and `stamp` what is rendered.

    What is rendered comes in one piece for each event of the answer.
    """

    def __init__(self, origin: Origin, after: Place | None) -> None:
        """`after`: where its client has come to. None: nowhere yet."""
        self.origin = origin
        self._after = after or Place(Counts(), 0, "")
        self._has_begun = after is not None
        self._progress = Progress()
        self._is_past = not self._has_begun or not any(self._after.counts)
        self._has_id = True  # whether what is rendered now gets ids
        self._is_named = True  # whether the model is that of the ids

    async def cut(self, events: NumberedEvents) -> NumberedEvents:
        """The events, cut at the place; Failed if there is another answer before it."""
        later: list[tuple[int, Event]] = []
        async with aclosing(events):
            if self._has_begun and self._is_past and not self._is_right():
                yield 0, self._fail(_NOT_THERE)
                return
            async for number, event in events:
                if isinstance(event, Accepted) and event.fingerprint not in (None, self.origin.model):
                    if self._has_begun:  # a server behind this one has another model than it had
                        self._has_id = False
                        yield number, self._fail(_OTHER_MODEL)
                        return
                    self._is_named = False
                self._has_id = self._is_named and not isinstance(event, Accepted | Failed)
                if gives_nothing(event) and not self._progress.has_unsent:
                    continue
                if self._is_past or not self._has_id:
                    self._progress.add(event)
                    yield number, event
                    continue
                before, after = self._progress.split(event, self._after.counts)
                if isinstance(event, Done) and (later or before is None):
                    yield number, self._fail(_NOT_THERE)
                    return
                if before is not None:
                    self._progress.add(before)
                    yield number, before
                if after is not None:
                    later.append((number, after))
                if self._progress.come != self._after.counts:
                    continue
                if self._progress.has_unsent:
                    self._progress.add(Text(""))
                    yield number, Text("")
                if not self._is_right():
                    yield number, self._fail(_DIVERGED)
                    return
                self._is_past = True
                for item in later:
                    self._progress.add(item[1])
                    yield item
                later = []
            if not self._is_past and self._has_id:
                yield 0, self._fail(_NOT_THERE)

    async def stamp(self, pieces: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
        """The pieces after the place, where each event has an id."""
        start, sent = f"id: {self.origin}.", time.monotonic()
        counts, sums, following = self._progress.given, self._progress.sums, 0
        left_out = self._after.following
        async with aclosing(pieces):
            async for piece in pieces:
                if not self._has_id:
                    yield piece
                    continue
                named: list[bytes] = []
                events = piece.split(_SEPARATOR)[:-1]
                for number, event in enumerate(events, 1):
                    following += 1
                    if number == len(events) and self._progress.given != counts:
                        counts, sums, following = self._progress.given, self._progress.sums, 0
                    if self._is_past and left_out:
                        left_out -= 1
                    elif self._is_past:
                        place = Place.of(counts, following, sums)
                        named += (f"{start}{place}\n".encode(), event, _SEPARATOR)
                if named:
                    sent = time.monotonic()
                    yield b"".join(named)
                elif time.monotonic() - sent > _SILENCE_S:
                    sent = time.monotonic()
                    yield KEEP_ALIVE

    def _is_right(self) -> bool:
        """Whether what has come is what the client has got."""
        after = self._after
        return Place.of(after.counts, after.following, self._progress.sums) == after

    def _fail(self, message: str) -> Failed:
        self._has_id = False
        return Failed("unknown_event_id", message, "Last-Event-ID", 400)
