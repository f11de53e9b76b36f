"""Gemma 4 and FunctionGemma: marks, bare keys, and strings between marks of their own.

    <|tool_call>call:get_weather{city:<|"|>Paris<|"|>,days:[1,2]}<tool_call|>
    <start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call>

Sources: the chat templates of huggingface.co/google/gemma-4-31B-it and functiongemma-270m-it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..answer_reader import AnswerReader, Steps
from ..event_writer import EventWriter
from ..messages import Tool
from .bare_values import skip_space, string_until, write_calls
from .format import ToolFormat, Tools
from .lark import Lark, plain_parameters, refuse_unknown_keywords

_KEYWORDS = {"$ref", "anyOf", "oneOf", "const", "enum", "type", "properties", "required", "items", "minItems"}
_KEYWORDS |= {"maxItems", "additionalProperties", "minLength", "maxLength", "pattern", "minimum", "maximum"}
_KEYWORDS |= {"exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
_SCALAR = re.compile(r"[^,\[\]{}]+")
_KEY = re.compile(r"([^:,{}\[\]]+):")
_NAME = re.compile(r"\s*call:([\w.\-]+)\s*")


@dataclass(frozen=True)
class _Marks:
    start: str
    end: str
    quote: str

    def parse(self, reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
        """Read an answer to the end."""
        while (yield from reader.copy_until((self.start,), writer.text)):
            reader.mark(self.start)
            body = yield from reader.read_until(self.end)
            if body is None or not self._write_call(writer, body):
                writer.text(reader.text_since_mark())

    def _write_call(self, writer: EventWriter, body: str) -> bool:
        name = _NAME.match(body)
        try:
            value, end = self._read_value(body, name.end()) if name else (None, 0)
        except (ValueError, RecursionError):
            return False
        is_call = isinstance(value, dict) and not body[end:].strip()
        return is_call and write_calls(writer, [(name[1], value)])

    def _read_value(self, text: str, start: int) -> tuple[Any, int]:
        """The value at `start`, and where it ends. Raises ValueError if there is none."""
        start = skip_space(text, start)
        if text.startswith(self.quote, start):
            start += len(self.quote)
            end = text.index(self.quote, start)
            return text[start:end], end + len(self.quote)
        first = text[start : start + 1]
        if first not in ("{", "["):
            match = _SCALAR.match(text, start)
            if match is None:
                raise ValueError("a value is missing")
            return _read_scalar(match[0].strip()), match.end()
        members: dict[Any, Any] = {}
        start, close = start + 1, {"{": "}", "[": "]"}[first]
        while not text.startswith(close, start):
            if members and text[start : start + 1] != ",":
                raise ValueError("a comma is missing")
            start += bool(members)
            key: Any = len(members)
            if first == "{":
                key, start = self._read_key(text, start)
            members[key], start = self._read_value(text, start)
        return (members if first == "{" else list(members.values())), start + 1

    def _read_key(self, text: str, start: int) -> tuple[str, int]:
        if text.startswith(self.quote, start):
            key, start = self._read_value(text, start)
            if text[start : start + 1] == ":":
                return key, start + 1
        elif match := _KEY.match(text, start):
            return match[1].strip(), match.end()
        raise ValueError("a key is missing")

    def call(self, lark: Lark, tool: Tool) -> str:
        """An expression for a call of a tool."""
        value = _Values(lark, tool, self.quote).object(plain_parameters(tool))
        return f"{lark.literal(f'call:{tool.name}')} {value} {lark.literal(self.end)}"


def _read_scalar(text: str) -> Any:
    """A number, true, false or null; anything else is a string without quotes."""
    try:
        return json.loads(text)
    except ValueError:
        return text


class _Values:
    """Writes expressions for values of a schema, in this way of writing JSON."""

    def __init__(self, lark: Lark, tool: Tool, quote: str) -> None:
        self._lark, self._tool, self._quote = lark, tool, quote
        self._rules: dict[str, str] = {}  # $ref -> the name of its rule; "" -> that of any value

    def object(self, schema: Mapping[str, Any]) -> str:
        """An expression for an object with the properties of the schema."""
        literal = self._lark.literal
        members = self._lark.members(
            schema, lambda name, value: f"{literal(name + ':')} {self.value(value)}", separator=","
        )
        return f"{literal('{')} {members} {literal('}')}"

    def value(self, schema: Any) -> str:
        """An expression for a value of the schema."""
        if not isinstance(schema, Mapping):
            return self._any()
        if self._tool.strict:
            refuse_unknown_keywords(self._tool, schema, _KEYWORDS)
        if "$ref" in schema:
            return self._reference(schema["$ref"])
        if alternatives := schema.get("anyOf", schema.get("oneOf")):
            return self._choice([self.value(alternative) for alternative in alternatives])
        if "const" in schema or "enum" in schema:
            values = [schema["const"]] if "const" in schema else schema["enum"]
            return self._choice([self._lark.literal(self._write(value)) for value in values])
        kind = schema.get("type", "object" if "properties" in schema else None)
        if isinstance(kind, list):
            return self._choice([self.value({**schema, "type": name}) for name in kind])
        if kind == "string":
            return f"{self._lark.literal(self._quote)} {string_until(self._lark, schema, self._quote)}"
        if kind == "object" and "properties" in schema:
            return self.object(schema)
        if kind == "array":
            return self._array(
                self.value(schema.get("items")), schema.get("minItems", 0), schema.get("maxItems")
            )
        if kind in ("number", "integer", "boolean", "null"):
            return self._lark.json(schema, self._tool.strict)
        return self._any()

    def _array(self, item: str, low: int = 0, high: int | None = None) -> str:
        item = self._lark.add(item)
        more = f'("," {item}){{{max(low - 1, 0)},{"" if high is None else high - 1}}}'
        return f'"[" {"" if low else "("}{item} {more}{"" if low else ")?"} "]"' if high != 0 else '"[]"'

    def _reference(self, path: str) -> str:
        """The rule for a part of the tool's schema, such as `#/$defs/city`."""
        if path not in self._rules:
            part: Any = self._tool.parameters
            for key in path.removeprefix("#").strip("/").split("/"):
                part = part.get(key) if isinstance(part, Mapping) else None
            self._rules[path] = self._lark.new_name()
            self._lark.add(self.value(part), self._rules[path])
        return self._rules[path]

    def _any(self) -> str:
        """The rule for any value."""
        if "" not in self._rules:
            name = self._rules[""] = self._lark.new_name()
            text = f"{self._lark.literal(self._quote)} {self._lark.until(self._quote)}"
            scalar = self._lark.json({"type": ["number", "boolean", "null"]})
            member = rf'/[A-Za-z_]\w*/ ":" {name}'
            self._lark.add(
                f'{text} | {scalar} | {self._array(name)} | "{{" ({member} ("," {member})*)? "}}"', name
            )
        return self._rules[""]

    def _choice(self, alternatives: list[str]) -> str:
        return f"({' | '.join(alternatives)})"

    def _write(self, value: Any) -> str:
        """A value in this way of writing JSON."""
        if isinstance(value, str):
            return self._quote + value + self._quote
        if isinstance(value, Mapping):
            return f"{{{','.join(f'{key}:{self._write(part)}' for key, part in value.items())}}}"
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
