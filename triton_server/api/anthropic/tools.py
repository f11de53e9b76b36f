"""The tools of Anthropic's Messages API, and the functions that the model gets for them.

The client runs its own tools and those of Anthropic's types bash, text_editor and memory, whose arguments
Anthropic has defined. Tools that Anthropic runs, such as web_search, are left out. Source: Anthropic's
documentation of these tools.
"""

import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag

from model_core.checks.request_values import JsonObject
from model_core.requests.messages import MAX_TOOL_NAME

from ..body import Body

_STRING, _NUMBER = {"type": "string"}, {"type": "integer"}
_FILE = {
    "path": _STRING,
    "file_text": _STRING,
    "old_str": _STRING,
    "new_str": _STRING,
    "insert_line": _NUMBER,
    "insert_text": _STRING,
    "view_range": {"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 2},
}


def _function(description: str, required: tuple[str, ...], **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": [*required]}
    return {"description": description, "parameters": {**schema, "additionalProperties": False}}


# By the type without its date.
_FUNCTIONS = {
    "bash": _function(
        "Run a command in a bash session that persists, or restart the session.",
        (),
        command=_STRING,
        restart={"type": "boolean"},
    ),
    "text_editor": _function(
        "View and edit files. view shows a file or folder; create writes file_text; str_replace replaces "
        "old_str, which must be unique, with new_str; insert writes insert_text (or new_str) after the line "
        "insert_line.",
        ("command", "path"),
        command={"enum": ["view", "create", "str_replace", "insert", "undo_edit"]},
        **_FILE,
    ),
    "memory": _function(
        "Keep notes in files under /memories: view, create, str_replace, insert, delete, or rename from "
        "old_path to new_path.",
        ("command",),
        command={"enum": ["view", "create", "str_replace", "insert", "delete", "rename"]},
        **_FILE,
        old_path=_STRING,
        new_path=_STRING,
    ),
}
_DATED = re.compile(rf"({'|'.join(_FUNCTIONS)})_\d{{8}}")


class CustomTool(Body):
    """A tool that the client runs."""

    type: Literal["custom"] | None = None
    name: str = Field(min_length=1, max_length=MAX_TOOL_NAME)
    description: str | None = None
    input_schema: JsonObject = Field(description="The JSON schema of its arguments.")
    strict: bool | None = Field(False, description="Whether arguments follow the schema for certain.")

    def to_fields(self) -> dict[str, Any]:
        """The fields of model_core.requests.messages.Tool."""
        return {
            "name": self.name,
            "description": self.description,
            "parameters": self.input_schema,
            "strict": bool(self.strict),
        }


class TypedTool(Body):
    """A tool that the client runs, and whose arguments Anthropic has defined."""

    type: str = Field(pattern=f"^{_DATED.pattern}$")
    name: str = Field(min_length=1, max_length=MAX_TOOL_NAME)

    def to_fields(self) -> dict[str, Any]:
        """The fields of model_core.requests.messages.Tool."""
        return {"name": self.name, **_FUNCTIONS[self.type[: self.type.rindex("_")]]}


class HostedTool(Body):
    """A tool of another service, which is left out."""

    model_config = ConfigDict(extra="allow")

    type: str


def _tag_of_tool(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    if not isinstance(kind, str) or kind == "custom":
        return CustomTool.__name__
    return (TypedTool if _DATED.fullmatch(kind) else HostedTool).__name__


ClientTool = Annotated[
    Annotated[CustomTool, Tag("CustomTool")]
    | Annotated[TypedTool, Tag("TypedTool")]
    | Annotated[HostedTool, Tag("HostedTool")],
    Discriminator(_tag_of_tool),
]


def list_left_out(tools: Iterable[Any]) -> list[str]:
    """The types of the tools that are left out."""
    return [tool.type for tool in tools if isinstance(tool, HostedTool)]
