"""Ends answers as `n_indent` and `t_max_predict_ms` ask for it, by what their text is so far."""

import asyncio
import re
import time
from collections.abc import Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace

from fastapi import Request as HttpRequest

from model_core.errors import TritonchatError
from model_core.requests.events import Done, Reasoning, Text, ToolCallDelta

from ...client import AsyncChatClient
from ..errors import ApiError
from ..stream_response import NumberedEvents


@dataclass(frozen=True)
class Limits:
    """When an answer ends before the engine ends it.

    Attributes:
        indent: it ends at the first new line with fewer spaces and tabs in front; 0: there is no such limit.
        seconds: it ends so long after its first text, once it has a line end; None: there is no such limit.
    """

    indent: int = 0
    seconds: float | None = None

    def __bool__(self) -> bool:
        return bool(self.indent) or self.seconds is not None


class LimitedText:
    """Cuts the text of one answer, as it comes in pieces."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits, clock
        self._start_time: float | None = None
        self._has_line_end = False
        self._line: str | None = None  # the white space of the last line, while nothing else has followed
        self.has_ended = self.was_cut = False

    def push(self, text: str) -> str:
        """As much of the next piece as is in the answer. Afterwards `has_ended` may be true."""
        if self.has_ended:
            return ""
        if self._start_time is None:
            self._start_time = self._clock()
        kept = self._cut(text) if self._limits.indent else text
        self._has_line_end = self._has_line_end or "\n" in kept
        limit = self._limits.seconds
        if limit is not None and self._has_line_end and self._clock() - self._start_time > limit:
            self.has_ended = True
        return kept

    def _cut(self, text: str) -> str:
        """A piece up to the first line that is indented too little."""
        known = "" if self._line is None else "\n" + self._line
        whole = known + text
        for match in re.finditer(r"\n([ \t]*)(?=[^ \t])", whole):
            if len(match[1]) < self._limits.indent:
                self.has_ended = self.was_cut = True
                return whole[len(known) : match.end()]
        last = re.search(r"\n([ \t]*)\Z", whole)
        self._line = None if last is None else last[1]
        return text


async def limit_answers(http_request: HttpRequest, events: NumberedEvents, limits: Limits) -> NumberedEvents:
    """The events of answers, each of which ends by its own limits; `length` is then the reason.

    `events` are those of generation.stream_answers, with `takes_cut_off`. Raises ApiError (503) where the
    server has cut an answer off.
    """
    texts: dict[int, LimitedText] = {}
    ended: set[int] = set()
    client = http_request.app.state.triton_client
    cancelling: list[asyncio.Task[None]] = []
    async with aclosing(events):
        async for number, event in events:
            if isinstance(event, Done):
                if number in ended and (texts[number].was_cut or event.finish_reason == "cancelled"):
                    event = replace(event, finish_reason="length", stop_string=None)
                elif event.finish_reason == "cancelled":
                    raise ApiError(503, "the server has cut the answer off.", code="cancelled")
            elif number in ended:
                continue
            elif isinstance(event, Text | Reasoning | ToolCallDelta):
                text = texts.setdefault(number, LimitedText(limits))
                event = Text(text.push(event.text if isinstance(event, Text) else ""))
                if text.has_ended:
                    ended.add(number)
                    cancelling.append(
                        asyncio.create_task(_cancel(client, http_request.state.answer_ids[number]))
                    )
            yield number, event
    await asyncio.gather(*cancelling)


async def _cancel(client: AsyncChatClient, request_id: str) -> None:
    with suppress(TritonchatError):  # it goes on to its end then, which nobody sees
        await client.cancel(request_id)
