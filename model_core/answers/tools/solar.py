"""Solar Open: turns that begin with a mark, for reasoning, text and calls, each with an id.

    <|think|>The user wants ...<|end|><|begin|>assistant<|content|>Let me see.<|end|><|begin|>assistant
    <|tool_calls|><|tool_call:begin|>a1b2c3d4e5<|tool_call:name|>get_weather<|tool_call:args|>
    {"city": "Paris"}<|tool_call:end|><|calls|>

All is on one line. `<|flush|>` and `<|calls|>` end the answer. Source: the chat template of
huggingface.co/upstage/Solar-Open-100B.
"""

from ...grammar.json_rules import write_arguments
from ...grammar.lark import Lark
from ...requests.messages import Tool
from ..reader import AnswerReader, Steps
from ..writer import EventWriter
from .format import ToolFormat, Tools
from .marked import parse_marked

_BEGIN, _CONTENT, _END = "<|begin|>", "<|content|>", "<|end|>"
_LAST = ("<|flush|>", "<|calls|>")
_LIST, _CALL, _CALL_END = "<|tool_calls|>", "<|tool_call:begin|>", "<|tool_call:end|>"
_NAME, _ARGUMENTS = "<|tool_call:name|>", "<|tool_call:args|>"
_ROLE = "assistant"
_NO_TEXT = (_BEGIN + _ROLE, _CONTENT, _END, *_LAST)  # marks of turns


def _parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    def parse_call(mark: str) -> Steps[bool]:
        if mark in _NO_TEXT:
            return True
        if mark == _LIST:
            yield from reader.skip_space()
            if not (yield from reader.accept(_CALL)):
                return False
        head = yield from reader.read_until(_ARGUMENTS)
        _, has_name, name = (head or "").partition(_NAME)
        if not tools or not has_name or not name.strip():
            return False
        writer.start_call(name.strip())
        yield from reader.copy_value(writer.arguments)
        yield from reader.skip_space()
        yield from reader.accept(_CALL_END)
        return True

    yield from parse_marked(reader, writer, (*_NO_TEXT, _LIST, _CALL), parse_call)


def _call(lark: Lark, tool: Tool) -> str:
    start, middle = lark.literal(_CALL), lark.literal(f"{_NAME}{tool.name}{_ARGUMENTS}")
    return f"{start} /[a-z0-9]{{1,10}}/ {middle} {write_arguments(lark, tool)} {lark.literal(_CALL_END)}"


SOLAR = ToolFormat(
    name="solar",
    is_used_by=lambda template: _CALL in template and _ARGUMENTS in template,
    parse=_parse,
    call=_call,
    mark=_LIST,
    marks_each_call=False,
    text_start=_CONTENT,
    has_headers=True,
    special_tokens=(_BEGIN, _CONTENT, _END, *_LAST, _LIST, _CALL, _CALL_END, _NAME, _ARGUMENTS),
)
