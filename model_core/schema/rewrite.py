"""Rewrites a schema of any draft in the keywords of 2020-12 that grammars enforce.

What cannot be enforced is left out and noted. References become `#/$defs/<name>`.
"""

import re
from collections import Counter, deque
from typing import Any

from ..checks.request_values import shorten
from .keywords import FORMATS, KINDS, UNSUPPORTED
from .numbers import BOUNDS, can_enforce_bound, can_enforce_multiple, is_number
from .overlaps import may_overlap
from .patterns import anchor_pattern, explain_pattern, string_pattern
from .property_counts import count_properties
from .references import Document, Path, UnknownReference

Schema = dict[str, Any] | bool
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_LISTS = ("anyOf", "allOf", "oneOf", "prefixItems")
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_SCHEMA_KEYWORDS = (
    *(*_COUNTS, *_LISTS, *_REFERENCES, *BOUNDS, *UNSUPPORTED, "type", "enum", "const", "pattern", "format"),
    *("multipleOf", "items", "additionalItems", "required"),
    *("properties", "patternProperties", "additionalProperties"),
)
_NO_NAME = re.compile(r"[^\w.-]", re.ASCII)
_ROOT_NAME = "root"


class WrongSchema(ValueError):
    """A schema that breaks the rules, or has a part that must be enforced and cannot be.

    The message says why, as the end of a sentence that the place of the part begins.
    """

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place or 'it'} {reason}")


