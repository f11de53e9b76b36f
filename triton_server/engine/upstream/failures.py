"""What another server says when it refuses or fails, as this server's errors."""

import json
from collections.abc import Mapping
from typing import Any

from model_core import errors
from model_core.errors import InvalidRequest, ModelUnavailable, PromptTooLong, QueueFull, TritonchatError

_CLASSES = {
    value.type: value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, TritonchatError)
}
_CLASSES["context_length_exceeded"] = PromptTooLong  # OpenAI's code
_TOO_LONG = "maximum context length"  # in vLLM's message, which has no code
_MAX_MESSAGE = 1000  # characters


def unavailable(url: str, reason: str) -> ModelUnavailable:
    """The error for a server that does not answer as it should."""
    return ModelUnavailable(f"the engine at {url} {reason}; try again in a moment.")


def read_failure(url: str, status: int, headers: Mapping[str, str], body: bytes) -> TritonchatError:
    """The error that a response of another status than 200 stands for."""
    try:
        value = json.loads(body)
    except ValueError:
        value = {}
    error = make_error(url, status, value if isinstance(value, dict) else {})
    wait = headers.get("Retry-After", "")
    if wait.isdecimal():
        error.retry_after_s = int(wait)
    return error


def make_error(url: str, status: int | None, body: Mapping[str, Any]) -> TritonchatError:
    """The error that a body stands for. `status`: of the response; None: it is an event of a stream."""
    fields = body.get("error", body)
    if not isinstance(fields, dict):  # some servers have only a text
        fields = {"message": fields}
    message = fields.get("message", body.get("detail"))
    message = message[:_MAX_MESSAGE] if isinstance(message, str) else f"it answered with status {status}"
    param, code = fields.get("param"), fields.get("code")
    param = param if isinstance(param, str) else None
    if status is None:
        status = code if isinstance(code, int) else 500  # vLLM's code is the status
    if status in (401, 403):
        return unavailable(url, "refuses the key in TRITONCHAT_ENGINE_API_KEY")
    if isinstance(code, str) and code in _CLASSES:
        return _CLASSES[code](message, param)
    if status == 429:
        return QueueFull(message)
    if 400 <= status < 500:
        return (PromptTooLong if _TOO_LONG in message else InvalidRequest)(message, param)
    return unavailable(url, f"failed ({message})")
