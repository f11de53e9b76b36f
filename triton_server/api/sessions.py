"""The routes of sessions, which are conversations that the service stores: /sessions.

A session contains what its owner has received. A turn is stored before the end of its answer is sent. If a
stream breaks off, the text that was sent is stored as a turn with the finish reason "cancelled". If no text
was sent, nothing is stored.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from model_core.errors import ShuttingDown
from model_core.events import Accepted, Done, Event, Failed, Reasoning, Text, ToolCallDelta
from model_core.messages import join_tool_calls
from model_core.sampling import draw_seed

from .. import vocabulary
from ..contract import DEFAULT_MODEL
from ..conversations.errors import StoreRefusal
from ..conversations.sessions import SessionStore
from ..conversations.tables import Session
from .errors import ERROR_RESPONSES, ErrorBody, body_of
from .generation import end_with_failure, forget_prefixes, stream_answers, wait_until_accepted
from .session_schemas import (
    AnswerDetails,
    NewSession,
    Parameters,
    Question,
    RevertRequest,
    SessionAnswer,
    SessionChanges,
    SessionId,
    SessionPage,
    SessionState,
    SessionSummary,
)
from .store_calls import run_to_end
from .stream_response import KEEP_ALIVE, StreamResponse

LOGGER = logging.getLogger(__name__)

router = APIRouter(tags=["sessions"], responses=ERROR_RESPONSES)

MAX_PAGE = 100
_SHUTDOWN_WAIT_S = 5.0

_ASK_DESCRIPTION = """Ask the next question. The turn is in the database before the answer ends. While one
request uses a session, another one is refused (409, `session_busy`). If the client disconnects, generation
stops, and the part of a stream that was sent is stored as a turn whose `finish_reason` is `cancelled`."""

BUSY_RESPONSES: dict[int | str, dict[str, Any]] = {
    409: {
        "model": ErrorBody,
        "description": "Another request uses the session; Retry-After says when to try again.",
    }
}
EXISTS_RESPONSES: dict[int | str, dict[str, Any]] = {
    409: {"model": ErrorBody, "description": "A session with this id exists."}
}


@router.post("/sessions", response_model=SessionState, status_code=201, responses=EXISTS_RESPONSES)
async def create_session(request: Request, new: NewSession | None = None) -> Session:
    """Create a session, with your id or a new one."""
    return await make_session(request, new or NewSession())


@router.get("/sessions")
async def list_sessions(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE, description="Sessions of a page.")] = 20,
    before: Annotated[
        int | None, Query(ge=1, le=2**31 - 1, description="For the page after one: its `next`.")
    ] = None,
) -> SessionPage:
    """Your sessions, the newest first."""
    rows = await asyncio.to_thread(_store(request).list_sessions, _owner(request), limit + 1, before)
    summaries = [
        SessionSummary(id=s.id, created=s.created, updated=s.updated, questions=count)
        for s, count in rows[:limit]
    ]
    return SessionPage(sessions=summaries, next=rows[limit - 1][0].key if len(rows) > limit else None)


@router.get("/sessions/{id}", response_model=SessionState)
async def get_session(request: Request, session_id: SessionId) -> Session:
    """A session with its turns."""
    return await asyncio.to_thread(_store(request).get_session, _owner(request), session_id)


@router.put("/sessions/{id}", response_model=SessionState, responses=BUSY_RESPONSES)
async def change_session(request: Request, session_id: SessionId, changes: SessionChanges) -> Session:
    """Set the system prompt or parameters. The next answer uses them; turns do not change."""
    sessions, owner = _store(request), _owner(request)
    with sessions.hold(owner, session_id):
        session = await asyncio.to_thread(sessions.get_session, owner, session_id)
        parameters = _merge_parameters(session.parameters, changes.parameters)
        if changes.parameters.model is not None:
            await _find_model(request, parameters)
        values: dict[str, Any] = {"parameters": parameters}
        if "system" in changes.model_fields_set:
            values["system"] = changes.system
        return await run_to_end(sessions.change, session, **values)


@router.delete("/sessions/{id}", status_code=204, responses=BUSY_RESPONSES)
async def delete_session(request: Request, session_id: SessionId) -> None:
    """Remove a session with all its turns."""
    sessions, owner = _store(request), _owner(request)
    with sessions.hold(owner, session_id):
        await forget_prefixes(request)
        await run_to_end(sessions.delete, owner, session_id)


@router.put("/sessions/{id}/revert", response_model=SessionState, responses=BUSY_RESPONSES)
async def revert_session(request: Request, session_id: SessionId, revert: RevertRequest) -> Session:
    """Remove a question and all later ones."""
    sessions, owner = _store(request), _owner(request)
    with sessions.hold(owner, session_id):
        return await run_to_end(sessions.revert, owner, session_id, revert.to)


@router.put(
    "/sessions/{id}/generate",
    response_model=SessionAnswer,
    description=_ASK_DESCRIPTION,
    responses={
        200: {
            "description": 'The answer. As a stream: events {"reasoning": ...}, {"text": ...} and '
            '{"tool_call": {"index", "id", "name", "arguments"}}, of which each has a part, and at last '
            '{"details": {...}} with the rest, or {"error": {...}} where it failed.',
            "content": {"text/event-stream": {}},
        },
        **BUSY_RESPONSES,
    },
)
async def ask(request: Request, session_id: SessionId, question: Question) -> Response | SessionAnswer:
    events = answer_question(request, session_id, question, question.stream)
    if question.stream:
        events = end_with_failure(await wait_until_accepted(events))
        return StreamResponse(render_events(events), "text/event-stream")
    text, reasoning, calls = "", "", []
    async with aclosing(events):
        async for turn, event in events:  # noqa: B007 - those of the last event are used below
            if isinstance(event, Text):
                text += event.text
            elif isinstance(event, Reasoning):
                reasoning += event.text
            elif isinstance(event, ToolCallDelta):
                calls.append(event)
    tool_calls = join_tool_calls(calls)
    return SessionAnswer(text=text, reasoning=reasoning, tool_calls=tool_calls, turn=turn, **vars(event))


async def wait_for_requests(sessions: SessionStore) -> None:
    """Wait until no request uses a session, at most _SHUTDOWN_WAIT_S: they store what they have sent."""
    with anyio.move_on_after(_SHUTDOWN_WAIT_S):
        while sessions.has_busy_sessions:
            await asyncio.sleep(0.01)


async def make_session(request: Request, new: NewSession) -> Session:
    """Create a session for the owner of the request."""
    parameters = _merge_parameters({}, new.parameters)
    if "model" in parameters:
        await _find_model(request, parameters)
    return await run_to_end(_store(request).create, _owner(request), new.id, new.system, parameters)


async def answer_question(
    request: Request, session_id: str, question: Question, streamed: bool
) -> AsyncIterator[tuple[int, Event]]:
    """Answer the next question of a session; iterate over the events of the answer.

    Done comes when the turn is in the database, and with the number of the turn; the others come with 0. If a
    stream breaks off, the text that the caller has received is stored as a turn.
    """
    sessions, owner = _store(request), _owner(request)
    with sessions.hold(owner, session_id):
        session = await asyncio.to_thread(
            sessions.get_session_for_question, owner, session_id, question.prompt
        )
        parameters = _merge_parameters(session.parameters, question.parameters)
        parameters.setdefault("seed", draw_seed())
        parameters["model"] = await _find_model(request, parameters)
        answer_request = vocabulary.Request(messages=session.messages(question.prompt), **parameters)
        text = ""

        async def store_turn(reason: str, usage: dict[str, int] | None) -> int:
            return await run_to_end(
                sessions.add_turn, session, question.prompt, text, reason, usage, parameters
            )

        try:
            async with aclosing(stream_answers(request, [answer_request])) as events:
                async for item in events:
                    if isinstance(item[1], Done):
                        break
                    yield item
                    if isinstance(item[1], Text):
                        text += item[1].text  # after the yield: the client then has it
        except BaseException:
            if text and streamed:
                with suppress(StoreRefusal):  # the client has disconnected and would not see it
                    await store_turn("cancelled", None)
            raise
        done: Done = item[1]
        if not text and done.finish_reason == "cancelled":
            raise ShuttingDown("the server is stopping and has not answered; ask again.")
        turn = await store_turn(done.finish_reason, vars(done.usage))
    # The client may ask the next question as soon as it has this event, so the session is released first.
    yield turn, done


async def render_events(events: AsyncIterator[tuple[int, Event]]) -> AsyncIterator[bytes]:
    """An answer as server-sent events."""
    async with aclosing(events):
        async for turn, event in events:
            if isinstance(event, Accepted):
                yield KEEP_ALIVE
            elif isinstance(event, Text):
                yield _render_event({"text": event.text})
            elif isinstance(event, Reasoning):
                yield _render_event({"reasoning": event.text})
            elif isinstance(event, ToolCallDelta):
                yield _render_event({"tool_call": vars(event)})
            elif isinstance(event, Done):
                details = AnswerDetails(turn=turn, **vars(event))
                yield _render_event({"details": details.model_dump()})
            elif isinstance(event, Failed):
                yield _render_event(body_of(event))


def _render_event(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


async def _find_model(request: Request, parameters: dict[str, Any]) -> str:
    """The name of the model that parameters choose. Raises ApiError (404) and ServerUnavailable."""
    model = await request.app.state.served_models.resolve(parameters.get("model", DEFAULT_MODEL))
    return model.name


def _merge_parameters(parameters: dict[str, Any], others: Parameters) -> dict[str, Any]:
    """`parameters`, overridden by `others`; null removes one."""
    merged = {**parameters, **others.model_dump(mode="json", exclude_unset=True)}
    return {name: value for name, value in merged.items() if value is not None}


def _store(request: Request) -> SessionStore:
    return request.app.state.store


def _owner(request: Request) -> str:
    """The owner of the request's sessions: the hash of the API key, or "" for a service without keys."""
    return request.state.key_hash
