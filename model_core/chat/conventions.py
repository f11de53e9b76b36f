"""From messages to what a chat template expects of them. Templates differ in their conventions.

They get JSON as Transformers' documentation describes it: the `content` of a message is a string, a call is
`{"type": "function", "id", "function": {"name", "arguments"}}` with `arguments` as an object, and a tool is
`{"type": "function", "function": {"name", "description", "parameters"}}`.
"""

import hashlib
import itertools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..requests.messages import Message, Tool, ToolCall, complete_object
from .images import IMAGE_MARK, split_images
from .message_order import end_turns, join_head, join_neighbours, leave_out_empty_answers, split_calls

# Messages -> the template's text for them; None if the template refuses them.
Render = Callable[[list[dict[str, Any]]], str | None]
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
        arguments_object: they are an object, even if the model has not written one.
        null_content: the content of a message that only calls tools is null, not an empty text.
        short_ids: the ids of calls have nine letters and digits.
        named_ids: they are functions.NAME:NUMBER, and stand for the names (Kimi K2).
        text_or_reasoning: a message that calls tools has text or reasoning, not both.
        single_calls: a message calls one tool at most.
        single_system: only one system message, at the start.
        alternating: no two messages of the user, or of the assistant, follow each other.
        empty_answers: messages of the assistant may have neither text nor calls.
        ended_turns: after calls and their results comes an answer, before the user goes on.
        reasoning_names: where it looks for the reasoning of a message.
    """

    system: bool = True
    developer: bool = False
    content_parts: bool = False
    arguments_text: bool = False
    arguments_object: bool = False
    null_content: bool = False
    short_ids: bool = False
    named_ids: bool = False
    text_or_reasoning: bool = False
    single_calls: bool = False
    single_system: bool = False
    alternating: bool = False
    empty_answers: bool = True
    ended_turns: bool = False
    reasoning_names: tuple[str, ...] = ()

    def shape(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """The messages as the template expects them."""
        names: dict[str, str] = {}  # of called tools, by the id of the call
        shaped = [self._shape_message(message, names) for message in messages]
        shaped = shaped if self.developer else _rename_developer(shaped)
        if self.single_system:
            shaped = join_head(shaped, ("system",))
        if not self.empty_answers:
            shaped = leave_out_empty_answers(shaped)
        if self.alternating:
            shaped = join_neighbours(shaped, ("user", "assistant"))
        if self.ended_turns:
            shaped = end_turns(shaped)
        return split_calls(shaped) if self.single_calls else shaped

    def split_contents(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Shaped messages with their contents as lists of parts, if the template wants these or there are
        images."""
        return [{**message, "content": self._split_content(message["content"])} for message in messages]

    def _split_content(self, content: str | None) -> Any:
        if content and IMAGE_MARK in content:
            return split_images(content)
        return content and [{"type": "text", "text": content}] if self.content_parts else content

    def _shape_message(self, message: Message, names: dict[str, str]) -> dict[str, Any]:
        content, reasoning = message.text_with_images(IMAGE_MARK), message.reasoning
        shaped: dict[str, Any] = {"role": message.role, "content": content}
        if message.name is not None:
            shaped["name"] = message.name
        if message.tool_calls:
            names.update((call.id, call.name) for call in message.tool_calls)
            shaped["tool_calls"] = [self._shape_call(call, names) for call in message.tool_calls]
            if not content and self.null_content:
                shaped["content"] = None
            if content and reasoning and self.text_or_reasoning:
                reasoning, shaped["content"] = f"{reasoning}\n\n{content}", ""
        if message.tool_call_id is not None:
            shaped["tool_call_id"] = self._shape_id(message.tool_call_id, names)
            if message.tool_call_id in names:
                shaped["name"] = names[message.tool_call_id]
        if reasoning:
            shaped.update(dict.fromkeys(self.reasoning_names, reasoning))
        return shaped

    def _shape_call(self, call: ToolCall, names: Mapping[str, str]) -> dict[str, Any]:
        function = {"name": call.name, "arguments": self._shape_arguments(call.json_arguments)}
        return {"type": "function", "id": self._shape_id(call.id, names), "function": function}

    def _shape_arguments(self, text: str) -> Any:
        if self.arguments_text:
            return text
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = text  # as the model has written it
        return value if isinstance(value, dict) or not self.arguments_object else complete_object(text)

    def _shape_id(self, call_id: str, names: Mapping[str, str]) -> str:
        if self.named_ids and call_id in names:
            return f"functions.{names[call_id]}:{[*names].index(call_id)}"
        if not self.short_ids or _SHORT_ID.fullmatch(call_id):
            return call_id
        return hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()[:9]


