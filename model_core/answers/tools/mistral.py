"""Mistral's models: a mark, and a list of JSON objects or, in newer ones, a name and a JSON object.

    [TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris"}, "id": "VvvODy9mT"}]
    [TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}
    [TOOL_CALLS]get_weather[CALL_ID]VvvODy9mT[ARGS]{"city": "Paris"}

Both are read for all models. Source: github.com/mistralai/mistral-common.
"""

from ...grammar.json_rules import write_arguments
from ...grammar.lark import Lark
from ...requests.messages import Tool
from ..reader import AnswerReader, Steps
from ..writer import EventWriter
from .format import ToolFormat, Tools
from .marked import parse_marked
from .objects import object_call, parse_list

_MARK, _CALL_ID, _ARGUMENTS = "[TOOL_CALLS]", "[CALL_ID]", "[ARGS]"


def _parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    def parse_call(mark: str) -> Steps[bool]:
        yield from reader.skip_space()
        is_list = (yield from reader.peek()) == "["
        return (yield from (parse_list(reader, writer) if is_list else _parse_named(reader, writer)))

    yield from parse_marked(reader, writer, (_MARK,), parse_call)


def _parse_named(reader: AnswerReader, writer: EventWriter) -> Steps[bool]:
    name = yield from reader.read_name()
    if (yield from reader.accept(_CALL_ID)):
        yield from reader.read_name()
    is_announced = yield from reader.accept(_ARGUMENTS)
    yield from reader.skip_space()
    first = yield from reader.peek()
    if not name or not (first == "{" or (is_announced and not first)):
        return False
    writer.start_call(name)
    yield from reader.copy_value(writer.arguments)
    return True


def _named_call(lark: Lark, tool: Tool) -> str:
    return f"{lark.literal(tool.name + _ARGUMENTS)} {write_arguments(lark, tool)}"


def _object_call(lark: Lark, tool: Tool) -> str:
    return object_call(lark, tool, "arguments")


MISTRAL = ToolFormat(
    name="mistral",
    is_used_by=lambda template: _MARK in template and _ARGUMENTS in template,
    parse=_parse,
    call=_named_call,
    mark=_MARK,
    special_tokens=(_MARK, _CALL_ID, _ARGUMENTS),
)
MISTRAL_LIST = ToolFormat(
    name="mistral_list",
    is_used_by=lambda template: _MARK in template,
    parse=_parse,
    call=_object_call,
    mark=_MARK,
    marks_each_call=False,
    opening=" [",
    separator=", ",
    closing="]",
    special_tokens=(_MARK,),
)
