"""Calls in the form of Python: LFM2, OLMo 3, Llama 4 and others.

    <|tool_call_start|>[get_weather(city="Paris"), get_time()]<|tool_call_end|>
    <function_calls>
    get_weather(city="Paris")
    get_time()
    </function_calls>
    [get_weather(city="Paris")]
    ```tool_code
    print(get_weather(city="Paris"))
    ```

An argument whose name has other characters than Python's is written as it is or, as in Python,
`**{"its name": 1}`. OLMo 3 writes the second form. Llama 4 writes no marks, or <|python_start|> and
<|python_end|>; Gemma 3 writes the last form. Between its marks LFM2 may also write a list of JSON objects.
Sources: huggingface.co/LiquidAI/LFM2-1.2B, huggingface.co/allenai/Olmo-3-7B-Instruct,
llama.com/docs/model-cards-and-prompt-formats/llama4, ai.google.dev/gemma/docs/capabilities/function-calling.
"""

import ast
import json
import re
from collections.abc import Callable
from typing import Any

from ...grammar.json_rules import write_json
from ...grammar.lark import OBJECT_KEYWORDS, Lark, parameters
from ...grammar.value_types import find_type, write_string
from ...requests.messages import Tool
from ..reader import AnswerReader, Steps
from ..writer import EventWriter
from .format import ToolFormat, Tools
from .lines import parse_lines
from .marked import parse_marked
from .objects import parse_list
from .transcript import Cursor, Cut, write_calls

_LFM2, _LFM2_END = "<|tool_call_start|>", "<|tool_call_end|>"
_OLMO3, _OLMO3_END = "<function_calls>", "</function_calls>"
_LLAMA4, _LLAMA4_END = "<|python_start|>", "<|python_end|>"
_FENCE, _FENCE_END = "```tool_code\n", "```"
_CALL_START = re.compile(r"\s*(print\()?\s*(?:default_api\.)?([\w.\-]+)\(")
_PLAIN_NAME = re.compile(r"[^\s=,(){}\[\]\"'*<>|`]+")
_ARGUMENT = re.compile(rf"({_PLAIN_NAME.pattern})\s*=")
_STRING = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", re.S)
_OPEN_STRING = re.compile(r"""(["'])(.*)""", re.S)
_CUT_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(x.?|u.{0,3}|U.{0,7})?$")
_CALL_START_CUT, _ARGUMENT_CUT = re.compile(r"[\w.\-\s(]*$"), re.compile(rf"(?:{_PLAIN_NAME.pattern}\s*)?$")
_QUOTE = re.compile(r"""\\.|["']""", re.S)
_NUMBER = re.compile(r"[-+]?[\d.][\w.]*(?:(?<=[eE])[-+]\d+)?")
_NAME = re.compile(r"[A-Za-z]\w*")
_NAMES = {"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null"}
_QUOTES, _OPENING, _CLOSING = "\"'", "[{(", "]})"
_ESCAPES = 'nrbtf\\"'  # of JSON, with the same meaning in Python


def _make_parser(start: str, end: str) -> Callable[[AnswerReader, EventWriter, Tools], Steps[None]]:
    """What reads calls between two marks."""

    def parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
        def parse_call(mark: str) -> Steps[bool]:
            return _write_code(writer, *(yield from _read_code(reader, end)))

        yield from parse_marked(reader, writer, (start,), parse_call)

    return parse


