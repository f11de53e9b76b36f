"""The routes of conversations with all branches: /conversations. A session is the path to their head."""

import asyncio
from contextlib import nullcontext
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import Field

from model_core.validation import Text

from ..conversations import tree
from ..conversations.fields import MAX_TITLE_LENGTH
from ..conversations.store import ConversationStore
from .errors import ERROR_RESPONSES
from .session_schemas import RequestBody, SessionId
from .sessions import BUSY_RESPONSES
from .store_calls import run_to_end

router = APIRouter(tags=["conversations"], responses=ERROR_RESPONSES)

_MAX_PAGE = 200


class ConversationList(RequestBody):
    """Conversations: pinned ones first, then those that were changed last. Times are seconds since 1970."""

    conversations: list[tree.Summary]


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
    limit: Annotated[int, Query(ge=1, le=_MAX_PAGE, description="The largest number of them.")] = 50,
) -> ConversationList:
    """Your conversations, which sessions are, too."""
    found = await asyncio.to_thread(_store(request).list_conversations, _owner(request), search, limit)
    return ConversationList(conversations=found)


@router.get("/conversations/{id}")
async def get_conversation(request: Request, session_id: SessionId) -> tree.Conversation:
    """A conversation with the turns of all branches."""
    return await asyncio.to_thread(_store(request).get, _owner(request), session_id)


@router.put("/conversations/{id}", responses=BUSY_RESPONSES)
async def change_conversation(
    request: Request, session_id: SessionId, changes: ConversationChanges
) -> tree.Conversation:
    """Change its title, pin it, or choose another branch for the next question."""
    values: dict[str, Any] = changes.model_dump(exclude_unset=True)
    owner = _owner(request)
    is_used = "head" in values  # by an answer, which would not be stored
    with request.app.state.store.hold(owner, session_id) if is_used else nullcontext():
        return await run_to_end(_store(request).change, owner, session_id, values)


def _store(request: Request) -> ConversationStore:
    return request.app.state.conversations


def _owner(request: Request) -> str:
    """The owner of the request's conversations, as of its sessions."""
    return request.state.key_hash
