"""Kimi K3: elements of special tokens, whose arguments say of which type they are.

    Let me see.<|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|>
    <|open|>argument key="city" type="string"<|sep|>Paris<|close|>argument<|sep|><|close|>call<|sep|>
    <|close|>tools<|sep|>

All is on one line. Text stands in an element, too, which the prompt or the end of the reasoning opens.
Instead of arguments there may be one element with a JSON object. Source: the chat template of
moonshotai/Kimi-K3.
"""

from ....grammar.lark import Lark
from ....requests.messages import Tool
from ...reader import AnswerReader, Steps
from ...writer import EventWriter
from ..format import ToolFormat, Tools
from ..marked import parse_marked
from .tagged import Tags

_OPEN, _CLOSE, _SEPARATOR = "<|open|>", "<|close|>", "<|sep|>"
_TOOLS, _TOOLS_END = f"{_OPEN}tools{_SEPARATOR}", f"{_CLOSE}tools{_SEPARATOR}"
_TEXT, _TEXT_END = f"{_OPEN}response{_SEPARATOR}", f"{_CLOSE}response{_SEPARATOR}"
_CALL, _CALL_END = f'{_OPEN}call tool="', f"{_CLOSE}call{_SEPARATOR}"
_JSON, _JSON_END = f'{_OPEN}json type="object"{_SEPARATOR}', f"{_CLOSE}json{_SEPARATOR}"
_NO_TEXT = (_TEXT, _TEXT_END, _TOOLS_END, f"{_CLOSE}message{_SEPARATOR}")
_TAGS = Tags(
    key=f'{_OPEN}argument key="',
    key_end='" type="',
    string_flag="string",
    other_flags=("number", "boolean", "null", "object", "array"),
    value=f'"{_SEPARATOR}',
    value_end=f"{_CLOSE}argument{_SEPARATOR}",
    closing=_CALL_END,
    after="",
)


def _parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    def parse_call(mark: str) -> Steps[bool]:
        if mark in _NO_TEXT:
            return True
        if mark == _TOOLS and not (yield from reader.accept(_CALL)):
            return False
        name = yield from reader.read_name()
        head = yield from reader.read_until(_SEPARATOR)
        if not tools or not name or head is None or not head.startswith('"'):
            return False
        if not (yield from reader.accept(_JSON)):
            return (yield from _TAGS.read_arguments(reader, writer, tools.get(name), name))
        writer.start_call(name)
        yield from reader.copy_value(writer.arguments)
        yield from reader.accept(_JSON_END)
        yield from reader.accept(_CALL_END)
        return True

    yield from parse_marked(reader, writer, (*_NO_TEXT, _TOOLS, _CALL), parse_call)


def _call(lark: Lark, tool: Tool) -> str:
    start, end = lark.literal(f'{_CALL}{tool.name}" index="'), lark.literal(f'"{_SEPARATOR}')
    return f"{start} /[0-9]{{1,3}}/ {end} {_TAGS.arguments(lark, tool)}"


KIMI_K3 = ToolFormat(
    name="kimi_k3",
    is_used_by=lambda template: _OPEN in template and _CLOSE in template and "argument" in template,
    parse=_parse,
    call=_call,
    mark=_TEXT_END + _TOOLS,
    marks_each_call=False,
    closing=_TOOLS_END,
    has_headers=True,
    special_tokens=(_OPEN, _CLOSE, _SEPARATOR),
)
