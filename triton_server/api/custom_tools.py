"""Custom tools of OpenAI's API, whose input is text: the model gets a function with one string.

A regular expression for the input is the pattern of this string. A grammar in Lark's syntax stands in the
description, so that the model can follow it, but nothing makes it: X-Ignored-Fields names it.
"""

import json
from collections.abc import AsyncGenerator, Collection, Iterable, Iterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Literal

from pydantic import model_validator

from model_core.requests.events import Done, Event, Failed, Reasoning, Text, ToolCallDelta
from model_core.requests.messages import complete_object

from .body import Body
from .client_tools import HostedTool
from .stream_response import NumberedEvents

INPUT = "input"


class CustomFormat(Body):
    """The form of the input. Chats have syntax and definition in `grammar`."""

    type: Literal["text", "grammar"] = "text"
    syntax: Literal["lark", "regex"] | None = None
    definition: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _unfold(cls, value: Any) -> Any:
        if isinstance(value, dict) and isinstance(value.get("grammar"), dict):
            return {**value, **value["grammar"], "type": value.get("type", "grammar")}
        return value


def describe_input(description: str | None, form: CustomFormat | None) -> dict[str, Any]:
    """Description and parameters of the function for a custom tool."""
    schema: dict[str, Any] = {"type": "string"}
    parts = [description] if description else []
    if form is not None and form.definition is not None:
        if form.syntax == "regex":
            schema["pattern"] = f"^(?:{form.definition})$"
        else:
            parts.append(f"The input follows this grammar (Lark):\n{form.definition}")
    parameters = {
        "type": "object",
        "properties": {INPUT: schema},
        "required": [INPUT],
        "additionalProperties": False,
    }
    return {"description": "\n\n".join(parts) or None, "parameters": parameters}


def pattern_path(number: int) -> str:
    """The path of the regular expression in the function of a custom tool, which is tools[number]."""
    return f"tools[{number}].parameters.properties.{INPUT}.pattern"


def list_unenforced(tools: Iterable[Any], above: str = "") -> Iterator[str]:
    """The fields of a request's tools in which there is a grammar that inputs need not follow."""
    for number, tool in enumerate(tools):
        if isinstance(tool, HostedTool):
            continue
        path = f"{above}tools[{number}]"
        for part, holder in (("", tool), (".custom", getattr(tool, "custom", None))):
            form = getattr(holder, "format", None)
            if isinstance(form, CustomFormat) and form.definition is not None and form.syntax != "regex":
                yield f"{path}{part}.format"
        yield from list_unenforced(getattr(tool, "tools", None) or (), f"{path}.")  # of a namespace


def read_input(arguments: str) -> str:
    """The input of a custom tool in the arguments that the model has written; "" if they end before it."""
    value = complete_object(arguments).get(INPUT)
    if isinstance(value, str):
        return value
    try:
        json.loads(arguments)
    except ValueError:
        return "" if arguments.lstrip().startswith("{") else arguments
    return arguments


async def unwrap_inputs(events: NumberedEvents, names: Collection[str]) -> AsyncGenerator[Any, None]:
    """The events, where calls of the tools `names` have their input instead of arguments, in one piece."""
    held: dict[int, ToolCallDelta] = {}  # the call that each answer is writing
    async with aclosing(events):
        async for number, event in events:
            call = held.get(number)
            if isinstance(event, ToolCallDelta) and call is not None and event.name is None:
                held[number] = replace(call, arguments=call.arguments + event.arguments)
                continue
            if call is not None and _ends_call(event):
                del held[number]
                yield number, replace(call, arguments=read_input(call.arguments))
            if isinstance(event, ToolCallDelta) and event.name in names:
                held[number] = event
            else:
                yield number, event


def _ends_call(event: Event) -> bool:
    """Whether what comes after an event is no part of the call before it."""
    return isinstance(event, ToolCallDelta | Done | Failed) or (
        isinstance(event, Text | Reasoning) and bool(event.text)
    )
