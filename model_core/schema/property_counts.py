"""minProperties and maxProperties, where some of the listed properties are optional.

llguidance counts only properties that are required or not listed. So the sets of properties that an object
may have are written as alternatives, of which exactly one holds for each object.
"""

from itertools import combinations
from math import comb
from typing import Any

from .keywords import KINDS

_MAX_VARIANTS = 64


def count_properties(schema: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The schema with its counts in a way that llguidance enforces, and the keywords that cannot be."""
    required = schema.get("required", [])
    optional = [name for name in schema.get("properties", {}) if name not in required]
    least = max(schema.get("minProperties", 0) - len(required), 0)
    most = schema.get("maxProperties", len(required) + len(optional)) - len(required)
    is_closed = schema.get("additionalProperties") is False and not schema.get("patternProperties")
    if not optional or most < 0 or least > len(optional) or least > most:
        return schema, []  # it is what llguidance can count, or no object is valid
    rest = {keyword: value for keyword, value in schema.items() if keyword not in _COUNTS}
    if not is_closed:
        left_out = ["minProperties"] * (least > 0) + ["maxProperties"] * ("maxProperties" in schema)
        return rest, left_out
    if least == 0 and most >= len(optional):
        return rest, []
    variants = _at_least(schema, optional, least) if most >= len(optional) else None
    if variants is None:
        variants = _exactly(schema, optional, least, most)
    if variants is None:
        return rest, [keyword for keyword in _COUNTS if keyword in schema]
    kinds = schema.get("type", list(KINDS))
    others = [kind for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind != "object"]
    if others:
        variants.append({"type": others})
    if "anyOf" in rest:
        return {**rest, "allOf": [*rest.get("allOf", []), {"anyOf": variants}]}, []
    return {**rest, "anyOf": variants}, []


_COUNTS = ("minProperties", "maxProperties")


def _at_least(schema: dict[str, Any], optional: list[str], least: int) -> list[dict[str, Any]] | None:
    """A variant for each set of the first `least` optional properties that an object has."""
    if comb(len(optional), least) > _MAX_VARIANTS:
        return None
    return [
        _variant(schema, first, [*first, *optional[optional.index(first[-1]) + 1 :]])
        for first in map(list, combinations(optional, least))
    ]


def _exactly(
    schema: dict[str, Any], optional: list[str], least: int, most: int
) -> list[dict[str, Any]] | None:
    """A variant for each set of optional properties that an object may have."""
    if sum(comb(len(optional), size) for size in range(least, most + 1)) > _MAX_VARIANTS:
        return None
    return [
        _variant(schema, list(names), list(names))
        for size in range(least, most + 1)
        for names in combinations(optional, size)
    ]


def _variant(schema: dict[str, Any], needed: list[str], allowed: list[str]) -> dict[str, Any]:
    required = schema.get("required", [])
    names = [name for name in schema["properties"] if name in allowed or name in required]
    names += [name for name in required if name not in names]
    variant: dict[str, Any] = {"type": "object", "properties": dict.fromkeys(names, True)}
    return {**variant, "required": [*required, *needed], "additionalProperties": False}
