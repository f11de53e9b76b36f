"""Functionary 3.1, and Llama 3.1 with its tags for functions: a JSON object between tags.

    <function=get_weather>{"city": "Paris"}</function>

Source: the chat template of huggingface.co/meetkai/functionary-small-v3.1.
"""

from ...grammar.json_rules import write_arguments
from ...grammar.lark import Lark
from ...requests.messages import Tool
from ..reader import AnswerReader, Steps
from ..writer import EventWriter
from .format import ToolFormat, Tools
from .marked import parse_marked

_START, _END = "<function=", "</function>"


def _parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    def parse_call(mark: str) -> Steps[bool]:
        name = yield from reader.read_name()
        has_name = bool(name) and (yield from reader.accept(">"))
        yield from reader.skip_space()
        if not has_name or (yield from reader.peek()) not in ("{", ""):
            return False
        writer.start_call(name)
        yield from reader.copy_value(writer.arguments)
        yield from reader.skip_space()
        yield from reader.accept(_END)
        return True

    yield from parse_marked(reader, writer, (_START,), parse_call)


def _call(lark: Lark, tool: Tool) -> str:
    return f"{lark.literal(f'{tool.name}>')} {write_arguments(lark, tool)} {lark.literal(_END)}"


FUNCTIONARY = ToolFormat(
    name="functionary",
    is_used_by=lambda template: _START in template and "<parameter=" not in template,
    parse=_parse,
    call=_call,
    mark=_START,
)
