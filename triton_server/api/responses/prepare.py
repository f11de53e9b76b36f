"""What a request to OpenAI's Responses API asks for: the conversation that it continues, its tools, its form.

Nothing here answers it.
"""

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

from fastapi import Request

from model_core.errors import InvalidRequest
from model_core.requests.messages import ImageUrlPart, Message

from ...contract import request_fields
from ...contract.conversation_errors import PreviousResponseNotComplete, ResponsesTooLarge
from ...contract.request_fields import check_image_count, fields_of_request
from ...conversations.items import ItemStore
from ...conversations.limits import measure
from ...conversations.responses import ResponseStore
from ...conversations.tables import ItemConversation, StoredResponse
from ..custom_tools import list_unenforced
from ..errors import unsupported
from ..foreign_content import read_stored_texts
from ..generation import check_length, find_images
from ..ignored import check_fields, ignore
from ..images.parts import name_images
from ..images.resolve import is_web_address
from ..mcp_tools.rounds import Toolbox
from ..request_body import repeat
from ..sessions.store_calls import get_owner
from .calls import CALL_KINDS
from .file_search import open_search
from .includes import LOGPROBS, list_not_included
from .item_schemas import ITEMS, FileSearchCallItem, Item, ItemReference
from .items import (
    find_response_id,
    list_images,
    list_left_out,
    list_unread_files,
    list_unread_reasons,
    to_messages,
)
from .schemas import ResponsesRequest, TextOptions
from .service_tools import check_together, find_offers, make_toolbox
from .tools import Functions, find_functions

_UNSUPPORTED = {
    "prompt": "send instructions and input.",
    "context_management": 'send truncation: "auto".',
}
_CONTINUABLE = ("completed", "incomplete")


@dataclass(frozen=True)
class Prepared:
    """What a request asks for.

    Attributes:
        model: the name of the model.
        request: the request for the answer.
        functions: those that the model may call.
        toolbox: those among them that the service calls: tools of MCP servers, and the search of files.
        items: of `input`, without references to what is known here.
        previous: the response that it continues.
        conversation: the one that it continues, as it was read.
    """

    model: str
    request: request_fields.Request
    functions: Functions
    toolbox: Toolbox
    items: list[Item]
    previous: StoredResponse | None
    conversation: ItemConversation | None


async def prepare(request: Request, body: ResponsesRequest, stack: ExitStack) -> Prepared:
    """Read what a request continues, and make the request for the answer.

    A conversation is reserved until the `stack` is closed. Raises TritonchatError.
    """
    model = await request.app.state.served_models.resolve(body.model)
    check_fields(request, body)
    ignore(request, "fields", _list_without_effect(body))
    if body.conversation_id is not None and body.previous_response_id is not None:
        raise InvalidRequest("conversation and previous_response_id cannot both be given.", "conversation")
    previous = await _read_previous(request, body.previous_response_id)
    conversation, stored_items = None, [item for stored in previous for item in stored.items]
    if body.conversation_id is not None:
        stack.enter_context(get_items(request).hold(get_owner(request), body.conversation_id))
        conversation, stored_items = await _read_conversation(request, body.conversation_id)
    items = await resolve_references(request, body.items(), stored_items)
    earlier = _without_cut_calls(stored_items)
    await _read_files(request, earlier, items)
    offers = await find_offers(request, body)
    file_search = await open_search(request, body, [*earlier, *items])
    functions = find_functions(body.tools or (), body.tool_choice, offers)
    if functions.offers:
        check_together(body)
    names = {(offer.server, offer.tool.name): name for name, offer in functions.offers.items()}
    messages = to_messages([*earlier, *items], names)
    check_length(len(messages), request.app.state.settings)  # before all the work that is done for each
    toolbox = make_toolbox(body, functions.offers, earlier, items)
    if file_search is not None:
        toolbox = replace(toolbox, own=file_search.run)
    ignore(request, "tools", functions.left_out)
    ignore(request, "fields", [*list_unenforced(body.tools or ()), *list_unread_reasons(items)])
    searches = [item for item in earlier if isinstance(item, FileSearchCallItem)]
    labels = {offer.server for offer in functions.offers.values()}
    ignore(request, "items", list_left_out([*searches, *items], labels))
    images = [place for place, _ in (*list_images(earlier, "conversation"), *list_images(items, "input"))]
    check_image_count(len(images), "input")
    (answer_request,) = repeat([parse(body, messages, functions, images)])
    answer_request = await _find_images(request, answer_request, items)
    last = previous[-1] if previous else None
    return Prepared(model.name, answer_request, functions, toolbox, items, last, conversation)


async def _read_files(request: Request, earlier: list[Item], items: list[Item]) -> None:
    """Give files of /v1/files their text. The items are stored with it, so the next answer sees the same."""
    files = [*list_unread_files(earlier, "conversation"), *list_unread_files(items, "input")]
    texts = await read_stored_texts(request, [(param, part.file_id or "") for param, part in files])
    for (_, part), text in zip(files, texts, strict=True):
        part.text = text


async def _find_images(
    request: Request, answer_request: request_fields.Request, items: list[Item]
) -> request_fields.Request:
    """The request with its images. The items, which are stored, get those from the web, too.

    So the next answer sees the same.
    """
    with request.app.state.answer_slots.hold(request.state.client, 1):
        (found,) = await find_images(request, [answer_request])
    own = [part for _, part in list_images(items, "input")]
    if own and found is not answer_request:
        parts = [
            part for message in found.messages if isinstance(message, Message) for part in message.images
        ]
        for part, shown in zip(own, parts[-len(own) :], strict=True):
            if is_web_address(part.image_url) and isinstance(shown, ImageUrlPart):
                part.image_url = shown.image_url.url
    return found


