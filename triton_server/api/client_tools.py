"""What the tools of OpenAI's and Anthropic's requests have in common.

The model gets a function for each tool that the client runs. Tools that another service runs are left out.
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ConfigDict

from model_core.checks.request_values import Text, shorten
from model_core.errors import InvalidRequest
from model_core.requests.messages import MAX_TOOL_NAME

from .body import Body

_NOT_IN_NAMES = re.compile(r"[^\w.-]")
STRING, INTEGER = {"type": "string"}, {"type": "integer"}


class HostedTool(Body):
    """A tool of another service, which is left out."""

    model_config = ConfigDict(extra="allow")

    type: Text


def describe_function(description: str, required: tuple[str, ...], **properties: Any) -> dict[str, Any]:
    """Description and parameters of the function for a tool that has none of its own."""
    schema = {"type": "object", "properties": properties, "required": [*required]}
    return {"description": description, "parameters": {**schema, "additionalProperties": False}}


def tag_by_type(classes: Mapping[str, type[Body]]) -> Callable[[Any], str]:
    """What tells a discriminator the class of a tool, by its `type`; those of no other are a HostedTool."""

    def find_tag(value: Any) -> str:
        kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
        return (classes.get(kind, HostedTool) if isinstance(kind, str) else HostedTool).__name__

    return find_tag


def check_choice(choice: Any, tools: Sequence[Any], left_out: Sequence[str]) -> None:
    """Raises InvalidRequest if `choice` asks for a call, and all tools of the request are left out."""
    if left_out and not tools and choice not in ("auto", "none"):
        raise InvalidRequest(
            "tool_choice is only allowed when tools are given that the client runs; "
            f"{shorten(left_out[0])} is left out.",
            "tool_choice",
        )


def join_name(namespace: str, name: str) -> str:
    """The name of a function for a tool that is in a namespace, in the characters that names may have."""
    start = namespace if namespace.endswith("__") else f"{namespace}__"
    return clean_name(start + name, f"{namespace} {name}")


def clean_name(name: str, key: str) -> str:
    """A name as functions may have it: in characters and length. `key` tells long ones apart."""
    name = _NOT_IN_NAMES.sub("_", name)
    if len(name) <= MAX_TOOL_NAME:
        return name
    digest = hashlib.sha256(key.encode()).hexdigest()[:8]
    return f"{name[: MAX_TOOL_NAME - 9]}_{digest}"
