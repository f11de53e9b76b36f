"""GigaChat 3 and 3.1: a JSON object as a message of its own, whose role is a call, or behind a mark.

    Let me see.<|message_sep|>

    function call<|role_sep|>
    {"name": "get_weather", "arguments": {"city": "Paris"}}

    Let me see.<|function_call|>{"name": "get_weather", "arguments": {"city": "Paris"}}

An answer has one call. Sources: the chat templates of huggingface.co/ai-sage/GigaChat3-10B-A1.8B and
GigaChat3.1-10B-A1.8B. GigaChat 3.5 writes as DeepSeek V4, see dsml.py.
"""

from ...grammar.lark import Lark
from ...requests.messages import Tool
from ..reader import AnswerReader, Steps
from ..writer import EventWriter
from .format import ToolFormat, Tools
from .marked import parse_marked
from .objects import object_call, parse_object

# In some vocabularies, the line ends are a part of the tokens.
_END, _ROLE_END = "<|message_sep|>", "<|role_sep|>"
_LONG_END, _LONG_ROLE_END = f"{_END}\n\n", f"{_ROLE_END}\n"
_ROLE = "function call"
_CALL = "<|function_call|>"


def _parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    def parse_call(mark: str) -> Steps[bool]:
        if mark == _END:
            yield from reader.skip_space()
            return True  # the end of the text
        yield from reader.skip_space()
        return bool(tools) and (yield from parse_object(reader, writer))

    yield from parse_marked(reader, writer, (_END, _ROLE + _ROLE_END, _CALL), parse_call)


def _call(lark: Lark, tool: Tool) -> str:
    return object_call(lark, tool, "arguments")


GIGACHAT3 = ToolFormat(
    name="gigachat3",
    is_used_by=lambda template: _ROLE_END in template and _ROLE in template and _CALL not in template,
    parse=_parse,
    call=_call,
    mark=_LONG_END,
    opening=_ROLE + _LONG_ROLE_END,
    is_parallel=False,
    has_headers=True,
    special_tokens=(_END, _LONG_END, _ROLE_END, _LONG_ROLE_END),
)
GIGACHAT31 = ToolFormat(
    name="gigachat31",
    is_used_by=lambda template: _CALL in template,
    parse=_parse,
    call=_call,
    mark=_CALL,
    is_parallel=False,
    has_headers=True,
    special_tokens=(_CALL, _END, _LONG_END),
)
