"""Calls that are JSON objects, such as {"name": "f", "arguments": {"a": 1}}."""

import json
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any

from ...grammar.json_rules import write_json
from ...grammar.lark import Lark, parameters
from ...requests.messages import Tool
from ..reader import AnswerReader, Steps
from ..writer import EventWriter

_ARGUMENT_KEYS = ("arguments", "parameters")


def parse_object(
    reader: AnswerReader,
    writer: EventWriter,
    known: Collection[str] | None = None,
    name_key: str = "name",
) -> Steps[bool]:
    """Read an object, and write it as a call. False if it is none; then nothing was written.

    known: the names that a call may have; None: any. name_key: the member that names the tool. Members other
    than name and arguments are left out.
    """
    name, arguments, is_first, has_started = None, None, True, False
    if not (yield from reader.accept("{")):
        return False
    while not has_started:
        yield from reader.skip_space()
        if (yield from reader.accept("}")):
            break
        if not is_first and not (yield from reader.accept(",")):
            return False
        is_first = False
        yield from reader.skip_space()
        key = parse_string((yield from reader.read_value()))
        yield from reader.skip_space()
        if key is None or not (yield from reader.accept(":")):
            return False
        yield from reader.skip_space()
        if key in _ARGUMENT_KEYS and name is not None:
            writer.start_call(name)
            has_started = True
            yield from reader.copy_value(writer.arguments)
            continue
        value = yield from reader.read_value()
        if value is None:
            return False
        if key in _ARGUMENT_KEYS:
            arguments = value
        elif key == name_key:
            name = parse_string(value)
            if not name or (known is not None and name not in known):
                return False
    if not has_started:
        if name is None:
            return False
        writer.start_call(name)
        writer.arguments(arguments or "{}")
        return True
    yield from _skip_members(reader)
    return True


def _skip_members(reader: AnswerReader) -> Steps[None]:
    """Read the rest of an object whose call has been written."""
    yield from reader.skip_space()
    while (yield from reader.accept(",")):
        yield from reader.skip_space()
        yield from reader.read_value()
        yield from reader.skip_space()
        yield from reader.accept(":")
        yield from reader.skip_space()
        yield from reader.read_value()
        yield from reader.skip_space()
    yield from reader.accept("}")


def parse_list(
    reader: AnswerReader,
    writer: EventWriter,
    known: Collection[str] | None = None,
    name_key: str = "name",
) -> Steps[bool]:
    """Read a list of objects (see parse_object), and write them as calls. False if the first is no call."""
    return (yield from parse_items(reader, writer, lambda: parse_object(reader, writer, known, name_key)))


def parse_items(
    reader: AnswerReader, writer: EventWriter, parse_item: Callable[[], Steps[bool]]
) -> Steps[bool]:
    """Read a list of calls, each of which `parse_item` reads and writes. False if the first is no call.

    If a later one is none, it is text, like all that follows.
    """
    if not (yield from reader.accept("[")):
        return False
    yield from reader.skip_space()
    if not (yield from parse_item()):
        return False
    yield from reader.skip_space()
    reader.mark()
    while (yield from reader.accept(",")):
        yield from reader.skip_space()
        if not (yield from parse_item()):
            writer.text(reader.text_since_mark())
            return True
        yield from reader.skip_space()
        reader.mark()
    yield from reader.accept("]")
    return True


def object_call(
    lark: Lark,
    tool: Tool,
    arguments_key: str,
    name_key: str = "name",
    first: Mapping[str, Any] = MappingProxyType({}),
) -> str:
    """An expression for a call of a tool. first: the schemas of the members before the name."""
    arguments = dict(parameters(tool))
    definitions = arguments.pop("$defs", {})
    schema = {
        "type": "object",
        "properties": {**first, name_key: {"const": tool.name}, arguments_key: arguments},
        "required": [*first, name_key, arguments_key],
        "additionalProperties": False,
        "$defs": definitions,
    }
    return write_json(lark, schema, schema, tool.strict)


def parse_string(value: str | None) -> str | None:
    """The text of a JSON string; None if it is none, or no valid Unicode."""
    try:
        text = json.loads(value or "")
        return text if isinstance(text, str) and text.encode() is not None else None
    except (ValueError, RecursionError):
        return None
