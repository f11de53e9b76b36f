"""Llama 3.1 to 3.3, and Llama 4: bare JSON objects, at times after a mark.

    <|python_tag|>{"name": "get_weather", "parameters": {"city": "Paris"}}

Several calls are separated by `; `. Source: the chat template of
huggingface.co/meta-llama/Llama-3.1-8B-Instruct.
"""

from ...grammar.lark import Lark
from ...requests.messages import Tool
from ..reader import AnswerReader, Steps
from ..writer import EventWriter
from .format import ToolFormat, Tools
from .lines import parse_lines
from .objects import object_call, parse_object

_MARK = "<|python_tag|>"
_SEPARATOR = ";"
_DESCRIPTIONS = (_MARK, '{"name": function name, "parameters"')
_OTHER_MARK = "<function="  # of Functionary, which has `_MARK` for Python code


def _parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    def parse_call(first: str) -> Steps[bool]:
        if first == "<" and not (yield from reader.accept(_MARK)):
            return False
        yield from reader.skip_space()
        is_call = yield from parse_object(reader, writer, tools)
        if is_call:
            yield from reader.skip_space()
            yield from reader.accept(_SEPARATOR)
        return is_call

    yield from parse_lines(reader, writer, "{<", parse_call)


def _call(lark: Lark, tool: Tool) -> str:
    return object_call(lark, tool, "parameters")


LLAMA3 = ToolFormat(
    name="llama3",
    is_used_by=lambda template: (
        any(map(template.__contains__, _DESCRIPTIONS)) and _OTHER_MARK not in template
    ),
    parse=_parse,
    call=_call,
    separator="; ",
    special_tokens=(_MARK,),
)
