"""Parses the requests that come through Triton, as contract/tensors.py describes them."""

from typing import Any

import numpy as np

from model_core.errors import InvalidRequest, PromptTooLong

from ...contract.image_bytes import MAX_IMAGES_BYTES, count_image_bytes
from ...contract.json_tensors import decode
from ...contract.request_fields import Request

# Text has about four bytes per token. A prompt with more bytes per position of the context is not parsed.
_BYTES_PER_POSITION = 32
_MAX_LONG_CONVERSATION_BYTES = 2**24  # of one whose oldest messages may be left out
_MAX_PARAMETER_BYTES = 2**20
MAX_TIMEOUT_S = 86400 * 7  # as of the field timeout_s
_MAX_FEED_BYTES = 1000  # of a request for a feed


def split_rows(data: dict[str, np.ndarray], name: str) -> list[tuple[np.ndarray | None, np.ndarray | None]]:
    """The inputs `name` and `parameters` of each row of a request; None if the request lacks the input."""
    count = len(next(iter(data.values())))
    main, parameters = data.get(name), data.get("parameters")
    return [
        (None if main is None else main[i], None if parameters is None else parameters[i])
        for i in range(count)
    ]


def parse_parameters(parameters: np.ndarray | None, main: str = "messages") -> dict[str, Any]:
    """Parse the tensor `parameters`; None stands for a missing one. `main`: the name of the other input.

    Only `model` is checked. Raises InvalidRequest.
    """
    if parameters is not None and parameters.size > _MAX_PARAMETER_BYTES:
        raise InvalidRequest(
            f"parameters has {parameters.size} bytes; at most {_MAX_PARAMETER_BYTES} are allowed."
        )
    values = {} if parameters is None else decode(parameters, "parameters")
    if not isinstance(values, dict):
        raise InvalidRequest("parameters must be a JSON object.")
    if main in values:
        raise InvalidRequest(f"{main} is an input of its own, and not among the parameters.", main)
    check_model_name(values.get("model"))
    return values


def limit_time(values: dict[str, Any], limit_s: float | None) -> dict[str, Any]:
    """Parameters with another limit of time, unless their own `timeout_s` is shorter, or wrong."""
    given = values.get("timeout_s")
    if limit_s is None or (given is not None and (type(given) not in (int, float) or given <= limit_s)):
        return values
    return {**values, "timeout_s": min(limit_s, MAX_TIMEOUT_S)}


def find_feed_name(messages: np.ndarray | None) -> str | None:
    """The name in a request for a feed, {"feed": name}; None for any other request."""
    if messages is None or messages.size > _MAX_FEED_BYTES or not messages.tobytes().startswith(b"{"):
        return None
    try:
        command = decode(messages, "messages")
    except InvalidRequest:
        return None
    return command["feed"] if command.keys() == {"feed"} and isinstance(command["feed"], str) else None


def check_model_name(name: Any) -> str | None:
    """The name, if it is text or None. Raises InvalidRequest."""
    if name is not None and not isinstance(name, str):
        raise InvalidRequest("model must be a string, the name of a model.", "model")
    return name


def parse_request(messages: np.ndarray | None, values: dict[str, Any], max_context: int) -> Request:
    """Parse the tensor `messages` of a request; None stands for a missing one. `values`: its parameters.

    Raises InvalidRequest or PromptTooLong. The message is one sentence.
    """
    if messages is None:
        raise InvalidRequest("the input messages is missing.", "messages")
    max_bytes, data = max_context * _BYTES_PER_POSITION, messages.tobytes().rstrip()
    if values.get("truncation") == "auto":
        max_bytes = max(max_bytes, _MAX_LONG_CONVERSATION_BYTES)
    size = image_size = len(data)
    if size > max_bytes:  # then what else is there may be images
        size -= count_image_bytes(data)
    image_size -= size
    if image_size > MAX_IMAGES_BYTES:
        raise InvalidRequest(
            f"the images of the prompt have {image_size} bytes; at most {MAX_IMAGES_BYTES} are read.",
            "messages",
        )
    del data
    _check_text_size(size, max_bytes, max_context)
    request = Request(messages=decode(messages, "messages"), **values)
    if image_size:
        conversation: Any = request.messages if request.is_chat else ()
        parts = [part for message in conversation for part in message.images]
        urls = sum(len(part.image_url.url or "") for part in parts)
        _check_text_size(size + image_size - urls, max_bytes, max_context)
    return request


def has_images(messages: np.ndarray | None) -> bool:
    """Whether a request may have images. Those that it names in a text are found, too."""
    return messages is not None and b'"image_url"' in messages.tobytes()


def _check_text_size(size: int, max_bytes: int, max_context: int) -> None:
    if size > max_bytes:
        raise PromptTooLong(
            f"This model's maximum context length is {max_context} tokens (--max-context), for which the "
            f"server reads {max_bytes} bytes at most, but the prompt has {size}.",
            "messages",
        )
