"""Conversations that the service keeps: /sessions.

The history of a session is what its owner has seen. So a turn is kept before the end of its answer is sent;
of a stream that breaks off, what was sent until then is kept as a turn that ends with "cancelled"; and of an
answer that never came, nothing.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, suppress
from typing import Annotated, Any, TypeVar

import anyio
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from model_core import SamplingParams
from model_core.errors import ShuttingDown

from ..async_client import Part
from . import store
from .errors import ERRORS, ApiError, ClientLeft, ErrorBody, told
from .generation import Streamed, begun, generate
from .session_schemas import (
    Changes,
    NewSession,
    Parameters,
    Question,
    Reversion,
    SessionAnswer,
    SessionId,
    SessionPage,
    SessionState,
    SessionSummary,
)

router = APIRouter(tags=["sessions"], responses=ERRORS)

MAX_PAGE = 100
Result = TypeVar("Result")
_SETTLE_S = 5.0
_DETAILS = ("finish_reason", "usage", "timings")

_KEPT = """The turn is in the database before the answer ends. Two requests on one session at once are never
mixed up: the second is refused (409, `session_busy`). If the client leaves, the generation stops; what had
been sent of a stream is kept as a turn whose `finish_reason` is `cancelled`."""

BUSY: dict[int | str, dict[str, Any]] = {
    409: {"model": ErrorBody, "description": "Another request works on the session; Retry-After says when."}
}
TAKEN: dict[int | str, dict[str, Any]] = {
    409: {"model": ErrorBody, "description": "There is a session of this id."}
}


@router.post("/sessions", response_model=SessionState, status_code=201, responses=TAKEN)
async def create_session(request: Request, new: NewSession | None = None) -> store.Session:
    """Begin a session, under an id of your own or one that is made."""
    return await create(request, new or NewSession())


@router.get("/sessions")
async def list_sessions(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE, description="Sessions of a page.")] = 20,
    before: Annotated[
        int | None, Query(ge=1, le=2**31 - 1, description="For the page after one: its `next`.")
    ] = None,
) -> SessionPage:
    """Your sessions, the newest first."""
    found = await asyncio.to_thread(_store(request).sessions, _owner(request), limit + 1, before)
    shown = [
        SessionSummary(id=s.id, created=s.created, updated=s.updated, questions=count)
        for s, count in found[:limit]
    ]
    return SessionPage(sessions=shown, next=found[limit - 1][0].key if len(found) > limit else None)


@router.get("/sessions/{id}", response_model=SessionState)
async def get_session(request: Request, session_id: SessionId) -> store.Session:
    """A session with its turns."""
    return await asyncio.to_thread(_store(request).session, _owner(request), session_id)


@router.put("/sessions/{id}", response_model=SessionState, responses=BUSY)
async def change_session(request: Request, session_id: SessionId, changes: Changes) -> store.Session:
    """Set the system prompt or parameters. Turns stay as they are; the next answer goes by the new ones."""
    sessions, owner = _store(request), _owner(request)
    with sessions.hold(owner, session_id):
        session = await asyncio.to_thread(sessions.session, owner, session_id)
        values: dict[str, Any] = {"parameters": _merged(session.parameters, changes.parameters)}
        if "system" in changes.model_fields_set:
            values["system"] = changes.system
        return await _finish(sessions.change, session, **values)


@router.delete("/sessions/{id}", status_code=204, responses=BUSY)
async def delete_session(request: Request, session_id: SessionId) -> None:
    """Remove a session with all its turns."""
    sessions, owner = _store(request), _owner(request)
    with sessions.hold(owner, session_id):
        await _finish(sessions.delete, owner, session_id)


@router.put("/sessions/{id}/revert", response_model=SessionState, responses=BUSY)
async def revert_session(request: Request, session_id: SessionId, reversion: Reversion) -> store.Session:
    """Go back to before a question: it and all that came after it are gone."""
    sessions, owner = _store(request), _owner(request)
    with sessions.hold(owner, session_id):
        return await _finish(sessions.revert, owner, session_id, reversion.to)


@router.put(
    "/sessions/{id}/generate",
    response_model=SessionAnswer,
    description=f"Ask the next question. {_KEPT}",
    responses={
        200: {
            "description": 'The answer. As a stream: events {"text": ...}, and at last {"details": {...}} '
            'with all but the text, or {"error": {...}} where it failed.',
            "content": {"text/event-stream": {}},
        },
        **BUSY,
    },
)
async def ask(request: Request, session_id: SessionId, question: Question) -> Response | dict[str, Any]:
    parts = answer_of(request, session_id, question, question.stream)
    if question.stream:
        return Streamed(_events(await begun(parts)), "text/event-stream")
    async with aclosing(parts):
        said = [part async for part in parts]
    return {"text": "".join(part.text for part in said), **said[-1].details}


async def settle(sessions: store.Store) -> None:
    """Before the service ends: let requests that were cut off keep what was seen of their answers."""
    with anyio.move_on_after(_SETTLE_S):
        while sessions.is_held:
            await asyncio.sleep(0.01)


async def create(request: Request, new: NewSession) -> store.Session:
    """A new session of the request's owner."""
    parameters = _merged({}, new.parameters)
    return await _finish(_store(request).create, _owner(request), new.id, new.system, parameters)


