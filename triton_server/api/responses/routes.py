"""OpenAI's Responses API: /v1/responses.

A response is stored before the end of its answer is sent, unless the request says `store`: false. One that
failed, or whose client has disconnected, is not stored, except those in the background.
"""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import ExitStack, aclosing
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from model_core.errors import InvalidRequest, TritonchatError
from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import Done
from model_core.requests.messages import Message

from ...contract.event_ids import LAST_EVENT_ID
from ..errors import ERROR_RESPONSES, ApiError, unsupported
from ..generation import forget_prefixes, stream_answers
from ..ignored import ignore
from ..sessions.store_calls import get_owner, run_to_end
from ..stream_response import StreamResponse, to_json
from .answers import answer, get_background, until_gone
from .background import follow_elsewhere
from .compaction import ASK, SUMMARY_TOKENS, list_questions, write_compaction
from .includes import Include, list_not_included
from .items import new_response_id
from .prepare import get_responses, prepare
from .render import render_usage
from .schemas import (
    CompactedResponse,
    CountRequest,
    DeletedResponse,
    InputTokens,
    ItemList,
    ResponseBody,
    ResponsesRequest,
)

MAX_PAGE = 100
_EVENT_STREAM: dict[str, Any] = {"text/event-stream": {"schema": {"type": "string"}}}

router = APIRouter(prefix="/v1/responses", tags=["OpenAI"], responses=ERROR_RESPONSES)


@router.post("", responses={200: {"model": ResponseBody, "content": _EVENT_STREAM}})
async def create_response(request: Request, body: ResponsesRequest) -> Response:
    """Answer a conversation, as one body or as a stream, or in the background."""
    try:
        return await answer(request, body)
    except TritonchatError as error:
        raise _rename(error) from None


@router.post("/input_tokens")
async def count_input_tokens(request: Request, body: CountRequest) -> InputTokens:
    """Count the tokens of a conversation, as the model's chat template renders it, with its tools."""
    try:
        with ExitStack() as stack:
            counting = (await prepare(request, body, stack)).request.model_copy(update={"count_only": True})
        async with aclosing(stream_answers(request, [counting])) as events:
            done = await anext(event async for _, event in events if isinstance(event, Done))
    except TritonchatError as error:
        raise _rename(error) from None
    return InputTokens(object="response.input_tokens", input_tokens=done.usage.prompt_tokens)


@router.post("/compact")
async def compact_conversation(request: Request, body: CountRequest) -> CompactedResponse:
    """Let the model summarize a conversation, so that it goes on in fewer tokens: as `input` of a request.

    It is not stored. Of a conversation that is too long, the oldest turns are left out.
    """
    body = body.model_copy(update={"tools": None, "tool_choice": None, "text": None})
    try:
        with ExitStack() as stack:
            asked = (await prepare(request, body, stack)).request
        questions = list_questions(asked.messages)
        changes = {
            "messages": [*asked.messages, Message(role="user", content=ASK)],
            "max_tokens": asked.max_tokens or SUMMARY_TOKENS,
            "truncation": "auto",
        }
        summary, asked = AnswerParts(), asked.model_copy(update=changes)
        async with aclosing(stream_answers(request, [asked], whole=True)) as events:
            async for _, event in events:
                summary.add(event)
    except TritonchatError as error:
        raise _rename(error) from None
    return CompactedResponse(
        id=new_response_id(),
        object="response.compaction",
        created_at=int(time.time()),
        output=[*questions, write_compaction(summary.text)],
        usage=render_usage(summary.done.usage),
    )


