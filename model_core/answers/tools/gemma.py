"""Gemma 4 and FunctionGemma: marks, bare keys, and strings between marks of their own.

    <|tool_call>call:get_weather{city:<|"|>Paris<|"|>,days:[1,2]}<tool_call|>
    <start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call>

A string has no escapes, so it cannot hold the mark that ends it. A key that is no plain word is written like
a string. Sources: the chat templates of huggingface.co/google/gemma-4-31B-it and functiongemma-270m-it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...grammar.lark import CannotWrite, Lark, parameters
from ...grammar.schema_rules import SchemaRules, Spelling
from ...grammar.strings import string_terminal
from ...grammar.value_types import find_type, write_string
from ...requests.messages import Tool
from ..reader import AnswerReader, Steps
from ..writer import EventWriter
from .format import ToolFormat, Tools
from .marked import parse_marked
from .transcript import Cursor, Cut, write_calls

_PLAIN_KEY = re.compile(r"[\w$@][\w$@.\-]*")
_SCALAR = re.compile(r"[^,\[\]{}]+")
_KEY, _KEY_START = re.compile(r"([^:,{}\[\]]+):"), re.compile(r"[^:,{}\[\]]*$")
_NAME = re.compile(r"\s*call:([\w.\-]+)\s*(?={)")


@dataclass(frozen=True)
class _Marks:
    start: str
    end: str
    quote: str

    def parse(self, reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
        """Read an answer to the end."""

        def parse_call(mark: str) -> Steps[bool]:
            return self._write_call(writer, *(yield from self._read_body(reader)))

        yield from parse_marked(reader, writer, (self.start,), parse_call)

    def _read_body(self, reader: AnswerReader) -> Steps[tuple[str, bool]]:
        """What stands before the mark that ends a call, and whether it is there. In a string it is text."""
        parts: list[str] = []
        in_string = False
        while True:
            part, mark = yield from reader.read_to(self.quote, self.end)
            parts.append(part)
            if mark is None or (mark == self.end and not in_string):
                return "".join(parts), mark is not None
            in_string ^= mark == self.quote
            parts.append(mark)

    def _write_call(self, writer: EventWriter, body: str, is_whole: bool) -> bool:
        cursor = Cursor(body)
        name = cursor.match(_NAME)
        if name is None:
            return False
        try:
            self._copy_value(cursor)
            if not cursor.has_ended():
                return False
        except Cut:
            if is_whole:
                return False
        except (ValueError, RecursionError):
            return False
        return write_calls(writer, [(name[1], "".join(cursor.parts))])

    def _copy_value(self, cursor: Cursor) -> None:
        """Copy the value that comes next. Raises ValueError if there is none, Cut if the text ends before."""
        cursor.skip_space()
        if cursor.accept(self.quote):
            text, is_whole = cursor.read_until(self.quote)
            cursor.write(write_string(text, is_whole))
            if not is_whole:
                raise Cut
        elif cursor.accept("{"):
            self._copy_members(cursor, "{", "}")
        elif cursor.accept("["):
            self._copy_members(cursor, "[", "]")
        else:
            match = cursor.match(_SCALAR)
            if match is None or not match[0].strip():
                raise ValueError("a value is missing")
            text = match[0].strip()
            cursor.write(text if find_type(text) not in (None, "string") else write_string(text))

    def _copy_members(self, cursor: Cursor, opening: str, closing: str) -> None:
        cursor.write(opening)
        is_first = True
        while not cursor.accept(closing):
            if not is_first:
                cursor.expect(",")
                cursor.write(", ")
            is_first = False
            if opening == "{":
                cursor.write(f"{write_string(self._read_key(cursor))}: ")
            self._copy_value(cursor)
            cursor.skip_space()
        cursor.write(closing)

    def _read_key(self, cursor: Cursor) -> str:
        cursor.skip_space()
        if cursor.accept(self.quote):
            key, is_whole = cursor.read_until(self.quote)
            if not is_whole:
                raise Cut
            cursor.expect(":")
            return key
        if match := cursor.match(_KEY):
            return match[1].strip()
        if cursor.match(_KEY_START):
            raise Cut
        raise ValueError("a key is missing")

    def call(self, lark: Lark, tool: Tool) -> str:
        """An expression for a call of a tool."""
        quote, root = lark.literal(self.quote), parameters(tool)
        scalar = lark.json({"type": ["number", "boolean", "null"]})

        def string(schema: Mapping[str, Any], path: str) -> str:
            return f"{quote} {lark.until(self.quote, string_terminal(lark, schema, self.quote, path))}"

        spelling = Spelling(
            string=string,
            write=self._write,
            key=self._write_key,
            any_key=r'/[A-Za-z_]\w*/ ":"',
            separator=",",
            any_value=f"{quote} {lark.until(self.quote)} | {scalar}",
        )
        arguments = SchemaRules(lark, spelling, root).value(root)
        return f"{lark.literal(f'call:{tool.name}')} {arguments} {lark.literal(self.end)}"

    def _write_key(self, name: str) -> str:
        return f"{name if _PLAIN_KEY.fullmatch(name) else self._write(name)}:"

    def _write(self, value: Any) -> str:
        """A value as the family writes it. Raises CannotWrite if a string holds the mark that ends it."""
        if isinstance(value, str):
            if self.quote in value:
                raise CannotWrite(value)
            return self.quote + value + self.quote
        if isinstance(value, Mapping):
            return f"{{{','.join(self._write_key(key) + self._write(part) for key, part in value.items())}}}"
        if isinstance(value, list):
            return f"[{','.join(map(self._write, value))}]"
        return json.dumps(value)


def _make_format(name: str, marks: _Marks) -> ToolFormat:
    return ToolFormat(
        name=name,
        is_used_by=lambda template: marks.start in template,
        parse=marks.parse,
        call=marks.call,
        mark=marks.start,
        special_tokens=(marks.start, marks.end, marks.quote),
    )


GEMMA4 = _make_format("gemma4", _Marks("<|tool_call>", "<tool_call|>", '<|"|>'))
FUNCTION_GEMMA = _make_format(
    "function_gemma", _Marks("<start_function_call>", "<end_function_call>", "<escape>")
)
