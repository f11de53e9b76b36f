"""Sessions under the paths of an older chat service, for its clients: plain text in and out."""

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, TypeVar

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.responses import PlainTextResponse, Response

from model_core.errors import InvalidRequest

from ..async_client import Part
from . import store
from .errors import ERRORS
from .generation import Streamed, begun
from .session_schemas import NewSession, Question, Reversion, SessionId, SessionState
from .sessions import BUSY, TAKEN, answer_of, create, delete_session, revert_session

router = APIRouter(tags=["sessions by old names"], responses=ERRORS)

Body = TypeVar("Body", bound=BaseModel)


def _object_or_plain(model: type[BaseModel], field: str, required: bool = True) -> dict[str, Any]:
    """OpenAPI's words for a body that is a JSON object, or one field of it as plain text."""
    content = {
        "application/json": {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}},
        "text/plain": {"schema": {"type": "string", "minLength": 1, "description": f"`{field}` alone."}},
    }
    return {"requestBody": {"required": required, "content": content}}


_TEXT = {"content": {"text/plain": {"schema": {"type": "string"}}}}


@router.post(
    "/createSession",
    status_code=201,
    response_class=Response,
    responses={201: {"description": "The id.", **_TEXT}, **TAKEN},
    openapi_extra=_object_or_plain(NewSession, "id", required=False),
)
async def create_session_by_old_name(request: Request) -> PlainTextResponse:
    """As POST /sessions; the body may be the id alone, and the answer is."""
    session = await create(request, await _body(request, NewSession, "id"))
    return PlainTextResponse(session.id, status_code=201)


@router.put(
    "/generate/{id}",
    response_class=Response,
    responses={200: {"description": "The answer.", **_TEXT}, **BUSY},
    openapi_extra=_object_or_plain(Question, "prompt"),
)
async def ask_by_old_name(request: Request, session_id: SessionId) -> Response:
    """As PUT /sessions/{id}/generate; the body may be the question alone, and the answer is streamed text.

    An answer that fails after it has begun is broken off: the response does not end as HTTP's do.
    """
    question = await _body(request, Question, "prompt")
    return Streamed(_text(await begun(answer_of(request, session_id, question, streamed=True))), "text/plain")


@router.put(
    "/revert/{id}",
    response_model=SessionState,
    responses=BUSY,
    openapi_extra=_object_or_plain(Reversion, "to"),
)
async def revert_session_by_old_name(request: Request, session_id: SessionId) -> store.Session:
    """As PUT /sessions/{id}/revert; the body may be the number alone."""
    return await revert_session(request, session_id, await _body(request, Reversion, "to"))


@router.delete("/removeSession/{id}", response_class=Response, responses=BUSY)
async def delete_session_by_old_name(request: Request, session_id: SessionId) -> Response:
    """As DELETE /sessions/{id}, but answers 200."""
    await delete_session(request, session_id)
    return Response()


async def _text(parts: AsyncIterator[Part]) -> AsyncIterator[bytes]:
    async with aclosing(parts):
        async for part in parts:
            yield part.text.encode()


async def _body(request: Request, model: type[Body], field: str) -> Body:
    """A body that is a JSON object, or one field of it as plain text.

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
