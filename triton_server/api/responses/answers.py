"""Answers to requests of OpenAI's Responses API: as one body, as a stream, or in the background."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, aclosing, asynccontextmanager, suppress
from typing import Any

from fastapi import Request
from starlette.responses import Response

from model_core.errors import InvalidRequest
from model_core.requests.events import Accepted

from ...contract.conversation_errors import StoreError, StoreRefusal
from ...conversations.items import Addition
from ..custom_tools import unwrap_inputs
from ..errors import failure_of, unsupported
from ..generation import end_with_failure, stream_answers, wait_for_disconnect
from ..mcp_tools.rounds import answer_with_tools
from ..sessions.store_calls import get_owner, run_to_end
from ..stream_response import KEEP_ALIVE, NumberedEvents, StreamResponse, to_json
from .background import BackgroundResponse, BackgroundResponses, EndedElsewhere, detach
from .items import check_ids, list_input, new_response_id
from .prepare import Prepared, get_items, get_responses, prepare
from .render import ResponseWriter, StreamEvent, new_response, render_event
from .schemas import ResponsesRequest

# How long a request for a response in the background waits for a refusal, before it is answered.
_ACCEPTANCE_WAIT_S = 2.0
# Between the tries to store a response in the background that has ended.
_STORE_PAUSE_S, _MAX_STORE_PAUSE_S = 0.5, 15.0
_Written = AsyncGenerator[list[StreamEvent], None]


async def answer(request: Request, body: ResponsesRequest) -> Response:
    """Answer a request. Raises TritonchatError."""
    is_background = body.background is True
    if is_background and body.store is False:
        raise unsupported("background", "a response in the background is stored; leave store out.")
    with ExitStack() as stack:
        prepared = await prepare(request, body, stack)
        response = new_response(body, new_response_id(), prepared.model)
        response["seed"] = prepared.request.seed
        stored_input = list_input(prepared.items, response["id"])
        try:
            to_json([response, stored_input]).encode()
        except UnicodeEncodeError:
            raise InvalidRequest("the body has half of a surrogate pair, which is no character.") from None
        if prepared.conversation is not None:
            check_ids(stored_input, "input")
        await _check_room(request, prepared, response, stored_input)
        writer = ResponseWriter(response, len(stored_input), prepared.functions.forms)
        finish = _make_finish(request, prepared, writer, stored_input)
        custom = {name for name, form in prepared.functions.forms.items() if form.kind == "custom_tool_call"}
        source = detach(request) if is_background else request
        if prepared.functions.offers:
            events = answer_with_tools(source, prepared.request, prepared.toolbox)
        else:
            events = stream_answers(source, [prepared.request], whole=not (body.stream or is_background))
        events = unwrap_inputs(events, custom)
        written = _write(events, writer, finish, stack.pop_all(), bool(body.stream) and not is_background)
    if is_background:
        running = BackgroundResponse(writer, written)
        stored = await _start(request, running, prepared, stored_input, finish)
        if not body.stream:
            return Response(to_json(stored), media_type="application/json")
        return StreamResponse(_follow(request, running), "text/event-stream")
    if body.stream:
        first = await anext(written)
        return StreamResponse(render_stream(first, written), "text/event-stream")
    async with aclosing(written):
        async for _ in written:
            pass
    return Response(to_json(writer.response), media_type="application/json")


def get_background(request: Request) -> BackgroundResponses:
    """The responses that run in the background."""
    return request.app.state.background


@asynccontextmanager
async def until_gone(request: Request) -> AsyncIterator["asyncio.Task[None]"]:
    """A task that is done when the client has disconnected."""
    gone = asyncio.create_task(wait_for_disconnect(request))
    try:
        yield gone
    finally:
        gone.cancel()


async def render_stream(first: list[StreamEvent], written: _Written) -> AsyncGenerator[bytes, None]:
    """Events as server-sent events; a comment where there are none."""
    yield b"".join(map(render_event, first))
    async with aclosing(written):
        async for events in written:
            yield b"".join(map(render_event, events)) or KEEP_ALIVE


async def _follow(request: Request, running: BackgroundResponse) -> AsyncGenerator[bytes, None]:
    async with until_gone(request) as gone, aclosing(running.follow(-1, gone)) as parts:
        async for part in parts:
            yield part


async def _check_room(
    request: Request, prepared: Prepared, response: dict[str, Any], stored_input: list[dict[str, Any]]
) -> None:
    """Raises StoreRefusal if there is no room for what is to be stored."""
    if response["store"]:
        store, owner = get_responses(request), get_owner(request)
        await asyncio.to_thread(store.check_room, owner, response, stored_input)
    if prepared.conversation is not None:
        check = get_items(request).check_addition
        await asyncio.to_thread(check, prepared.conversation, stored_input)


def _make_finish(
    request: Request, prepared: Prepared, writer: ResponseWriter, stored_input: list[dict[str, Any]]
) -> Callable[[], Awaitable[bool]]:
    """What stores the response when it has ended, see background.Finish."""
    store, owner = get_responses(request), get_owner(request)

    async def finish() -> bool:
        response, seen = dict(writer.response), prepared.conversation
        addition = None
        if seen is not None and response["status"] in ("completed", "incomplete"):
            addition = Addition(seen, [*stored_input, *response["output"]])
        if response["background"]:
            return await run_to_end(store.finish, owner, response, writer.record, addition)
        if response["store"]:
            stored = response, stored_input, prepared.previous, writer.record, addition
            await run_to_end(store.add, owner, *stored)
        elif addition is not None:
            await run_to_end(store.add_to_conversation, addition)
        return True

    return finish


async def _write(
    events: NumberedEvents,
    writer: ResponseWriter,
    finish: Callable[[], Awaitable[bool]],
    stack: ExitStack,
    is_streamed: bool,
) -> _Written:
    """Compute an answer, and store it before its last event; the `stack` is closed at the end.

    The first events come when the engine has accepted the request; there are none where there is nothing to
    say. Errors after that are raised, or if the answer `is_streamed` are events.
    """
    is_background = writer.response["background"]
    with stack:
        async with aclosing(events):
            await anext(events)
            yield [*([] if is_background else writer.start()), *writer.accept()]
            rest = end_with_failure(events) if is_streamed or is_background else events
            async with aclosing(rest):
                async for _, event in rest:
                    written = writer.write(event)
                    if written or isinstance(event, Accepted):
                        yield written
        try:
            if is_background:
                if not await _finish_at_last(finish):
                    raise EndedElsewhere
            elif writer.response["status"] != "failed":
                await _finish_if_possible(writer.response, finish)
        except StoreRefusal as error:
            if not is_streamed:
                raise
            yield writer.write(failure_of(error))
    yield [writer.end()]


async def _finish_if_possible(response: dict[str, Any], finish: Callable[[], Awaitable[bool]]) -> None:
    """Store a response that its client waits for.

    One that the database has no room for is computed all the same: its client gets it, and `store` says that
    nobody can get it again. A conversation would lack it, so there it is refused.
    """
    try:
        await finish()
    except StoreError:  # the database has logged it
        if response["conversation"] is not None:
            raise
        response["store"] = False


async def _finish_at_last(finish: Callable[[], Awaitable[bool]]) -> bool:
    """Store the end of a response, which no client has got yet, as soon as the database lets it."""
    pause_s = _STORE_PAUSE_S
    while True:
        try:
            return await finish()
        except StoreError:  # the database has logged it; it may be a full disk
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _MAX_STORE_PAUSE_S)


async def _start(
    request: Request,
    running: BackgroundResponse,
    prepared: Prepared,
    stored_input: list[dict[str, Any]],
    finish: Callable[[], Awaitable[bool]],
) -> dict[str, Any]:
    """Store a response, and let it run; it as it was stored. Raises what it is refused with."""
    store, owner = get_responses(request), get_owner(request)
    await running.wait_until_accepted(_ACCEPTANCE_WAIT_S)
    response = running.snapshot()
    try:
        await run_to_end(store.add, owner, response, stored_input, prepared.previous, runs=True)
    except BaseException:
        with suppress(Exception):
            await running.discard()
        raise
    get_background(request).start(owner, response["id"], running, finish)
    return response
