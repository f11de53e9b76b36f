"""The routes of conversations with all branches: /conversations. A session is the path to their head."""

import asyncio
from contextlib import nullcontext
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import Field

from model_core.checks.request_values import Text

from ...conversations import tree
from ...conversations.fields import ID_PATTERN, MAX_TITLE_LENGTH
from ..errors import ERROR_RESPONSES
from .routes import BUSY_RESPONSES
from .schemas import RequestBody, SessionId
from .store_calls import get_owner, get_store, run_to_end

router = APIRouter(tags=["conversations"], responses=ERROR_RESPONSES)

_MAX_PAGE = 200
# What places a conversation in the list: whether it is pinned, its time, its id.
_CURSOR = r"^[01]_\d{1,12}\.\d{1,17}_" + ID_PATTERN.removeprefix("^")


class ConversationPage(RequestBody):
    """A page: pinned ones first, then those that were changed last. Times are seconds since 1970."""

    conversations: list[tree.Summary]
    next: str | None = Field(description="`before` of the next page; null on the last one.")


class ConversationChanges(RequestBody):
    """Changes of a conversation. Fields that are left out do not change."""

    title: Text = Field("", max_length=MAX_TITLE_LENGTH, description="Empty: made from the next question.")
    pinned: bool = Field(False, description="Whether it is among the first of the list.")
    head: int | None = Field(
        None, ge=1, le=2**31 - 1, description="The id of the turn whose path is the session; null: no turn."
    )


@router.get("/conversations")
async def list_conversations(
    request: Request,
    search: Annotated[
        str, Query(max_length=1000, description="Words that are all in its title or its texts.")
    ] = "",
    limit: Annotated[int, Query(ge=1, le=_MAX_PAGE, description="Conversations of a page.")] = 50,
    before: Annotated[
        str | None, Query(pattern=_CURSOR, description="For the page after one: its `next`.")
    ] = None,
) -> ConversationPage:
    """Your conversations, which sessions are, too."""
    cursor = None
    if before is not None:
        pinned, updated, id_before = before.split("_", 2)
        cursor = pinned == "1", float(updated), id_before
    find = get_store(request).list_conversations
    found = await asyncio.to_thread(find, get_owner(request), search, limit + 1, cursor)
    last = found[limit - 1] if len(found) > limit else None
    following = None if last is None else f"{last.pinned:d}_{last.updated!r}_{last.id}"
    return ConversationPage(conversations=found[:limit], next=following)


@router.get("/conversations/{id}")
async def get_conversation(request: Request, session_id: SessionId) -> tree.Conversation:
    """A conversation with the turns of all branches."""
    return await asyncio.to_thread(get_store(request).get, get_owner(request), session_id)


@router.put("/conversations/{id}", responses=BUSY_RESPONSES)
async def change_conversation(
    request: Request, session_id: SessionId, changes: ConversationChanges
) -> tree.Conversation:
    """Change its title, pin it, or choose another branch for the next question."""
    values: dict[str, Any] = changes.model_dump(exclude_unset=True)
    owner = get_owner(request)
    is_used = "head" in values  # by an answer, which would not be stored
    with get_store(request).hold(owner, session_id) if is_used else nullcontext():
        return await run_to_end(get_store(request).change, owner, session_id, values)
