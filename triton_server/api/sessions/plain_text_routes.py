"""Sessions under the paths of an older chat service. Its clients send and receive plain text."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, TypeVar

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.responses import PlainTextResponse, Response

from model_core.errors import InvalidRequest
from model_core.requests.events import Text

from ..errors import ERROR_RESPONSES
from ..generation import wait_until_accepted
from ..stream_response import NumberedEvents, StreamResponse
from .routes import (
    BUSY_RESPONSES,
    EXISTS_RESPONSES,
    answer_question,
    delete_session,
    make_session,
    revert_session,
)
from .schemas import NewSession, Question, RevertRequest, SessionId, SessionState

router = APIRouter(tags=["sessions by old names"], responses=ERROR_RESPONSES)

Body = TypeVar("Body", bound=BaseModel)


def _json_or_text_body(model: type[BaseModel], field: str, required: bool = True) -> dict[str, Any]:
    """The OpenAPI description of a body that is a JSON object, or one field of it as plain text."""
    content = {
        "application/json": {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}},
        "text/plain": {"schema": {"type": "string", "minLength": 1, "description": f"`{field}` alone."}},
    }
    return {"requestBody": {"required": required, "content": content}}


_TEXT_CONTENT = {"content": {"text/plain": {"schema": {"type": "string"}}}}


@router.post(
    "/createSession",
    status_code=201,
    response_class=Response,
    responses={201: {"description": "The id.", **_TEXT_CONTENT}, **EXISTS_RESPONSES},
    openapi_extra=_json_or_text_body(NewSession, "id", required=False),
)
async def create_session_by_old_name(request: Request) -> PlainTextResponse:
    """As POST /sessions. The body may be the id alone. The response is the id alone."""
    session = await make_session(request, await _parse_body(request, NewSession, "id"))
    return PlainTextResponse(session.id, status_code=201)


@router.put(
    "/generate/{id}",
    response_class=Response,
    responses={200: {"description": "The answer.", **_TEXT_CONTENT}, **BUSY_RESPONSES},
    openapi_extra=_json_or_text_body(Question, "prompt"),
)
async def ask_by_old_name(request: Request, session_id: SessionId) -> Response:
    """As PUT /sessions/{id}/generate. The body may be the question alone. The answer is streamed text.

    If an answer fails after it has begun, the response has no end of its transfer encoding.
    """
    question = await _parse_body(request, Question, "prompt")
    events = await wait_until_accepted(answer_question(request, session_id, question, streamed=True))
    return StreamResponse(_render_text(events), "text/plain")


@router.put(
    "/revert/{id}",
    responses=BUSY_RESPONSES,
    openapi_extra=_json_or_text_body(RevertRequest, "to"),
)
async def revert_session_by_old_name(request: Request, session_id: SessionId) -> SessionState:
    """As PUT /sessions/{id}/revert. The body may be the number alone."""
    return await revert_session(request, session_id, await _parse_body(request, RevertRequest, "to"))


@router.delete("/removeSession/{id}", response_class=Response, responses=BUSY_RESPONSES)
async def delete_session_by_old_name(request: Request, session_id: SessionId) -> Response:
    """As DELETE /sessions/{id}, but answers 200."""
    await delete_session(request, session_id)
    return Response()


async def _render_text(events: NumberedEvents) -> AsyncGenerator[bytes, None]:
    async with aclosing(events):
        async for _, event in events:
            if isinstance(event, Text) and event.text:  # an empty part would end the response
                yield event.text.encode()


async def _parse_body(request: Request, model: type[Body], field: str) -> Body:
    """Parse a body that is a JSON object, or the text of its field `field`.

    Raises InvalidRequest or RequestValidationError where it is neither.
    """
    try:
        text = (await request.body()).decode()
    except UnicodeDecodeError as error:
        raise InvalidRequest("the body is not UTF-8.") from error
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    is_object = isinstance(value, dict)
    if not is_object:
        if text and "json" in request.headers.get("content-type", ""):
            raise InvalidRequest("the body is not a JSON object.")
        value = {field: text} if text else {}
    try:
        return model.model_validate(value, strict=is_object)
    except ValidationError as error:
        raise RequestValidationError([{**e, "loc": ("body", *e["loc"])} for e in error.errors()]) from error
