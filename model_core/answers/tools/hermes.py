"""Hermes, Qwen 2.5 and 3, SmolLM 3, EXAONE 4, Falcon-H1, Granite 4: JSON objects between tags.

    <tool_call>
    {"name": "get_weather", "arguments": {"city": "Paris"}}
    </tool_call>

Source: github.com/NousResearch/Hermes-Function-Calling.
"""

from ...grammar.lark import Lark
from ...requests.messages import Tool
from ..reader import AnswerReader, Steps
from ..writer import EventWriter
from .format import ToolFormat, Tools
from .marked import parse_marked
from .objects import object_call, parse_object

_START, _END = "<tool_call>", "</tool_call>"
# Other formats with the same tags have these, too.
_OTHER_MARKS = ("<function=", "<invoke", "<arg_key>", "<tool_calls>")


def _parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    def parse_call(mark: str) -> Steps[bool]:
        yield from reader.skip_space()
        if not (yield from parse_object(reader, writer)):
            return False
        yield from reader.skip_space()
        yield from reader.accept(_END)
        return True

    yield from parse_marked(reader, writer, (_START,), parse_call)


def _call(lark: Lark, tool: Tool) -> str:
    return f"{lark.literal(chr(10))} {object_call(lark, tool, 'arguments')} {lark.literal(chr(10) + _END)}"


HERMES = ToolFormat(
    name="hermes",
    is_used_by=lambda template: _START in template and not any(map(template.__contains__, _OTHER_MARKS)),
    parse=_parse,
    call=_call,
    mark=_START,
    separator="\n",
    special_tokens=(_START, _END),
)