class Rewriter:
    """Rewrites one document. `left_out` has the places of what is not enforced: `properties.a.not`."""

    def __init__(self, document: Document, strict: bool) -> None:
        """`strict`: whether what cannot be enforced raises WrongSchema."""
        self._document, self._strict = document, strict
        self._names: dict[Path, str] = {}  # of definitions, by their places
        self._pending: deque[Path] = deque()  # definitions that are still to be rewritten
        self._name_counts: Counter[str] = Counter()
        self.left_out: list[str] = []

    def rewrite(self) -> tuple[Schema, dict[str, Schema]]:
        """The schema and its definitions. Raises WrongSchema."""
        root = self._schema(self._follow(()))
        definitions: dict[str, Schema] = {}
        while self._pending:
            path = self._pending.popleft()
            definitions[self._names[path]] = self._schema(path)
        return root, definitions

    def _follow(self, path: Path) -> Path:
        """Where a schema that is nothing but a reference, or a list of one schema, has its content."""
        seen = {path}
        while True:
            value = self._document.get(path)
            keywords = [key for key in value if key in _SCHEMA_KEYWORDS] if isinstance(value, dict) else []
            if keywords == ["$ref"] and isinstance(value["$ref"], str):
                path = self._find((*path, "$ref"), value["$ref"])
            elif keywords == ["allOf"] and isinstance(value["allOf"], list) and len(value["allOf"]) == 1:
                path = (*path, "allOf", 0)
            else:
                return path
            if path in seen:
                raise WrongSchema(place_name(path), "is a reference that leads back to itself")
            seen.add(path)

    def _find(self, path: Path, reference: str) -> Path:
        try:
            return self._document.find(reference, path)
        except UnknownReference as error:
            raise WrongSchema(place_name(path), f"is {reference!r}, which {error}") from None

    def _leave_out(self, path: Path, reason: str) -> None:
        place = place_name(path)
        if self._strict:
            raise WrongSchema(place, reason)
        if place not in self.left_out:
            self.left_out.append(place)

    def _schema(self, path: Path) -> Schema:
        value = self._document.get(path)
        if isinstance(value, bool):
            return value
        if not isinstance(value, dict):
            raise WrongSchema(place_name(path), "must be a schema: an object, true or false")
        result: dict[str, Any] = {}
        for keyword in value:
            if keyword in UNSUPPORTED:
                if self._is_never(value, keyword):
                    return False
                self._read_unsupported(result, value, path, keyword)
            elif keyword in _SCHEMA_KEYWORDS:
                self._read(result, value, path, keyword)
        others = result.pop("otherProperties", None)
        if others and result.get("additionalProperties") is False:
            result["additionalProperties"] = others[0] if len(others) == 1 else {"anyOf": others}
        result, uncounted = count_properties(result)
        for keyword in uncounted:
            self._leave_out((*path, keyword), "cannot be enforced beside optional properties")
        return result

    def _read(self, result: dict[str, Any], value: dict[str, Any], path: Path, keyword: str) -> None:
        """Put a keyword that can be enforced into the result."""
        place, given = (*path, keyword), value[keyword]
        if keyword in _REFERENCES:
            self._read_reference(result, place, given)
        elif keyword == "type":
            names = given if isinstance(given, list) else [given]
            if not names or any(name not in KINDS for name in names):
                raise WrongSchema(
                    place_name(place), f"is {shorten(given)}, not one or more of {', '.join(KINDS)}"
                )
            result["type"] = names[0] if len(names) == 1 else list(dict.fromkeys(names))
        elif keyword in ("enum", "const"):
            if keyword == "enum" and not isinstance(given, list):
                raise WrongSchema(place_name(place), "must be a list of values")
            result[keyword] = given
        elif keyword in BOUNDS or keyword == "multipleOf":
            self._read_number(result, value, place, given)
        elif keyword in _COUNTS:
            if not is_number(given) or given < 0 or given % 1:
                raise WrongSchema(place_name(place), "must be a whole number of 0 or more")
            result[keyword] = int(given)
        elif keyword in ("pattern", "format"):
            self._read_text(result, place, given)
        elif keyword in _LISTS:
            self._read_list(result, place, given)
        elif keyword in ("items", "additionalItems"):
            self._read_items(result, value, place, given)
        elif keyword == "required":
            if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
                raise WrongSchema(place_name(place), "must be a list of names")
            result["required"] = list(dict.fromkeys(given))
        elif keyword == "additionalProperties":
            result.setdefault(keyword, self._schema(place))  # `propertyNames` may have set it
        else:
            self._read_properties(result, place, given)

    def _read_reference(self, result: dict[str, Any], place: Path, given: Any) -> None:
        if not isinstance(given, str):
            raise WrongSchema(place_name(place), "must be a text")
        if place[-1] != "$ref" and self._document.has_parts_with_ids:
            return self._leave_out(place, "cannot be enforced beside $id in parts of the schema")
        target = self._follow(self._find(place, given))
        if target not in self._names:
            self._names[target] = self._new_name(target)
            self._pending.append(target)
        reference = {"$ref": f"#/$defs/{self._names[target]}"}
        if "$ref" in result:
            result.setdefault("allOf", []).append(reference)
        else:
            result |= reference
        return None

    def _new_name(self, target: Path) -> str:
        base = (_NO_NAME.sub("_", str(target[-1])) if target else _ROOT_NAME) or "_"
        name = base
        while self._name_counts[name]:
            self._name_counts[base] += 1
            name = f"{base}_{self._name_counts[base]}"
        self._name_counts[name] += 1
        return name

    def _read_number(self, result: dict[str, Any], value: dict[str, Any], place: Path, given: Any) -> None:
        keyword = str(place[-1])
        if keyword in BOUNDS and isinstance(given, bool) and keyword.startswith("exclusive"):  # draft 4
            inclusive = keyword.removeprefix("exclusive").lower()
            if given and inclusive in value:
                result.pop(inclusive, None)
                self._read_number(result, {}, place, value[inclusive])
            return
        inclusive_of = f"exclusive{keyword.capitalize()}"
        if keyword in BOUNDS and value.get(inclusive_of) is True:
            return
        if not is_number(given) or (keyword == "multipleOf" and given <= 0):
            raise WrongSchema(place_name(place), "must be a number" + " above 0" * (keyword == "multipleOf"))
        can_enforce = can_enforce_multiple if keyword == "multipleOf" else can_enforce_bound
        if can_enforce(given):
            result[keyword] = given
        else:
            self._leave_out(place, f"is {given}, which has too many digits to be enforced exactly")

    def _read_text(self, result: dict[str, Any], place: Path, given: Any) -> None:
        keyword = place[-1]
        if not isinstance(given, str):
            raise WrongSchema(place_name(place), "must be a text")
        if keyword == "format":
            if given in FORMATS:
                result["format"] = given
            else:
                self._leave_out(place, f"is {given!r}, which cannot be enforced")
            return
        expression = string_pattern(given)
        if expression is None:
            self._leave_out(place, explain_pattern(given))
        else:
            result["pattern"] = anchor_pattern(expression)

    def _read_list(self, result: dict[str, Any], place: Path, given: Any) -> None:
        keyword = str(place[-1])
        if not isinstance(given, list) or (not given and keyword != "prefixItems"):
            raise WrongSchema(place_name(place), "must be a list of schemas")
        parts = [self._schema((*place, index)) for index in range(len(given))]
        if keyword == "oneOf":
            if may_overlap(self._document, place):
                self._leave_out(place, "has schemas of which several may hold, so it cannot be enforced")
            keyword = "anyOf"
        if keyword == "anyOf" and keyword in result:
            result.setdefault("allOf", []).append({"anyOf": parts})
        else:
            result[keyword] = [*result.get(keyword, []), *parts]

    def _read_items(self, result: dict[str, Any], value: dict[str, Any], place: Path, given: Any) -> None:
        has_list = isinstance(value.get("items"), list)  # up to draft 2019-09
        if place[-1] == "items" and has_list:
            result["prefixItems"] = [self._schema((*place, index)) for index in range(len(given))]
        elif (place[-1] == "items") != has_list:
            result["items"] = self._schema(place)

    def _read_properties(self, result: dict[str, Any], place: Path, given: Any) -> None:
        if not isinstance(given, dict):
            raise WrongSchema(place_name(place), "must be an object of schemas")
        if place[-1] == "properties":
            result["properties"] = {name: self._schema((*place, name)) for name in given}
            return
        found, others = result.setdefault("patternProperties", {}), []
        for pattern in given:
            part = self._schema((*place, pattern))
            expression = string_pattern(pattern)
            if expression is None:
                self._leave_out((*place, pattern), explain_pattern(pattern))
                others.append(part)
                continue
            key = anchor_pattern(expression)
            found[key] = {"allOf": [found[key], part]} if key in found else part
        if others:  # names that such a pattern would match are additional ones
            result["otherProperties"] = others

    def _is_never(self, value: dict[str, Any], keyword: str) -> bool:
        """Whether a keyword holds for nothing, as `"not": {}`."""
        return keyword == "not" and (value["not"] is True or value["not"] == {})

    def _read_unsupported(
        self, result: dict[str, Any], value: dict[str, Any], path: Path, keyword: str
    ) -> None:
        """Leave out a keyword, unless another one says the same or it says nothing."""
        given = value[keyword]
        joins = any(
            key in value for key in ("allOf", "anyOf", "oneOf", "if", "dependentSchemas", *_REFERENCES)
        )
        if keyword in _ADDITIONAL and not joins:
            # Without other schemas for the same value, what is not evaluated is what is not listed.
            if _ADDITIONAL[keyword] not in value:
                result[_ADDITIONAL[keyword]] = self._schema((*path, keyword))
            return
        if keyword == "propertyNames" and self._read_names(result, value, path):
            return
        if not _says_nothing(value, keyword, given):
            self._leave_out((*path, keyword), "cannot be enforced")

    def _read_names(self, result: dict[str, Any], value: dict[str, Any], path: Path) -> bool:
        """Whether `propertyNames` of an object without listed properties could be written as such."""
        names = value["propertyNames"]
        if names is True or not isinstance(names, dict) or {"properties", "patternProperties"} & value.keys():
            return names is True
        keywords = {key for key in names if key in _SCHEMA_KEYWORDS} - {"type"}
        if names.get("type", "string") != "string" or len(keywords) > 1:
            return False
        part = value.get("additionalProperties", True)
        if not keywords:
            return True
        if keywords == {"enum"} or keywords == {"const"}:
            allowed = names.get("enum", [names.get("const")])
            keys = [name for name in allowed if isinstance(name, str)] if isinstance(allowed, list) else []
            keyword = "properties"
        elif keywords == {"pattern"} and isinstance(names["pattern"], str):
            expression = string_pattern(names["pattern"])
            keys = [] if expression is None else [anchor_pattern(expression)]
            keyword = "patternProperties"
        else:
            return False
        if not keys:
            return False
        if "additionalProperties" in value:
            part = self._schema((*path, "additionalProperties"))
        result |= {keyword: dict.fromkeys(keys, part), "additionalProperties": False}
        return True


_ADDITIONAL = {"unevaluatedProperties": "additionalProperties", "unevaluatedItems": "items"}


def _says_nothing(value: dict[str, Any], keyword: str, given: Any) -> bool:
    """Whether a keyword holds for every value."""
    if keyword in ("then", "else"):
        return "if" not in value
    if keyword == "if":
        return "then" not in value and "else" not in value
    if keyword in ("minContains", "maxContains"):
        return "contains" not in value
    if keyword == "not":
        return given is False
    return given in (True, {}, []) if keyword not in ("uniqueItems", "contains") else given is False


def place_name(path: Path) -> str:
    """A place in a schema as people read it: `properties.a.minimum`."""
    return ".".join(map(str, path))
