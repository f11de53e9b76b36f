"""Expressions for JSON that is valid under a schema.

llguidance compiles schemas, but it rounds some numbers of `const` and `enum`. A schema with such numbers gets
rules of its own (schema_rules.py), which spell them as they are.
"""

import json
from collections.abc import Mapping
from typing import Any

from ..requests.messages import Tool
from ..schema import needs_text
from .lark import Lark, parameters
from .schema_rules import SchemaRules, Spelling
from .value_types import embed


def write_json(
    lark: Lark, schema: Any, root: Mapping[str, Any], strict: bool = False, path: str = "", **options: Any
) -> str:
    """An expression for JSON that is valid under a schema, which is a part of `root`.

    `options` are llguidance's; `path` is where the schema is, for what is left out.
    """
    if not needs_text(embed(schema, root)):
        return lark.json(embed(schema, root), strict, **options)
    spelling = Spelling(
        string=lambda part, path: lark.json(part, **options),
        write=lambda value: json.dumps(value, ensure_ascii=False),
        key=lambda name: f"{json.dumps(name, ensure_ascii=False)}: ",
        any_key=f'{lark.json({"type": "string"}, **options)} ": "',
        separator=", ",
        any_value=lark.json({"type": ["string", "number", "boolean", "null"]}, **options),
    )
    return SchemaRules(lark, spelling, root).value(schema, path)


def write_arguments(lark: Lark, tool: Tool) -> str:
    """An expression for the arguments of a tool, as a JSON object."""
    root = parameters(tool)
    return write_json(lark, root, root, tool.strict)
