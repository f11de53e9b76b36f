"""Calls by a model whose chat template knows no tools: they are asked for in the system message.

    {"name": "get_weather", "arguments": {"city": "Paris"}}

The template sees neither tools nor calls nor their results, but messages that say the same in words.
"""

import json
from collections.abc import Sequence

from ...grammar.lark import NO_PARAMETERS, Lark
from ...requests.messages import Message, Part, TextPart, Tool
from ..reader import AnswerReader, Steps
from ..writer import EventWriter
from .format import ToolFormat, Tools
from .lines import parse_lines
from .objects import object_call, parse_list, parse_object

_FENCES = ("```json\n", "```tool_call\n", "```tool_code\n", "```\n")
_INSTRUCTION = """\
You can call functions. To call one, answer with a JSON object on one line, and nothing else:
{"name": "the name of the function", "arguments": {"the name of an argument": "its value"}}
To call several functions, write several lines. The result of each call comes in the next message. \
If no function is needed, answer in words.

These are the functions, with the JSON schemas of their arguments:
"""


def describe_tools(
    messages: Sequence[Message], tools: Sequence[Tool], takes_system: bool = True
) -> list[Message]:
    """The messages for a template that knows no tools. The first one describes them.

    Calls and their results in the conversation become text. `takes_system`: the template shows system
    messages; otherwise a message of the user describes the tools.
    """
    described = _as_texts(messages)
    if not tools:
        return described
    instruction = _INSTRUCTION + "\n".join(map(_describe_tool, tools))
    roles = ("system", "developer") if takes_system else ("user",)
    if not described or described[0].role not in roles:
        return [Message(role="system" if takes_system else "user", content=instruction), *described]
    first = described[0]
    texts = (_content(first), instruction) if takes_system else (instruction, _content(first))
    return [first.model_copy(update={"content": _join(*texts)}), *described[1:]]


def _describe_tool(tool: Tool) -> str:
    description = {"description": tool.description} if tool.description else {}
    parameters = tool.parameters or NO_PARAMETERS
    return json.dumps({"name": tool.name, **description, "parameters": parameters}, ensure_ascii=False)


def _as_texts(messages: Sequence[Message]) -> list[Message]:
    """The messages with calls as text, and with the results of an answer's calls as one user message."""
    texts: list[Message] = []
    names: dict[str, str] = {}  # of called tools, by the id of the call
    for previous, message in zip((None, *messages), messages, strict=False):
        names.update((call.id, call.name) for call in message.tool_calls or ())
        if message.role != "tool":
            texts.append(_show_calls(message))
            continue
        name = names.get(message.tool_call_id or "", message.name)
        head = f"The result of {name}:" if name else "The result:"
        content = _join(head, _content(message), "\n")
        if previous is not None and previous.role == "tool":
            content = _join(_content(texts.pop()), content)
        texts.append(Message(role="user", content=content))
    return texts


def _content(message: Message) -> str | list[Part]:
    """Text, or parts if there are images."""
    return message.content if message.images and isinstance(message.content, list) else message.text


def _join(first: str | list[Part], second: str | list[Part], between: str = "\n\n") -> str | list[Part]:
    """Two contents as one. Parts that are texts have a line end between them anyway."""
    if isinstance(first, str) and isinstance(second, str):
        return first + between + second
    parts = [
        [TextPart(type="text", text=content)] if isinstance(content, str) else content
        for content in (first, second)
    ]
    if between == "\n" or not (isinstance(parts[0][-1], TextPart) and isinstance(parts[1][0], TextPart)):
        return [*parts[0], *parts[1]]
    return [*parts[0], TextPart(type="text", text=""), *parts[1]]


def _show_calls(message: Message) -> Message:
    """A message whose text has its calls, as the model writes them."""
    if not message.tool_calls:
        return message
    calls = (
        f'{{"name": {json.dumps(call.name, ensure_ascii=False)}, "arguments": {call.json_arguments}}}'
        for call in message.tool_calls
    )
    content = _content(message)
    if isinstance(content, str):
        return message.model_copy(
            update={"content": "\n".join(filter(None, (content, *calls))), "tool_calls": None}
        )
    parts = [*content, *(TextPart(type="text", text=call) for call in calls)]
    return message.model_copy(update={"content": parts, "tool_calls": None})


def _parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    def parse_call(first: str) -> Steps[bool]:
        is_fenced = first == "`" and (yield from reader.accept(*_FENCES))
        if first == "`" and not is_fenced:
            return False
        yield from reader.skip_space()
        is_list = (yield from reader.peek()) == "["
        is_call = yield from (parse_list if is_list else parse_object)(reader, writer, tools)
        if is_call and is_fenced:
            yield from reader.skip_space()
            yield from reader.accept("```")
        return is_call

    yield from parse_lines(reader, writer, "{[`", parse_call)


def _call(lark: Lark, tool: Tool) -> str:
    return object_call(lark, tool, "arguments")


# xLAM 2 writes the same as one list (source: the chat template of huggingface.co/Salesforce/xLAM-2-3b-fc-r).
XLAM = ToolFormat(
    name="xlam",
    is_used_by=lambda template: "calls in a single JSON array" in template,
    parse=_parse,
    call=_call,
    opening="[",
    separator=", ",
    closing="]",
)
PLAIN = ToolFormat(name="plain", is_used_by=lambda template: True, parse=_parse, call=_call, separator="\n")
