"""GLM 4.5 and later: tags around the names and the values of arguments.

    <tool_call>get_weather
    <arg_key>city</arg_key>
    <arg_value>Paris</arg_value>
    </tool_call>

GLM 4.7 writes no line ends between the tags. Source: the chat template of huggingface.co/zai-org/GLM-4.6.
"""

from typing import Any

from ..answer_reader import AnswerReader, Steps
from ..event_writer import EventWriter
from ..messages import Tool
from .bare_values import bare_value, read_bare_value, read_between, skip_space, write_calls
from .format import ToolFormat, Tools
from .lark import Lark, plain_parameters

_START, _END = "<tool_call>", "</tool_call>"
_VALUE_END = "</arg_value>"


def _parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    while (yield from reader.copy_until((_START,), writer.text)):
        reader.mark(_START)
        body = yield from reader.read_until(_END)
        if body is None or not _write_call(writer, tools, body):
            writer.text(reader.text_since_mark())


def _write_call(writer: EventWriter, tools: Tools, body: str) -> bool:
    """Write the call that stands between the tags. False if it is none."""
    name, tag, rest = body.partition("<arg_key>")
    name, rest, end = name.strip(), tag + rest, 0
    arguments = {}
    while name and (key := read_between(rest, end, "<arg_key>", "</arg_key>")):
        value = read_between(rest, key[1], "<arg_value>", _VALUE_END)
        if value is None:
            return False
        arguments[key[0]], end = read_bare_value(tools.get(name), key[0], value[0]), value[1]
    is_call = bool(name) and skip_space(rest, end) == len(rest)
    return is_call and write_calls(writer, [(name, arguments)])


def _call(lark: Lark, tool: Tool) -> str:
    def member(name: str, schema: Any) -> str:
        start = lark.literal(f"<arg_key>{name}</arg_key>\n<arg_value>")
        return f"{start} {bare_value(lark, tool, schema, _VALUE_END)} {lark.literal(chr(10))}"

    members = lark.members(plain_parameters(tool), member)
    return f"{lark.literal(tool.name + chr(10))} {members} {lark.literal(_END)}"


GLM = ToolFormat(
    name="glm",
    is_used_by=lambda template: "<arg_key>" in template,
    parse=_parse,
    call=_call,
    mark=_START,
    separator="\n",
    special_tokens=(_START, _END, "<arg_key>", "</arg_key>", "<arg_value>", _VALUE_END),
)
