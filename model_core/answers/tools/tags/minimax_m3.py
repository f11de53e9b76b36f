"""MiniMax-M3: elements that are called as the arguments are, within each other, with a mark before each tag.

    ]<]minimax[>[<tool_call>
    ]<]minimax[>[<invoke name="plan_trip">]<]minimax[>[<city>Paris]<]minimax[>[</city>]<]minimax[>[<stops>
    ]<]minimax[>[<item>Rome]<]minimax[>[</item>]<]minimax[>[</stops>]<]minimax[>[</invoke>
    ]<]minimax[>[</tool_call>

There are line ends only around calls. Members of objects are elements, those of lists are called `item`. Both
may be JSON instead, and a grammar has them written so. Source: texts of MiniMaxAI/MiniMax-M3 in the parser
of vLLM.
"""

import re
from collections.abc import Mapping
from typing import Any

from ....grammar.lark import OBJECT_KEYWORDS, CannotWrite, Lark, parameters
from ....grammar.value_types import STRING, alternatives, read_bare_value, read_properties, value_types
from ....requests.messages import Tool
from ....text.overlap import overlap_length
from ...reader import AnswerReader, Steps
from ...writer import EventWriter
from ..format import ToolFormat, Tools
from ..marked import parse_marked
from ..transcript import Cursor, Cut, write_calls, write_object
from .tagged import JSON_STARTS, QUOTE, Tags

_MARK = "]<]minimax[>["
_START, _END = f"{_MARK}<tool_call>", f"{_MARK}</tool_call>"
_INVOKE, _INVOKE_END = f'{_MARK}<invoke name="', f"{_MARK}</invoke>"
_TAG, _TAG_END = f"{_MARK}<", f"{_MARK}</"
_NAME = re.compile(r"[^<>/\s][^<>]*")  # of an element
_NEXT_TAG = re.compile(rf"\s*{re.escape(_TAG)}(?!/)")
_DEEPEST = 50  # elements within each other
_EMPTY = {"array": "[]", "object": "{}", "null": "null"}  # an element without anything in it


def _parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    def parse_call(mark: str) -> Steps[bool]:
        if mark == _START:
            yield from reader.skip_space()
            if not (yield from reader.accept(_INVOKE)):
                return False
        name = yield from reader.read_name()
        if not name or not (yield from reader.accept('">')):
            return False
        if not (yield from _read_arguments(reader, writer, tools.get(name), name)):
            return False
        yield from reader.skip_space()
        yield from reader.accept(_END)
        return True

    yield from parse_marked(reader, writer, (_START, _INVOKE), parse_call)


def _read_arguments(reader: AnswerReader, writer: EventWriter, tool: Tool | None, name: str) -> Steps[bool]:
    """Read arguments up to the end of a call, and write it. False if it is none, as of Tags."""
    properties, root = read_properties(tool)
    members: dict[str, str] = {}
    while True:
        yield from reader.skip_space()
        if (yield from reader.accept(_INVOKE_END)):
            return write_calls(writer, [(name, write_object(members))])
        if not (yield from reader.accept(_TAG)):
            is_cut = bool(members) and not (yield from reader.peek())
            return is_cut and write_calls(writer, [(name, write_object(members, False))])
        key, mark = yield from reader.read_to(">")
        schema = properties.get(key, True)
        if mark is None:
            return bool(members) and write_calls(writer, [(name, write_object(members, False))])
        if not _NAME.fullmatch(key):
            return False
        text, is_whole = yield from _read_text(reader, key, value_types(schema, root) == STRING)
        try:
            members[key] = _read_value(Cursor(text), schema, root, is_whole)
        except (ValueError, Cut):
            if is_whole:
                return False
        if not is_whole:
            return write_calls(writer, [(name, write_object(members, False))])


def _read_text(reader: AnswerReader, key: str, is_string: bool) -> Steps[tuple[str, bool]]:
    """What is in an element, and whether its end has been read."""
    start, end, parts = f"{_TAG}{key}>", f"{_TAG_END}{key}>", list[str]()
    in_string, depth = False, 1
    while True:
        part, mark = yield from reader.read_to(end)
        parts.append(part)
        if mark is None:
            text = "".join(parts)
            return text[: len(text) - overlap_length(text, end)], False
        first = parts[0].lstrip()
        in_string ^= first[:1] in JSON_STARTS and len(QUOTE.findall(part)) % 2 == 1
        depth += part.count(start) - 1
        is_open = depth > 0 if first.startswith(_TAG) else in_string
        if is_string or not is_open or (in_string and (yield from reader.peek()) in ("\n", "")):
            return "".join(parts), True
        parts.append(end)


def _read_value(
    c: Cursor, schema: Any, root: Mapping[str, Any], is_whole: bool = True, end: str = "", depth: int = 0
) -> str:
    """The JSON of a value, up to the tag `end`, or of the whole text. Raises ValueError or Cut."""
    types = value_types(schema, root)
    if types == STRING or not _NEXT_TAG.match(c.text, c.position):
        text, is_there = c.read_until(end) if end else (c.text[c.position :], True)
        if not is_there:
            raise Cut
        if not text.strip() and "string" not in types and is_whole:
            return next((_EMPTY[kind] for kind in _EMPTY if kind in types), '""')
        return read_bare_value(types, text, is_whole)
    if depth > _DEEPEST:
        raise ValueError("elements are in too many others")
    members: list[tuple[str, str]] = []
    while not (c.has_ended() if not end else _accept_end(c, end)):
        c.expect(_TAG)
        name, is_named = c.read_until(">")
        if not is_named:
            raise Cut
        member = _find_schema(schema, root, name)
        members.append((name, _read_value(c, member, root, True, f"{_TAG_END}{name}>", depth + 1)))
    if "array" in types and all(name == "item" for name, _ in members):
        return f"[{', '.join(value for _, value in members)}]"
    return write_object(dict(members))


def _accept_end(c: Cursor, end: str) -> bool:
    c.skip_space()
    return c.accept(end)


def _find_schema(schema: Any, root: Mapping[str, Any], name: str) -> Any:
    """The schema of a member of a value."""
    for part in alternatives(schema, root):
        if isinstance(part, Mapping):
            properties = part.get("properties")
            if isinstance(properties, Mapping) and name in properties:
                return properties[name]
            if name == "item" and "items" in part:
                return part["items"]
    return True


def _call(lark: Lark, tool: Tool) -> str:
    """An expression for a call, whose lists and objects are JSON."""
    root = parameters(tool)
    lark.leave_out_other(root, OBJECT_KEYWORDS)

    def member(name: str, schema: Any) -> str:
        if not _NAME.fullmatch(name):
            raise CannotWrite(f"properties.{name}")
        tags = Tags(key="", key_end="", value_end=f"{_TAG_END}{name}>", closing="")
        return f"{lark.literal(_TAG + name + '>')} {tags.value_of(lark, tool, schema, f'properties.{name}.')}"

    members = lark.members(root, member)
    start = lark.literal(f'{_INVOKE}{tool.name}">')
    return f"{start} {members} {lark.literal(_INVOKE_END + chr(10))}"


MINIMAX_M3 = ToolFormat(
    name="minimax_m3",
    is_used_by=lambda template: _MARK in template,
    parse=_parse,
    call=_call,
    mark=_START,
    marks_each_call=False,
    opening="\n",
    closing=_END,
    special_tokens=(_MARK, "<tool_call>", "</tool_call>"),
)
