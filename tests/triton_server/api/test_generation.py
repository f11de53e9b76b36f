"""What every route gets of an answer, from a client that says what it is told."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.datastructures import Headers

from model_core.requests.events import Accepted, Done, Event, Failed, Text, Timings, Usage
from triton_server.api.errors import ApiError
from triton_server.api.generation import end_with_failure, stream_answers
from triton_server.contract.request_fields import Request

CUT_OFF = [Text("Hel"), Done("cancelled", Usage(3, 1), Timings(0.0, 0.1, 0.2), 7)]


class ScriptedClient:
    """A client whose answers have these events."""

    def __init__(self, events: list[Event]) -> None:
        self._events = events

    async def stream(self, prompt: Any, parameters: dict[str, Any]) -> AsyncIterator[Event]:
        for event in [Accepted("aaaa"), *self._events]:
            yield event


def ask(events: list[Event], **options: bool) -> AsyncIterator[tuple[int, Event]]:
    slots = SimpleNamespace(hold=lambda client, count: nullcontext(), is_shared=False)
    settings = SimpleNamespace(max_messages=0, max_answer_tokens=0, max_body_images_bytes=0)
    app = SimpleNamespace(answer_slots=slots, settings=settings, triton_client=ScriptedClient(events))
    request = SimpleNamespace(
        app=SimpleNamespace(state=app),
        state=SimpleNamespace(request_id="r", client="c", owner=""),
        receive=asyncio.Event().wait,
        headers=Headers(),
    )
    return stream_answers(request, [Request(messages="Hello")], **options)


async def read(events: AsyncIterator[tuple[int, Event]]) -> list[Event]:
    return [event async for _, event in events]


def test_an_answer_that_is_cut_off_is_an_error() -> None:
    with pytest.raises(ApiError, match="cut the answer off"):
        asyncio.run(read(ask(CUT_OFF)))
    failure = Failed("cancelled", "the server has cut the answer off.", status=503)
    assert asyncio.run(read(end_with_failure(ask(CUT_OFF)))) == [Accepted("aaaa"), CUT_OFF[0], failure]


def test_a_route_may_take_what_has_come_before_the_cut() -> None:
    assert asyncio.run(read(ask(CUT_OFF, takes_cut_off=True))) == [Accepted("aaaa"), *CUT_OFF]
