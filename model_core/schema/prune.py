"""Leaves out of a rewritten schema what no value has, so that an answer never gets where nothing fits."""

import json
import math
from collections import deque
from fractions import Fraction
from typing import Any

from .characters import escape
from .keywords import KIND_KEYWORDS, KINDS
from .numbers import is_number
from .overlaps import equality_key, kinds_of
from .patterns import anchor_pattern, is_any, is_spelled_by, matches, unite_patterns
from .rewrite import Schema

_ANY: tuple[Any, ...] = (True, {})
_CHECKED_VALUES = {"type", "minLength", "maxLength", "multipleOf", *KIND_KEYWORDS["number"]}


def prune(root: Schema, definitions: dict[str, Schema]) -> tuple[Schema, str]:
    """The schema with its definitions, without what no value can have, and why something is left out.

    It is False if no value has it.
    """
    pruner = _Pruner(_find_possible(definitions))
    pruned = pruner.prune(root)
    if not isinstance(pruned, dict):
        return pruned, pruner.reason
    used: dict[str, Schema] = {}
    names = deque(_referenced(pruned))
    while names:
        name = names.popleft()
        if name not in used:
            used[name] = pruner.prune(definitions[name])
            names += _referenced(used[name])
    return ({**pruned, "$defs": used} if used else pruned), pruner.reason


def _find_possible(definitions: dict[str, Schema]) -> set[str]:
    """The definitions that have a value: one that is made of values of others that have one."""
    users: dict[str, list[str]] = {name: [] for name in definitions}
    for name, schema in definitions.items():
        for used in dict.fromkeys(_referenced(schema)):
            users[used].append(name)
    possible: set[str] = set()
    pruner = _Pruner(possible)
    pending = deque(definitions)
    while pending:
        name = pending.popleft()
        if name not in possible and pruner.prune(definitions[name]) is not False:
            possible.add(name)
            pending += users[name]
    return possible


def _referenced(schema: Any) -> list[str]:
    """The definitions that a schema names, in order."""
    if isinstance(schema, list):
        return [name for part in schema for name in _referenced(part)]
    if not isinstance(schema, dict):
        return []
    names = [schema["$ref"].removeprefix("#/$defs/")] if isinstance(schema.get("$ref"), str) else []
    for keyword, part in schema.items():
        if keyword not in ("enum", "const", "$ref"):
            maps = keyword in ("properties", "patternProperties")
            names += _referenced(list(part.values()) if maps else part)
    return names


