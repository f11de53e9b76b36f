"""The items of a conversation in OpenAI's Responses API: their ids, and the messages that they stand for."""

import re
import secrets
from collections.abc import Iterable
from typing import Any

from .schemas import (
    ITEMS,
    FunctionCallItem,
    FunctionCallOutputItem,
    Item,
    MessageItem,
    ReasoningItem,
    ReasoningPart,
    TextPart,
)

_ITEM_ID = re.compile("[a-z]+_([0-9a-f]{32})[0-9a-f]{4}")
_ID_PREFIXES = {"message": "msg", "function_call": "fc", "function_call_output": "fco", "reasoning": "rs"}


def new_response_id() -> str:
    """An id that nobody can guess."""
    return f"resp_{secrets.token_hex(16)}"


def item_id(kind: str, response_id: str, index: int) -> str:
    """The id of an item of the type `kind`. `index` counts the items of a response, input and output."""
    return f"{_ID_PREFIXES[kind]}_{response_id.removeprefix('resp_')}{index:04x}"


def find_response_id(name: str) -> str | None:
    """The id of the response to which the item with this id belongs; None if no response has such items."""
    match = _ITEM_ID.fullmatch(name)
    return None if match is None else f"resp_{match[1]}"


def list_input(items: list[Item], response_id: str) -> list[dict[str, Any]]:
    """The input of a response in JSON, each item with an id."""
    listed = []
    for index, fields in enumerate(ITEMS.dump_python(items, exclude_none=True)):
        if fields["type"] == "message" and isinstance(fields["content"], str):
            kind = "output_text" if fields["role"] == "assistant" else "input_text"
            fields["content"] = [{"type": kind, "text": fields["content"]}]
        name = item_id(fields["type"], response_id, index)
        listed.append({"id": name, "status": "completed", **fields})
    return listed


def to_messages(items: Iterable[Item]) -> list[dict[str, Any]]:
    """The messages, in JSON, that the items stand for.

    Reasoning, text and calls of the assistant that follow each other in this order are one message.
    """
    messages: list[dict[str, Any]] = []
    for item in items:
        if isinstance(item, FunctionCallOutputItem):
            messages.append({"role": "tool", "tool_call_id": item.call_id, "content": _text(item.output)})
        elif isinstance(item, MessageItem) and item.role != "assistant":
            messages.append({"role": item.role, "content": _text(item.content)})
        elif isinstance(item, MessageItem):
            _turn(messages, "content", "tool_calls")["content"] = _text(item.content)
        elif isinstance(item, FunctionCallItem):
            call = {"id": item.call_id, "name": item.name, "arguments": item.arguments}
            _turn(messages).setdefault("tool_calls", []).append(call)
        elif isinstance(item, ReasoningItem) and item.content:
            _turn(messages, "reasoning", "content", "tool_calls")["reasoning"] = _text(item.content)
    return messages


def _turn(messages: list[dict[str, Any]], *later: str) -> dict[str, Any]:
    """The assistant's last message, or a new one if the last has one of the fields `later` already."""
    if not messages or messages[-1]["role"] != "assistant" or messages[-1].keys() & later:
        messages.append({"role": "assistant"})
    return messages[-1]


def _text(content: str | list[TextPart] | list[ReasoningPart]) -> str:
    return content if isinstance(content, str) else "\n".join(part.text for part in content)
