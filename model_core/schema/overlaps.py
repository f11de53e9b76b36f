"""Whether two schemas of `oneOf` may hold for the same value. If none can, `oneOf` is the same as `anyOf`."""

import json
from itertools import combinations
from typing import Any

from .keywords import KINDS
from .numbers import is_number
from .references import Document, Path, UnknownReference

_MAX_DEPTH = 8


def may_overlap(document: Document, place: Path) -> bool:
    """Whether two of the schemas in the list at a place may hold for the same value. False is certain."""
    parts = [(*place, index) for index in range(len(document.get(place)))]
    pairs = combinations(parts, 2)
    return any(not _are_disjoint(document, first, second, _MAX_DEPTH) for first, second in pairs)


def _are_disjoint(document: Document, first: Path, second: Path, depth: int) -> bool:
    """Whether it is certain that no value has both schemas."""
    if depth == 0:
        return False
    for path, other in ((first, second), (second, first)):
        for target in _requirements(document, path):
            if target != path and _are_disjoint(document, target, other, depth - 1):
                return True
    one, two = document.get(first), document.get(second)
    if one is False or two is False:
        return True
    if not isinstance(one, dict) or not isinstance(two, dict):
        return False
    for path, value, other in ((first, one, second), (second, two, first)):
        for keyword in ("anyOf", "oneOf"):
            options = value.get(keyword)
            if isinstance(options, list) and all(
                _are_disjoint(document, (*path, keyword, index), other, depth - 1)
                for index in range(len(options))
            ):
                return True
    first_values, second_values = _values(one), _values(two)
    if first_values is not None and second_values is not None:
        return not set(map(equality_key, first_values)) & set(map(equality_key, second_values))
    kinds = _kinds(one, first_values) & _kinds(two, second_values)
    if not kinds:
        return True
    if kinds == {"object"}:
        return _have_disjoint_members(document, first, second, depth)
    return kinds <= {"number", "integer"} and _have_disjoint_ranges(one, two)


def _requirements(document: Document, path: Path) -> list[Path]:
    """The places of schemas that hold wherever that at `path` does."""
    value = document.get(path)
    if not isinstance(value, dict):
        return []
    found: list[Path] = []
    if isinstance(value.get("$ref"), str):
        try:
            found.append(document.find(value["$ref"], path))
        except UnknownReference:
            return []
    if isinstance(value.get("allOf"), list):
        found += [(*path, "allOf", index) for index in range(len(value["allOf"]))]
    return found


def _values(schema: dict[str, Any]) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if isinstance(values, list) else None


def equality_key(value: Any) -> str:
    """A text that is the same for equal values: 1 and 1.0 are equal, 1 and true are not."""
    return json.dumps(_unify(value), sort_keys=True)


def _unify(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _unify(part) for key, part in value.items()}
    if isinstance(value, list):
        return list(map(_unify, value))
    return int(value) if is_number(value) and value == int(value) else value


def _kinds(schema: dict[str, Any], values: list[Any] | None) -> set[str]:
    """The kinds of the values of a schema. A whole number is of both kinds of numbers."""
    given = schema.get("type", list(KINDS))
    kinds = {kind for kind in (given if isinstance(given, list) else [given]) if isinstance(kind, str)}
    if "number" in kinds:
        kinds.add("integer")
    if values is not None:
        kinds &= {kind for value in values for kind in kinds_of(value)}
    return kinds


def kinds_of(value: Any) -> set[str]:
    """The names that `type` may have for a value."""
    if value is None:
        return {"null"}
    if isinstance(value, bool):
        return {"boolean"}
    if isinstance(value, int | float):
        return {"number", "integer"} if value == int(value) else {"number"}
    return {"string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"}


def _have_disjoint_members(document: Document, first: Path, second: Path, depth: int) -> bool:
    one, two = document.get(first), document.get(second)
    required = [*_names(one, "required"), *_names(two, "required")]
    for name in dict.fromkeys(required):
        places = [
            (*path, "properties", name)
            for path, value in ((first, one), (second, two))
            if name in _names(value, "properties")
        ]
        if len(places) == 2 and _are_disjoint(document, places[0], places[1], depth - 1):
            return True
    closed = [
        value
        for value in (one, two)
        if value.get("additionalProperties") is False and not value.get("patternProperties")
    ]
    return any(name not in _names(value, "properties") for value in closed for name in required)


def _names(schema: dict[str, Any], keyword: str) -> Any:
    value = schema.get(keyword)
    return value if isinstance(value, list | dict) else ()


def _have_disjoint_ranges(one: dict[str, Any], two: dict[str, Any]) -> bool:
    for low, high in ((one, two), (two, one)):
        least = [
            (low[key], key != "minimum") for key in ("minimum", "exclusiveMinimum") if is_number(low.get(key))
        ]
        most = [
            (high[key], key != "maximum")
            for key in ("maximum", "exclusiveMaximum")
            if is_number(high.get(key))
        ]
        for bottom, is_open_below in least:
            for top, is_open_above in most:
                if bottom > top or (bottom == top and (is_open_below or is_open_above)):
                    return True
    return False
