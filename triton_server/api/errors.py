"""Every error as JSON, with its HTTP status.

It has OpenAI's form: {"error": {"message", "type", "param", "code"}}. On the paths of Anthropic's API it has
theirs: {"type": "error", "error": {"type", "message", "details": {"error_code"}}, "request_id"}; on those of
Ollama's and KServe's, {"error": message}; on those of llama.cpp's, {"error": {"code", "message", "type",
"param"}}, whose code is the status.
"""

import json
from typing import Any, Literal

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Scope

from model_core.checks.request_values import MAX_DEPTH, explain, shorten
from model_core.errors import TritonchatError
from model_core.requests.events import Failed
from model_core.requests.sampling import SamplingFields

_CODES = {"prompt_too_long": "context_length_exceeded"}  # OpenAI's code, where it differs from the type
_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
ANTHROPIC_PATH = "/v1/messages"  # the paths of Anthropic's API begin with it
OLLAMA_PATH = "/api"
KSERVE_PATH = "/v2"  # which has also Cohere's /v2/rerank
_NOT_KSERVE = "/v2/rerank"
MODELS_PATH = "/v1/models"  # of OpenAI's API and of Anthropic's
LLAMACPP_PATHS = (
    *("/completion", "/completions", "/infill", "/embedding", "/embeddings", "/props", "/slots"),
)
_ANTHROPIC_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
}
_LLAMACPP_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    503: "unavailable_error",
}
_RETRY_AFTER_S = {429: 1, 503: 5}
_MAX_SHOWN = 100  # characters of a path


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
        "description": "It comes from a web page that may not use the service, its key may not use the "
        "model, or the store is full.",
    },
    404: {"model": ErrorBody, "description": "There is nothing of that name."},
    408: {"model": ErrorBody, "description": "Its timeout_s has passed."},
    413: {"model": ErrorBody, "description": "Its body is too large."},
    429: {"model": ErrorBody, "description": "The service is busy; Retry-After says when to try again."},
    503: {"model": ErrorBody, "description": "The engine is unavailable: it is starting or stopping."},
}


class AnthropicErrorDetails(BaseModel):
    """A word for an error."""

    error_code: str


class AnthropicErrorFields(BaseModel):
    """The fields of an error: Anthropic's type, a sentence, and the word for it if it has one."""

    type: str
    message: str
    details: AnthropicErrorDetails | None = None


class AnthropicErrorBody(BaseModel):
    """An error in Anthropic's form."""

    type: Literal["error"]
    error: AnthropicErrorFields
    request_id: str


class LlamaCppErrorFields(BaseModel):
    """The fields of an error: the HTTP status, a sentence, llama.cpp's type, and the field that is wrong."""

    code: int
    message: str
    type: str
    param: str | None


class LlamaCppErrorBody(BaseModel):
    """An error in the form of llama.cpp's server."""

    error: LlamaCppErrorFields


LLAMACPP_ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {**response, "model": LlamaCppErrorBody} for status, response in ERROR_RESPONSES.items()
}
ANTHROPIC_ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {**response, "model": AnthropicErrorBody} for status, response in ERROR_RESPONSES.items()
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
        detail = error.detail if error.__cause__ is None else _explain_body(error)
        return Failed("", f"{detail}.", status=error.status_code)
    return Failed("", "the request failed in the service; its log says why.")


def body_of(failure: Failed) -> dict[str, Any]:
    """The JSON body of a failure in OpenAI's form."""
    kind = _TYPES.get(failure.status, "invalid_request_error" if failure.status < 500 else "server_error")
    return {
        "error": {
            "message": failure.message,
            "type": kind,
            "param": failure.param,
            "code": failure.type or None,
        }
    }


def anthropic_body_of(failure: Failed, request_id: str) -> dict[str, Any]:
    """The JSON body of a failure in Anthropic's form."""
    kind = _ANTHROPIC_TYPES.get(
        failure.status, "invalid_request_error" if failure.status < 500 else "api_error"
    )
    error: dict[str, Any] = {"type": kind, "message": failure.message}
    if failure.type:
        error["details"] = {"error_code": failure.type}
    return {"type": "error", "error": error, "request_id": request_id}


def text_body_of(failure: Failed) -> dict[str, Any]:
    """The JSON body of a failure in the form of Ollama and KServe."""
    return {"error": failure.message}


def is_kserve(path: str) -> bool:
    """Whether a path is one of KServe's protocol."""
    return path == KSERVE_PATH or (path.startswith(f"{KSERVE_PATH}/") and path != _NOT_KSERVE)