async def answer_of(
    request: Request, session_id: str, question: Question, streamed: bool
) -> AsyncIterator[Part]:
    """The answer's parts; the last says which turn it is, and comes when that is in the database.

    What has been taken of a stream is kept where it breaks off.
    """
    sessions, owner = _store(request), _owner(request)
    with sessions.hold(owner, session_id):
        session = await asyncio.to_thread(sessions.session, owner, session_id)
        parameters = _merged(session.parameters, question.parameters)
        messages, text = session.messages(question.prompt), ""

        async def keep(reason: str, usage: dict[str, int] | None) -> int:
            return await _finish(sessions.add_turn, session, question.prompt, text, reason, usage, parameters)

        try:
            async with aclosing(generate(request, messages, parameters)) as parts:
                async for part in parts:
                    if part.is_last:
                        break
                    yield part
                    text += part.text  # now, because who asks for more has got this
        except BaseException:
            if text and streamed:
                with suppress(ApiError):  # there is nobody left to tell
                    await keep("cancelled", None)
            raise
        text, details = text + part.text, part.details
        if not text and details["finish_reason"] == "cancelled":
            raise ShuttingDown("the server is stopping and did not come to answer; ask again.")
        turn = await keep(details["finish_reason"], details["usage"])
    # Who has got this may ask the next question at once, so the session is free by now.
    yield Part(part.text, {**{name: details[name] for name in _DETAILS}, "turn": turn})


async def _events(parts: AsyncIterator[Part]) -> AsyncIterator[bytes]:
    """An answer as server-sent events."""
    try:
        async with aclosing(parts):
            async for part in parts:
                if part.text:
                    yield _event({"text": part.text})
                if part.is_last:
                    yield _event({"details": part.details})
    except ClientLeft:
        raise
    except Exception as error:
        yield _event(told(error))


def _event(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


async def _finish(change: Callable[..., Result], *arguments: Any, **named: Any) -> Result:
    """Carry out a change of the database in a thread, to its end even where nobody waits for it any more."""
    with anyio.CancelScope(shield=True):
        return await asyncio.to_thread(change, *arguments, **named)


def _merged(parameters: dict[str, Any], others: Parameters) -> dict[str, Any]:
    """Parameters with others before them; null takes one away. Raises InvalidRequest for wrong ones."""
    merged = {**parameters, **others.model_dump(exclude_unset=True)}
    merged = {name: value for name, value in merged.items() if value is not None}
    SamplingParams.from_dict(merged)
    return merged


def _store(request: Request) -> store.Store:
    return request.app.state.store


def _owner(request: Request) -> str:
    """The hash of the key that the request came with; empty where none is asked for."""
    return request.state.owner
