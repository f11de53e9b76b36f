"""Calls by a model whose chat template knows no tools: they are asked for in the system message.

    {"name": "get_weather", "arguments": {"city": "Paris"}}

The template sees neither tools nor calls nor their results, but messages that say the same in words.
"""

import json
from collections.abc import Sequence

from ..answer_reader import AnswerReader, Steps
from ..event_writer import EventWriter
from ..messages import Message, Tool
from .format import ToolFormat, Tools
from .lark import NO_PARAMETERS, Lark
from .lines import parse_lines
from .objects import object_call, parse_list, parse_object

_FENCES = ("```json\n", "```tool_call\n", "```\n")
_INSTRUCTION = """\
You can call functions. To call one, answer with a JSON object on one line, and nothing else:
{"name": "the name of the function", "arguments": {"the name of an argument": "its value"}}
To call several functions, write several lines. The result of each call comes in the next message. \
If no function is needed, answer in words.

These are the functions, with the JSON schemas of their arguments:
"""


def describe_tools(messages: Sequence[Message], tools: Sequence[Tool]) -> list[Message]:
    """The messages for a template that knows no tools. The system message describes them.

    Calls and their results in the conversation become text.
    """
    described = [_as_text(message, messages) for message in messages]
    if not tools:
        return described
    lines = [
        json.dumps(
            {
                "name": tool.name,
                **({"description": tool.description} if tool.description else {}),
                "parameters": tool.parameters or NO_PARAMETERS,
            },
            ensure_ascii=False,
        )
        for tool in tools
    ]
    instruction = _INSTRUCTION + "\n".join(lines)
    first = described[0] if described else None
    if first is not None and first.role in ("system", "developer"):
        return [first.model_copy(update={"content": f"{first.text}\n\n{instruction}"}), *described[1:]]
    return [Message(role="system", content=instruction), *described]


def _as_text(message: Message, messages: Sequence[Message]) -> Message:
    """A message without calls, and not a result of one."""
    if message.role == "tool":
        names = {call.id: call.name for other in messages for call in other.tool_calls or ()}
        name = names.get(message.tool_call_id or "", message.name)
        source = f"The result of {name}" if name else "The result"
        return Message(role="user", content=f"{source}:\n{message.text}")
    if not message.tool_calls:
        return message
    calls = (
        f'{{"name": {json.dumps(call.name, ensure_ascii=False)}, "arguments": {call.arguments or "{}"}}}'
        for call in message.tool_calls
    )
    content = "\n".join(filter(None, (message.text, *calls)))
    return message.model_copy(update={"content": content, "tool_calls": None})


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


PLAIN = ToolFormat(name="plain", is_used_by=lambda template: True, parse=_parse, call=_call, separator="\n")
