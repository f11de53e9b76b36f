"""Every error in OpenAI's form: {"error": {"message", "type", "param", "code"}}, with its HTTP status."""

import json
import logging
import re
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from model_core.errors import TritonchatError

LOGGER = logging.getLogger(__name__)

_STATUS = {  # by the error's type; any other is 500
    "invalid_request": 400,
    "prompt_too_long": 400,
    "no_memory": 400,
    "timeout": 408,
    "queue_full": 429,
    "shutting_down": 503,
    "server_unavailable": 503,
}
_CODES = {"prompt_too_long": "context_length_exceeded"}  # where OpenAI has a name of its own
_KINDS = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_RETRY_AFTER_S = {429: 1, 503: 5}
_ABOUT = re.compile(r"(\w+) must be ")  # how SamplingParams begins when a field is wrong


class Problem(BaseModel):
    """What went wrong: in a sentence, its kind, the field, and in one word."""

    message: str
    type: str
    param: str | None
    code: str | None


class ErrorBody(BaseModel):
    """An error."""

    error: Problem


# What any route may answer, for the description of the API.
ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorBody, "description": "The request can never succeed as it is."},
    401: {"model": ErrorBody, "description": "It needs an API key."},
    403: {"model": ErrorBody, "description": "It comes from a web page that may not use the service."},
    404: {"model": ErrorBody, "description": "There is nothing of that name."},
    408: {"model": ErrorBody, "description": "Its timeout_s has passed."},
    413: {"model": ErrorBody, "description": "Its body is too large."},
    422: {"model": ErrorBody, "description": "A field is missing or of the wrong type."},
    429: {"model": ErrorBody, "description": "There is too much to do; Retry-After says when to try again."},
    503: {"model": ErrorBody, "description": "The engine is away, starting or stopping."},
}


class ApiError(TritonchatError):
    """A refusal of the HTTP service itself.

    `status` is HTTP's; `code` and `param` are OpenAI's: what went wrong in one word, and with which field.
    `retry_after_s` goes out as Retry-After.
    """

    type = "api"

    def __init__(
        self,
        status: int,
        message: str,
        code: str | None = None,
        param: str | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.param, self.retry_after_s = status, code, param, retry_after_s


class ClientLeft(ApiError):
    """Nobody waits for the response any more."""

    def __init__(self) -> None:
        super().__init__(499, "the client has left.")  # nginx's number for it, in the log


def status_of(error: Exception) -> int:
    """The HTTP status of an error; 500 for what nobody expected."""
    if isinstance(error, ApiError):
        return error.status
    if isinstance(error, RequestValidationError):
        return 400 if any(e["type"] == "json_invalid" for e in error.errors()) else 422
    if isinstance(error, HTTPException):
        return error.status_code
    return _STATUS.get(error.type, 500) if isinstance(error, TritonchatError) else 500


def body_of(error: Exception) -> dict[str, Any]:
    """The JSON body of an error. What nobody expected is not told in detail; the log has it."""
    status = status_of(error)
    message, code, param = str(error), None, None
    if isinstance(error, ApiError):
        code, param = error.code, error.param
    elif isinstance(error, TritonchatError):
        code, about = _CODES.get(error.type, error.type), _ABOUT.match(message)
        param = about[1] if about and status == 400 else None
    elif isinstance(error, RequestValidationError):
        message, param = _first_problem(error)
    elif isinstance(error, HTTPException):
        message = f"{error.detail}."
    else:
        message = "something went wrong in the service; its log says what."
    kind = _KINDS.get(status, "invalid_request_error" if status < 500 else "server_error")
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def told(error: Exception) -> dict[str, Any]:
    """As `body_of`, for a stream, which has no status any more: what nobody expected is logged here."""
    if not isinstance(error, TritonchatError):
        LOGGER.error("A stream failed", exc_info=error)
    return body_of(error)


def headers_of(error: Exception) -> dict[str, str]:
    """The headers that an error adds to its response: Retry-After where trying again makes sense."""
    wait = getattr(error, "retry_after_s", None) or _RETRY_AFTER_S.get(status_of(error))
    headers = dict(getattr(error, "headers", None) or {})
    return {**headers, "Retry-After": str(wait)} if wait else headers


def response_of(error: Exception) -> Response:
    """An error as a response; a middleware may call it as an ASGI application."""
    return Response(
        json.dumps(body_of(error)), status_of(error), headers_of(error), media_type="application/json"
    )


def install(app: FastAPI) -> None:
    """Let the application answer all errors in this form; logs.py does so for those that nobody expected."""

    async def known(request: Request, error: Exception) -> Response:
        return response_of(error)

    async def left(request: Request, error: Exception) -> Response:
        return response_of(ClientLeft())

    app.add_exception_handler(ClientDisconnect, left)
    for kind in (TritonchatError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, known)


def _first_problem(error: RequestValidationError) -> tuple[str, str | None]:
    first, *rest = error.errors()
    if first["type"] == "json_invalid":
        return f"the body is not JSON: {first['ctx']['error']}.", None
    param = ".".join(str(part) for part in first["loc"][1:]) or None
    more = f" ({len(rest)} more)" if rest else ""
    return f"{param or 'the body'}: {first['msg']}{more}.", param