def find_conventions(source: str, render: Render) -> Conventions:
    """The conventions of a template, found by trying them."""

    def shows(conventions: Conventions, *messages: Message) -> bool:
        return _PROBE_TEXT in _render_as(render, conventions, messages)

    conventions = Conventions(
        developer=re.search(r"""["']developer["']""", source) is not None,
        reasoning_names=tuple(name for name in _REASONING_NAMES if re.search(rf"\b{name}\b", source)),
    )
    user, other = Message(role="user", content=_PROBE_TEXT), Message(role="user", content="a")
    conventions = _choose(conventions, {"content_parts": True}, lambda tried: shows(tried, user))
    system = Message(role="system", content=_PROBE_TEXT)
    conventions = replace(conventions, system=shows(conventions, system, other))
    if conventions.system:
        head = (Message(role="system", content="a"), system, other)
        conventions = _choose(conventions, {"single_system": True}, lambda tried: shows(tried, *head))
    conventions = _choose(conventions, {"alternating": True}, lambda tried: shows(tried, user, other))
    turns = (other, Message(role="assistant", content=""), user)
    conventions = _choose(conventions, {"empty_answers": False}, lambda tried: shows(tried, *turns))
    return _find_call_conventions(conventions, render) if "tool_calls" in source else conventions


def _choose(
    conventions: Conventions, changes: dict[str, Any], is_right: Callable[[Conventions], bool]
) -> Conventions:
    """The conventions with the changes, if they are right only so."""
    changed = replace(conventions, **changes)
    return changed if not is_right(conventions) and is_right(changed) else conventions


def _render_as(render: Render, conventions: Conventions, messages: Sequence[Message]) -> str:
    return render(conventions.split_contents(conventions.shape(messages))) or ""


def _find_call_conventions(conventions: Conventions, render: Render) -> Conventions:
    """The same conventions with those of calls."""
    user = Message(role="user", content=_PROBE_TEXT)
    arguments = json.dumps({"key": _PROBE_VALUE})
    call = ToolCall(id="probe", name=_PROBE_NAME, arguments=arguments)
    calling = Message(role="assistant", tool_calls=[call])
    result = Message(role="tool", content=_PROBE_TEXT, tool_call_id="probe")
    ids: list[dict[str, Any]] = [{}, {"short_ids": True}, {"named_ids": True}]
    for changes, null_content, arguments_text in itertools.product(ids, (False, True), (False, True)):
        tried = replace(conventions, null_content=null_content, arguments_text=arguments_text, **changes)
        text = _render_as(render, tried, (user, calling, result))
        # Python's form of an object shows that the template expects text.
        if _PROBE_NAME in text and _PROBE_VALUE in text and "{'key'" not in text:
            conventions = tried
            break

    def shows(conventions: Conventions, probe: str, *answers: Message) -> bool:
        return probe in _render_as(render, conventions, (user, *answers))

    thoughtful = calling.model_copy(update={"content": _PROBE_TEXT, "reasoning": "probe"})
    conventions = _choose(
        conventions,
        {"text_or_reasoning": True},
        lambda tried: shows(tried, _PROBE_NAME, thoughtful, result),
    )
    conventions = _choose(
        conventions, {"ended_turns": True}, lambda tried: shows(tried, _PROBE_NAME, calling, result, user)
    )
    cut = call.model_copy(update={"arguments": arguments.removesuffix('"}')})
    cut_calling = calling.model_copy(update={"tool_calls": [cut]})
    conventions = _choose(
        conventions,
        {"arguments_object": True},
        lambda tried: shows(tried, _PROBE_VALUE, cut_calling, result),
    )
    others = [call.model_copy(update={"id": "other"}), call]
    several = calling.model_copy(update={"tool_calls": others})
    results = (result.model_copy(update={"tool_call_id": "other"}), result)
    return _choose(
        conventions, {"single_calls": True}, lambda tried: shows(tried, _PROBE_NAME, several, *results)
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
    return [
        {**message, "role": "system"} if message["role"] == "developer" else message
        for message in join_head(messages, _SYSTEM_ROLES)
    ]
