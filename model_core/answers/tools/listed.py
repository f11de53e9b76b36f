"""Granite 3, and Command R7B and later: a mark, and a list of JSON objects.

    <|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]

    <|START_ACTION|>[
        {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}
    ]<|END_ACTION|>

Sources: the chat templates of huggingface.co/ibm-granite/granite-3.3-8b-instruct and
CohereLabs/c4ai-command-r7b-12-2024.
"""

from collections.abc import Callable

from ...grammar.lark import Lark
from ...requests.messages import Tool
from ..reader import AnswerReader, Steps
from ..writer import EventWriter
from .format import ToolFormat, Tools
from .marked import parse_marked
from .objects import object_call, parse_list

_GRANITE, _ACTION, _ACTION_END = "<|tool_call|>", "<|START_ACTION|>", "<|END_ACTION|>"


def _make_parser(
    start: str, end: str = "", name_key: str = "name"
) -> Callable[[AnswerReader, EventWriter, Tools], Steps[None]]:
    """What reads lists behind `start`, each of which may end with `end`."""

    def parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
        def parse_call(mark: str) -> Steps[bool]:
            yield from reader.skip_space()
            if not (yield from parse_list(reader, writer, name_key=name_key)):
                return False
            if end:
                yield from reader.skip_space()
                yield from reader.accept(end)
            return True

        yield from parse_marked(reader, writer, (start,), parse_call)

    return parse


def _granite_call(lark: Lark, tool: Tool) -> str:
    return object_call(lark, tool, "arguments")


def _command_call(lark: Lark, tool: Tool) -> str:
    number = {"tool_call_id": {"type": "string", "pattern": "^[0-9]{1,3}$"}}
    return object_call(lark, tool, "parameters", "tool_name", number)


GRANITE = ToolFormat(
    name="granite",
    is_used_by=lambda template: _GRANITE in template,
    parse=_make_parser(_GRANITE),
    call=_granite_call,
    mark=_GRANITE,
    marks_each_call=False,
    opening="[",
    separator=", ",
    closing="]",
    special_tokens=(_GRANITE,),
)
COMMAND = ToolFormat(
    name="command",
    is_used_by=lambda template: _ACTION in template,
    parse=_make_parser(_ACTION, _ACTION_END, "tool_name"),
    call=_command_call,
    mark=_ACTION,
    marks_each_call=False,
    opening="[\n    ",
    separator=",\n    ",
    closing=f"\n]{_ACTION_END}",
    special_tokens=(_ACTION, _ACTION_END),
)
