"""Kimi K2: a list of calls between marks, each with an id that has its name.

    <|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>
    {"city": "Paris"}<|tool_call_end|><|tool_calls_section_end|>

All is on one line. Source: the chat template of huggingface.co/moonshotai/Kimi-K2-Instruct, which writes the
ids of calls in a conversation, and not their names (see Conventions.named_ids).
"""

import re

from ...grammar.json_rules import write_arguments
from ...grammar.lark import Lark
from ...requests.messages import Tool
from ..reader import AnswerReader, Steps
from ..writer import EventWriter
from .format import ToolFormat, Tools
from .marked import parse_marked

_LIST, _LIST_END = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"
_CALL, _ARGUMENTS, _CALL_END = "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"
_ID = re.compile(r"\s*(?:functions\.)?(?P<name>[\w.-]+?)(?::\d+)?\s*")


def _parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    def parse_call(mark: str) -> Steps[bool]:
        if mark == _LIST:
            yield from reader.skip_space()
            if not (yield from reader.accept(_CALL)):
                return False
        elif mark == _LIST_END:
            return True
        call_id = yield from reader.read_until(_ARGUMENTS)
        match = None if call_id is None else _ID.fullmatch(call_id)
        if match is None:
            return False
        writer.start_call(match["name"])
        yield from reader.copy_value(writer.arguments)
        yield from reader.skip_space()
        yield from reader.accept(_CALL_END)
        return True

    yield from parse_marked(reader, writer, (_LIST, _CALL, _LIST_END), parse_call)


def _call(lark: Lark, tool: Tool) -> str:
    start, middle = lark.literal(f"{_CALL}functions.{tool.name}:"), lark.literal(_ARGUMENTS)
    return f"{start} /[0-9]{{1,3}}/ {middle} {write_arguments(lark, tool)} {lark.literal(_CALL_END)}"


KIMI = ToolFormat(
    name="kimi",
    is_used_by=lambda template: _LIST in template and _ARGUMENTS in template,
    parse=_parse,
    call=_call,
    mark=_LIST,
    marks_each_call=False,
    closing=_LIST_END,
    special_tokens=(_LIST, _LIST_END, _CALL, _ARGUMENTS, _CALL_END),
)
