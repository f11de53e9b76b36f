"""Strings without escapes, as some families write them: terminals of a grammar, from a schema."""

import json
from collections.abc import Mapping
from typing import Any

from ..schema import string_pattern
from .lark import ANY_TEXT, CannotWrite, Lark

_KEYWORDS = ("type", "const", "enum", "minLength", "maxLength", "pattern")


def string_terminal(lark: Lark, schema: Mapping[str, Any], mark: str, path: str) -> str:
    """A terminal for the strings that a schema allows, up to the `mark` that ends them.

    `path` is where the schema is, for what is left out; `format` is not enforced. Raises CannotWrite if all
    constants hold the mark.
    """
    lark.leave_out_other(schema, _KEYWORDS, path)
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    terms = []
    if values is not None:
        values = [value for value in values if isinstance(value, str) and mark not in value]
        if not values:
            raise CannotWrite(path)
        terms.append(f"({' | '.join(json.dumps(value, ensure_ascii=False) for value in values)})")
    low, high = schema.get("minLength", 0), schema.get("maxLength", "")
    if low or high != "":
        terms.append(rf"/(.|\n){{{low},{high}}}/")
    if "pattern" in schema:
        pattern = string_pattern(schema["pattern"])
        if pattern is None:
            lark.left_out.append(f"{path}pattern")
        else:
            terms.append(f"/{pattern}/")
    return f"({' & '.join(terms)})" if terms else ANY_TEXT
