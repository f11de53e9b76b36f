"""Calls in the form of Python: LFM2, Llama 4 and others.

    <|tool_call_start|>[get_weather(city="Paris"), get_time()]<|tool_call_end|>
    [get_weather(city="Paris")]
    ```tool_code
    print(get_weather(city="Paris"))
    ```

Llama 4 writes no marks, or <|python_start|> and <|python_end|>; Gemma 3 writes the third form. Between its
marks LFM2 may also write a list of JSON objects. Sources: huggingface.co/LiquidAI/LFM2-1.2B,
llama.com/docs/model-cards-and-prompt-formats/llama4, ai.google.dev/gemma/docs/capabilities/function-calling.
"""

import ast
import json
import re
from typing import Any

from ..answer_reader import AnswerReader, Steps
from ..event_writer import EventWriter
from ..messages import Tool
from .bare_values import skip_space, with_definitions, write_calls
from .format import ToolFormat, Tools
from .lark import Lark, plain_parameters
from .lines import parse_lines

_LFM2, _LFM2_END = "<|tool_call_start|>", "<|tool_call_end|>"
_LLAMA4, _LLAMA4_END = "<|python_start|>", "<|python_end|>"
_FENCE, _FENCE_END = "```tool_code\n", "```"
_CALL_START = re.compile(r"\s*(print\()?\s*(?:default_api\.)?([\w.\-]+)\(")
_CALL_END, _PRINT_END = re.compile(r"\s*,?\s*"), re.compile(r"\s*\)\s*")
_ARGUMENT_START, _ARGUMENTS_END = re.compile(r"\s*([\w\-]+)\s*="), re.compile(r"\s*\)")
_STRING = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", re.S)
_NUMBER = re.compile(r"[-+]?[\d.][\w.]*(?:(?<=[eE])[-+]\d+)?")
_NAME, _COLON = re.compile(r"[A-Za-z]\w*"), re.compile(r":\s*")
_NAMES = {"True": True, "False": False, "None": None, "true": True, "false": False, "null": None}
_QUOTES, _OPENING, _CLOSING = "\"'", "[{(", "]})"
_ESCAPES = 'nrbtf\\"'  # of JSON, with the same meaning in Python


