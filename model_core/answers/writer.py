"""Collects the events of an answer while a parser reads it."""

import hashlib
from collections.abc import Sequence

from ..requests.events import Event, Reasoning, Text, ToolCallDelta


class EventWriter:
    """The events of one answer.

    White space between its parts (reasoning, text and calls) is left out: it belongs to the model's way of
    writing them. Text that goes on after reasoning or a call begins a new line.
    """

    def __init__(self, call_key: str = "") -> None:
        """`call_key` makes the ids of the calls: the same key gives the same ids."""
        self._call_key = call_key
        self._events: list[Event] = []
        self._calls = 0
        self._kind: type[Event] | None = None  # of the part that is being written
        self._is_first_part = True
        self._space = ""  # at the end of the part; left out if nothing of the part follows
        self._written: set[type[Event]] = set()

    @property
    def has_calls(self) -> bool:
        """Whether the answer has called a tool."""
        return self._calls > 0

    def text(self, text: str) -> None:
        """Write text of the answer."""
        self._write(Text, text)

    def reasoning(self, text: str) -> None:
        """Write reasoning."""
        self._write(Reasoning, text)

    def start_part(self) -> None:
        """End the part that is being written."""
        self._kind, self._space, self._is_first_part = None, "", False

    def start_call(self, name: str) -> None:
        """Start a call of a tool."""
        self.start_part()
        self._events.append(ToolCallDelta(self._calls, make_call_id(self._call_key, self._calls), name, ""))
        self._calls += 1

    def arguments(self, text: str) -> None:
        """Write a piece of the arguments of the last call, as JSON."""
        if text:
            self._events.append(ToolCallDelta(self._calls - 1, None, None, text))

    def finish(self) -> None:
        """Write the white space at the end of the answer's text."""
        if self._kind is Text and self._space:
            self._events.append(Text(self._space))

    def take_events(self) -> list[Event]:
        """The events since the last time. Neighbours of a kind are joined."""
        events, self._events = self._events, []
        return join_events(events)

    def _write(self, kind: type[Text] | type[Reasoning], text: str) -> None:
        if self._kind is not kind:
            # White space at the start of an answer is text of the model.
            text = text if kind is Text and self._is_first_part else text.lstrip()
            if not text:
                return
            text = f"\n{text}" if kind in self._written else text
            self._kind, self._space, self._is_first_part = kind, "", False
        text = self._space + text
        end = len(text.rstrip())
        self._space = text[end:]
        if end:
            self._written.add(kind)
            self._events.append(kind(text[:end]))


def make_call_id(key: str, index: int) -> str:
    """The id of a call: digits that depend on the key of the request and the number of the call alone."""
    digest = hashlib.blake2b(f"{key} {index}".encode(), digest_size=8).digest()
    return f"call_{int.from_bytes(digest, 'big'):020d}"


def join_events(events: Sequence[Event]) -> list[Event]:
    """The same events, in which neighbours of a kind that belong together are one."""
    joined: list[Event] = []
    for event in events:
        last = joined[-1] if joined else None
        if isinstance(event, Text) and isinstance(last, Text):
            joined[-1] = Text(last.text + event.text)
        elif isinstance(event, Reasoning) and isinstance(last, Reasoning):
            joined[-1] = Reasoning(last.text + event.text)
        elif (
            isinstance(event, ToolCallDelta)
            and isinstance(last, ToolCallDelta)
            and event.index == last.index
            and event.id is None
        ):
            joined[-1] = ToolCallDelta(last.index, last.id, last.name, last.arguments + event.arguments)
        else:
            joined.append(event)
    return joined