def parse(
    body: ResponsesRequest,
    messages: list[dict[str, Any]],
    functions: Functions,
    images: Sequence[str],
) -> request_fields.Request:
    """The request for the answer. `messages` are those of `input`, after those that it continues.

    `images`: what the client calls those of the messages.

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
    if body.top_logprobs is not None or LOGPROBS in (body.include or ()):
        fields["logprobs"] = body.top_logprobs or 0
    if body.reasoning is not None and body.reasoning.effort is not None:
        fields["reasoning_effort"] = body.reasoning.effort
    names = body.sent_names
    if form:
        names = {"form": "text.format", "form.json_schema": "text.format.schema"}
    return request_fields.Request.of(
        fields, {**names, **functions.sent_names, **name_images(messages, images)}
    )


def _form(text: TextOptions | None) -> dict[str, Any] | None:
    """The form of the answer that `text.format` demands, as in model_core.requests.form."""
    if text is None or text.format is None or text.format.type == "text":
        return None
    if text.format.type == "json_object":
        return {"json_object": True}
    if text.format.json_schema is None:
        raise InvalidRequest("text.format.schema is missing.", "text.format.schema")
    return {"json_schema": text.format.json_schema, "strict": text.format.strict is not False}


def get_responses(request: Request) -> ResponseStore:
    """The store of responses."""
    return request.app.state.responses


def get_items(request: Request) -> ItemStore:
    """The store of conversations of items."""
    return request.app.state.items


async def resolve_references(
    request: Request, items: list[Item], conversation: list[dict[str, Any]]
) -> list[Item]:
    """The items, with those of a conversation or of stored responses in place of references.

    Other references stay.
    """
    references = {item.id for item in items if isinstance(item, ItemReference)}
    if not references:
        return items
    response_ids = {found for name in references if (found := find_response_id(name))}
    limit = request.app.state.settings.body_limit.total
    stored = await asyncio.to_thread(get_responses(request).get_all, get_owner(request), response_ids, limit)
    found_items = {item["id"]: item for response in stored for item in response.items}
    found_items |= {item["id"]: item for item in conversation}
    sizes = {name: measure(found_items[name]) for name in references & found_items.keys()}
    named = [item.id for item in items if isinstance(item, ItemReference) and item.id in sizes]
    stored_bytes = sum(sizes[name] for name in named)
    _check_stored(request, [found_items[name] for name in named], stored_bytes, "input")
    return ITEMS.validate_python(
        [found_items.get(item.id, item) if isinstance(item, ItemReference) else item for item in items]
    )


async def _read_previous(request: Request, response_id: str | None) -> list[StoredResponse]:
    """The chain of responses that a request continues."""
    if response_id is None:
        return []
    limit = request.app.state.settings.body_limit.total
    chain = await asyncio.to_thread(get_responses(request).get_chain, get_owner(request), response_id, limit)
    status = chain[-1].response.get("status", "completed")
    if status not in _CONTINUABLE:
        raise PreviousResponseNotComplete(response_id, status)
    items = [item for stored in chain for item in stored.items]
    _check_stored(request, items, sum(stored.bytes for stored in chain), "previous_response_id")
    return chain


async def _read_conversation(
    request: Request, conversation_id: str
) -> tuple[ItemConversation, list[dict[str, Any]]]:
    limit = request.app.state.settings.body_limit.total
    read = get_items(request).get_all
    conversation, items = await asyncio.to_thread(read, get_owner(request), conversation_id, limit)
    _check_stored(request, items, conversation.bytes, "conversation")
    return conversation, items


def _check_stored(request: Request, items: list[dict[str, Any]], size: int, param: str) -> None:
    """Raises ResponsesTooLarge for stored items, of `size` bytes, that are larger than a body may be."""
    limit = request.app.state.settings.body_limit
    images = sum(map(_count_images, items))
    for count, most, flag, what in (
        (images, limit.image_bytes, "--max-body-images", "images of more"),
        (size - images, limit.plain_bytes, limit.flag, "more"),
    ):
        if most and count > most:
            message = f"what {param} continues or names has {what} than {most} bytes together ({flag})."
            raise ResponsesTooLarge(message, param)


def _count_images(item: dict[str, Any]) -> int:
    """The bytes of the images in a stored item."""
    contents = (item.get(name) for name in ("content", "output"))
    parts = (part for content in contents if isinstance(content, list) for part in content)
    return sum(len(part.get("image_url") or "") for part in parts if isinstance(part, dict))


def _without_cut_calls(items: list[dict[str, Any]]) -> list[Item]:
    """Stored items, without calls that were cut off: their arguments are no JSON."""
    return ITEMS.validate_python(
        [item for item in items if item["type"] not in CALL_KINDS or item["status"] == "completed"]
    )


def _list_without_effect(body: ResponsesRequest) -> list[str]:
    """The fields within other fields that this service does not have."""
    names = list_not_included(body.include or ())
    if body.text is not None and body.text.verbosity not in (None, "medium"):
        names.append("text.verbosity")
    if body.reasoning is not None and body.reasoning.summary is not None:
        names.append("reasoning.summary")
    return names
