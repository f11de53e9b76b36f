# ruff: noqa: RUF001 - the names of the tokens have wide bars
"""DeepSeek V3, R1 and V3.1: a list of calls between marks.

    <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather
    ```json
    {"city": "Paris"}
    ```<｜tool▁call▁end｜><｜tool▁calls▁end｜>

    <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Paris"}
    <｜tool▁call▁end｜><｜tool▁calls▁end｜>

The second form is V3.1's, all on one line. Both are read for all models. Source: the chat templates of
huggingface.co/deepseek-ai/DeepSeek-V3-0324 and DeepSeek-V3.1.
"""

from ...grammar.json_rules import write_arguments
from ...grammar.lark import Lark
from ...requests.messages import Tool
from ..reader import AnswerReader, Steps
from ..writer import EventWriter
from .format import ToolFormat, Tools
from .marked import parse_marked

_LIST, _LIST_END = "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"
_CALL, _SEPARATOR, _CALL_END = "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"
_TYPE, _FENCE = "function", "```"
_SPECIAL_TOKENS = (_LIST, _LIST_END, _CALL, _SEPARATOR, _CALL_END)


def _parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    def parse_call(mark: str) -> Steps[bool]:
        if mark == _LIST:
            yield from reader.skip_space()
            if not (yield from reader.accept(_CALL)):
                return False
        return mark == _LIST_END or (yield from _parse_call(reader, writer))

    # Some models leave out the mark of the list.
    yield from parse_marked(reader, writer, (_LIST, _CALL, _LIST_END), parse_call)


def _parse_call(reader: AnswerReader, writer: EventWriter) -> Steps[bool]:
    name = yield from reader.read_until(_SEPARATOR)
    is_fenced = name is not None and name.strip() == _TYPE
    if is_fenced:
        name = yield from reader.read_until("\n")
        yield from reader.accept(_FENCE + "json")
        yield from reader.skip_space()
    if not name or not name.strip():
        return False
    writer.start_call(name.strip())
    yield from reader.copy_value(writer.arguments)
    if is_fenced:
        yield from reader.skip_space()
        yield from reader.accept(_FENCE)
    yield from reader.skip_space()
    yield from reader.accept(_CALL_END)
    return True


def _call(lark: Lark, tool: Tool) -> str:
    start, end = lark.literal(f"{_CALL}{tool.name}{_SEPARATOR}"), lark.literal(_CALL_END)
    return f"{start} {write_arguments(lark, tool)} {end}"


def _fenced_call(lark: Lark, tool: Tool) -> str:
    start = lark.literal(f"{_CALL}{_TYPE}{_SEPARATOR}{tool.name}\n{_FENCE}json\n")
    return f"{start} {write_arguments(lark, tool)} {lark.literal(f'{chr(10)}{_FENCE}{_CALL_END}')}"


DEEPSEEK_V3 = ToolFormat(
    name="deepseek_v3",
    is_used_by=lambda template: _CALL in template and _FENCE in template,
    parse=_parse,
    call=_fenced_call,
    mark=_LIST,
    marks_each_call=False,
    separator="\n",
    closing=_LIST_END,
    special_tokens=_SPECIAL_TOKENS,
)
DEEPSEEK_V31 = ToolFormat(
    name="deepseek_v31",
    is_used_by=lambda template: _CALL in template,
    parse=_parse,
    call=_call,
    mark=_LIST,
    marks_each_call=False,
    closing=_LIST_END,
    special_tokens=_SPECIAL_TOKENS,
)