class _Pruner:
    """`possible`: the definitions that have values. `reason`: why the last part without one has none."""

    def __init__(self, possible: set[str]) -> None:
        self._possible, self.reason = possible, ""

    def prune(self, schema: Schema) -> Schema:
        """The schema without what no value can have; False if no value has it."""
        if isinstance(schema, bool):
            return schema
        if "$ref" in schema and schema["$ref"].removeprefix("#/$defs/") not in self._possible:
            return self._never(f"{schema['$ref']} has no value that ends")
        if "enum" in schema or "const" in schema:
            return self._prune_values(schema)
        result = self._prune_joins(schema)
        if result is False:
            return False
        kinds = _kinds(result)
        for group, prune_kind in (
            ("number", self._prune_number),
            ("string", self._prune_string),
            ("array", self._prune_array),
            ("object", self._prune_object),
        ):
            members = {"number", "integer"} if group == "number" else {group}
            if members & set(kinds):
                found = prune_kind(result, kinds)
                if found is not None:
                    result = found
                    continue
                kinds = [kind for kind in kinds if kind not in members]
            for keyword in KIND_KEYWORDS[group]:
                result.pop(keyword, None)
        if not kinds:
            return False
        if len(kinds) < len(_kinds(result)):
            result["type"] = kinds[0] if len(kinds) == 1 else kinds
        return _unwrap(result)

    def _never(self, reason: str) -> bool:
        self.reason = reason
        return False

    def _prune_joins(self, schema: dict[str, Any]) -> Any:
        result = dict(schema)
        if "anyOf" in schema:
            options = [option for part in schema["anyOf"] if (option := self.prune(part)) is not False]
            if not options:
                return self._never("no schema of anyOf has a value")
            result["anyOf"] = options
            if any(option in _ANY for option in options):
                del result["anyOf"]
        if "allOf" in schema:
            parts = [self.prune(part) for part in schema["allOf"]]
            if False in [part for part in parts if isinstance(part, bool)]:
                return self._never("a schema of allOf has no value")
            result["allOf"] = [part for part in parts if part not in _ANY]
            if not result["allOf"]:
                del result["allOf"]
        return result

    def _prune_values(self, schema: dict[str, Any]) -> Schema:
        values = schema.get("enum", [schema.get("const")])
        if "enum" in schema and "const" in schema:
            values = [value for value in values if _equal(value, schema["const"])]
        values = [value for value in values if _may_be(value, schema)]
        if not values:
            return self._never("no value of enum or const has the rest of its schema")
        rest = self._prune_joins(schema)
        if rest is False:
            return False
        is_const = "const" in schema
        result: dict[str, Any] = {}
        for keyword, part in rest.items():
            if keyword in ("enum", "const"):
                result |= {"const": values[0]} if is_const else {"enum": values}
            elif keyword not in _CHECKED_VALUES and _concerns(keyword, values):
                result[keyword] = part
        return result

    def _prune_number(self, schema: dict[str, Any], kinds: list[str]) -> dict[str, Any] | None:
        step = Fraction(str(schema["multipleOf"])) if "multipleOf" in schema else None
        if "number" not in kinds:
            step = (
                Fraction(1) if step is None else Fraction(step.numerator)
            )  # the least common multiple with 1
        low = max((schema.get("minimum", -math.inf), 0), (schema.get("exclusiveMinimum", -math.inf), 1))
        high = min((schema.get("maximum", math.inf), 0), (schema.get("exclusiveMaximum", math.inf), -1))
        if low[0] > high[0] or (low[0] == high[0] and (low[1] or high[1])):
            return self._none("minimum is above maximum")
        if step is not None and math.inf not in (-low[0], high[0]):
            least, most = Fraction(low[0]) / step, Fraction(high[0]) / step
            first = math.floor(least) + 1 if low[1] else math.ceil(least)
            last = math.ceil(most) - 1 if high[1] else math.floor(most)
            if first > last:
                return self._none("no such number is in its range")
        if step is not None and "multipleOf" in schema and "number" not in kinds:
            rest = {key: value for key, value in schema.items() if key != "multipleOf"}
            return rest if step == 1 else {**rest, "multipleOf": step.numerator}
        return schema

    def _prune_string(self, schema: dict[str, Any], kinds: list[str]) -> dict[str, Any] | None:
        if schema.get("minLength", 0) > schema.get("maxLength", math.inf):
            return self._none("minLength is above maxLength")
        return schema

    def _prune_array(self, schema: dict[str, Any], kinds: list[str]) -> dict[str, Any] | None:
        result = dict(schema)
        if "items" in schema:
            result["items"] = self.prune(schema["items"])
        least, most = schema.get("minItems", 0), schema.get("maxItems", math.inf)
        prefix: list[Schema] = []
        for part in schema.get("prefixItems", ()):
            item = self.prune(part)
            if item is False:
                most = min(most, len(prefix))
                break
            prefix.append(item)
        if result.get("items") is False:
            most = min(most, len(prefix))
        if least > most:
            return self._none("it has fewer items than minItems")
        if "prefixItems" in schema:
            result["prefixItems"] = prefix
            if not prefix:
                del result["prefixItems"]
        if result.get("items") is False and not prefix:
            del result["items"]
            result["maxItems"] = 0
        elif most < schema.get("maxItems", math.inf) and result.get("items") is not False:
            result["maxItems"] = most
        return result

    def _prune_object(self, schema: dict[str, Any], kinds: list[str]) -> dict[str, Any] | None:
        result = dict(schema)
        required = schema.get("required", [])
        patterns = {key: self.prune(part) for key, part in schema.get("patternProperties", {}).items()}
        if "additionalProperties" in schema:
            result["additionalProperties"] = self.prune(schema["additionalProperties"])
        others = result.get("additionalProperties", True)
        listed = {
            name: not any(never is False and matches(key, name) for key, never in patterns.items())
            and self.prune(part)
            for name, part in schema.get("properties", {}).items()
        }
        for name in required:
            if listed.get(name, True) is False:
                return self._none(f"the required property {name!r} has no value")
            found = [matches(key, name) for key in patterns]
            if any(
                is_match and part is False for is_match, part in zip(found, patterns.values(), strict=True)
            ):
                return self._none(f"the required property {name!r} has no value")
            if name not in listed and others is False and all(is_match is False for is_match in found):
                return self._none(f"the required property {name!r} is not allowed")
        for name in [name for name, part in listed.items() if part is False]:
            del listed[name]
            if others is not False or any(matches(key, name) is not False for key in patterns):
                patterns.setdefault(anchor_pattern("".join(map(escape, name)) or "(?:)"), False)
        for name in required:
            if name not in listed and (
                parts := [part for key, part in patterns.items() if matches(key, name)]
            ):
                listed[name] = parts[0] if len(parts) == 1 else {"allOf": parts}
        for key in [
            key for key, part in patterns.items() if part is not False and is_spelled_by(key, listed)
        ]:
            part = patterns.pop(key)  # no other name matches, and a name that matches nothing is a dead end
            for name in [name for name in listed if matches(key, name)]:
                if listed[name] != part:
                    listed[name] = part if listed[name] in _ANY else {"allOf": [listed[name], part]}
        patterns = _merge_equal(patterns)
        if any(part is not False and is_any(key) for key, part in patterns.items()):
            result["additionalProperties"] = others = False  # all names match the pattern
        is_closed = others is False and all(part is False for part in patterns.values())
        result["properties"], result["patternProperties"] = listed, {} if is_closed else patterns
        for keyword in ("properties", "patternProperties"):
            if not result[keyword] and (keyword not in schema or keyword == "patternProperties"):
                del result[keyword]
        least, most = schema.get("minProperties", 0), schema.get("maxProperties", math.inf)
        if len(required) > most or least > most:
            return self._none("it has more properties than maxProperties")
        if is_closed and least > len({*listed, *required}):
            return self._none("it has fewer properties than minProperties")
        return result

    def _none(self, reason: str) -> dict[str, Any] | None:
        self.reason = reason
        return None


