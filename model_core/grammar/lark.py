"""Builds the grammars of tool calls, in Lark as llguidance reads it.

llguidance splits text into the longest pieces that a terminal matches, and never goes back. So free text that
ends with a mark must be one lazy terminal together with the mark, unless the mark is a special token.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ..requests.form import WHITESPACE
from ..requests.messages import Tool
from .value_types import ANNOTATIONS

_ANY = r"(.|\n)*"
ANY_TEXT = f"/{_ANY}/"
OBJECT_KEYWORDS = ("type", "properties", "required", "additionalProperties")
NO_PARAMETERS = {"type": "object", "properties": {}, "additionalProperties": False}


class CannotWrite(Exception):
    """A family has no way to write a name or a value, of which `args[0]` tells."""


class Lark:
    """A grammar to which rules are added. Rules without a given name get one."""

    def __init__(self, special_ids: Mapping[str, int]) -> None:
        """`special_ids`: the ids of special tokens that may occur in `literal`, by their names."""
        self._special_ids = special_ids
        names = sorted(special_ids, key=len, reverse=True)
        self._special_pattern = re.compile("|".join(map(re.escape, names)) or r"(?!)")
        # What the rules do not enforce of the schema that is written, such as "properties.a.uniqueItems".
        self.left_out: list[str] = []
        # By the names of tools: what is not enforced of their parameters, and the field that has these.
        self.left_out_of_tools: dict[str, list[str]] = {}
        self.fields: dict[str, str] = {}
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
            parts += [_quote(text[end : match.start()])] * (match.start() > end)
            parts.append(f"<[{self._special_ids[match[0]]}]>")
            end = match.end()
        parts += [_quote(text[end:])] * (len(text) > end)
        return " ".join(parts)

    def until(self, mark: str, text: str = ANY_TEXT, ending: str = "") -> str:
        """An expression for text that ends with `ending` and the first `mark`.

        `text` is the terminal before. The mark is nowhere else, because a reader would stop there. Where it
        begins with a special token, this is not spelled in characters either.
        """
        whole = f"({text}) {_quote(ending)}" if ending else f"({text})"
        if first := self._special_pattern.match(mark):
            return f"{self.without(first[0], whole)} {self.literal(mark)}"
        return self._add_terminal(f"({whole} {_quote(mark)}) & ~/{_ANY}{_escape(mark)}(.|\\n)+/")

    def without(self, mark: str, text: str = ANY_TEXT) -> str:
        """An expression for text in which `mark` is not. `text` is its terminal."""
        return self._add_terminal(f"({text}) & ~/{_ANY}{_escape(mark)}{_ANY}/")

    def not_after(self, start: str, text: str) -> str:
        """A terminal for what `text` matches, but does not begin with `start`."""
        return f"({text}) & ~/{_escape(start)}{_ANY}/"

    def _add_terminal(self, body: str) -> str:
        return self.add(body, self.new_name().upper())

    def json(self, schema: Mapping[str, Any] | bool, strict: bool = False, **options: Any) -> str:
        """An expression for JSON that is valid under the schema.

        With `strict`, the grammar cannot be compiled if a keyword is not supported; else it is ignored.
        """
        assert schema is not False  # pruned before
        schema = {} if schema is True else schema
        options = {"whitespace_pattern": WHITESPACE, "lenient": not strict, **options}
        return f"%json {json.dumps({**schema, 'x-guidance': options}, ensure_ascii=False)}"

    def members(
        self,
        schema: Mapping[str, Any],
        member: Callable[[str, Any], str],
        separator: str = "",
        path: str = "",
    ) -> str:
        """An expression for the members of an object, in the order of its schema.

        `member` gives the expression for a member, from its name and schema. Where it raises CannotWrite, an
        optional member is left out. `separator` is a literal, `path` ends with a dot if it is not empty.
        """
        required = schema.get("required", ())
        properties = {**schema.get("properties", {})}
        properties |= {name: True for name in required if name not in properties}
        between = self.literal(separator) if separator else ""
        first = rest = self.add('""')
        for name, value in reversed(properties.items()):
            is_optional = name not in required
            try:
                expression = self.add(member(name, value))
            except CannotWrite:
                if not is_optional:
                    raise
                self.left_out.append(f"{path}properties.{name}")
                continue
            first = self.add(f"{expression} {rest}" + (f" | {first}" if is_optional else ""))
            if is_optional:
                rest = self.add(f"({between} {expression})? {rest}")
            else:
                rest = self.add(f"{between} {expression} {rest}")
        return first

    def leave_out_other(self, schema: Mapping[str, Any], known: Collection[str], path: str = "") -> None:
        """List the keywords of a schema that are not among the known ones, and are no annotations."""
        self.left_out += [f"{path}{name}" for name in schema if name not in known and name not in ANNOTATIONS]


def write_all(write: Callable[[Any], str], parts: Sequence[Any]) -> list[str]:
    """What `write` gives for each part that can be written. Raises CannotWrite if none can."""
    texts, error = [], CannotWrite()
    for part in parts:
        try:
            texts.append(write(part))
        except CannotWrite as reason:
            error = reason
    if not texts:
        raise error
    return texts


def parameters(tool: Tool) -> dict[str, Any]:
    """The schema of the arguments of a tool, which has been prepared (answers/grammar.py)."""
    return NO_PARAMETERS if tool.parameters is None else tool.parameters


def _escape(text: str) -> str:
    """The text as a regular expression in Lark."""
    return re.escape(text).replace("/", r"\/").replace("\n", "n")


def _quote(text: str) -> str:
    """A literal of Lark."""
    return json.dumps(text, ensure_ascii=False)
