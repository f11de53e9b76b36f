"""The routes of sessions: /sessions. A session is the path to the head of a stored conversation.

It contains what its owner has received. A turn is stored before the end of its answer is sent. If a
stream breaks off, the text that was sent is stored as a turn with the finish reason "cancelled". If no text
was sent, nothing is stored.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager, suppress
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from model_core.errors import ShuttingDown
from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import Accepted, Done, Failed, Reasoning, Text, ToolCallDelta
from model_core.requests.sampling import draw_seed

from ...contract import request_fields
from ...contract.conversation_errors import (
    ConversationNotFound,
    SessionBusy,
    SessionNotFound,
    StoreConflict,
    StoreRefusal,
)
from ...contract.tensors import DEFAULT_MODEL
from ...conversations.store import ConversationStore
from ...conversations.tree import Conversation, Turn
from ..errors import ERROR_RESPONSES, ErrorBody, body_of
from ..generation import end_with_failure, forget_prefixes, stream_answers, wait_until_accepted
from ..stream_response import KEEP_ALIVE, NumberedEvents, StreamResponse
from .schemas import (
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
from .store_calls import get_owner, get_store, run_to_end

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


@router.post("/sessions", status_code=201, responses=EXISTS_RESPONSES)
async def create_session(request: Request, new: NewSession | None = None) -> SessionState:
    """Create a session, with your id or a new one."""
    return SessionState.of(await make_session(request, new or NewSession()))


@router.get("/sessions")
async def list_sessions(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE, description="Sessions of a page.")] = 20,
    before: Annotated[
        int | None, Query(ge=1, le=2**31 - 1, description="For the page after one: its `next`.")
    ] = None,
) -> SessionPage:
    """Your sessions, the newest first."""
    found = await asyncio.to_thread(get_store(request).list_by_age, get_owner(request), limit + 1, before)
    keys, sessions = list(found), list(found.values())
    summaries = [
        SessionSummary(id=s.id, created=s.created, updated=s.updated, questions=s.turns)
        for s in sessions[:limit]
    ]
    return SessionPage(sessions=summaries, next=keys[limit - 1] if len(keys) > limit else None)


@router.get("/sessions/{id}")
async def get_session(request: Request, session_id: SessionId) -> SessionState:
    """A session with its turns."""
    with _as_session(session_id):
        return SessionState.of(
            await asyncio.to_thread(get_store(request).get, get_owner(request), session_id)
        )


@router.put("/sessions/{id}", responses=BUSY_RESPONSES)
async def change_session(request: Request, session_id: SessionId, changes: SessionChanges) -> SessionState:
    """Set the system prompt or parameters. The next answer uses them; turns do not change."""
    with _held(request, session_id) as (store, owner):
        session = await asyncio.to_thread(store.get, owner, session_id)
        parameters = _merge_parameters(session.parameters, changes.parameters)
        if changes.parameters.model is not None:
            await _find_model(request, parameters)
        values: dict[str, Any] = {"parameters": parameters}
        if "system" in changes.model_fields_set:
            values["system"] = changes.system
        return SessionState.of(await run_to_end(store.change, owner, session_id, values, session))


@router.delete("/sessions/{id}", status_code=204, responses=BUSY_RESPONSES)
async def delete_session(request: Request, session_id: SessionId) -> None:
    """Remove a session with all its turns."""
    with _held(request, session_id) as (store, owner):
        await forget_prefixes(request)
        await run_to_end(store.remove, owner, session_id)


@router.put("/sessions/{id}/revert", responses=BUSY_RESPONSES)
async def revert_session(request: Request, session_id: SessionId, revert: RevertRequest) -> SessionState:
    """Remove a question and all later ones."""
    with _held(request, session_id) as (store, owner):
        return SessionState.of(await run_to_end(store.revert, owner, session_id, revert.to))


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
    answer = AnswerParts()
    async with aclosing(events):
        async for turn, event in events:  # noqa: B007 - the turn of the last event is used below
            answer.add(event)
    parts = {"text": answer.text, "reasoning": answer.reasoning, "tool_calls": answer.tool_calls}
    return SessionAnswer(turn=turn, **parts, **vars(answer.done))


async def wait_for_requests(store: ConversationStore) -> None:
    """Wait until no request uses a session, at most _SHUTDOWN_WAIT_S: they store what they have sent."""
    with anyio.move_on_after(_SHUTDOWN_WAIT_S):
        while store.is_held:
            await asyncio.sleep(0.01)


async def make_session(request: Request, new: NewSession) -> Conversation:
    """Create a session for the owner of the request."""
    parameters = _merge_parameters({}, new.parameters)
    if "model" in parameters:
        await _find_model(request, parameters)
    return await run_to_end(get_store(request).create, get_owner(request), "", new.system, parameters, new.id)


async def answer_question(
    request: Request, session_id: str, question: Question, streamed: bool
) -> NumberedEvents:
    """Answer the next question of a session; iterate over the events of the answer.

    Done comes when the turn is in the database, and with the number of the turn; the others come with 0. If a
    stream breaks off, the text that the caller has received is stored as a turn.
    """
    with _held(request, session_id) as (store, owner):
        session = await asyncio.to_thread(store.get, owner, session_id, question.prompt)
        parameters = _merge_parameters(session.parameters, question.parameters)
        is_drawn = "seed" not in parameters
        parameters.setdefault("seed", draw_seed())
        parameters["model"] = await _find_model(request, parameters)
        messages = [*session.messages(), {"role": "user", "content": question.prompt}]
        answer_request = request_fields.Request.model_validate({"messages": messages, **parameters})
        if is_drawn:
            answer_request = answer_request.draw(parameters["seed"])
        text = ""

        async def store_turn(reason: str, usage: dict[str, int] | None) -> None:
            turn = Turn(
                0,
                session.head,
                question.prompt,
                text,
                finish_reason=reason,
                usage=usage,
                parameters=parameters,
            )
            await run_to_end(store.add_turn, owner, session_id, turn, session)

        try:
            answers = stream_answers(request, [answer_request], takes_cut_off=True, whole=not streamed)
            async with aclosing(answers) as events:
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
        done = item[1]
        assert isinstance(done, Done)
        if not text and done.finish_reason == "cancelled":
            raise ShuttingDown("the server is stopping and has not answered; ask again.")
        await store_turn(done.finish_reason, done.usage.counts)
    # The client may ask the next question as soon as it has this event, so the session is released first.
    yield len(session.path()) + 1, done


async def render_events(events: NumberedEvents) -> AsyncGenerator[bytes, None]:
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


@contextmanager
def _held(request: Request, session_id: str) -> Iterator[tuple[ConversationStore, str]]:
    """The store and the owner of a session, which is reserved for this request. Raises SessionBusy."""
    store, owner = get_store(request), get_owner(request)
    with store.hold(owner, session_id), _as_session(session_id):
        yield store, owner


@contextmanager
def _as_session(session_id: str) -> Iterator[None]:
    """Raise the errors of a conversation as those of a session."""
    try:
        yield
    except ConversationNotFound as error:
        raise SessionNotFound(session_id) from error
    except StoreConflict as error:
        raise SessionBusy(session_id) from error
