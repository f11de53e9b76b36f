"""What travels between a client and the server: tensors of UTF-8 JSON, and their meaning.

| Triton model  | inputs                                     | outputs                          |
| ------------- | ------------------------------------------ | -------------------------------- |
| `chat`        | `messages` UINT8, `parameters` UINT8 (opt.) | `response` BYTES, `details` BYTES |
| `chat_stream` | the same                                   | the same, a piece a response     |
| `chat_control`| `command` UINT8                            | `result` BYTES                   |

`messages` is a list of {"role", "content"}, or a raw prompt to continue: a string, or a list of token
ids. `details` comes with the whole answer, or with its last piece. Where `logprobs` were asked for, each
piece has a `details` with {"logprobs": [...]} of its own tokens; only the last has more.

`command` is {"cancel": request_id}, answered by {"cancelled": true or false}; {"stats": true}, by what the
server is and does; or {"metrics": true}, by {"metrics": text} in Prometheus' format. What fails is
{"error": {...}}.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from model_core import Completion, SamplingParams, TritonchatError
from model_core.errors import InvalidRequest, PromptTooLong
from model_core.sampling import TokenLogprob
from model_core.tokenizer import Tokenizer

Messages = list[dict[str, str]] | str | list[int]  # a conversation, or a raw prompt to continue

MODELS = CHAT, CHAT_STREAM, CHAT_CONTROL = "chat", "chat_stream", "chat_control"
ROLES = ("system", "user", "assistant")

# Text has about four bytes a token; more than this many a position of the context are not read at all.
_BYTES_PER_POSITION = 32
_MAX_PARAMETERS = 2**20
_MAX_REQUEST_ID = 128

# Triton's dynamic batcher joins requests of equal shape only, so our client pads to these sizes.
_PADDED_SIZES = [2**n for n in range(10, 31, 2)]


@dataclass(frozen=True)
class Request:
    """A request as its sender meant it: a conversation or a raw prompt, and how to answer it."""

    messages: Messages
    params: SamplingParams
    request_id: str | None


def encode(value: Any) -> np.ndarray:
    """A value as UTF-8 JSON in uint8 [bytes]. Raises InvalidRequest for text that is no Unicode."""
    try:
        return np.frombuffer(json.dumps(value, ensure_ascii=False).encode(), np.uint8)
    except UnicodeEncodeError as error:
        raise InvalidRequest(
            "the text has half of a surrogate pair, which stands for no character."
        ) from error


def encode_padded(value: Any) -> np.ndarray:
    """As `encode`, with white space behind up to the next size of a few: so Triton can batch requests."""
    array = encode(value)
    size = next((size for size in _PADDED_SIZES if size >= len(array)), len(array))
    return np.pad(array, (0, size - len(array)), constant_values=ord(" "))


def decode(array: np.ndarray, name: str) -> Any:
    """The value of uint8 JSON. Raises InvalidRequest, naming the tensor, where it is none."""
    try:
        text = array.tobytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"{name} is not UTF-8: byte {error.start} does not belong.") from error
    if not text.strip():
        raise InvalidRequest(f"{name} is empty; it should hold JSON.")
    try:
        value = json.loads(text, parse_constant=_no_constant)
        if "\\ud" in text.lower():  # an escape may leave half a character, which is no text
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except UnicodeEncodeError as error:
        raise InvalidRequest(
            f"{name} has half of a surrogate pair, which stands for no character."
        ) from error
    except RecursionError as error:
        raise InvalidRequest(f"{name} is nested too deeply.") from error
    except ValueError as error:
        raise InvalidRequest(f"{name} is not JSON: {error}.") from error


def parse_request(messages: np.ndarray, parameters: np.ndarray | None, max_context: int) -> Request:
    """What a request asks for. Raises InvalidRequest or PromptTooLong, in one clear sentence."""
    most, size = max_context * _BYTES_PER_POSITION, len(messages.tobytes().rstrip())
    if size > most:
        raise PromptTooLong(
            f"messages has {size} bytes, but for a context of {max_context} tokens (--max-context) "
            f"the server reads {most} at most."
        )
    if parameters is not None and parameters.size > _MAX_PARAMETERS:
        raise InvalidRequest(
            f"parameters has {parameters.size} bytes; at most {_MAX_PARAMETERS} are allowed."
        )
    conversation = _conversation(decode(messages, "messages"))
    values = {} if parameters is None else decode(parameters, "parameters")
    if not isinstance(values, dict):
        raise InvalidRequest("parameters must be a JSON object.")
    values = dict(values)
    request_id = values.pop("request_id", None)
    if request_id is not None and not (
        isinstance(request_id, str) and 0 < len(request_id) <= _MAX_REQUEST_ID
    ):
        raise InvalidRequest(f"request_id must be a string of 1 to {_MAX_REQUEST_ID} characters.")
    return Request(conversation, SamplingParams.from_dict(values), request_id)


def details(completion: Completion, model: str, tokenizer: Tokenizer | None) -> dict[str, Any]:
    """The `details` of an answer, but for its `logprobs`."""
    described = {
        "finish_reason": completion.finish_reason,
        "usage": asdict(completion.usage),
        "timings": asdict(completion.timings),
        "model": model,
    }
    if tokenizer is None:
        described["token_ids"] = completion.token_ids  # there is no text to hold the answer
    if completion.error is not None:
        described["error"] = error_details(completion.error)["error"]
    return described


def logprob_details(entries: Iterable[TokenLogprob], tokenizer: Tokenizer | None) -> list[dict[str, Any]]:
    """The `logprobs` of some tokens of an answer."""
    shown = tokenizer.token_text if tokenizer is not None else str
    return [
        {
            "token": shown(entry.token_id),
            "token_id": entry.token_id,
            "logprob": entry.logprob,
            "top_logprobs": [
                {"token": shown(token), "token_id": token, "logprob": logprob} for token, logprob in entry.top
            ],
        }
        for entry in entries
    ]


def error_type(error: Exception) -> str:
    """The kind of an error in a word; what nobody expected is `internal`."""
    return error.type if isinstance(error, TritonchatError) else TritonchatError.type


def error_details(error: Exception) -> dict[str, Any]:
    """The `details` of a request that failed before it began."""
    return {"error": {"type": error_type(error), "message": str(error)}}


def _conversation(value: Any) -> Messages:
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
    return [_message(number, message) for number, message in enumerate(value, 1)]


def _message(number: int, value: Any) -> dict[str, str]:
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


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")
