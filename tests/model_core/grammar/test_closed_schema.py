"""Schemas of arguments, whose objects have no members that they do not name."""

from typing import Any

import pytest

from model_core.grammar.closed_schema import close_objects

OPEN: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
CLOSED = {**OPEN, "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "closed"),
    [
        (OPEN, CLOSED),
        ({"type": "object"}, {"type": "object"}),
        ({**OPEN, "additionalProperties": OPEN}, {**OPEN, "additionalProperties": CLOSED}),
        (
            {"properties": {"items": {"items": OPEN}}},
            {"properties": {"items": {"items": CLOSED}}, "additionalProperties": False},
        ),
        (
            {"$defs": {"p": OPEN}, "anyOf": [{"$ref": "#/$defs/p"}, OPEN]},
            {"$defs": {"p": CLOSED}, "anyOf": [{"$ref": "#/$defs/p"}, CLOSED]},
        ),
        (
            {"properties": {"a": {"enum": [OPEN]}}},
            {"properties": {"a": {"enum": [OPEN]}}, "additionalProperties": False},
        ),
        ({**OPEN, "allOf": [OPEN]}, {**CLOSED, "allOf": [OPEN]}),
        (
            {"properties": {"b": {**OPEN, "anyOf": [OPEN]}}},
            {"properties": {"b": {**OPEN, "anyOf": [OPEN]}}, "additionalProperties": False},
        ),
    ],
    ids=["object", "no members", "members of a kind", "list", "definition", "value", "allOf", "anyOf"],
)
def test_objects_are_closed(schema: dict[str, Any], closed: dict[str, Any]) -> None:
    assert close_objects(schema) == closed
