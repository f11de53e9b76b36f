"""From messages to what a chat template expects of them. Templates differ in their conventions.

They get JSON as Transformers' documentation describes it: the `content` of a message is a string, a call is
`{"type": "function", "id", "function": {"name", "arguments"}}` with `arguments` as an object, and a tool is
`{"type": "function", "function": {"name", "description", "parameters"}}`.
"""

import hashlib
import itertools
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .messages import Message, Tool, ToolCall

_REASONING_NAMES = ("reasoning_content", "reasoning", "thinking")
_SYSTEM_ROLES = ("system", "developer")
_SHORT_ID = re.compile("[A-Za-z0-9]{9}")
_PROBE_TEXT, _PROBE_NAME, _PROBE_VALUE = "probe text", "probe_name", "probe value"
PROBE_TOOL = Tool(name=_PROBE_NAME, parameters={"type": "object", "properties": {"key": {"type": "string"}}})


@dataclass(frozen=True)
class Conventions:
    """What a template expects of messages, where this differs between templates.

    Attributes:
        system: it shows system messages; others refuse them, or leave them out.
        developer: it knows the role developer; for the others this is another name of system.
        content_parts: contents are lists of parts.
        arguments_text: the arguments of a call are text, not an object.
        null_content: the content of a message that only calls tools is null, not an empty text.
        short_ids: the ids of calls have nine letters and digits.
        text_or_reasoning: a message that calls tools has text or reasoning, not both.
        reasoning_names: where it looks for the reasoning of a message.
    """

    system: bool = True
    developer: bool = False
    content_parts: bool = False
    arguments_text: bool = False
    null_content: bool = False
    short_ids: bool = False
    text_or_reasoning: bool = False
    reasoning_names: tuple[str, ...] = ()

    def shape(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """The messages as the template expects them."""
        names: dict[str, str] = {}  # of called tools, by the id of the call
        shaped = [self._shape_message(message, names) for message in messages]
        return shaped if self.developer else _rename_developer(shaped)

    def split_contents(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Shaped messages with their contents as lists of parts, if the template wants these."""
        if not self.content_parts:
            return messages
        return [
            {**message, "content": message["content"] and [{"type": "text", "text": message["content"]}]}
            for message in messages
        ]

    def _shape_message(self, message: Message, names: dict[str, str]) -> dict[str, Any]:
        content, reasoning = message.text, message.reasoning
        shaped: dict[str, Any] = {"role": message.role, "content": content}
        if message.name is not None:
            shaped["name"] = message.name
        if message.tool_calls:
            names.update((call.id, call.name) for call in message.tool_calls)
            shaped["tool_calls"] = [self._shape_call(call) for call in message.tool_calls]
            if not content and self.null_content:
                shaped["content"] = None
            if content and reasoning and self.text_or_reasoning:
                reasoning, shaped["content"] = f"{reasoning}\n\n{content}", ""
        if message.tool_call_id is not None:
            shaped["tool_call_id"] = self._shape_id(message.tool_call_id)
            if message.tool_call_id in names:
                shaped["name"] = names[message.tool_call_id]
        if reasoning:
            shaped.update(dict.fromkeys(self.reasoning_names, reasoning))
        return shaped

    def _shape_call(self, call: ToolCall) -> dict[str, Any]:
        function = {"name": call.name, "arguments": self._shape_arguments(call.arguments)}
        return {"type": "function", "id": self._shape_id(call.id), "function": function}

    def _shape_arguments(self, text: str) -> Any:
        if self.arguments_text:
            return text
        try:
            return json.loads(text) if text.strip() else {}
        except (ValueError, RecursionError):
            return text  # as the model has written it

    def _shape_id(self, call_id: str) -> str:
        if not self.short_ids or _SHORT_ID.fullmatch(call_id):
            return call_id
        return hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()[:9]


def find_conventions(source: str, render: Callable[[list[dict[str, Any]]], str | None]) -> Conventions:
    """The conventions of a template, found by trying them.

    `render` is given messages, and returns the template's text for them, None if the template refuses them.
    """
    conventions = Conventions(
        developer=re.search(r"""["']developer["']""", source) is not None,
        reasoning_names=tuple(name for name in _REASONING_NAMES if re.search(rf"\b{name}\b", source)),
    )
    user = Message(role="user", content=_PROBE_TEXT)

    def render_as(conventions: Conventions, *messages: Message) -> str:
        return render(conventions.split_contents(conventions.shape(messages))) or ""

    parts = replace(conventions, content_parts=True)
    if _PROBE_TEXT not in render_as(conventions, user) and _PROBE_TEXT in render_as(parts, user):
        conventions = parts
    system, other = Message(role="system", content=_PROBE_TEXT), Message(role="user", content="a")
    conventions = replace(conventions, system=_PROBE_TEXT in render_as(conventions, system, other))
    if "tool_calls" not in source:
        return conventions
    call = ToolCall(id="probe", name=_PROBE_NAME, arguments=json.dumps({"key": _PROBE_VALUE}))
    calling = Message(role="assistant", tool_calls=[call])
    result = Message(role="tool", content=_PROBE_TEXT, tool_call_id="probe")
    for short_ids, null_content, arguments_text in itertools.product((False, True), repeat=3):
        tried = replace(
            conventions, short_ids=short_ids, null_content=null_content, arguments_text=arguments_text
        )
        text = render_as(tried, user, calling, result)
        # Python's form of an object shows that the template expects text.
        if _PROBE_NAME in text and _PROBE_VALUE in text and "{'key'" not in text:
            conventions = tried
            break
    thoughtful = calling.model_copy(update={"content": _PROBE_TEXT, "reasoning": "probe"})
    exclusive = replace(conventions, text_or_reasoning=True)
    is_refused = _PROBE_NAME not in render_as(conventions, user, thoughtful, result)
    return (
        exclusive
        if is_refused and _PROBE_NAME in render_as(exclusive, user, thoughtful, result)
        else conventions
    )


def shape_tool(tool: Tool) -> dict[str, Any]:
    """A tool as templates expect it."""
    parameters = tool.parameters or {"type": "object", "properties": {}}
    function = {"name": tool.name, "description": tool.description or "", "parameters": parameters}
    return {"type": "function", "function": function}


def _rename_developer(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages of the role developer as those of the role system. At the start, they become one message.

    Many templates take only one system message.
    """
    if not any(message["role"] == "developer" for message in messages):
        return messages
    head = list(itertools.takewhile(lambda message: message["role"] in _SYSTEM_ROLES, messages))
    rest = [
        {**message, "role": "system"} if message["role"] == "developer" else message
        for message in messages[len(head) :]
    ]
    text = "\n\n".join(filter(None, (message["content"] for message in head)))
    return [{**head[0], "role": "system", "content": text}, *rest] if head else rest
