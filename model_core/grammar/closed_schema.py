"""Schemas of arguments, read as tools mean them: an object has no other members than those it names.

JSON Schema allows any others, unless `additionalProperties` is false. A tool that is called with members that
it does not know fails, and a small model may write such members without end.
"""

from collections.abc import Mapping
from typing import Any

_MAPS = ("properties", "$defs", "definitions")  # keywords whose values are schemas by name
_LISTS = ("anyOf", "oneOf", "prefixItems")
# Keywords that join the members of several schemas. Then no schema alone says which members there are.
_JOINING = {"allOf", "if", "then", "else", "not", "dependentSchemas", "unevaluatedProperties"}


def close_objects(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema, in which objects that name their properties have no others, unless it says more of them.

    If a part of it joins schemas, it only holds for the outermost object.
    """
    return _close_all(schema) if not _has_joins(schema) else _close(schema)


def _close(schema: Mapping[str, Any]) -> dict[str, Any]:
    is_open = "properties" in schema and "additionalProperties" not in schema
    return {**schema, "additionalProperties": False} if is_open else dict(schema)


def _close_all(schema: Any) -> Any:
    if not isinstance(schema, Mapping):
        return schema
    closed: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in _MAPS and isinstance(value, Mapping):
            closed[keyword] = {name: _close_all(member) for name, member in value.items()}
        elif keyword in _LISTS and isinstance(value, list):
            closed[keyword] = [_close_all(member) for member in value]
        elif keyword in ("items", "additionalProperties"):
            closed[keyword] = _close_all(value)
        else:
            closed[keyword] = value
    return _close(closed)


def _has_joins(value: Any) -> bool:
    if isinstance(value, Mapping):
        is_join = "properties" in value and any(name in value for name in ("anyOf", "oneOf", "$ref"))
        return is_join or not _JOINING.isdisjoint(value) or any(map(_has_joins, value.values()))
    return isinstance(value, list) and any(map(_has_joins, value))
