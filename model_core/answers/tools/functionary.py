"""Functionary 3.1, and Llama 3.1 with its tags for functions: a JSON object between tags. Functionary 3.2:
messages, of which each begins with the name of a tool, or with `all`.

    <function=get_weather>{"city": "Paris"}</function>

    all
    Let me see.>>>get_weather
    {"city": "Paris"}

The prompt of 3.2 ends with the first `>>>`. What has no name of a tool and `{` behind it is text, which may
have these marks. Sources: the chat templates of huggingface.co/meetkai/functionary-small-v3.1 and
functionary-medium-v3.2.
"""

from ...grammar.json_rules import write_arguments
from ...grammar.lark import Lark
from ...requests.messages import Tool
from ..reader import AnswerReader, Steps
from ..writer import EventWriter
from .format import ToolFormat, Tools
from .marked import parse_marked

_START, _END = "<function=", "</function>"
_MESSAGE, _TO_ALL = ">>>", "all\n"


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


def _parse_messages(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    reader.mark()
    yield from reader.accept(_MESSAGE)
    mark: str | None = _MESSAGE
    while mark:
        if not (yield from _parse_message(reader, writer, tools)):
            writer.text(reader.text_since_mark())
        mark = yield from reader.copy_until((_MESSAGE,), writer.text)
        reader.mark(mark or "")


def _parse_message(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[bool]:
    """Read the beginning of a text, or a call. False if it is neither."""
    if (yield from reader.accept(_TO_ALL)):
        return True
    name = yield from reader.read_name()
    if name not in tools or not (yield from reader.accept("\n")) or (yield from reader.peek()) != "{":
        return False
    writer.start_call(name)
    yield from reader.copy_value(writer.arguments)
    yield from reader.skip_space()
    return True


def _message(lark: Lark, tool: Tool) -> str:
    return f"{lark.literal(tool.name + chr(10))} {write_arguments(lark, tool)}"


FUNCTIONARY_32 = ToolFormat(
    name="functionary_32",
    is_used_by=lambda template: f"{_MESSAGE}all" in template,
    parse=_parse_messages,
    call=_message,
    separator=_MESSAGE,
    text_start=_TO_ALL,
    has_headers=True,
)
