"""The parameters of requests as people read them: their types and ranges in words."""

import functools
from collections.abc import Mapping
from typing import Any

from .request_fields import Request

_TYPES = {
    "integer": "whole number",
    "number": "number",
    "string": "text",
    "boolean": "true or false",
    "array": "list",
    "object": "object",
}


def describe_type(schema: Mapping[str, Any]) -> str:
    """The type and the range of a JSON schema in words: `number from 0 to 2`."""
    if "anyOf" in schema:
        kinds = [describe_type(option) for option in schema["anyOf"] if option.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in schema or "const" in schema:
        return " or ".join(map(str, schema.get("enum", [schema.get("const")])))
    kind = _TYPES[schema.get("type", "object")]
    if "items" in schema:
        kind += f" of {describe_type({'type': schema['items'].get('type', 'object')})}s"
    if "minimum" in schema and "maximum" in schema:
        kind += f" from {_format(schema['minimum'])} to {_format(schema['maximum'])}"
    return kind


def describe_parameter(name: str) -> str:
    """The type, range and description of a parameter."""
    schema = properties()[name]
    return f"{describe_type(schema).capitalize()}. {schema['description']}"


@functools.cache
def properties() -> dict[str, Any]:
    """The JSON schemas of the parameters."""
    return Request.model_json_schema()["properties"]


def _format(number: float) -> str:
    powers: dict[float, str] = {
        2**20: "2^20",
        2**31 - 1: "2^31 - 1",
        2**63 - 1: "2^63 - 1",
        -(2**63): "-2^63",
    }
    return powers.get(number, f"{number:g}")
