"""The rounds of an answer with tools that the service calls: answer, calls, results, answer.

Each round is a request of its own with the calls and results so far, so the same request with the same
results of tools has the same answer.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

import structlog
from fastapi import Request as HttpRequest

from model_core.errors import PromptTooLong, RequestTimeout, TritonchatError
from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import Accepted, Done, Timings, ToolCallDelta, Usage
from model_core.requests.messages import Message, ToolCall

from ...contract.request_fields import Request
from ..errors import ClientDisconnected
from ..generation import KEEP_ALIVE_S, find_images, hold_slots, stream_answers, wait_for_disconnect
from ..stream_response import NumberedEvents
from .calls import (
    OWN,
    AnyEvent,
    ApprovalAsked,
    Call,
    CallEnded,
    CallStarted,
    Failure,
    Offer,
    Result,
    ToolsListed,
)
from .servers import ToolServers

_RETRY_S = 1.0  # when the engine is full in the middle of an answer
_BUSY_STATUS = 429
_NO_USAGE = Usage(0, 0)

Events = AsyncGenerator[Any, None]  # pairs, as NumberedEvents


@dataclass(frozen=True)
class Toolbox:
    """What an answer may call.

    Attributes:
        offers: the tools, by the names of their functions.
        lists: the tools of each server, which the answer begins with.
        approved: calls of an earlier answer that a person has approved; they run first.
        max_calls: how many calls may run; None: any number.
        own: what runs a call of this service's own tools, for at most so many seconds; None: there are none.
    """

    offers: Mapping[str, Offer]
    lists: Sequence[ToolsListed] = ()
    approved: Sequence[Call] = ()
    max_calls: int | None = None
    own: Callable[[Call, float], Awaitable[Result]] | None = None


async def answer_with_tools(http_request: HttpRequest, request: Request, toolbox: Toolbox) -> Events:
    """Answer a conversation, and call tools until the model calls no more. As `stream_answers` for the rest.

    The parts of all rounds are one answer, with one Done, whose usage is the sum. A call of another tool, or
    one that a person must approve, ends it. If the limits are reached, the model must answer without tools.
    The end of a call comes when the model has taken its result.
    """
    answer = _Answer(http_request, request, toolbox)
    with hold_slots(http_request, 1):
        async with aclosing(answer.run()) as events:
            async for event in events:
                yield 0, event


@dataclass
class _Round:
    """What the model has said in a round, and the calls that the service makes."""

    parts: AnswerParts = field(default_factory=AnswerParts)
    ours: dict[int, Offer] = field(default_factory=dict)  # by the index of the call
    others: dict[int, int] = field(default_factory=dict)  # what the client is told of the index

    def take(self, event: Any, offers: Mapping[str, Offer]) -> Any:
        """Add an event; return what the client is told, None for nothing."""
        self.parts.add(event)
        if isinstance(event, Done):
            return None
        if not isinstance(event, ToolCallDelta):
            return event
        if event.name is not None and event.name in offers:
            self.ours[event.index] = offers[event.name]
        if event.index in self.ours:
            return None
        return replace(event, index=self.others.setdefault(event.index, len(self.others)))

    def calls(self, number: int, first: int) -> list[tuple[Call, Offer]]:
        """The calls that the service makes, in their order. `first`: the index of the first one."""
        made = [(call, self.ours[index]) for index, call in self._made() if index in self.ours]
        return [
            (
                Call(first + n, call.id, offer.server, offer.tool.name, call.arguments, number, call.name),
                offer,
            )
            for n, (call, offer) in enumerate(made)
        ]

    def message(self) -> Message:
        """What the model has said, as a message."""
        fields: dict[str, Any] = {"role": "assistant"}
        if self.parts.text:
            fields["content"] = self.parts.text
        if self.parts.reasoning:
            fields["reasoning"] = self.parts.reasoning
        return Message(**fields, tool_calls=[made for index, made in self._made() if index in self.ours])

    def _made(self) -> list[tuple[int, ToolCall]]:
        """All calls of the model with their indices."""
        return list(zip(sorted(self.parts.calls), self.parts.tool_calls, strict=True))


class _Answer:
    def __init__(self, http_request: HttpRequest, request: Request, toolbox: Toolbox) -> None:
        self._http_request, self._request, self._toolbox = http_request, request, toolbox
        self._servers: ToolServers = http_request.app.state.tool_servers
        self._limits = self._servers.limits
        self._messages: list[Any] = list(request.messages)  # without the results of `_ended`
        self._start = time.monotonic()
        self._usage, self._timings = _NO_USAGE, Timings(None, None, 0.0)
        self._ended: list[CallEnded] = []  # that the client has not been told of
        self._count = 0  # of calls that have run
        self._last: Done | None = None  # the end of the last round

    async def run(self) -> AsyncGenerator[AnyEvent, None]:
        """The events of the answer."""
        (resolved,) = await find_images(self._http_request, [self._request])
        self._messages = list(resolved.messages)
        lists = list(self._toolbox.lists)
        if self._toolbox.approved:
            yield Accepted()
            for listed in lists:
                yield listed
            lists = []
            self._add_approved()
            async for event in self._run_all(self._toolbox.approved, is_cut=False):
                yield event
        number, index = 0, len(self._toolbox.approved)
        while True:
            said = _Round()
            async with aclosing(self._ask(number)) as events:
                async for event in events:
                    if (told := said.take(event, self._toolbox.offers)) is not None:
                        yield told
                    if isinstance(event, Accepted) and lists:
                        for listed in lists:
                            yield listed
                        lists = []
            done = said.parts.done
            self._add(done)
            calls = said.calls(number, index)
            index += len(calls)
            asked = [call for call, offer in calls if offer.approval == "always"]
            runs = [call for call, offer in calls if offer.approval != "always"]
            async for event in self._run_all(runs, is_cut=done.finish_reason == "length"):
                yield event
            for call in asked:
                yield ApprovalAsked(call)
            if not runs or asked or said.others or done.finish_reason == "length":
                for ended in self._take_ended():
                    yield ended
                yield self._finish(done, "tool_calls" if asked or said.others else done.finish_reason)
                return
            self._messages.append(said.message())
            number += 1

    async def _ask(self, number: int) -> AsyncGenerator[Any, None]:
        """The events of a round; the ends of the calls before it come when the engine has accepted it."""
        while (events := self._stream(number)) is not None:
            try:
                _, accepted = await anext(events)
            except TritonchatError as error:
                if error.type == PromptTooLong.type and self._shorten_results():
                    continue
                if error.status == _BUSY_STATUS and self._ended and self._time_left() > 0:
                    yield Accepted()
                    await self._wait(asyncio.sleep(_RETRY_S))
                    continue
                for ended in self._take_ended():
                    yield ended
                if error.type == PromptTooLong.type and self._last is not None:
                    break
                raise
            async with aclosing(events):
                yield accepted
                for ended in self._take_ended():
                    yield ended
                async for _, event in events:
                    yield event
            return
        assert self._last is not None  # it has used the tokens, or has called tools
        yield replace(self._last, finish_reason="length", usage=_NO_USAGE)

    def _stream(self, number: int) -> NumberedEvents | None:
        """The answer to the conversation so far; None if there are no tokens left for it.

        Raises RequestTimeout.
        """
        request, used = self._request, self._usage.completion_tokens
        changes: dict[str, Any] = {"messages": [*self._messages, *map(_to_message, self._ended)]}
        if number:
            changes["tool_choice"] = "auto"
        if number >= self._limits.rounds or (number and self._time_left() <= 0):
            changes["tool_choice"] = "none"
        limit = self._http_request.app.state.settings.max_answer_tokens or request.max_tokens
        if limit and used:
            left = min(limit, request.max_tokens or limit) - used
            if left <= 0:
                return None
            changes["max_tokens"] = left
        if request.timeout_s is not None:
            changes["timeout_s"] = request.timeout_s - (time.monotonic() - self._start)
            if changes["timeout_s"] <= 0:
                raise RequestTimeout("the request has taken longer than its timeout_s.")
        return stream_answers(self._http_request, [request.model_copy(update=changes)], has_slots=True)

    def _add_approved(self) -> None:
        """Add the calls that a person has approved to the conversation."""
        calls = [
            ToolCall(id=call.id, name=call.function, arguments=call.arguments)
            for call in self._toolbox.approved
        ]
        last = self._messages[-1]
        if last.role == "assistant" and not last.tool_calls:
            self._messages[-1] = last.model_copy(update={"tool_calls": calls})
        else:
            self._messages.append(Message(role="assistant", tool_calls=calls))

    async def _run_all(self, calls: Sequence[Call], is_cut: bool) -> AsyncGenerator[AnyEvent, None]:
        """Run calls, one after the other, because one may need what another has done."""
        for call in calls:
            yield CallStarted(call)
            start = time.monotonic()
            result = self._refuse(is_cut)
            if result is None:
                self._count += 1
                time_s = min(self._limits.call_s, self._time_left())
                run = self._toolbox.own if call.server == OWN else None
                running = asyncio.ensure_future((run or self._servers.run)(call, time_s))
                try:
                    while not await self._wait(asyncio.shield(running), KEEP_ALIVE_S):
                        yield Accepted()
                finally:
                    running.cancel()
                result = running.result()
            self._ended.append(CallEnded(call, result))
            self._log(call, result, time.monotonic() - start)

    def _refuse(self, is_cut: bool) -> Result | None:
        """The result of a call that must not run; None if it may."""
        most = self._toolbox.max_calls
        if is_cut:
            return _not_run("the answer ended at max_tokens before its calls were complete")
        if most is not None and self._count >= most:
            return _not_run(f"max_tool_calls is {most}")
        if self._time_left() <= 0:
            return _not_run(f"tools may take {self._limits.total_s:g} s of an answer (--mcp-total-time)")
        return None

    async def _wait(self, work: Any, time_s: float | None = None) -> bool:
        """Wait for work, at most `time_s` seconds; whether it is done. Raises ClientDisconnected."""
        task = asyncio.ensure_future(work)
        watch = asyncio.create_task(wait_for_disconnect(self._http_request))
        try:
            await asyncio.wait((task, watch), timeout=time_s, return_when=asyncio.FIRST_COMPLETED)
            if watch.done():
                raise ClientDisconnected
            return task.done()
        finally:
            watch.cancel()
            task.cancel()

    def _shorten_results(self) -> bool:
        """Replace the last results, which do not fit, by that; whether this changes anything."""
        shorter = [_replace_result(ended) if ended.result.output else ended for ended in self._ended]
        is_shorter, self._ended = shorter != self._ended, shorter
        return is_shorter

    def _take_ended(self) -> list[CallEnded]:
        """The calls that have ended, whose results are now a part of the conversation."""
        self._messages += map(_to_message, self._ended)
        ended, self._ended = self._ended, []
        return ended

    def _time_left(self) -> float:
        """Seconds until no tool runs any more."""
        total, own = self._limits.total_s, self._request.timeout_s
        return self._start + (total if own is None else min(total, own)) - time.monotonic()

    def _add(self, done: Done) -> None:
        """Count what a round has used."""
        first, more = self._usage, done.usage
        counts = {name: count + getattr(first, name) for name, count in more.counts.items()}
        counts["truncated_messages"] = max(first.truncated_messages, more.truncated_messages)
        ignored = tuple(dict.fromkeys((*first.ignored_schema, *more.ignored_schema)))
        if first is _NO_USAGE:
            self._timings = done.timings
        self._usage, self._last = Usage(**counts, ignored_schema=ignored), done

    def _finish(self, done: Done, reason: Any) -> Done:
        timings = replace(self._timings, total=time.monotonic() - self._start)
        return replace(done, finish_reason=reason, usage=self._usage, timings=timings)

    def _log(self, call: Call, result: Result, seconds: float) -> None:
        line: dict[str, Any] = {
            "id": self._http_request.state.request_id,
            "server": call.server,
            "tool": call.name,
            "seconds": round(seconds, 4),
            "failed": result.failure is not None,
            "characters": len(result.text),
        }
        if self._http_request.app.state.settings.log_content:
            line |= {"arguments": call.arguments, "result": result.text}
        name = "file_search" if call.server == OWN else "mcp_call"
        structlog.get_logger("tritonchat.api").info(name, **line)


def _to_message(ended: CallEnded) -> Message:
    return Message(role="tool", tool_call_id=ended.call.id, content=ended.result.text)


def _replace_result(ended: CallEnded) -> CallEnded:
    size = len(ended.result.output or "")
    failure = Failure(f"the result has {size} characters, and does not fit into the model's context.")
    return replace(ended, result=Result(failure=failure))


def _not_run(reason: str) -> Result:
    return Result(failure=Failure(f"the call was not run: {reason}."))
