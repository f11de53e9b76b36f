"""The events of a stored response once more, as they came the first time."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from model_core.requests.events import ToolCallDelta

from ...conversations.tables import StoredResponse
from .calls import CallForm, start_item, write_arguments
from .render import ResponseWriter, StreamEvent
from .service_items import SERVICE_ITEMS, restore_event

# What a response does not have when it begins.
_LATER: dict[str, Any] = {"completed_at": None, "error": None, "incomplete_details": None, "usage": None}


def replay(stored: StoredResponse, after: int) -> Iterator[list[StreamEvent]]:
    """The events of a response that has ended, without those up to the sequence number `after`.

    They are made of the response and of `ResponseWriter.record`, which has where its texts were cut. A
    response without a record, of an older version, comes in one piece for each item. Of one whose process
    has ended nobody knows how many events it had: its last ones follow after `after`.
    """
    for events in _Replay(stored).make_events(after):
        kept = [event for event in events if event["sequence_number"] > after]
        if kept:
            yield kept


class _Replay(ResponseWriter):
    """Makes the events of items, instead of those of an answer."""

    def __init__(self, stored: StoredResponse) -> None:
        self._final, self._stream = stored.response, stored.stream or {}
        status = "queued" if self._final.get("background") else "in_progress"
        self._annotations: list[dict[str, Any]] = []  # of the message that is being written
        super().__init__({**self._final, **_LATER, "status": status, "output": []}, len(stored.input))

    def make_events(self, after: int) -> Iterator[list[StreamEvent]]:
        """All events, some at a time."""
        yield self.start()
        if not self._stream.get("was_refused"):
            yield self.accept()
        output = self._final["output"]
        items = (item for item in output if item["type"] not in SERVICE_ITEMS)
        for cuts in self._stream.get("cuts", ()):
            if isinstance(cuts, dict):
                index = cuts["index"]
                yield self.write(restore_event(cuts["event"], index, output[index]))
            else:
                yield from self._write_item(next(items), cuts)
        for item in items:
            yield from self._write_item(item, None)
        if self._stream.get("is_cut"):
            self._event_count = max(self._event_count, after + 1)
        if self._final["error"] is not None:
            error = self._final["error"]
            fields = {"code": error["code"], "message": error["message"], "param": None}
            self._emit("error", **self._stream.get("error", fields))
            yield self._take_events()
        self.response = self._final
        yield [self.end()]

    def _write_item(self, item: dict[str, Any], cuts: list[list[int]] | None) -> Iterator[list[StreamEvent]]:
        kind = item["type"]
        if kind in ("message", "reasoning"):
            fields: dict[str, Any] = {"role": "assistant"} if kind == "message" else {"summary": []}
            self._open(kind, **fields, content=[])
            (part,) = item["content"]
            text, logprobs = part["text"], part.get("logprobs", [])
            self._annotations = part.get("annotations", [])
        else:
            form = CallForm(kind, item.get("name", ""), item.get("namespace"))
            self._open(kind, **start_item(form, item["call_id"]))
            text, logprobs = item.get("arguments", item.get("input", "")), []
            if not form.is_streamed:
                self._text = [write_arguments(kind, item.get("action", item.get("operation", {})))]
        if cuts is None:
            cuts = [[len(text)], [len(logprobs)]] if text or logprobs else [[]]
        place = logprob_place = 0
        for length, count in zip_longest(*cuts, *([[]] if len(cuts) == 1 else []), fillvalue=0):
            piece = text[place : place + length]
            if kind == "message":
                self._logprobs = logprobs[logprob_place : logprob_place + count]
                self._write_text(piece)
            elif kind == "reasoning":
                self._write_reasoning(piece)
            else:
                self._write_call(ToolCallDelta(0, arguments=piece))
            place, logprob_place = place + length, logprob_place + count
            yield self._take_events()
        self._close("completed" if item["status"] == "completed" else "incomplete")
        yield self._take_events()

    def _cite(self, text: str) -> list[dict[str, Any]]:
        return self._annotations
