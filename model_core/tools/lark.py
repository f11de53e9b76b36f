"""Builds the grammars of tool calls, in Lark as llguidance reads it.

llguidance splits text into the longest pieces that a terminal matches, and never goes back. So free text that
ends with a mark must be one lazy terminal together with the mark, unless the mark is a special token.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from ..errors import InvalidRequest
from ..form import JSON_OPTIONS
from ..messages import Tool
from .closed_schema import close_objects

ANY_TEXT = r"/(.|\n)*/"
_PLAIN_KEYWORDS = {"type", "properties", "required", "additionalProperties"}
_ANNOTATIONS = {"$schema", "$id", "$defs", "definitions", "title", "description", "default", "examples"}
_ANNOTATIONS |= {"$comment", "deprecated", "format"}
NO_PARAMETERS = {"type": "object", "properties": {}, "additionalProperties": False}


class Lark:
    """A grammar to which rules are added. Rules without a given name get one."""

    def __init__(self, special_ids: Mapping[str, int]) -> None:
        """`special_ids`: the ids of special tokens that may occur in `literal`, by their names."""
        self._special_ids = special_ids
        names = sorted(special_ids, key=len, reverse=True)
        self._special_pattern = re.compile("|".join(map(re.escape, names)) or r"(?!)")
        self._rules: list[str] = []
        self._name_count = 0

    def __str__(self) -> str:
        return "\n".join(("%llguidance {}", *self._rules))

    def new_name(self) -> str:
        """A name that no rule has."""
        self._name_count += 1
        return f"r{self._name_count}"

    def add(self, body: str, name: str | None = None) -> str:
        """Add a rule, and return its name."""
        name = name or self.new_name()
        self._rules.append(f"{name}: {body}")
        return name

    def literal(self, text: str) -> str:
        """An expression for exactly this text."""
        parts: list[str] = []
        end = 0
        for match in self._special_pattern.finditer(text):
            parts += [json.dumps(text[end : match.start()], ensure_ascii=False)] * (match.start() > end)
            parts.append(f"<[{self._special_ids[match[0]]}]>")
            end = match.end()
        parts += [json.dumps(text[end:], ensure_ascii=False)] * (len(text) > end)
        return " ".join(parts)

    def until(self, mark: str, text: str = ANY_TEXT) -> str:
        """An expression for text that ends with the first `mark`. `text` is the terminal before it."""
        terminal = self.add(text, self.new_name().upper())
        if mark in self._special_ids:
            return f"{terminal} {self.literal(mark)}"
        name = self.new_name()
        self._rules.append(f"{name}[suffix={json.dumps(mark, ensure_ascii=False)}]: {terminal}")
        return name

    def json(self, schema: Mapping[str, Any] | bool, strict: bool = False, **options: Any) -> str:
        """An expression for JSON that is valid under the schema.

        With `strict`, the grammar cannot be compiled if a keyword is not supported; else it is ignored.
        """
        schema = {} if schema is True else schema
        options = {**JSON_OPTIONS, "lenient": not strict, **options}
        return f"%json {json.dumps({**schema, 'x-guidance': options}, ensure_ascii=False)}"

    def arguments(self, tool: Tool) -> str:
        """An expression for the arguments of a tool, as a JSON object."""
        return self.json(parameters(tool), tool.strict)

    def members(
        self, schema: Mapping[str, Any], member: Callable[[str, Any], str], separator: str = ""
    ) -> str:
        """An expression for the members of an object, in the order of its schema.

        `member` gives the expression for a member, from its name and schema. `separator` is a literal.
        """
        required = schema.get("required", ())
        between = self.literal(separator) if separator else ""
        first = rest = self.add('""')
        for name, value in reversed(schema.get("properties", {}).items()):
            expression = self.add(member(name, value))
            is_optional = name not in required
            first = self.add(f"{expression} {rest}" + (f" | {first}" if is_optional else ""))
            if is_optional:
                rest = self.add(f"({between} {expression})? {rest}")
            else:
                rest = self.add(f"{between} {expression} {rest}")
        return first


def parameters(tool: Tool) -> dict[str, Any]:
    """The schema of a tool's arguments, an object without members that it does not name."""
    return NO_PARAMETERS if tool.parameters is None else {"type": "object", **close_objects(tool.parameters)}


def plain_parameters(tool: Tool) -> dict[str, Any]:
    """The same for a format that writes properties one by one.

    Raises InvalidRequest if the tool is strict and its schema says more than which properties there are.
    """
    schema = parameters(tool)
    if tool.strict:
        refuse_unknown_keywords(tool, schema, _PLAIN_KEYWORDS)
    return schema


def refuse_unknown_keywords(tool: Tool, schema: Mapping[str, Any], known: Collection[str]) -> None:
    """Raises InvalidRequest if a schema has keywords that change its meaning and are not among the known."""
    unknown = sorted(schema.keys() - known - _ANNOTATIONS)
    if unknown:
        raise InvalidRequest(
            f"the tool {tool.name!r} is strict, but this model's way of writing calls cannot enforce "
            f"{unknown[0]!r} in its parameters.",
            "tools",
        )
