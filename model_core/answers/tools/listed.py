"""Lists of JSON objects behind a mark: Granite 3, Command R7B and later, and others.

    <|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]

    <|START_ACTION|>[
        {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}
    ]<|END_ACTION|>

    <TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</TOOLCALL>

    <tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</tool_calls>

    functools[{"name": "get_weather", "arguments": {"city": "Paris"}}]

    <|tools_prefix|>[{"get_weather": {"city": "Paris"}}]<|tools_suffix|>

Sources: the chat templates of huggingface.co/ibm-granite/granite-3.3-8b-instruct,
CohereLabs/c4ai-command-r7b-12-2024, nvidia/NVIDIA-Nemotron-Nano-9B-v2, ServiceNow-AI/Apriel-1.6-15b-Thinker
(tencent/Hunyuan-A13B-Instruct writes the same), fireworks-ai/llama-3-firefunction-v2, and
swiss-ai/Apertus-8B-Instruct-2509.
"""

from collections.abc import Callable

from ...grammar.json_rules import write_arguments
from ...grammar.lark import Lark
from ...requests.messages import Tool
from ..reader import AnswerReader, Steps
from ..writer import EventWriter
from .format import ToolFormat, Tools
from .marked import parse_marked
from .objects import object_call, parse_items, parse_list, parse_string

_GRANITE = "<|tool_call|>"
_ACTION, _ACTION_END = "<|START_ACTION|>", "<|END_ACTION|>"
_NEMOTRON, _NEMOTRON_END = "<TOOLCALL>", "</TOOLCALL>"
_CALLS, _CALLS_END = "<tool_calls>", "</tool_calls>"
_FUNCTOOLS = "functools"
_APERTUS, _APERTUS_END = "<|tools_prefix|>", "<|tools_suffix|>"


def _make_parser(
    start: str, end: str = "", parse_calls: Callable[[AnswerReader, EventWriter], Steps[bool]] = parse_list
) -> Callable[[AnswerReader, EventWriter, Tools], Steps[None]]:
    """What reads lists behind `start`, each of which may end with `end`."""

    def parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
        def parse_call(mark: str) -> Steps[bool]:
            yield from reader.skip_space()
            if not (yield from parse_calls(reader, writer)):
                return False
            if end:
                yield from reader.skip_space()
                yield from reader.accept(end)
            return True

        yield from parse_marked(reader, writer, (start,), parse_call)

    return parse


def _parse_commands(reader: AnswerReader, writer: EventWriter) -> Steps[bool]:
    return (yield from parse_list(reader, writer, name_key="tool_name"))


def _parse_named_list(reader: AnswerReader, writer: EventWriter) -> Steps[bool]:
    """Read a list of objects whose only member has the name of a tool, and its arguments as the value."""

    def parse_call() -> Steps[bool]:
        if not (yield from reader.accept("{")):
            return False
        yield from reader.skip_space()
        name = parse_string((yield from reader.read_value()))
        yield from reader.skip_space()
        if not name or not (yield from reader.accept(":")):
            return False
        yield from reader.skip_space()
        writer.start_call(name)
        yield from reader.copy_value(writer.arguments)
        yield from reader.skip_space()
        yield from reader.accept("}")
        return True

    return (yield from parse_items(reader, writer, parse_call))


def _object_call(lark: Lark, tool: Tool) -> str:
    return object_call(lark, tool, "arguments")


def _command_call(lark: Lark, tool: Tool) -> str:
    number = {"tool_call_id": {"type": "string", "pattern": "^[0-9]{1,3}$"}}
    return object_call(lark, tool, "parameters", "tool_name", number)


def _named_call(lark: Lark, tool: Tool) -> str:
    start, end = lark.literal(f'{{"{tool.name}": '), lark.literal("}")
    return f"{start} {write_arguments(lark, tool)} {end}"


def _make_format(
    name: str,
    start: str,
    end: str = "",
    is_used_by: Callable[[str], bool] | None = None,
    parse: Callable[[AnswerReader, EventWriter], Steps[bool]] = parse_list,
    call: Callable[[Lark, Tool], str] = _object_call,
) -> ToolFormat:
    """A format whose calls are one list behind `start`. Without `is_used_by`, templates have `start`."""
    return ToolFormat(
        name=name,
        is_used_by=is_used_by or (lambda template: start in template),
        parse=_make_parser(start, end, parse),
        call=call,
        mark=start,
        marks_each_call=False,
        opening="[",
        separator=", ",
        closing=f"]{end}",
        special_tokens=(start, end) if end else (start,),
    )


GRANITE = _make_format("granite", _GRANITE)
COMMAND = ToolFormat(
    name="command",
    is_used_by=lambda template: _ACTION in template,
    parse=_make_parser(_ACTION, _ACTION_END, _parse_commands),
    call=_command_call,
    mark=_ACTION,
    marks_each_call=False,
    opening="[\n    ",
    separator=",\n    ",
    closing=f"\n]{_ACTION_END}",
    special_tokens=(_ACTION, _ACTION_END),
)
NEMOTRON = _make_format("nemotron", _NEMOTRON, _NEMOTRON_END)
APRIEL = _make_format("apriel", _CALLS, _CALLS_END, lambda template: f"{_CALLS}[" in template)
FUNCTOOLS = ToolFormat(
    name="functools",
    is_used_by=lambda template: f"{_FUNCTOOLS}[" in template,
    parse=_make_parser(_FUNCTOOLS),
    call=_object_call,
    mark=f"{_FUNCTOOLS}[",  # text may have the word alone
    marks_each_call=False,
    separator=", ",
    closing="]",
)
APERTUS = _make_format("apertus", _APERTUS, _APERTUS_END, parse=_parse_named_list, call=_named_call)