def _kinds(schema: dict[str, Any]) -> list[str]:
    given = schema.get("type", KINDS)
    kinds = [given] if isinstance(given, str) else list(given)
    return [kind for kind in kinds if kind != "integer" or "number" not in kinds]


def _merge_equal(patterns: dict[str, Schema]) -> dict[str, Schema]:
    """The schemas of properties by pattern, with one pattern for equal schemas."""
    merged: dict[str, Schema] = {}
    keys: dict[str, str] = {}  # by the text of their schema
    for key, part in patterns.items():
        text = json.dumps(part, sort_keys=True)
        if text in keys:
            del merged[keys[text]]
            key = unite_patterns(keys[text], key)
        keys[text] = key
        merged[key] = part
    return merged


def _unwrap(schema: dict[str, Any]) -> Schema:
    """The only schema in a list, if there is nothing beside the list."""
    for keyword in ("anyOf", "allOf"):
        if list(schema) == [keyword] and len(schema[keyword]) == 1:
            return schema[keyword][0]
    return schema


def _may_be(value: Any, schema: dict[str, Any]) -> bool:
    """Whether a value has the keywords of a schema in `_CHECKED_VALUES`."""
    if not kinds_of(value) & set(_kinds(schema)):
        return False
    if isinstance(value, str):
        return schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", math.inf)
    if not is_number(value):
        return True
    return (
        schema.get("minimum", -math.inf) <= value <= schema.get("maximum", math.inf)
        and schema.get("exclusiveMinimum", -math.inf) < value < schema.get("exclusiveMaximum", math.inf)
        and ("multipleOf" not in schema or not Fraction(str(value)) % Fraction(str(schema["multipleOf"])))
    )


def _concerns(keyword: str, values: list[Any]) -> bool:
    """Whether a keyword says something about one of these values."""
    kinds = {kind for value in values for kind in kinds_of(value)}
    groups = [group for group, keywords in KIND_KEYWORDS.items() if keyword in keywords]
    return not groups or groups[0] in kinds


def _equal(one: Any, two: Any) -> bool:
    """Whether two JSON values are equal: 1 and 1.0 are, 1 and true are not."""
    return equality_key(one) == equality_key(two)
