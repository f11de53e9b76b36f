"""OpenAI's Responses API: /v1/responses.

A response is stored before the end of its answer is sent, unless the request says `store`: false. One that
failed, or whose client has disconnected, is not stored.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from model_core.errors import InvalidRequest, TritonchatError
from model_core.requests.events import Accepted

from ...contract import request_fields
from ...contract.conversation_errors import StoreRefusal
from ...contract.request_fields import fields_of_request
from ...conversations.responses import ResponseStore
from ...conversations.tables import StoredResponse
from ..custom_tools import list_unenforced, unwrap_inputs
from ..errors import ERROR_RESPONSES, failure_of, unsupported
from ..generation import check_length, end_with_failure, forget_prefixes, stream_answers, wait_until_accepted
from ..ignored import check_fields, ignore
from ..request_body import repeat
from ..sessions.store_calls import get_owner, run_to_end
from ..stream_response import KEEP_ALIVE, NumberedEvents, StreamResponse, to_json
from .calls import CALL_KINDS
from .item_schemas import ITEMS, Item, ItemReference
from .items import find_response_id, list_input, list_left_out, new_response_id, to_messages
from .render import ResponseWriter, new_response, render_event
from .schemas import (
    DeletedResponse,
    ItemList,
    ResponseBody,
    ResponsesRequest,
    TextOptions,
)
from .tools import Functions, find_functions

MAX_PAGE = 100
_LOGPROBS = "message.output_text.logprobs"
_EVENT_STREAM: dict[str, Any] = {"text/event-stream": {"schema": {"type": "string"}}}
_UNSUPPORTED = {
    "background": "send it without, and read the stream.",
    "conversation": "send previous_response_id.",
    "prompt": "send instructions and input.",
    "context_management": 'send truncation: "auto".',
}

router = APIRouter(prefix="/v1/responses", tags=["OpenAI"], responses=ERROR_RESPONSES)


@router.post("", responses={200: {"model": ResponseBody, "content": _EVENT_STREAM}})
async def create_response(request: Request, body: ResponsesRequest) -> Response:
    """Answer a conversation, as one body or as a stream."""
    try:
        return await _answer(request, body)
    except TritonchatError as error:
        if error.param is not None and error.param.startswith("messages"):
            error.param = "input"  # whose items are counted otherwise
        raise


@router.get("/{response_id}", responses={200: {"model": ResponseBody}})
async def get_response(
    request: Request,
    response_id: str,
    stream: Annotated[bool, Query(description="Refused, unless false.")] = False,
) -> Response:
    """A stored response."""
    if stream:
        raise unsupported("stream", "a stored response cannot be streamed; read it as a whole.")
    stored = await asyncio.to_thread(_responses(request).get, get_owner(request), response_id)
    return _render_body(stored.response)


@router.delete("/{response_id}")
async def delete_response(request: Request, response_id: str) -> DeletedResponse:
    """Remove a stored response. Those that continue it cannot be continued any more."""
    await forget_prefixes(request)
    await run_to_end(_responses(request).delete, get_owner(request), response_id)
    return DeletedResponse(id=response_id, object="response", deleted=True)


@router.get("/{response_id}/input_items")
async def list_input_items(
    request: Request,
    response_id: str,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE, description="Items of a page.")] = 20,
    order: Annotated[Literal["asc", "desc"], Query(description="desc: the last item first.")] = "desc",
    after: Annotated[str | None, Query(description="For the page after one: its `last_id`.")] = None,
) -> ItemList:
    """The input of a stored response, without the conversation that it continues."""
    stored = await asyncio.to_thread(_responses(request).get, get_owner(request), response_id)
    items = stored.input if order == "asc" else stored.input[::-1]
    if after is not None:
        ids = [item["id"] for item in items]
        if after not in ids:
            raise InvalidRequest(f"{response_id} has no input item {after[:64]!r}.", "after")
        items = items[ids.index(after) + 1 :]
    page = items[:limit]
    return ItemList(
        object="list",
        data=page,
        first_id=page[0]["id"] if page else None,
        last_id=page[-1]["id"] if page else None,
        has_more=len(items) > limit,
    )


def parse(
    body: ResponsesRequest, messages: list[dict[str, Any]], functions: Functions
) -> request_fields.Request:
    """The request for the answer. `messages` are those of `input`, after those that it continues.

    Raises ApiError or InvalidRequest.
    """
    body.refuse_prompt_logprobs()
    for name, hint in _UNSUPPORTED.items():
        if getattr(body, name):
            raise unsupported(name, f"{name} is not supported; {hint}")
    if body.instructions is not None:
        messages = [{"role": "system", "content": body.instructions}, *messages]
    if not messages:
        raise InvalidRequest("input is empty.", "input")
    fields = fields_of_request(body) | {
        "messages": messages,
        "tools": functions.tools,
        "tool_choice": functions.choice,
    }
    if form := _form(body.text):
        if body.form is not None:
            raise InvalidRequest("form and text.format cannot both be given.", "form")
        fields["form"] = form
    if body.top_logprobs is not None or _LOGPROBS in (body.include or ()):
        fields["logprobs"] = body.top_logprobs or 0
    if body.reasoning is not None and body.reasoning.effort is not None:
        fields["reasoning_effort"] = body.reasoning.effort
    names = body.sent_names
    if form:
        names = {"form": "text.format", "form.json_schema": "text.format.schema"}
    return request_fields.Request.of(fields, {**names, **functions.sent_names})


def _form(text: TextOptions | None) -> dict[str, Any] | None:
    """The form of the answer that `text.format` demands, as in model_core.requests.form."""
    if text is None or text.format is None or text.format.type == "text":
        return None
    if text.format.type == "json_object":
        return {"json_object": True}
    if text.format.json_schema is None:
        raise InvalidRequest("text.format.schema is missing.", "text.format.schema")
    return {"json_schema": text.format.json_schema, "strict": text.format.strict is not False}


async def _answer(request: Request, body: ResponsesRequest) -> Response:
    model = await request.app.state.served_models.resolve(body.model)
    check_fields(request, body)
    previous = await _read_previous(request, body.previous_response_id)
    items = await _resolve_references(request, body.items())
    messages = to_messages([*_list_items(previous), *items])
    check_length(len(messages), request.app.state.settings)  # before all the work that is done for each
    functions = find_functions(body.tools or (), body.tool_choice)
    ignore(request, "tools", functions.left_out)
    ignore(request, "fields", list_unenforced(body.tools or ()))
    ignore(request, "items", list_left_out(items))
    (answer_request,) = repeat([parse(body, messages, functions)])
    response = new_response(body, new_response_id(), model.name)
    stored_input = list_input(items, response["id"])
    try:
        to_json([response, stored_input]).encode()
    except UnicodeEncodeError:
        raise InvalidRequest("the body has half of a surrogate pair, which is no character.") from None
    responses, owner = _responses(request), get_owner(request)
    if response["store"]:
        await asyncio.to_thread(responses.check_room, owner, response, stored_input)

    async def store() -> None:
        if response["store"]:
            last = previous[-1] if previous else None
            await run_to_end(responses.add, owner, response, stored_input, last)

    writer = ResponseWriter(response, len(stored_input), functions.forms)
    custom = {name for name, form in functions.forms.items() if form.kind == "custom_tool_call"}
    events = unwrap_inputs(stream_answers(request, [answer_request]), custom)
    if body.stream:
        events = end_with_failure(await wait_until_accepted(events))
        return StreamResponse(_render_events(events, writer, store), "text/event-stream")
    async with aclosing(events):
        async for _, event in events:
            writer.write(event)
    await store()
    return _render_body(response)


async def _read_previous(request: Request, response_id: str | None) -> list[StoredResponse]:
    if response_id is None:
        return []
    limit = request.app.state.settings.max_body_bytes
    return await asyncio.to_thread(_responses(request).get_chain, get_owner(request), response_id, limit)


async def _resolve_references(request: Request, items: list[Item]) -> list[Item]:
    """The items, with those of stored responses in place of references. Other references stay."""
    references = {item.id for item in items if isinstance(item, ItemReference)}
    if not references:
        return items
    response_ids = {found for name in references if (found := find_response_id(name))}
    limit = request.app.state.settings.max_body_bytes
    stored = await asyncio.to_thread(_responses(request).get_all, get_owner(request), response_ids, limit)
    found_items = {item["id"]: item for response in stored for item in response.items}
    return ITEMS.validate_python(
        [found_items.get(item.id, item) if isinstance(item, ItemReference) else item for item in items]
    )


def _list_items(responses: list[StoredResponse]) -> list[Item]:
    """All items of a chain of responses, without calls that were cut off: their arguments are no JSON."""
    items = [item for stored in responses for item in stored.items]
    return ITEMS.validate_python(
        [item for item in items if item["type"] not in CALL_KINDS or item["status"] == "completed"]
    )


async def _render_events(
    events: NumberedEvents, writer: ResponseWriter, store: Callable[[], Awaitable[None]]
) -> AsyncGenerator[bytes, None]:
    """The answer as server-sent events. `store` is called before the last one."""
    yield b"".join(map(render_event, writer.start()))
    async with aclosing(events):
        async for _, event in events:
            if isinstance(event, Accepted):
                yield KEEP_ALIVE
            elif written := writer.write(event):
                yield b"".join(map(render_event, written))
    if writer.response["status"] != "failed":
        try:
            await store()
        except StoreRefusal as error:
            yield b"".join(map(render_event, writer.write(failure_of(error))))
    yield render_event(writer.end())


def _render_body(response: dict[str, Any]) -> Response:
    return Response(to_json(response), media_type="application/json")


def _responses(request: Request) -> ResponseStore:
    return request.app.state.responses
