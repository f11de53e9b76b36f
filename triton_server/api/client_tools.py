"""What the tools of OpenAI's and Anthropic's requests have in common.

The model gets a function for each tool that the client runs. Tools that another service runs are left out.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ConfigDict

from model_core.checks.request_values import Text, shorten
from model_core.errors import InvalidRequest

from .body import Body

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
