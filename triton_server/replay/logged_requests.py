"""Requests of a log of receipts, as lines of a batch."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from model_core.errors import TritonchatError

from ..api.batches.lines import BatchLine
from ..receipts.canonical import open_content
from ..receipts.log import read_log
from .answers import CHATS, COMPLETIONS, prepare_body

_SHOWN = ("return_token_ids", "logprobs", "prompt_logprobs")  # what an answer shows; a comparison asks itself


@dataclass(frozen=True)
class Logged:
    """The requests in a log.

    Attributes:
        lines: with the seeds that were used, and the models, where these are several or an adapter.
        without_content: how many lines have only a hash of their request.
        not_comparable: how many requests are left out because a comparison has no place for them.
    """

    lines: list[BatchLine]
    without_content: int
    not_comparable: int


def read_logged(folder: Path) -> Logged:
    """The requests in a log. Raises TritonchatError if there is no log."""
    found: list[BatchLine] = []
    names: list[str] = []
    without = unfit = 0
    has_adapters = False
    for line in read_log(folder):
        if line.receipt is None:
            continue
        content = line.receipt["request"].get("content")
        if content is None:
            without += 1
            continue
        try:
            logged = _to_line(str(line.number), content, int(line.receipt["seed"]))
            prepare_body(logged, "")
        except (ValueError, TypeError, KeyError, TritonchatError):  # or anything that somebody has signed
            unfit += 1
            continue
        found.append(logged)
        names.append(line.receipt["model"]["name"])
        has_adapters |= "adapter" in line.receipt["model"]["made_of"]
    if has_adapters or len(set(names)) > 1:  # else the name of the only model may be another one elsewhere
        for logged, name in zip(found, names, strict=True):
            logged.body["model"] = name
    return Logged(found, without, unfit)


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
