"""The tools of OpenAI's chats, and the functions that the model gets for them.

Functions and custom tools are run by the client. Others are left out, because nobody here can run them.
`functions` and `function_call` are the older form: an answer then has one call at most, as `function_call`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag

from model_core.checks.request_values import JsonObject
from model_core.errors import InvalidRequest
from model_core.requests.messages import FailFastList

from ..body import Body
from ..client_tools import HostedTool, check_choice, tag_by_type
from ..custom_tools import CustomFormat, describe_input, pattern_path


class FunctionSchema(Body):
    """A function that the model may call."""

    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class FunctionTool(Body):
    """A tool of the type function."""

    type: Literal["function"]
    function: FunctionSchema


class CustomSchema(Body):
    """A tool whose input is text."""

    name: str
    description: str | None = None
    format: CustomFormat | None = None


class CustomTool(Body):
    """A tool of the type custom."""

    type: Literal["custom"]
    custom: CustomSchema


ChatTool = Annotated[
    Annotated[FunctionTool, Tag("FunctionTool")]
    | Annotated[CustomTool, Tag("CustomTool")]
    | Annotated[HostedTool, Tag("HostedTool")],
    Discriminator(tag_by_type({"function": FunctionTool, "custom": CustomTool})),
]


class ToolName(Body):
    """A tool that the model must call."""

    name: str


class AllowedTools(Body):
    """The tools that the model may call."""

    mode: Literal["auto", "required"] = "auto"
    tools: FailFastList[JsonObject]


class ToolSelection(Body):
    """The tool that the model must call, or those that it may call."""

    type: Literal["function", "custom", "allowed_tools"]
    function: ToolName | None = None
    custom: ToolName | None = None
    allowed_tools: AllowedTools | None = None


@dataclass(frozen=True)
class Functions:
    """The functions for the tools of a request.

    Attributes:
        tools: the fields of model_core.requests.messages.Tool.
        choice: the field tool_choice for the engine.
        custom: the names of the custom tools among them.
        sent_names: the client's names of the fields, see Request.of.
        left_out: the types of the tools that are left out.
    """

    tools: list[dict[str, Any]]
    choice: Any
    custom: frozenset[str]
    sent_names: dict[str, str]
    left_out: list[str]


def find_functions(tools: Iterable[Any], choice: str | ToolSelection | None) -> Functions:
    """The functions for the tools of a request. Raises InvalidRequest for a wrong choice."""
    found: list[tuple[str, dict[str, Any]]] = []  # the path of each, and its fields
    custom, left_out = set[str](), list[str]()
    for number, tool in enumerate(tools):
        if isinstance(tool, FunctionTool):
            fields = tool.function.model_dump(exclude_none=True)
            found.append((f"tools[{number}].function", fields))
        elif isinstance(tool, CustomTool):
            described = describe_input(tool.custom.description, tool.custom.format)
            found.append((f"tools[{number}].custom", {"name": tool.custom.name, **described}))
            custom.add(tool.custom.name)
        else:
            left_out.append(tool.type)
    choice_field: Any = choice or "auto"
    if isinstance(choice, ToolSelection):
        found, choice_field = _select(found, choice)
    check_choice(choice_field, found, left_out)
    sent_names = {f"tools[{number}]": path for number, (path, _) in enumerate(found)}
    for number, (path, fields) in enumerate(found):
        if fields["name"] in custom:
            sent_names[pattern_path(number)] = f"{path}.format.grammar.definition"
    return Functions(
        tools=[fields for _, fields in found],
        choice=choice_field,
        custom=frozenset(custom),
        sent_names=sent_names,
        left_out=left_out,
    )


def _select(
    found: list[tuple[str, dict[str, Any]]], choice: ToolSelection
) -> tuple[list[tuple[str, dict[str, Any]]], Any]:
    """The tools that are left, and the field tool_choice for the engine."""
    named: Any = getattr(choice, choice.type)
    if named is None:
        raise InvalidRequest(f"tool_choice.{choice.type} is missing.", f"tool_choice.{choice.type}")
    if isinstance(named, ToolName):
        return found, {"name": named.name}
    names = [entry.get(str(entry.get("type"))) for entry in named.tools]
    allowed = {name.get("name") for name in names if isinstance(name, dict)}
    left = [tool for tool in found if tool[1]["name"] in allowed]
    if not left:
        raise InvalidRequest("tool_choice allows none of the tools that there are.", "tool_choice")
    return left, named.mode