@router.get("/{response_id}", responses={200: {"model": ResponseBody, "content": _EVENT_STREAM}})
async def get_response(
    request: Request,
    response_id: str,
    include: Include,
    stream: Annotated[bool, Query(description="Send its events, also while it is computed.")] = False,
    starting_after: Annotated[
        int | None, Query(ge=0, lt=2**31, description="Of a stream: only events after this sequence number.")
    ] = None,
    include_obfuscation: Annotated[
        bool, Query(description="Has no effect; X-Ignored-Fields names it.")
    ] = False,
) -> Response:
    """A stored response, or its events as they came the first time. One in the background may still run."""
    ignore(request, "fields", list_not_included(include))
    if include_obfuscation:
        ignore(request, "fields", ["include_obfuscation"])
    if LAST_EVENT_ID in request.headers:
        message = f"a stored response goes on by sequence numbers: send starting_after, no {LAST_EVENT_ID}."
        raise unsupported(LAST_EVENT_ID, message)
    if starting_after is not None and not stream:
        raise InvalidRequest("starting_after is only allowed with stream: true.", "starting_after")
    owner, running = get_owner(request), get_background(request).find(get_owner(request), response_id)
    if running is None:
        stored = await asyncio.to_thread(get_responses(request).get, owner, response_id)
    if not stream:
        return _render_body(stored.response if running is None else running.snapshot())
    after = -1 if starting_after is None else starting_after

    async def follow() -> AsyncGenerator[bytes, None]:
        async with until_gone(request) as gone:
            if running is not None:
                parts = running.follow(after, gone)
            else:
                store = get_responses(request)
                parts = follow_elsewhere(
                    lambda: asyncio.to_thread(store.get, owner, response_id), after, gone
                )
            async with aclosing(parts):
                async for part in parts:
                    yield part

    return StreamResponse(follow(), "text/event-stream")


@router.post("/{response_id}/cancel", responses={200: {"model": ResponseBody}})
async def cancel_response(request: Request, response_id: str) -> Response:
    """End a response in the background. One that has ended stays as it is."""
    owner, store = get_owner(request), get_responses(request)
    if running := get_background(request).find(owner, response_id):
        await running.stop()
    stored = await asyncio.to_thread(store.get, owner, response_id)
    if not stored.response.get("background"):
        raise ApiError(
            400,
            'only a response with "background": true can be cancelled; close the connection of another one.',
            "invalid_request",
            "response_id",
        )
    if stored.running is not None:  # another process computes it
        await run_to_end(store.end_lost, stored, "cancelled", None)
        stored = await asyncio.to_thread(store.get, owner, response_id)
    return _render_body(stored.response)


@router.delete("/{response_id}")
async def delete_response(request: Request, response_id: str) -> DeletedResponse:
    """Remove a stored response. One that runs ends. Those that continue it cannot be continued any more."""
    await forget_prefixes(request)
    await run_to_end(get_responses(request).delete, get_owner(request), response_id)
    if running := get_background(request).find(get_owner(request), response_id):
        await running.stop(is_ended_elsewhere=True)
    return DeletedResponse(id=response_id, object="response", deleted=True)


@router.get("/{response_id}/input_items")
async def list_input_items(
    request: Request,
    response_id: str,
    include: Include,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE, description="Items of a page.")] = 20,
    order: Annotated[Literal["asc", "desc"], Query(description="desc: the last item first.")] = "desc",
    after: Annotated[str | None, Query(description="For the page after one: its `last_id`.")] = None,
) -> ItemList:
    """The input of a stored response, without the conversation that it continues."""
    ignore(request, "fields", list_not_included(include))
    stored = await asyncio.to_thread(get_responses(request).get, get_owner(request), response_id)
    items = stored.input if order == "asc" else stored.input[::-1]
    if after is not None:
        ids = [item["id"] for item in items]
        if after not in ids:
            raise InvalidRequest(f"{response_id} has no input item {after[:64]!r}.", "after")
        items = items[ids.index(after) + 1 :]
    return ItemList.of(items, limit)


def _rename(error: TritonchatError) -> TritonchatError:
    """The error, with the name of the field of which the messages are made."""
    if error.param is not None and error.param.startswith("messages"):
        error.param = "input"  # whose items are counted otherwise
    return error


def _render_body(response: dict[str, Any]) -> Response:
    return Response(to_json(response), media_type="application/json")
