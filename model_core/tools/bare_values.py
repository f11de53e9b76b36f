"""Arguments as bare text between tags: strings have no quotes, all other values are JSON."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..event_writer import EventWriter
from ..messages import Tool
from .lark import ANY_TEXT, Lark

_PYTHON_NAMES = {
    "True": True,
    "False": False,
    "None": None,
}  # some templates show values as Python writes them

_SPACE = re.compile(r"\s*")


def skip_space(text: str, start: int) -> int:
    """Where the white space at `start` ends."""
    return _SPACE.match(text, start).end()


def read_between(text: str, start: int, before: str, after: str) -> tuple[str, int] | None:
    """What stands at `start` between two marks, and where the second ends; None if the marks are missing."""
    start = skip_space(text, start)
    end = text.find(after, start + len(before)) if text.startswith(before, start) else -1
    return None if end < 0 else (text[start + len(before) : end], end + len(after))


def is_string(schema: Any) -> bool:
    """Whether a schema allows strings only."""
    if not isinstance(schema, Mapping):
        return False
    values = _allowed_values(schema)
    return schema.get("type") == "string" if values is None else all(isinstance(v, str) for v in values)


def read_bare_value(tool: Tool | None, name: str, text: str) -> Any:
    """The value of an argument that is written as `text`."""
    properties = ((tool.parameters if tool else None) or {}).get("properties")
    if isinstance(properties, Mapping) and is_string(properties.get(name)):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _PYTHON_NAMES.get(text.strip(), text)


def bare_value(lark: Lark, tool: Tool, schema: Any, end: str) -> str:
    """An expression for a value with the mark that ends it."""
    if is_string(schema):
        return string_until(lark, schema, end)
    return f"{lark.json(with_definitions(tool, schema), tool.strict)} {lark.literal(end)}"


def string_until(lark: Lark, schema: Mapping[str, Any], end: str) -> str:
    """An expression for a string without quotes, with the mark that ends it. `format` is not enforced."""
    values = _allowed_values(schema)
    if values is not None:
        return f"({' | '.join(lark.literal(value + end) for value in values)})"
    low, high = schema.get("minLength", 0), schema.get("maxLength", "")
    terms = [rf"/(.|\n){{{low},{high}}}/" if low or high != "" else ANY_TEXT]
    if "pattern" in schema:
        # A pattern may match anywhere in the string.
        anchored_start, body, anchored_end = re.fullmatch(
            r"(\^?)(.*?)((?<!\\)\$)?", schema["pattern"], re.S
        ).groups()
        before, after = ("" if anchor else r"(.|\n)*" for anchor in (anchored_start, anchored_end))
        terms.append(f"/{before}({body.replace('/', chr(92) + '/')}){after}/")
    return lark.until(end, " & ".join(terms))


def with_definitions(tool: Tool, schema: Any) -> Any:
    """The schema of an argument with the definitions that it may refer to."""
    parameters = tool.parameters or {}
    definitions = {key: parameters[key] for key in ("$defs", "definitions") if key in parameters}
    return {**schema, **definitions} if isinstance(schema, Mapping) else schema


def write_calls(writer: EventWriter, calls: Sequence[tuple[str, Any]]) -> bool:
    """Write complete calls. False if there are none, or if they have what is no JSON or no valid Unicode."""
    try:
        texts = [json.dumps(arguments, ensure_ascii=False, allow_nan=False) for _, arguments in calls]
        for name, text in zip((name for name, _ in calls), texts, strict=True):
            (name + text).encode()
    except (TypeError, ValueError, RecursionError):
        return False
    for (name, _), text in zip(calls, texts, strict=True):
        writer.start_call(name)
        writer.arguments(text)
    return bool(calls)


def _allowed_values(schema: Mapping[str, Any]) -> list[Any] | None:
    return [schema["const"]] if "const" in schema else schema.get("enum")
