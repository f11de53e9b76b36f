"""Qwen 3 Coder and Qwen 3 Next: XML whose values are bare text.

    <tool_call>
    <function=get_weather>
    <parameter=city>
    Paris
    </parameter>
    </function>
    </tool_call>

Source: the chat template of huggingface.co/Qwen/Qwen3-Coder-30B-A3B-Instruct.
"""

from typing import Any

from ..answer_reader import AnswerReader, Steps
from ..event_writer import EventWriter
from ..messages import Tool
from .bare_values import bare_value, read_bare_value, read_between, skip_space, write_calls
from .format import ToolFormat, Tools
from .lark import Lark, plain_parameters

_START, _FUNCTION, _FUNCTION_END, _END = "<tool_call>", "<function=", "</function>", "</tool_call>"
_PARAMETER_END = "</parameter>"
_VALUE_END = f"\n{_PARAMETER_END}\n"


def _parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    # The model at times leaves out the outer tag.
    while mark := (yield from reader.copy_until((_START, _FUNCTION), writer.text)):
        reader.mark(mark)
        if mark == _START:
            yield from reader.skip_space()
        if mark == _FUNCTION or (yield from reader.accept(_FUNCTION)):
            body = yield from reader.read_until(_FUNCTION_END)
            if body is not None and _write_call(writer, tools, body):
                yield from reader.skip_space()
                yield from reader.accept(_END)
                continue
        writer.text(reader.text_since_mark())


def _write_call(writer: EventWriter, tools: Tools, body: str) -> bool:
    """Write the call that stands between the tags of a function. False if it is none."""
    name, _, rest = body.partition(">")
    values, end = {}, 0
    while name and (key := read_between(rest, end, "<parameter=", ">")):
        end = rest.find(_PARAMETER_END, key[1])
        if end < 0:
            return False
        text = rest[key[1] : end].removeprefix("\n").removesuffix("\n")
        end += len(_PARAMETER_END)
        values[key[0]] = read_bare_value(tools.get(name), key[0], text)
    is_call = bool(name) and skip_space(rest, end) == len(rest)
    return is_call and write_calls(writer, [(name, values)])


def _call(lark: Lark, tool: Tool) -> str:
    def member(name: str, schema: Any) -> str:
        return f"{lark.literal(f'<parameter={name}>{chr(10)}')} {bare_value(lark, tool, schema, _VALUE_END)}"

    start, end = lark.literal(f"\n{_FUNCTION}{tool.name}>\n"), lark.literal(f"{_FUNCTION_END}\n{_END}")
    return f"{start} {lark.members(plain_parameters(tool), member)} {end}"


QWEN_CODER = ToolFormat(
    name="qwen_coder",
    is_used_by=lambda template: _FUNCTION in template and "<parameter=" in template,
    parse=_parse,
    call=_call,
    mark=_START,
    separator="\n",
    special_tokens=(_START, _END),
)