def _parse_bare(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    def parse_call(first: str) -> Steps[bool]:
        if first == "[":
            return (yield from _parse_list(reader, writer, tools))
        is_marked = yield from reader.accept(_LLAMA4)
        if not is_marked and not (yield from reader.accept(_FENCE)):
            return False
        code, is_whole = yield from _read_code(reader, _LLAMA4_END if is_marked else _FENCE_END)
        return _write_code(writer, code, is_whole)

    yield from parse_lines(reader, writer, "[<`", parse_call)


def _parse_list(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[bool]:
    """Read a list of calls without marks, the first of them of a known tool."""
    yield from reader.accept("[")
    name = yield from reader.read_name()
    if name not in tools or (yield from reader.peek()) != "(":
        return False
    first = yield from reader.read_value(_QUOTES, _OPENING, _CLOSING)
    rest = yield from reader.read_value(_QUOTES, _OPENING, _CLOSING, depth=1)
    return _write_code(writer, reader.text_since_mark(), first is not None and rest is not None)


def _read_code(reader: AnswerReader, end: str) -> Steps[tuple[str, bool]]:
    """What stands before the mark that ends calls, and whether it is there. Within a string it is text."""
    parts: list[str] = []
    quote = ""  # of the string that is open
    while True:
        part, mark = yield from reader.read_to(end)
        parts.append(part)
        for match in _QUOTE.finditer(part):
            if match[0] == quote:
                quote = ""
            elif not quote and len(match[0]) == 1:
                quote = match[0]
        if mark is None or not quote:
            return "".join(parts), mark is not None
        parts.append(mark)


def _write_code(writer: EventWriter, code: str, is_whole: bool) -> bool:
    """Write the calls in Python code, or in a list of JSON objects. False if it has anything else.

    If the answer ended within the code, the last call is written with what there is.
    """
    if code.lstrip().startswith("[{"):
        return _write_objects(writer, code)
    cursor, calls = Cursor(code), list[tuple[str, list[str]]]()
    try:
        _copy_calls(cursor, calls)
    except Cut:
        if is_whole:
            return False
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return write_calls(writer, [(name, "".join(parts)) for name, parts in calls])


def _write_objects(writer: EventWriter, code: str) -> bool:
    """Write calls that are a list of JSON objects. False if they are none."""
    reader = AnswerReader()
    reader.push(code.lstrip())
    reader.end()
    try:
        next(parse_list(reader, writer))
    except StopIteration as result:
        return result.value
    return False


def _copy_calls(cursor: Cursor, calls: list[tuple[str, list[str]]]) -> None:
    """Copy the calls in a list, or in lines: the name of each, and the parts of the JSON of its arguments.

    Python itself could not read them: names may have a dash, or be keywords, and a long chain of
    operators ends the process in Python 3.10. Raises ValueError or SyntaxError for all but calls with named
    arguments, and Cut if the code ends within a call.
    """
    cursor.skip_space()
    is_list = cursor.accept("[")
    while not cursor.has_ended() and not (is_list and cursor.accept("]")):
        start = cursor.match(_CALL_START)
        if start is None:
            raise Cut if cursor.match(_CALL_START_CUT) else ValueError("it is no call")
        cursor.parts = []
        calls.append((start[2], cursor.parts))
        _copy_arguments(cursor)
        cursor.skip_space()
        if start[1]:
            cursor.expect(")")
        elif not cursor.has_ended() and cursor.accept(","):
            cursor.skip_space()
    if not cursor.has_ended():
        raise ValueError("it has more than calls")


def _copy_arguments(cursor: Cursor) -> None:
    """Copy named arguments, behind the opening bracket, up to the closing one."""
    cursor.write("{")
    is_first = True
    while not _ends(cursor, ")", is_first):
        if cursor.accept("**"):
            cursor.skip_space()
            cursor.expect("{")
            is_first_of_map = True
            while not _ends(cursor, "}", is_first_of_map):
                _copy_member(cursor, is_first)
                is_first = is_first_of_map = False
            continue
        name = cursor.match(_ARGUMENT)
        if name is None:
            raise Cut if cursor.match(_ARGUMENT_CUT) else ValueError("an argument has no name")
        cursor.write(f"{'' if is_first else ', '}{write_string(name[1])}: ")
        is_first = False
        _copy_value(cursor)
    cursor.write("}")


def _copy_member(cursor: Cursor, is_first: bool) -> None:
    """Copy a member of a dictionary."""
    cursor.write("" if is_first else ", ")
    if text := _take_string(cursor):
        cursor.write(text)
    elif match := cursor.match(_NUMBER) or cursor.match(_NAME):
        cursor.write(write_string(match[0]))
    else:
        raise ValueError("a key is missing")
    cursor.skip_space()
    cursor.expect(":")
    cursor.write(": ")
    _copy_value(cursor)


def _ends(cursor: Cursor, closing: str, is_first: bool) -> bool:
    """Read the comma before the next part, or the bracket that closes all; whether it is the bracket."""
    cursor.skip_space()
    if cursor.accept(closing):
        return True
    if not is_first:
        cursor.expect(",")
        cursor.skip_space()
        return cursor.accept(closing)
    return False


def _copy_value(cursor: Cursor) -> None:
    """Copy the value that comes next. A tuple becomes a list."""
    cursor.skip_space()
    if text := _take_string(cursor):
        cursor.write(text)
    elif match := cursor.match(_NUMBER):
        number = match[0]
        is_json = find_type(number) in ("integer", "number")
        cursor.write(number if is_json else json.dumps(ast.literal_eval(number), allow_nan=False))
    elif match := cursor.match(_NAME):
        if match[0] not in _NAMES:
            raise ValueError(f"{match[0]} is no value") if cursor.position < len(cursor.text) else Cut
        cursor.write(_NAMES[match[0]])
    else:
        opening = next((bracket for bracket in _OPENING if cursor.accept(bracket)), None)
        if opening is None:
            raise ValueError("a value is missing")
        _copy_members(cursor, opening)


def _copy_members(cursor: Cursor, opening: str) -> None:
    """Copy the members of a list, a tuple or a dictionary, behind the opening bracket."""
    is_object, closing, is_first = opening == "{", _CLOSING[_OPENING.index(opening)], True
    cursor.write("{" if is_object else "[")
    while not _ends(cursor, closing, is_first):
        if is_object:
            _copy_member(cursor, is_first)
        else:
            cursor.write("" if is_first else ", ")
            _copy_value(cursor)
        is_first = False
    cursor.write("}" if is_object else "]")


def _take_string(cursor: Cursor) -> str:
    """The JSON of the string that comes next, of which Python joins neighbours; "" if none does.

    Raises Cut if the text ends within it. Then the part of it has been written.
    """
    texts = []
    while match := cursor.match(_STRING):
        texts.append(ast.literal_eval(match[0].replace("\n", "\\n")))
        cursor.skip_space()
    if match := cursor.match(_OPEN_STRING):
        text = match[1] + re.sub(_CUT_ESCAPE, "", match[2]).replace("\n", "\\n") + match[1]
        cursor.write(write_string("".join([*texts, ast.literal_eval(text)]), is_whole=False))
        raise Cut
    return write_string("".join(texts)) if texts else ""


def _call(lark: Lark, tool: Tool) -> str:
    root = parameters(tool)
    lark.leave_out_other(root, OBJECT_KEYWORDS)

    def member(name: str, schema: Any) -> str:
        path = f"properties.{name}."
        value = write_json(lark, schema, root, tool.strict, path, json_allowed_escapes=_ESCAPES)
        if _PLAIN_NAME.fullmatch(name):
            return f"{lark.literal(name + '=')} {value}"
        return f"{lark.literal('**{' + write_string(name) + ': ')} {value} {lark.literal('}')}"

    members = lark.members(root, member, separator=", ")
    return f"{lark.literal(tool.name + '(')} {members} {lark.literal(')')}"


LFM2 = ToolFormat(
    name="lfm2",
    # The last is all that the template of LFM2.5 says.
    is_used_by=lambda template: any(
        text in template for text in (_LFM2, "<|tool_list_start|>", "List of tools: [")
    ),
    parse=_make_parser(_LFM2, _LFM2_END),
    call=_call,
    mark=_LFM2,
    marks_each_call=False,
    opening="[",
    separator=", ",
    closing="]" + _LFM2_END,
    special_tokens=(_LFM2, _LFM2_END),
)
OLMO3 = ToolFormat(
    name="olmo3",
    is_used_by=lambda template: _OLMO3 in template and "<invoke" not in template,
    parse=_make_parser(_OLMO3, _OLMO3_END),
    call=_call,
    mark=_OLMO3,
    marks_each_call=False,
    opening="\n",
    separator="\n",
    closing="\n" + _OLMO3_END,
    special_tokens=(_OLMO3, _OLMO3_END),
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
