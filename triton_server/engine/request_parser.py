"""Parses the requests that come through Triton, as contract.py describes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from model_core import SamplingParams
from model_core.errors import InvalidRequest, PromptTooLong

from ..contract import ROLES, Prompt
from ..json_tensors import decode

# Text has about four bytes per token. A prompt with more bytes per position of the context is not parsed.
_BYTES_PER_POSITION = 32
_MAX_PARAMETER_BYTES = 2**20
_MAX_REQUEST_ID_LENGTH = 128
_MAX_NAME_LENGTH = 128  # of cache_salt and client


@dataclass(frozen=True)
class ParsedRequest:
    """A request: its prompt, and the parameters of its answer."""

    prompt: Prompt
    params: SamplingParams
    request_id: str | None
    cache_salt: str
    client: str  # the sender, for a fair order; "": unknown
    continue_final_message: bool  # continue the last message instead of answering it
    acknowledge: bool  # tell the sender when the engine has accepted the request


def parse_request(
    messages: np.ndarray | None, parameters: np.ndarray | None, max_context: int
) -> ParsedRequest:
    """Parse the tensors of a request; None stands for a missing one.

    Raises InvalidRequest or PromptTooLong. The message is one sentence.
    """
    if messages is None:
        raise InvalidRequest("the input messages is missing.")
    max_bytes, size = max_context * _BYTES_PER_POSITION, len(messages.tobytes().rstrip())
    if size > max_bytes:
        raise PromptTooLong(
            f"This model's maximum context length is {max_context} tokens (--max-context), for which the "
            f"server reads {max_bytes} bytes at most, but the prompt has {size}."
        )
    if parameters is not None and parameters.size > _MAX_PARAMETER_BYTES:
        raise InvalidRequest(
            f"parameters has {parameters.size} bytes; at most {_MAX_PARAMETER_BYTES} are allowed."
        )
    prompt = _check_prompt(decode(messages, "messages"))
    values = {} if parameters is None else decode(parameters, "parameters")
    if not isinstance(values, dict):
        raise InvalidRequest("parameters must be a JSON object.")
    values = dict(values)
    request_id = values.pop("request_id", None)
    if request_id is not None and not (
        isinstance(request_id, str) and 0 < len(request_id) <= _MAX_REQUEST_ID_LENGTH
    ):
        raise InvalidRequest(f"request_id must be a string of 1 to {_MAX_REQUEST_ID_LENGTH} characters.")
    cache_salt, client = _pop_name(values, "cache_salt"), _pop_name(values, "client")
    continue_final_message, acknowledge = (
        _pop_flag(values, name) for name in ("continue_final_message", "acknowledge")
    )
    if continue_final_message and not isinstance(prompt[0], dict):
        raise InvalidRequest("continue_final_message needs messages; a raw prompt is always continued.")
    params = SamplingParams(**values)
    return ParsedRequest(prompt, params, request_id, cache_salt, client, continue_final_message, acknowledge)


def _pop_flag(values: dict[str, Any], field: str) -> bool:
    """Remove a flag from the parameters and return it; False if it is missing. Raises InvalidRequest."""
    flag = values.pop(field, False)
    if not isinstance(flag, bool):
        raise InvalidRequest(f"{field} must be true or false.")
    return flag


def _pop_name(values: dict[str, Any], field: str) -> str:
    """Remove a name from the parameters and return it; "" if it is missing. Raises InvalidRequest."""
    name = values.pop(field, None)
    if name is None:
        return ""
    if not isinstance(name, str) or len(name) > _MAX_NAME_LENGTH:
        raise InvalidRequest(f"{field} must be a string of at most {_MAX_NAME_LENGTH} characters.")
    return name


def _check_prompt(value: Any) -> Prompt:
    if isinstance(value, str):
        if not value:
            raise InvalidRequest("the prompt is empty.")
        return value
    if not isinstance(value, Sequence):
        raise InvalidRequest('messages must be a list of {"role", "content"}, or a string to continue.')
    if not value:
        raise InvalidRequest("messages is an empty list; it needs at least one message.")
    if all(type(token) is int for token in value):
        return value
    return [_check_message(number, message) for number, message in enumerate(value, 1)]


def _check_message(number: int, value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping) or set(value) != {"role", "content"}:
        raise InvalidRequest(f'message {number} must be an object with "role" and "content", and no more.')
    role, content = value["role"], value["content"]
    if role not in ROLES:
        raise InvalidRequest(
            f"message {number} has the role {str(role)[:40]!r}; {', '.join(ROLES)} are known."
        )
    if not isinstance(content, str):
        raise InvalidRequest(f"message {number} must have a string as its content.")
    return {"role": role, "content": content}
