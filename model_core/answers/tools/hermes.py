"""JSON objects between marks: Hermes and many others, Phi-4-mini, InternLM 2.5.

    <tool_call>
    {"name": "get_weather", "arguments": {"city": "Paris"}}
    </tool_call>

    <|tool_call|>{"name": "get_weather", "arguments": {"city": "Paris"}}<|/tool_call|>

    <|action_start|><|plugin|>
    {"name": "get_weather", "parameters": {"city": "Paris"}}<|action_end|>

Qwen 2.5 and 3, SmolLM 3, EXAONE 4, Falcon-H1 and Granite 4 write the first. Phi-4-mini may also write a list
between its marks. Sources: github.com/NousResearch/Hermes-Function-Calling,
github.com/InternLM/InternLM/blob/main/chat/chat_format.md, and
huggingface.co/microsoft/Phi-4-mini-instruct.
"""

from collections.abc import Callable

from ...grammar.lark import Lark
from ...requests.messages import Tool
from ..reader import AnswerReader, Steps
from ..writer import EventWriter
from .format import ToolFormat, Tools
from .marked import parse_marked
from .objects import object_call, parse_list, parse_object

_START, _END = "<tool_call>", "</tool_call>"
# Other formats with the same tags have these, too.
_OTHER_MARKS = ("<function=", "<invoke", "<arg_key>", "<tool_calls>")
_PHI, _PHI_END = "<|tool_call|>", "<|/tool_call|>"
_ACTION, _PLUGIN, _ACTION_END = "<|action_start|>", "<|plugin|>", "<|action_end|>"


def _make_parser(start: str, end: str) -> Callable[[AnswerReader, EventWriter, Tools], Steps[None]]:
    """What reads calls behind `start`, each of which may end with `end`."""

    def parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
        def parse_call(mark: str) -> Steps[bool]:
            yield from reader.skip_space()
            is_list = (yield from reader.peek()) == "["
            if not (yield from (parse_list if is_list else parse_object)(reader, writer)):
                return False
            yield from reader.skip_space()
            yield from reader.accept(end)
            return True

        yield from parse_marked(reader, writer, (start,), parse_call)

    return parse


def _make_call(before: str, after: str, arguments_key: str = "arguments") -> Callable[[Lark, Tool], str]:
    """What writes a call between two texts."""

    def call(lark: Lark, tool: Tool) -> str:
        return f"{lark.literal(before)} {object_call(lark, tool, arguments_key)} {lark.literal(after)}"

    return call


HERMES = ToolFormat(
    name="hermes",
    is_used_by=lambda template: _START in template and not any(map(template.__contains__, _OTHER_MARKS)),
    parse=_make_parser(_START, _END),
    call=_make_call("\n", "\n" + _END),
    mark=_START,
    separator="\n",
    special_tokens=(_START, _END),
)
PHI4 = ToolFormat(
    name="phi4",
    is_used_by=lambda template: _PHI_END in template,
    parse=_make_parser(_PHI, _PHI_END),
    call=_make_call("", _PHI_END),
    mark=_PHI,
    special_tokens=(_PHI, _PHI_END),
)
INTERNLM = ToolFormat(
    name="internlm",
    is_used_by=lambda template: _ACTION + _PLUGIN in template,
    parse=_make_parser(_ACTION + _PLUGIN, _ACTION_END),
    call=_make_call("\n", _ACTION_END, "parameters"),
    mark=_ACTION + _PLUGIN,
    special_tokens=(_ACTION, _PLUGIN, _ACTION_END),
)
