"""How far an answer has come, and where its events are cut so that it goes on at any place."""

import zlib
from dataclasses import replace
from typing import Any

from model_core.requests.events import Done, Event, Logprobs, Reasoning, Text, TokenIds, ToolCallDelta

from .event_id import Counts

Halves = tuple[Event | None, Event | None]


class Progress:
    """Counts what events have given of an answer.

    Log probabilities and token ids are given with the part that comes after them.

    Attributes:
        given: what has been given.
        sums: checksums of the text, the reasoning and the calls that have been given.
        has_unsent: whether log probabilities or token ids wait for their part.
    """

    def __init__(self) -> None:
        self.given, self._come = Counts(), Counts()
        self.sums: tuple[int, int, int] = (0, 0, 0)
        self.has_unsent = False

    @property
    def come(self) -> Counts:
        """What has come, be it given or not."""
        return self._come

    def add(self, event: Event) -> None:
        """Count an event."""
        come, (text_sum, reasoning_sum, call_sum) = self._come, self.sums
        match event:
            case Text(text):
                come = come._replace(text=come.text + len(text))
                self.sums = _sum(text, text_sum), reasoning_sum, call_sum
            case Reasoning(text):
                come = come._replace(reasoning=come.reasoning + len(text))
                self.sums = text_sum, _sum(text, reasoning_sum), call_sum
            case ToolCallDelta(_, call_id, name, arguments):
                calls, length = come.calls + (name is not None), come.arguments + len(arguments)
                come = come._replace(calls=calls, arguments=length)
                told = arguments if name is None else f"\0{call_id}\0{name}\0{arguments}"
                self.sums = text_sum, reasoning_sum, _sum(told, call_sum)
            case Logprobs(entries):
                self._come = come._replace(logprobs=come.logprobs + len(entries))
                self.has_unsent = self.has_unsent or bool(entries)
                return
            case TokenIds(ids, prompt_ids):
                self._come = come._replace(token_ids=come.token_ids + len(ids))
                self.has_unsent = self.has_unsent or bool(ids) or prompt_ids is not None
                return
            case Done():
                come = come._replace(ended=1)
            case _:
                return
        self._come = self.given = come
        self.has_unsent = False

    def split(self, event: Event, end: Counts) -> Halves:
        """An event as its halves before and after a place, None for one that has nothing."""
        come = self._come
        match event:
            case Text(text):
                return _halve(event, "text", text, end.text - come.text)
            case Reasoning(text):
                return _halve(event, "text", text, end.reasoning - come.reasoning)
            case Logprobs(entries):
                return _halve(event, "entries", entries, end.logprobs - come.logprobs)
            case TokenIds(ids):
                before, after = _halve(event, "ids", ids, end.token_ids - come.token_ids)
                if before is not None and isinstance(after, TokenIds):
                    after = replace(after, prompt_ids=None)
                return before, after
            case ToolCallDelta():
                return self._split_call(event, end)
            case Done():
                return (event, None) if end.ended else (None, event)
        return event, None

    def _split_call(self, event: ToolCallDelta, end: Counts) -> Halves:
        if event.name is not None and self._come.calls >= end.calls:
            return None, event
        length = end.arguments - self._come.arguments
        if len(event.arguments) <= length:
            return event, None
        before = replace(event, arguments=event.arguments[:length])
        after = ToolCallDelta(event.index, arguments=event.arguments[length:])
        return (before if length or event.name is not None else None), after


def gives_nothing(event: Event) -> bool:
    """Whether an event has nothing of an answer. Whether there are such ones depends on the time."""
    match event:
        case Text("") | Reasoning("") | ToolCallDelta(name=None, arguments=""):
            return True
    return False


def _halve(event: Any, name: str, value: Any, length: int) -> Halves:
    if len(value) <= length:
        return event, None
    if length <= 0:
        return None, event
    return replace(event, **{name: value[:length]}), replace(event, **{name: value[length:]})


def _sum(text: str, before: int) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"), before)