def llamacpp_body_of(failure: Failed) -> dict[str, Any]:
    """The JSON body of a failure in the form of llama.cpp's server."""
    kind = "invalid_request_error" if failure.status < 500 else "server_error"
    if failure.type == _CODES["prompt_too_long"]:
        kind = "exceed_context_size_error"
    return {
        "error": {
            "code": failure.status,
            "message": failure.message,
            "type": _LLAMACPP_TYPES.get(failure.status, kind),
            "param": failure.param,
        }
    }


def headers_of(error: Exception) -> dict[str, str]:
    """The headers that an error adds to its response, such as Retry-After for errors that pass."""
    wait = getattr(error, "retry_after_s", None) or _RETRY_AFTER_S.get(failure_of(error).status)
    headers = dict(getattr(error, "headers", None) or {})
    return {**headers, "Retry-After": str(wait)} if wait else headers


def response_of(error: Exception, scope: Scope) -> Response:
    """An error as the response to a request; a middleware may call it as an ASGI application."""
    failure, path = failure_of(error), scope["path"]
    if path.startswith(ANTHROPIC_PATH) or (path.startswith(MODELS_PATH) and speaks_anthropic(scope)):
        body = anthropic_body_of(failure, scope["state"]["request_id"])
    elif path in LLAMACPP_PATHS:
        body = llamacpp_body_of(failure)
    else:
        has_text_only = path.startswith(f"{OLLAMA_PATH}/") or is_kserve(path)
        body = text_body_of(failure) if has_text_only else body_of(failure)
    return Response(json.dumps(body), failure.status, headers_of(error), media_type="application/json")


def speaks_anthropic(scope: Scope) -> bool:
    """Whether a request has the header that each of Anthropic's clients sends."""
    return any(name == b"anthropic-version" for name, _ in scope["headers"])


def install(app: FastAPI) -> None:
    """Let the application answer expected errors in this form; logs.py answers unexpected ones."""

    async def handle_error(request: Request, error: Exception) -> Response:
        return response_of(error, request.scope)

    async def handle_refusal(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return response_of(_name_route(request, error), request.scope)

    async def handle_disconnect(request: Request, error: Exception) -> Response:
        return response_of(ClientDisconnected(), request.scope)

    app.add_exception_handler(ClientDisconnect, handle_disconnect)
    app.add_exception_handler(HTTPException, handle_refusal)
    for kind in (TritonchatError, RequestValidationError):
        app.add_exception_handler(kind, handle_error)


def _name_route(request: Request, error: HTTPException) -> HTTPException:
    """The same error with what to do, where no route has this path or this method."""
    path = request.scope["path"]
    shown = path[:_MAX_SHOWN]
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "another method")
        return HTTPException(405, f"{shown} takes {allowed}, not {request.method}", error.headers)
    if error.status_code != 404:
        return error
    near = path.removeprefix("/v1") if path.startswith("/v1/v1/") else f"/v1{path}"
    scope = {**request.scope, "path": near}
    if any(route.matches(scope)[0] is Match.FULL for route in request.app.routes):
        advice = f"but {near}: check the base URL of the client"
    else:
        advice = "and /docs describes what there is"
    return HTTPException(404, f"there is no {request.method} {shown} here, {advice}", error.headers)


def _explain_body(error: HTTPException) -> str:
    """What is wrong with a body, of which FastAPI says only that its parser has failed."""
    cause = error.__cause__
    if isinstance(cause, UnicodeDecodeError):
        return f"the body is not UTF-8, in which JSON is sent: byte {cause.start} is wrong"
    if isinstance(cause, RecursionError):
        return f"the body is nested more than {MAX_DEPTH} deep"
    if isinstance(cause, ValueError):  # what Python says of long whole numbers
        return "the body has a whole number of too many digits"
    return error.detail


def _first_problem(error: RequestValidationError) -> tuple[str, str | None]:
    (problem, *_) = errors = [{**e, "loc": e["loc"][1:]} for e in error.errors()]  # without "body"
    if isinstance(problem["input"], bytes):
        return "the body must be JSON, sent with the header `Content-Type: application/json`.", None
    if problem["type"] == "json_invalid":
        return f"the body is not JSON: {problem['ctx']['error']}.", None
    return explain(errors, SamplingFields.model_fields, show=_show_json)


def _show_json(value: Any) -> str:
    """A value of a body, of which Python writes some words otherwise."""
    return json.dumps(value) if value is None or isinstance(value, bool) else shorten(value)
