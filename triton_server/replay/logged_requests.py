"""Requests of a log of receipts, as lines of a batch."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..api.batches.lines import BatchLine
from ..receipts.canonical import open_content
from ..receipts.log import read_log
from .answers import CHATS, COMPLETIONS

_SHOWN = ("return_token_ids", "logprobs", "prompt_logprobs")  # what an answer shows; a comparison asks itself


def read_logged(folder: Path) -> tuple[list[BatchLine], int]:
    """The requests in a log, with the seeds that were used, and how many lines have only a hash.

    Raises TritonchatError if there is no log.
    """
    found, without = [], 0
    for line in read_log(folder):
        if line.receipt is None:
            continue
        content = line.receipt["request"].get("content")
        if content is None:
            without += 1
        else:
            found.append(_to_line(str(line.number), content, int(line.receipt["seed"])))
    return found, without


def _to_line(name: str, content: Mapping[str, Any], seed: int) -> BatchLine:
    fields = {key: value for key, value in open_content(content).items() if key not in _SHOWN}
    fields["seed"] = seed
    messages = fields.pop("messages")
    if not (isinstance(messages, list) and messages and isinstance(messages[0], dict)):
        return _make_line(name, COMPLETIONS, {"prompt": messages, **fields})
    if "tools" in fields:
        fields["tools"] = [{"type": "function", "function": tool} for tool in fields["tools"]]
    if isinstance(choice := fields.get("tool_choice"), dict):
        fields["tool_choice"] = {"type": "function", "function": choice}
    body = {"messages": [dict(_to_message(message)) for message in messages], **fields}
    return _make_line(name, CHATS, body)


def _make_line(name: str, url: str, body: dict[str, Any]) -> BatchLine:
    return BatchLine.model_validate({"custom_id": name, "method": "POST", "url": url, "body": body})


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
