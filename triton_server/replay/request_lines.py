"""Requests in the service's own form as lines of a batch, in OpenAI's form."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..api.batches.lines import BatchLine
from .answers import CHATS, COMPLETIONS


@dataclass(frozen=True)
class Found:
    """The requests of a log of receipts, or of kept conversations.

    Attributes:
        lines: with the seeds that were used, and with models where those matter.
        left_out: why others are not among them, and how many for each reason.
    """

    lines: list[BatchLine]
    left_out: Mapping[str, int]


def to_line(custom_id: str, fields: Mapping[str, Any], seed: int) -> BatchLine:
    """The line for a request with these fields of `Request`. Raises ValueError, TypeError or KeyError."""
    rest = {**fields, "seed": seed}
    messages = rest.pop("messages")
    if not (isinstance(messages, list) and messages and isinstance(messages[0], dict)):
        return _make_line(custom_id, COMPLETIONS, {"prompt": messages, **rest})
    if rest.get("tools"):
        rest["tools"] = [{"type": "function", "function": tool} for tool in rest["tools"]]
    if isinstance(choice := rest.get("tool_choice"), dict):
        rest["tool_choice"] = {"type": "function", "function": choice}
    return _make_line(
        custom_id, CHATS, {"messages": [dict(_to_message(message)) for message in messages], **rest}
    )


def set_models(lines: Sequence[BatchLine], names: Sequence[str | None]) -> None:
    """Ask for these models; None: for the first one of a server."""
    for line, name in zip(lines, names, strict=True):
        if name is not None:
            line.body["model"] = name


def _make_line(custom_id: str, url: str, body: dict[str, Any]) -> BatchLine:
    return BatchLine.model_validate({"custom_id": custom_id, "method": "POST", "url": url, "body": body})


def _to_message(message: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in message.items():
        if name == "tool_calls":
            yield name, [_to_call(call) for call in value]
        elif name == "reasoning":
            yield "reasoning_content", value
        else:
            yield name, value


def _to_call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = {name: value for name, value in call.items() if name != "id"}
    return {"id": call["id"], "type": "function", "function": function}
