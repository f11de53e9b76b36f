"""Which types of JSON a schema allows, and how bare text is read as a value of one of them.

A family that writes strings without quotes leaves open whether `12` is a number or a text. The schema
decides, in the grammar as well as in the reader.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from ..errors import InvalidRequest
from ..requests.messages import Tool
from ..schema import prepare_schema

STRING = frozenset(("string",))
# Keywords that do not change which values a schema allows.
ANNOTATIONS = {"$schema", "$id", "$defs", "definitions", "title", "description", "default", "examples"}
ANNOTATIONS |= {"$comment", "deprecated", "readOnly", "writeOnly", "format"}
ANY_TYPE = frozenset(("string", "number", "integer", "boolean", "null", "object", "array"))
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_PYTHON_NAMES = {"True": "true", "False": "false", "None": "null"}  # some templates show values so
_TYPES_BY_START = {'"': "string", "{": "object", "[": "array", "t": "boolean", "f": "boolean", "n": "null"}


def alternatives(schema: Any, root: Mapping[str, Any]) -> Iterator[Any]:
    """The schemas of which a value must obey one: `anyOf` and references are taken apart.

    A schema that says more than that is given as it is. `root` holds the definitions.
    """
    seen: set[int] = set()  # schemas that are being taken apart, or have been

    def walk(part: Any) -> Iterator[Any]:
        keywords = [keyword for keyword in part if keyword not in ANNOTATIONS] if _is_map(part) else []
        if keywords in (["$ref"], ["anyOf"]):
            if id(part) in seen:
                return
            seen.add(id(part))
            value = part[keywords[0]]
            if keywords == ["$ref"]:
                yield from walk(find_definition(value, root))
                return
            if isinstance(value, list):
                for alternative in value:
                    yield from walk(alternative)
                return
        yield part

    return walk(schema)


def find_definition(reference: Any, root: Mapping[str, Any]) -> Any:
    """The schema to which `#/$defs/name` refers; True, which allows any value, where there is none."""
    definitions = root.get("$defs")
    name = reference.removeprefix("#/$defs/") if isinstance(reference, str) else ""
    return definitions.get(name, True) if _is_map(definitions) else True


def embed(schema: Any, root: Mapping[str, Any]) -> Any:
    """The schema of a part of `root`, with the definitions that it may refer to."""
    return {**schema, "$defs": root["$defs"]} if _is_map(schema) and "$defs" in root else schema


def read_properties(tool: Tool | None) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The schemas of a tool's arguments by their names, and the schema that holds their definitions."""
    try:
        root = prepare_schema(tool.parameters, strict=False, field="tools").schema if tool else True
    except InvalidRequest:  # the model has called a tool whose schema nobody enforces
        root = True
    root = root if isinstance(root, Mapping) else {}
    return root.get("properties", {}), root


def value_types(schema: Any, root: Mapping[str, Any]) -> frozenset[str]:
    """The types of the values that a schema allows, at most. `root` holds its definitions."""
    return frozenset().union(*(_own_types(part) for part in alternatives(schema, root)))


def type_of(value: Any) -> str:
    """The name of the type of a JSON value."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    if isinstance(value, int | float):
        return "integer" if isinstance(value, int) or value.is_integer() else "number"
    return "string" if isinstance(value, str) else "object" if _is_map(value) else "array"


def _own_types(schema: Any) -> frozenset[str]:
    if not _is_map(schema):
        return ANY_TYPE if schema is not False else frozenset()
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(values, list):
        return frozenset(map(type_of, values))
    kinds = schema.get("type")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not isinstance(kinds, list):
        return ANY_TYPE
    types = frozenset(kind for kind in kinds if isinstance(kind, str))
    return types | {"integer"} if "number" in types else types


def read_bare_value(types: frozenset[str], text: str, is_whole: bool = True) -> str:
    """The JSON of a value of these types that is written as `text`: as JSON, or a string without quotes.

    Where the answer ended within the value, the JSON ends there, too.
    """
    if types == STRING:
        return write_string(text, is_whole)
    value = text.strip()
    value = _PYTHON_NAMES.get(value, value)
    kind = find_type(value) if is_whole else _find_type_of_start(value)
    return value if kind in types or (kind and "string" not in types) else write_string(text, is_whole)


def find_type(text: str) -> str | None:
    """The type of the JSON value that a text is; None if it is none."""
    if _NUMBER.fullmatch(text):
        number = float(text)
        return None if math.isinf(number) else "integer" if number.is_integer() else "number"
    try:
        json.loads(text, parse_int=str, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None
    return _TYPES_BY_START.get(text[:1])


def _find_type_of_start(text: str) -> str | None:
    """The type of the JSON value of which a text is the start; None if it is none."""
    is_word = text and any(word.startswith(text) for word in _PYTHON_NAMES.values())
    return _TYPES_BY_START[text[0]] if is_word or text[:1] in ("{", "[", '"') else find_type(text)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _is_map(value: Any) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, Mapping)


def write_string(text: str, is_whole: bool = True) -> str:
    """A string as JSON; without the last quote if the answer ended within it."""
    quoted = json.dumps(text, ensure_ascii=False)
    return quoted if is_whole else quoted[:-1]
