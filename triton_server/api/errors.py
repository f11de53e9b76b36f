"""Every error in OpenAI's form: {"error": {"message", "type", "param", "code"}}, with its HTTP status."""

import json
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from model_core.errors import TritonchatError
from model_core.events import Failed
from model_core.sampling import SamplingFields
from model_core.validation import explain

_CODES = {"prompt_too_long": "context_length_exceeded"}  # OpenAI's code, where it differs from the type
_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_RETRY_AFTER_S = {429: 1, 503: 5}


class ErrorFields(BaseModel):
    """The fields of an error: a sentence, OpenAI's type, the field that is wrong, and a code."""

    message: str
    type: str
    param: str | None
    code: str | None


class ErrorBody(BaseModel):
    """An error."""

    error: ErrorFields


# Error responses of every route, for the OpenAPI description.
ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorBody, "description": "The request can never succeed as it is."},
    401: {"model": ErrorBody, "description": "It needs an API key."},
    403: {
        "model": ErrorBody,
        "description": "It comes from a web page that may not use the service, or the sessions are full.",
    },
    404: {"model": ErrorBody, "description": "There is nothing of that name."},
    408: {"model": ErrorBody, "description": "Its timeout_s has passed."},
    413: {"model": ErrorBody, "description": "Its body is too large."},
    429: {"model": ErrorBody, "description": "The service is busy; Retry-After says when to try again."},
    503: {"model": ErrorBody, "description": "The engine is unavailable: it is starting or stopping."},
}


class ApiError(TritonchatError):
    """The HTTP service itself refuses a request.

    `status` is the HTTP status. `code` and `param` are OpenAI's fields: a word for the error, and the field
    that is wrong. `retry_after_s` is sent as Retry-After.
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
        super().__init__(message, param)
        self.status, self.code, self.retry_after_s = status, code, retry_after_s


def unsupported(param: str, message: str) -> ApiError:
    """The error for a field that this service does not have."""
    return ApiError(400, message, "unsupported", param)


class ClientDisconnected(ApiError):
    """The client closed the connection before it had the whole response."""

    def __init__(self) -> None:
        super().__init__(499, "the client has disconnected.")  # as nginx logs it


def failure_of(error: Exception) -> Failed:
    """An error as an event. Of an unexpected error it says nothing; it is for the log.

    `type` is OpenAI's code, "" for an error that has none.
    """
    if isinstance(error, ApiError):
        return Failed(error.code or "", str(error), error.param, error.status)
    if isinstance(error, TritonchatError):
        return Failed(_CODES.get(error.type, error.type), str(error), error.param, error.status)
    if isinstance(error, RequestValidationError):
        return Failed("", *_first_problem(error), status=400)  # as OpenAI's clients expect
    if isinstance(error, HTTPException):
        return Failed("", f"{error.detail}.", status=error.status_code)
    return Failed("", "the request failed in the service; its log says why.")


def body_of(failure: Failed) -> dict[str, Any]:
    """The JSON body of a failure."""
    kind = _TYPES.get(failure.status, "invalid_request_error" if failure.status < 500 else "server_error")
    return {
        "error": {
            "message": failure.message,
            "type": kind,
            "param": failure.param,
            "code": failure.type or None,
        }
    }


def headers_of(error: Exception) -> dict[str, str]:
    """The headers that an error adds to its response, such as Retry-After for errors that pass."""
    wait = getattr(error, "retry_after_s", None) or _RETRY_AFTER_S.get(failure_of(error).status)
    headers = dict(getattr(error, "headers", None) or {})
    return {**headers, "Retry-After": str(wait)} if wait else headers


def response_of(error: Exception) -> Response:
    """An error as a response; a middleware may call it as an ASGI application."""
    failure = failure_of(error)
    return Response(
        json.dumps(body_of(failure)), failure.status, headers_of(error), media_type="application/json"
    )


def install(app: FastAPI) -> None:
    """Let the application answer expected errors in this form; logs.py answers unexpected ones."""

    async def handle_error(request: Request, error: Exception) -> Response:
        return response_of(error)

    async def handle_disconnect(request: Request, error: Exception) -> Response:
        return response_of(ClientDisconnected())

    app.add_exception_handler(ClientDisconnect, handle_disconnect)
    for kind in (TritonchatError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, handle_error)


def _first_problem(error: RequestValidationError) -> tuple[str, str | None]:
    (problem, *_) = errors = [{**e, "loc": e["loc"][1:]} for e in error.errors()]  # without "body"
    if problem["type"] == "json_invalid":
        return f"the body is not JSON: {problem['ctx']['error']}.", None
    return explain(errors, SamplingFields.model_fields)