def _parse_marked(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    while (yield from reader.copy_until((_LFM2,), writer.text)):
        reader.mark(_LFM2)
        body = yield from reader.read_until(_LFM2_END)
        if body is None or not _write_code(writer, body):
            writer.text(reader.text_since_mark())


def _parse_bare(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    def parse_call(first: str) -> Steps[bool]:
        if first == "[":
            return (yield from _parse_list(reader, writer, tools))
        is_marked = yield from reader.accept(_LLAMA4)
        if not is_marked and not (yield from reader.accept(_FENCE)):
            return False
        body = yield from reader.read_until(_LLAMA4_END if is_marked else _FENCE_END)
        return body is not None and _write_code(writer, body)

    yield from parse_lines(reader, writer, "[<`", parse_call)


def _parse_list(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[bool]:
    """Read a list of calls without marks, the first of them of a known tool."""
    yield from reader.accept("[")
    name = yield from reader.read_name()
    if name not in tools or (yield from reader.peek()) != "(":
        return False
    first = yield from reader.read_value(_QUOTES, _OPENING, _CLOSING)
    rest = yield from reader.read_value(_QUOTES, _OPENING, _CLOSING, depth=1)
    return first is not None and rest is not None and _write_code(writer, reader.text_since_mark())


def _write_code(writer: EventWriter, code: str) -> bool:
    """Write the calls in Python code, or in a list of JSON objects. False if it has anything else."""
    try:
        return write_calls(
            writer, _read_objects(code) if code.lstrip().startswith("[{") else _read_code(code)
        )
    except (SyntaxError, ValueError, TypeError, KeyError, RecursionError, MemoryError):
        return False


def _read_objects(code: str) -> list[tuple[str, Any]]:
    return [(call["name"], call["arguments"]) for call in json.loads(code)]


def _read_code(code: str) -> list[tuple[str, dict[str, Any]]]:
    """The names and the arguments of the calls in a list, or in lines. Raises ValueError for anything else.

    Python itself could not read it: names may have a dash, or be a keyword such as `from`.
    """
    code, end = code.strip(), 0
    if code.startswith("[") and code.endswith("]"):
        code = code[1:-1].strip()
    calls = []
    while end < len(code):
        start = _match(_CALL_START, code, end)
        arguments, end = _read_arguments(code, start.end())
        calls.append((start[2], arguments))
        end = _match(_PRINT_END if start[1] else _CALL_END, code, end).end()
    return calls


def _read_arguments(code: str, end: int) -> tuple[dict[str, Any], int]:
    """The named arguments that start at `end`, and where the closing bracket ends."""
    arguments = {}
    while not (close := _ARGUMENTS_END.match(code, end)):
        name = _match(_ARGUMENT_START, code, end)
        arguments[name[1]], end = _read_value(code, skip_space(code, name.end()))
        end = _read_comma(code, end, ")")
    return arguments, close.end()


def _read_value(code: str, start: int) -> tuple[Any, int]:
    """The value at `start`, and where it ends, with the space behind it. A tuple is a list.

    Python's own parser would not do: a long chain of operators ends the process in Python 3.10.
    """
    if match := _STRING.match(code, start):
        texts = []
        while match:
            texts.append(ast.literal_eval(match[0].replace("\n", "\\n")))
            start = skip_space(code, match.end())
            match = _STRING.match(code, start)
        return "".join(texts), start
    if match := _NUMBER.match(code, start):
        return ast.literal_eval(match[0]), skip_space(code, match.end())
    if match := _NAME.match(code, start):
        return _NAMES[match[0]], skip_space(code, match.end())
    first = code[start : start + 1]
    if first not in tuple(_OPENING):
        raise ValueError("a value is missing")
    members: dict[Any, Any] = {}
    close, start = _CLOSING[_OPENING.index(first)], skip_space(code, start + 1)
    while not code.startswith(close, start):
        key: Any = len(members)
        if first == "{":
            key, start = _read_value(code, start)
            start = _match(_COLON, code, start).end()
        members[key], start = _read_value(code, start)
        start = _read_comma(code, start, close)
    return (members if first == "{" else list(members.values())), skip_space(code, start + 1)


def _read_comma(code: str, start: int, close: str) -> int:
    """Where the next value, or `close`, starts. Raises ValueError if there is neither `close` nor a comma."""
    if code.startswith(close, start):
        return start
    if not code.startswith(",", start):
        raise ValueError("a comma is missing")
    return skip_space(code, start + 1)


def _match(pattern: re.Pattern[str], text: str, start: int) -> re.Match[str]:
    match = pattern.match(text, start)
    if match is None:
        raise ValueError("it is no call with named arguments")
    return match


def _call(lark: Lark, tool: Tool) -> str:
    def member(name: str, schema: Any) -> str:
        value = lark.json(with_definitions(tool, schema), tool.strict, json_allowed_escapes=_ESCAPES)
        return f"{lark.literal(name + '=')} {value}"

    members = lark.members(plain_parameters(tool), member, separator=", ")
    return f"{lark.literal(tool.name + '(')} {members} {lark.literal(')')}"


LFM2 = ToolFormat(
    name="lfm2",
    is_used_by=lambda template: _LFM2 in template or "<|tool_list_start|>" in template,
    parse=_parse_marked,
    call=_call,
    mark=_LFM2,
    marks_each_call=False,
    opening="[",
    separator=", ",
    closing="]" + _LFM2_END,
    special_tokens=(_LFM2, _LFM2_END),
)
PYTHONIC = ToolFormat(
    name="pythonic",
    is_used_by=lambda template: "[func_name1(" in template or "tool_code" in template,
    parse=_parse_bare,
    call=_call,
    opening="[",
    separator=", ",
    closing="]",
    special_tokens=(_LLAMA4, _LLAMA4_END),
)
