"""Calls whose arguments stand between tags: strings have no quotes, all other values are JSON.

A family of models states its tags once. The grammar writes them and the reader reads them, so that what the
grammar allows is what is read:

- A string holds no tag that ends a value, because there is no way to escape it. The grammar excludes it.
- A string within JSON may hold one. It has no line end beside it there, because JSON escapes line ends. The
  grammar writes one beside the tag that ends the value.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ....grammar.json_rules import write_json
from ....grammar.lark import OBJECT_KEYWORDS, CannotWrite, Lark, parameters, write_all
from ....grammar.strings import string_terminal
from ....grammar.value_types import (
    ANY_TYPE,
    STRING,
    alternatives,
    read_bare_value,
    read_properties,
    value_types,
)
from ....requests.messages import Tool
from ....text.overlap import overlap_length
from ...reader import AnswerReader, Steps
from ...writer import EventWriter
from ..format import Tools
from ..marked import parse_marked
from ..transcript import write_calls, write_object

JSON_STARTS = tuple('{["')
QUOTE = re.compile(r'(?<!\\)(?:\\\\)*"')


@dataclass(frozen=True)
class Tags:
    """What stands around the parts of a call. Behind each value is a line end.

    Attributes:
        key, key_end: around the name of an argument.
        value, value_end: around a value; `value` may be missing.
        closing, outer_closing: what ends the arguments, and what comes behind it.
        before_name, after_name: around the name of the tool.
        between: white space between `key_end` and `value`.
        line: a line end between a value and its tags.
        after: what stands behind a value.
        quotes: around a string that may have anything, in the place of the string itself.
        string_flag, other_flags: what stands behind `key_end` if the value is a string, and what may stand
            there if it is JSON; without them, the schema says it.
    """

    key: str
    key_end: str
    value_end: str
    closing: str
    before_name: str = ""
    after_name: str = ""
    between: str = ""
    value: str = ""
    line: str = ""
    after: str = "\n"
    quotes: tuple[str, str] | None = None
    outer_closing: str = ""
    string_flag: str = ""
    other_flags: tuple[str, ...] = ()

    def call(self, lark: Lark, tool: Tool) -> str:
        """An expression for a call of a tool, without the mark that starts it."""
        start = lark.literal(self.before_name + tool.name + self.after_name)
        return f"{start} {self.arguments(lark, tool)}"

    def arguments(self, lark: Lark, tool: Tool) -> str:
        """An expression for the arguments of a call, and what ends it."""
        root = parameters(tool)
        lark.leave_out_other(root, OBJECT_KEYWORDS)

        def member(name: str, schema: Any) -> str:
            if self.key_end in name:
                raise CannotWrite(f"properties.{name}")
            start, end = lark.literal(self.key + name + self.key_end), lark.literal(self.value + self.line)
            flag = lark.literal(self.between)
            if self.string_flag:
                is_string = value_types(schema, root) == STRING
                flags = (self.string_flag,) if is_string else self.other_flags
                flag = f"({' | '.join(map(lark.literal, flags))})"
            value = self.value_of(lark, tool, schema, f"properties.{name}.")
            return f"{start} {flag} {end} {value} {lark.literal(self.after) if self.after else ''}"

        members = lark.members(root, member)
        return f"{members} {lark.literal(self.closing + self.outer_closing)}"

    def value_of(self, lark: Lark, tool: Tool, schema: Any, path: str) -> str:
        """An expression for a value with the tag that ends it."""
        root = parameters(tool)
        if value_types(schema, root) != STRING:
            end = lark.literal(self.line + self.value_end)
            return f"{write_json(lark, schema, root, tool.strict, path)} {end}"
        texts = write_all(
            lambda part: string_terminal(lark, part, self.value_end, path), [*alternatives(schema, root)]
        )
        text = " | ".join(texts)
        if self.quotes is None:
            return lark.until(self.value_end, text, self.line)
        before, after = self.quotes
        quoted = f"{lark.literal(before)} {lark.until(after + self.value_end, text)}"
        return f"({lark.until(self.value_end, lark.not_after(before, text))} | {quoted})"

    def read_arguments(
        self, reader: AnswerReader, writer: EventWriter, tool: Tool | None, name: str
    ) -> Steps[bool]:
        """Read the arguments of a call up to its end, and write it. False if it is none.

        A call within which the answer ends is written with what there is, if an argument has begun.
        """
        properties, root = read_properties(tool)
        members: dict[str, str] = {}  # the JSON text of each argument
        is_whole = True
        while is_whole:
            yield from reader.skip_space()
            if not (yield from reader.accept(self.key)):
                break
            key, mark = yield from reader.read_to(self.key_end)
            types = value_types(properties.get(key, True), root)
            if self.string_flag:
                if (yield from reader.accept(self.string_flag)):
                    types = STRING
                elif (yield from reader.accept(*self.other_flags)) and types == STRING:
                    types = ANY_TYPE
            elif self.value:
                yield from reader.skip_space()
            if mark is None or not (yield from reader.accept(self.value)):
                return False
            text, is_whole = yield from self._read_text(reader, types == STRING)
            members[key] = read_bare_value(types, text, is_whole)
        if is_whole and not (yield from reader.accept(self.closing)):
            is_whole = False
            if not members or (yield from reader.peek()):
                return False
        return write_calls(writer, [(name, write_object(members, is_whole))])

    def _read_text(self, reader: AnswerReader, is_string: bool) -> Steps[tuple[str, bool]]:
        """A value as it is written, and whether the tag that ends it has been read."""
        if self.quotes and (yield from reader.accept(self.quotes[0])):
            end = self.quotes[1] + self.value_end
            text, mark = yield from reader.read_to(end)
            return (text, True) if mark else (text[: len(text) - overlap_length(text, end)], False)
        parts: list[str] = []
        in_string = False  # of JSON
        while True:
            part, mark = yield from reader.read_to(self.value_end)
            is_json = not is_string and (parts[0] if parts else part).lstrip()[:1] in JSON_STARTS
            parts.append(part)
            if mark is None:
                text = "".join(parts)
                held = overlap_length(text, self.line + self.value_end)
                return text[: len(text) - held].removeprefix(self.line), False
            in_string ^= is_json and len(QUOTE.findall(part)) % 2 == 1
            if not in_string or part.endswith("\n") or (yield from reader.peek()) in ("\n", ""):
                return "".join(parts).removeprefix(self.line).removesuffix(self.line), True
            parts.append(mark)


def make_parser(
    start: str, end: str, tags: Tags
) -> Callable[[AnswerReader, EventWriter, Tools], Steps[None]]:
    """What reads calls between the tags `start` and `end`. White space around names does not matter."""
    before_name, after_name = tags.before_name.strip(), tags.after_name.strip()

    def parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
        def parse_call(mark: str) -> Steps[bool]:
            if mark == start:
                yield from reader.skip_space()
                if not (yield from reader.accept(before_name)):
                    return False
            name = yield from reader.read_name()
            if not name or not (yield from reader.accept(after_name)):
                return False
            if not (yield from tags.read_arguments(reader, writer, tools.get(name), name)):
                return False
            yield from reader.skip_space()
            yield from reader.accept(end)
            return True

        # Models at times leave out the outer tag, where there is one.
        marks = (start, before_name) if before_name else (start,)
        yield from parse_marked(reader, writer, marks, parse_call)

    return parse
