"""Rules for the values of a schema, in a family's own way of writing JSON.

llguidance compiles schemas for JSON alone. A family that writes objects and lists in another way states how
(`Spelling`), and gets a rule for each part of the schema. What cannot be enforced is in `Lark.left_out`. The
schema is a prepared one (model_core/schema): all of its references are `#/$defs/name`, and it has no
`oneOf`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .lark import Lark, write_all
from .value_types import ANNOTATIONS, find_definition, type_of, value_types

_KEYWORDS_OF_TYPES = {
    "object": ("properties", "required", "additionalProperties"),
    "array": ("items", "minItems", "maxItems"),
    "string": ("minLength", "maxLength", "pattern"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
_KEYWORDS_OF_TYPES["integer"] = _KEYWORDS_OF_TYPES["number"]


@dataclass(frozen=True)
class Spelling:
    """How a family writes values.

    Attributes:
        string: from the schema of a string and its path, an expression for it.
        write: a value, as the family writes it. Raises CannotWrite if it has no way to.
        key: the name of a member, with what separates it from the value. Raises CannotWrite.
        any_key: an expression for the name of any member, with the same.
        separator: what stands between two members, or two items.
        any_value: an expression for any value that is no object and no list.
    """

    string: Callable[[Mapping[str, Any], str], str]
    write: Callable[[Any], str]
    key: Callable[[str], str]
    any_key: str
    separator: str
    any_value: str


class SchemaRules:
    """The rules for the parts of one schema."""

    def __init__(self, lark: Lark, spelling: Spelling, root: Mapping[str, Any]) -> None:
        self._lark, self._spelling, self._root = lark, spelling, root
        self._definitions: dict[str, str] = {}  # a reference -> the name of its rule
        self._any = ""  # the name of the rule for any value

    def value(self, schema: Any, path: str = "") -> str:
        """An expression for a value of a schema. `path` ends with a dot, unless it is empty."""
        if not isinstance(schema, Mapping):
            return self._any_value()
        keywords = {name: value for name, value in schema.items() if name not in ANNOTATIONS}
        if "$ref" in keywords:
            self._leave_out(keywords, ("$ref",), path)
            return self._reference(keywords["$ref"], path)
        for name in ("allOf", "anyOf"):
            if name in keywords:
                return self._combination(name, keywords, path)
        if "const" in keywords or "enum" in keywords:
            return self._one_of(keywords, path)
        kinds = self._kinds(keywords)
        known = [name for kind in kinds for name in _KEYWORDS_OF_TYPES.get(kind, ())]
        self._leave_out(keywords, ("type", *known), path)
        return self._choice(write_all(lambda kind: self._value_of_type(kind, keywords, path), kinds))

    def _kinds(self, keywords: Mapping[str, Any]) -> Sequence[str]:
        """The types that a schema names, or whose keywords it has; "" if it is any."""
        kind = keywords.get("type")
        if kind is not None:
            return [kind] if isinstance(kind, str) else kind
        # As tools mean it: who says what an object has means an object.
        return [
            next((k for k, words in _KEYWORDS_OF_TYPES.items() if not keywords.keys().isdisjoint(words)), "")
        ]

    def _value_of_type(self, kind: str, keywords: Mapping[str, Any], path: str) -> str:
        if kind == "object":
            return self.object(keywords, path)
        if kind == "array":
            item = self.value(keywords.get("items", True), f"{path}items.")
            return self._list(item, keywords.get("minItems", 0), keywords.get("maxItems"))
        own = {name: keywords[name] for name in _KEYWORDS_OF_TYPES.get(kind, ()) if name in keywords}
        if kind == "string":
            return self._spelling.string({"type": kind, **own}, path)
        return self._lark.json({"type": kind, **own}) if kind else self._any_value()

    def object(self, schema: Mapping[str, Any], path: str = "") -> str:
        """An expression for an object with the properties of a schema, or with any names if it has none."""
        literal, spelling = self._lark.literal, self._spelling
        others = schema.get("additionalProperties", True)
        if "properties" not in schema and others is not False:
            member = f"{spelling.any_key} {self.value(others, f'{path}additionalProperties.')}"
            return f"{literal('{')} {self._repeat(member, 0, None)} {literal('}')}"

        def write_member(name: str, value: Any) -> str:
            return f"{literal(spelling.key(name))} {self.value(value, f'{path}properties.{name}.')}"

        members = self._lark.members(schema, write_member, spelling.separator, path)
        return f"{literal('{')} {members} {literal('}')}"

    def _list(self, item: str, low: int, high: int | None) -> str:
        return f"{self._lark.literal('[')} {self._repeat(item, low, high)} {self._lark.literal(']')}"

    def _repeat(self, item: str, low: int, high: int | None) -> str:
        """An expression for at least `low` and at most `high` items, with separators between them."""
        if high == 0:
            return '""'
        item = self._lark.add(item)
        more = ""
        if high != 1:
            counts = f"{max(low - 1, 0)},{'' if high is None else high - 1}"
            more = f" ({self._lark.literal(self._spelling.separator)} {item}){{{counts}}}"
        return f"({item}{more})" if low else f"({item}{more})?"

    def _one_of(self, keywords: Mapping[str, Any], path: str) -> str:
        self._leave_out(keywords, ("const", "enum", "type"), path)
        values = [keywords["const"]] if "const" in keywords else keywords["enum"]
        allowed = value_types({"type": keywords["type"]}, self._root) if "type" in keywords else None
        values = [value for value in values if allowed is None or type_of(value) in allowed]
        return self._choice(write_all(lambda value: self._lark.literal(self._spelling.write(value)), values))

    def _combination(self, name: str, keywords: Mapping[str, Any], path: str) -> str:
        """The expression of a schema with allOf or anyOf, and at times with other keywords."""
        others = {keyword: value for keyword, value in keywords.items() if keyword != name}
        parts = [
            find_definition(p["$ref"], self._root) if _is_reference(p) and (others or name == "allOf") else p
            for p in keywords[name]
        ]
        if name == "allOf":
            merged: Mapping[str, Any] | None = others
            for part in parts:
                merged = _merge(merged, part) if merged is not None else None
            if merged is not None:
                return self.value(merged, path)
        else:
            merged_parts = [_merge(others, part) for part in parts] if others else parts
            if None not in merged_parts:
                return self._choice(write_all(lambda part: self.value(part, f"{path}{name}."), merged_parts))
        self._lark.left_out.append(f"{path}{name}")
        return self.value(others, path)

    def _reference(self, reference: str, path: str) -> str:
        """The rule for a definition."""
        if reference not in self._definitions:
            self._definitions[reference] = self._lark.new_name()
            definition = find_definition(reference, self._root)
            body = self.value(definition, f"{reference.removeprefix('#/').replace('/', '.')}.")
            self._lark.add(body, self._definitions[reference])
        return self._definitions[reference]

    def _any_value(self) -> str:
        """The rule for any value."""
        if not self._any:
            name = self._any = self._lark.new_name()
            literal = self._lark.literal
            member = f"{self._spelling.any_key} {name}"
            objects = f"{literal('{')} {self._repeat(member, 0, None)} {literal('}')}"
            self._lark.add(f"{self._spelling.any_value} | {self._list(name, 0, None)} | {objects}", name)
        return self._any

    def _leave_out(self, keywords: Mapping[str, Any], known: Sequence[str], path: str) -> None:
        self._lark.leave_out_other(keywords, known, path)

    def _choice(self, expressions: Sequence[str]) -> str:
        return expressions[0] if len(expressions) == 1 else f"({' | '.join(expressions)})"


def _is_reference(schema: Any) -> bool:
    return isinstance(schema, Mapping) and "$ref" in schema


def _merge(first: Mapping[str, Any], second: Any) -> Mapping[str, Any] | None:
    """A schema that says what two say; None if both say something of the same."""
    if not isinstance(second, Mapping):
        return first if second is True else None
    merged = dict(first)
    for keyword, value in second.items():
        if keyword == "required" and keyword in merged:
            merged[keyword] = [*merged[keyword], *(name for name in value if name not in merged[keyword])]
        elif keyword == "properties" and keyword in merged and merged[keyword].keys().isdisjoint(value):
            merged[keyword] = {**merged[keyword], **value}
        elif keyword in merged and merged[keyword] != value and keyword not in ANNOTATIONS:
            return None
        else:
            merged[keyword] = value
    return merged
