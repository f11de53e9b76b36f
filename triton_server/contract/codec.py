"""Events of answers as they travel, and back: in pieces, which have a text and `details` (tensors.py)."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from model_core import errors
from model_core.errors import TritonchatError
from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import (
    Accepted,
    Done,
    Event,
    Failed,
    Logprobs,
    PromptLogprobs,
    RankedChoices,
    Reasoning,
    Text,
    Timings,
    TokenIds,
    ToolCallDelta,
    Usage,
)

from .conversation_errors import STORE_ERRORS

Piece = tuple[str, dict[str, Any]]


class ServerUnavailable(TritonchatError):
    """No server answers at the address, or the server ended during the request."""

    type = "server_unavailable"
    status = 503


# The order of events in a piece. The first ones wait for the text that follows.
FIRST_EVENTS = (Accepted, Logprobs, PromptLogprobs, RankedChoices, TokenIds)
_ORDER = (FIRST_EVENTS, (Reasoning,), (Text,), (ToolCallDelta,), (Done, Failed))
_POSITIONS = {kind: position for position, kinds in enumerate(_ORDER) for kind in kinds}
_ENTRIES: dict[str, type[Logprobs | PromptLogprobs | RankedChoices]] = {
    "logprobs": Logprobs,
    "prompt_logprobs": PromptLogprobs,
    "choices": RankedChoices,
}
_LISTS = (*_ENTRIES, "token_ids", "prompt_token_ids")
_DONE_FIELDS = {field.name for field in fields(Done)}
_ERROR_CLASSES = {
    error_class.type: error_class
    for error_class in (*vars(errors).values(), *STORE_ERRORS, ServerUnavailable)
    if isinstance(error_class, type)
    and issubclass(error_class, TritonchatError)
    and "type" in vars(error_class)  # others have that of their base
}


def encode_stream(events: Iterable[Event]) -> list[Piece]:
    """The events of a stream as pieces, as few as keep their order."""
    pieces: list[AnswerParts] = []
    last = len(_ORDER)
    for event in events:
        position = _POSITIONS[type(event)]
        if position < last:
            pieces.append(AnswerParts())
        pieces[-1].add(event)
        last = position
    return [encode_answer(parts) for parts in pieces]


def encode_answer(parts: AnswerParts) -> Piece:
    """An answer, or a part of it, as one piece."""
    details: dict[str, Any] = {}
    if parts.accepted is not None:
        details |= {"accepted": True, "fingerprint": parts.accepted.fingerprint}
        details |= {"answer_cached": True} if parts.accepted.answer_cached else {}
        if parts.accepted.prompt_tokens is not None:
            details["prompt_tokens"] = parts.accepted.prompt_tokens
    details |= {name: value for name in _LISTS if (value := getattr(parts, name)) is not None}
    if parts.reasoning:
        details["reasoning"] = parts.reasoning
    if parts.calls:
        details["tool_calls"] = [
            {name: value for name, value in vars(call).items() if value is not None}
            for call in parts.calls.values()
        ]
    if isinstance(parts.end, Done):
        details |= _encode_done(parts.end)
    elif isinstance(parts.end, Failed):
        details |= encode_failure(parts.end)
    return parts.text, details


def decode_piece(text: str, details: Mapping[str, Any]) -> list[Event]:
    """The events of a piece."""
    if not details:
        return [Text(text)]
    events: list[Event] = []
    if "accepted" in details:
        cached = details.get("answer_cached", False)
        events.append(Accepted(details.get("fingerprint"), cached, details.get("prompt_tokens")))
    events += [kind(details[name]) for name, kind in _ENTRIES.items() if name in details]
    if "token_ids" in details:
        events.append(TokenIds(details["token_ids"], details.get("prompt_token_ids")))
    if "reasoning" in details:
        events.append(Reasoning(details["reasoning"]))
    if text or ("logprobs" in details and "reasoning" not in details and "tool_calls" not in details):
        events.append(Text(text))
    events += decode_calls(details)
    end = _decode_failure(details) or _decode_done(details)
    return events if end is None else [*events, end]


def decode_calls(details: Mapping[str, Any]) -> list[ToolCallDelta]:
    """The parts of tool calls in `details`."""
    return [ToolCallDelta(**call) for call in details.get("tool_calls", ())]


def write_details(details: Mapping[str, Any]) -> str:
    """The tensor `details`, which is empty if there are none."""
    return json.dumps(details) if details else ""


def read_details(tensor: str) -> dict[str, Any]:
    """The `details` in a tensor."""
    return json.loads(tensor) if tensor else {}


def describe_error(error: Exception, done: Done | None = None) -> Failed:
    """An error as an event. It does not have the message of an unexpected one."""
    if isinstance(error, TritonchatError):
        return Failed(error.type, str(error), error.param, error.status, error.retry_after_s, done)
    return Failed(TritonchatError.type, "the request failed in the server; its log says why.", done=done)


def make_error(failed: Failed, partial: str = "") -> TritonchatError:
    """The error that an event describes. `partial` is the text before it."""
    error = _ERROR_CLASSES.get(failed.type, TritonchatError)(failed.message, failed.param)
    error.partial, error.retry_after_s = partial, failed.retry_after_s
    return error


def encode_failure(failed: Failed) -> dict[str, Any]:
    """The `details` of a request that has failed, or the result of a command."""
    error: dict[str, Any] = {"type": failed.type, "message": failed.message, "param": failed.param}
    if failed.retry_after_s is not None:
        error["retry_after_s"] = failed.retry_after_s
    return {**({} if failed.done is None else _encode_done(failed.done)), "error": error}


def raise_if_error(details: Mapping[str, Any], partial: str = "") -> None:
    """Raise the error that `details` describe, if they describe one. `partial` is the text before it."""
    if (failed := _decode_failure(details)) is not None:
        raise make_error(failed, partial)


def _encode_done(done: Done) -> dict[str, Any]:
    details = {**vars(done), "usage": done.usage.to_dict(), "timings": vars(done.timings)}
    if done.receipt is None:
        del details["receipt"]
    return details


def _decode_done(details: Mapping[str, Any]) -> Done | None:
    if "finish_reason" not in details:
        return None
    known = {name: details[name] for name in _DONE_FIELDS & details.keys()}
    known |= {"usage": Usage.from_dict(known["usage"]), "timings": Timings(**known["timings"])}
    return Done(**known)


def _decode_failure(details: Mapping[str, Any]) -> Failed | None:
    error = details.get("error")
    if error is None:
        return None
    kind, message, param = error["type"], error["message"], error.get("param")
    status = _ERROR_CLASSES.get(kind, TritonchatError).status
    return Failed(kind, message, param, status, error.get("retry_after_s"), _decode_done(details))
