"""The tools of Anthropic's Messages API, and the functions that the model gets for them.

The client runs its own tools and those of Anthropic's types bash, text_editor and memory, whose arguments
Anthropic has defined. Tools that Anthropic runs, such as web_search, are left out. Source: Anthropic's
documentation of these tools.
"""

import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from model_core.checks.request_values import JsonObject
from model_core.requests.messages import MAX_TOOL_NAME

from ..body import Body
from ..client_tools import INTEGER, STRING, HostedTool, describe_function

_FILE = {
    "path": STRING,
    "file_text": STRING,
    "old_str": STRING,
    "new_str": STRING,
    "insert_line": INTEGER,
    "insert_text": STRING,
    "view_range": {"type": "array", "items": INTEGER, "minItems": 2, "maxItems": 2},
}

# By the type without its date.
_FUNCTIONS = {
    "bash": describe_function(
        "Run a command in a bash session that persists, or restart the session.",
        (),
        command=STRING,
        restart={"type": "boolean"},
    ),
    "text_editor": describe_function(
        "View and edit files. view shows a file or folder; create writes file_text; str_replace replaces "
        "old_str, which must be unique, with new_str; insert writes insert_text (or new_str) after the line "
        "insert_line.",
        ("command", "path"),
        command={"enum": ["view", "create", "str_replace", "insert", "undo_edit"]},
        **_FILE,
    ),
    "memory": describe_function(
        "Keep notes in files under /memories: view, create, str_replace, insert, delete, or rename from "
        "old_path to new_path.",
        ("command",),
        command={"enum": ["view", "create", "str_replace", "insert", "delete", "rename"]},
        **_FILE,
        old_path=STRING,
        new_path=STRING,
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
