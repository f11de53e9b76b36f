"""OpenAI's Conversations API: /v1/conversations.

A request that changes the items of a conversation is refused while a response that continues it is made.
"""

import asyncio
import secrets
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from model_core.errors import InvalidRequest

from ..errors import ERROR_RESPONSES, ErrorBody
from ..generation import forget_prefixes
from ..ignored import check_fields, ignore
from ..responses.includes import Include, list_not_included
from ..responses.item_schemas import Item, ItemReference
from ..responses.items import check_ids, list_input, list_left_out, new_response_id
from ..responses.prepare import get_items, resolve_references
from ..responses.schemas import ItemList
from ..sessions.store_calls import get_owner, run_to_end
from ..stream_response import to_json
from .schemas import ConversationBody, ConversationChanges, DeletedConversation, NewConversation, NewItems

MAX_PAGE = 100
_LOCKED: dict[int | str, dict[str, Any]] = {
    409: {
        "model": ErrorBody,
        "description": "A response continues the conversation; Retry-After says when to try again.",
    }
}

router = APIRouter(prefix="/v1/conversations", tags=["OpenAI"], responses=ERROR_RESPONSES)


@router.post("")
async def create_conversation(request: Request, body: NewConversation | None = None) -> ConversationBody:
    """Create a conversation. It stays until it is removed, or has not changed for --session-expiry."""
    new = body or NewConversation()
    check_fields(request, new)
    items = await _list_items(request, new.items or [])
    name, labels = f"conv_{secrets.token_hex(16)}", new.metadata or {}
    create = get_items(request).create
    return ConversationBody.of(await run_to_end(create, get_owner(request), name, labels, items))


@router.get("/{conversation_id}")
async def get_conversation(request: Request, conversation_id: str) -> ConversationBody:
    """A conversation, without its items."""
    found = await asyncio.to_thread(get_items(request).get, get_owner(request), conversation_id)
    return ConversationBody.of(found)


@router.post("/{conversation_id}")
async def change_conversation(
    request: Request, conversation_id: str, body: ConversationChanges
) -> ConversationBody:
    """Replace the metadata of a conversation."""
    check_fields(request, body)
    change, owner = get_items(request).change, get_owner(request)
    return ConversationBody.of(await run_to_end(change, owner, conversation_id, body.metadata or {}))


@router.delete("/{conversation_id}", responses=_LOCKED)
async def delete_conversation(request: Request, conversation_id: str) -> DeletedConversation:
    """Remove a conversation with its items. Responses that have continued it stay."""
    store, owner = get_items(request), get_owner(request)
    with store.hold(owner, conversation_id):
        await forget_prefixes(request)
        await run_to_end(store.delete, owner, conversation_id)
    return DeletedConversation(id=conversation_id)


@router.get("/{conversation_id}/items")
async def list_items(
    request: Request,
    conversation_id: str,
    include: Include,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE, description="Items of a page.")] = 20,
    order: Annotated[Literal["asc", "desc"], Query(description="desc: the last item first.")] = "desc",
    after: Annotated[str | None, Query(description="For the page after one: its `last_id`.")] = None,
) -> ItemList:
    """The items of a conversation."""
    ignore(request, "fields", list_not_included(include))
    page = limit + 1, order == "desc", after
    read = get_items(request).list_items
    return ItemList.of(await asyncio.to_thread(read, get_owner(request), conversation_id, *page), limit)


@router.post("/{conversation_id}/items", responses=_LOCKED)
async def create_items(request: Request, conversation_id: str, body: NewItems, include: Include) -> ItemList:
    """Add items to the end of a conversation."""
    check_fields(request, body)
    ignore(request, "fields", list_not_included(include))
    store, owner = get_items(request), get_owner(request)
    with store.hold(owner, conversation_id):
        items = await _list_items(request, body.items)
        await run_to_end(store.add, owner, conversation_id, items)
    return ItemList.of(items, len(items))


@router.get("/{conversation_id}/items/{item_id}")
async def get_item(request: Request, conversation_id: str, item_id: str, include: Include) -> Response:
    """An item of a conversation."""
    ignore(request, "fields", list_not_included(include))
    read = get_items(request).get_item
    item = await asyncio.to_thread(read, get_owner(request), conversation_id, item_id)
    return Response(to_json(item), media_type="application/json")


@router.delete("/{conversation_id}/items/{item_id}", responses=_LOCKED)
async def delete_item(request: Request, conversation_id: str, item_id: str) -> ConversationBody:
    """Remove an item of a conversation; the conversation without it."""
    store, owner = get_items(request), get_owner(request)
    with store.hold(owner, conversation_id):
        await forget_prefixes(request)
        return ConversationBody.of(await run_to_end(store.delete_item, owner, conversation_id, item_id))


async def _list_items(request: Request, items: list[Item]) -> list[dict[str, Any]]:
    """The items in JSON, each with an id; those of stored responses in place of references.

    Raises InvalidRequest for a reference to what is not stored.
    """
    resolved = await resolve_references(request, items, [])
    for number, item in enumerate(resolved):
        if isinstance(item, ItemReference):
            raise InvalidRequest(f"items[{number}] refers to an item that is not stored.", f"items[{number}]")
    ignore(request, "items", list_left_out(resolved))
    listed = list_input(resolved, new_response_id())
    check_ids(listed, "items")
    return listed
