"""The tools of OpenAI's Responses API, and the functions that the model gets for them.

The client runs functions, custom tools, shells and patches. Each becomes a function, and a call of it is
given back in the form of its tool (calls.py). Tools that OpenAI runs, such as web_search, are left out,
because nobody here can run them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from model_core.checks.request_values import JsonObject, Text, shorten
from model_core.errors import InvalidRequest
from model_core.requests.messages import MAX_TOOL_NAME, FailFastList

from ...collections.filters import Filter
from ..body import Body
from ..client_tools import (
    INTEGER,
    STRING,
    HostedTool,
    check_choice,
    describe_function,
    join_name,
    tag_by_type,
)
from ..custom_tools import CustomFormat, describe_input, pattern_path
from ..errors import unsupported
from ..mcp_tools.calls import OWN, Offer, Tool
from ..mcp_tools.toolbox import describe, name_offers
from ..vector_stores.schemas import MAX_RESULTS, RankingOptions
from .calls import CallForm

_STRINGS = {"type": "array", "items": STRING}

# The functions for tools that have no description of their own.
_FUNCTIONS = {
    "shell": describe_function(
        "Run commands in a shell, one after another.",
        ("commands",),
        commands=_STRINGS,
        timeout_ms=INTEGER,
        max_output_length=INTEGER,
    ),
    "local_shell": describe_function(
        "Run a command: the program and its arguments.",
        ("command",),
        command=_STRINGS,
        working_directory=STRING,
        timeout_ms=INTEGER,
        env={"type": "object", "additionalProperties": STRING},
    ),
    "apply_patch": describe_function(
        "Create, update or delete a file. The diff has lines that begin with a space, + or -, in sections "
        "that begin with @@; that of a new file has lines that begin with +.",
        ("type", "path"),
        type={"enum": ["create_file", "update_file", "delete_file"]},
        path=STRING,
        diff=STRING,
    ),
}
_KINDS = {
    "function": "function_call",
    "custom": "custom_tool_call",
    **{name: f"{name}_call" for name in _FUNCTIONS},
    "file_search": "file_search_call",
}
_MCP_CALL = "mcp_call"
FILE_SEARCH, SEARCH_CALL = "file_search", "file_search_call"
MAX_SEARCHED = 16  # vector stores
_SEARCH = describe_function(
    "Search the files of the user for passages about something. They are numbered. Cite those that you "
    "use by their numbers in brackets, such as [1].",
    ("query",),
    query={"type": "string", "maxLength": 300, "description": "What to look for."},
)
_SEARCH_OFFER = Offer(OWN, Tool(FILE_SEARCH, _SEARCH["description"], _SEARCH["parameters"]), "never")
# Where the client has sent a tool, its function, and how the client knows its calls.
_Found = tuple[str, dict[str, Any], CallForm]


class FunctionTool(Body):
    """A function that the model may call."""

    type: Literal["function"]
    name: str = Field(min_length=1, max_length=MAX_TOOL_NAME)
    description: str | None = None
    parameters: JsonObject | None = Field(None, description="The JSON schema of its arguments.")
    strict: bool | None = Field(None, description="Whether arguments follow the schema for certain.")

    def to_fields(self) -> dict[str, Any]:
        """The fields of model_core.requests.messages.Tool. `strict` is true by default, as with OpenAI."""
        return {**self.model_dump(exclude={"type"}), "strict": self.strict is not False}


class CustomTool(Body):
    """A tool whose input is text."""

    type: Literal["custom"]
    name: str = Field(min_length=1, max_length=MAX_TOOL_NAME)
    description: str | None = None
    format: CustomFormat | None = None

    def to_fields(self) -> dict[str, Any]:
        """The fields of model_core.requests.messages.Tool."""
        return {"name": self.name, **describe_input(self.description, self.format)}


class ActionTool(Body):
    """A shell or patches, which the client runs or applies."""

    type: Literal["shell", "local_shell", "apply_patch"]

    def to_fields(self) -> dict[str, Any]:
        """The fields of model_core.requests.messages.Tool."""
        return {"name": self.type, **_FUNCTIONS[self.type]}


class ToolFilter(Body):
    """Tools by their names, or those that change nothing."""

    tool_names: FailFastList[Text] | None = None
    read_only: bool | None = None


class Approvals(Body):
    """Which tools need approval."""

    always: ToolFilter | None = None
    never: ToolFilter | None = None


class McpTool(Body):
    """The tools of an MCP server of --mcp-config, which the service calls."""

    type: Literal["mcp"]
    server_label: Text
    server_url: Text | None = None
    server_description: Text | None = None
    allowed_tools: FailFastList[Text] | ToolFilter | None = None
    require_approval: Literal["always", "never"] | Approvals | None = None
    headers: JsonObject | None = None
    authorization: Text | None = None
    connector_id: Text | None = None
    tunnel_id: Text | None = None
    defer_loading: bool | None = None
    allowed_callers: FailFastList[Text] | None = None


class FileSearchTool(Body):
    """A search of vector stores, which the service runs when the model asks for it."""

    type: Literal["file_search"]
    vector_store_ids: Annotated[FailFastList[Text], Field(min_length=1, max_length=MAX_SEARCHED)]
    max_num_results: int | None = Field(None, ge=1, le=MAX_RESULTS)
    filters: Filter | None = None
    ranking_options: RankingOptions | None = None


_IN_NAMESPACES: dict[str, type[Body]] = {"function": FunctionTool, "custom": CustomTool}
_InNamespace = Annotated[
    Annotated[FunctionTool, Tag("FunctionTool")]
    | Annotated[CustomTool, Tag("CustomTool")]
    | Annotated[HostedTool, Tag("HostedTool")],
    Discriminator(tag_by_type(_IN_NAMESPACES)),
]


class NamespaceTool(Body):
    """Several tools whose names belong together."""

    type: Literal["namespace"]
    name: str = Field(min_length=1)
    description: str | None = None
    tools: FailFastList[_InNamespace]


_TOOLS: dict[str, type[Body]] = {
    **_IN_NAMESPACES,
    "namespace": NamespaceTool,
    "mcp": McpTool,
    "file_search": FileSearchTool,
    **dict.fromkeys(_FUNCTIONS, ActionTool),
}
ResponsesTool = Annotated[
    Annotated[FunctionTool, Tag("FunctionTool")]
    | Annotated[CustomTool, Tag("CustomTool")]
    | Annotated[NamespaceTool, Tag("NamespaceTool")]
    | Annotated[ActionTool, Tag("ActionTool")]
    | Annotated[McpTool, Tag("McpTool")]
    | Annotated[FileSearchTool, Tag("FileSearchTool")]
    | Annotated[HostedTool, Tag("HostedTool")],
    Discriminator(tag_by_type(_TOOLS)),
]


class ToolSelection(Body):
    """The tool that the model must call, or those that it may call."""

    type: Text
    name: Text | None = None
    namespace: Text | None = None
    server_label: Text | None = None
    mode: Literal["auto", "required"] = "auto"
    tools: FailFastList[JsonObject] = Field([], description="Of allowed_tools.")


@dataclass(frozen=True)
class Functions:
    """The functions for the tools of a request.

    Attributes:
        tools: the fields of model_core.requests.messages.Tool.
        forms: by the name of a function, how the client knows its calls.
        choice: the field tool_choice for the engine.
        sent_names: the client's names of the fields, see Request.of.
        left_out: the types of the tools that are left out.
        offers: the tools that the service calls, by the names of their functions.
    """

    tools: list[dict[str, Any]]
    forms: dict[str, CallForm]
    choice: Any
    sent_names: dict[str, str]
    left_out: list[str]
    offers: Mapping[str, Offer] = field(default_factory=dict)


def find_functions(
    tools: Iterable[Any],
    choice: str | ToolSelection | None,
    offers: Mapping[str, Sequence[Offer]] | None = None,
) -> Functions:
    """The functions for the tools of a request. Raises ApiError or InvalidRequest for a wrong choice.

    `offers`: the tools of MCP servers, by the path of the tool in the request; None: there are no servers.
    """
    found: list[_Found] = []
    left_out: list[str] = []
    ours: list[tuple[str, Offer]] = []
    for path, tool, namespace in _walk(tools):
        if isinstance(tool, McpTool) and offers is not None:
            ours += ((path, offer) for offer in offers[path])
            continue
        if isinstance(tool, FileSearchTool):
            ours.append((path, _SEARCH_OFFER))
            continue
        if isinstance(tool, HostedTool | McpTool):
            left_out.append(tool.type)
            continue
        fields = tool.to_fields()
        form = CallForm(_KINDS[tool.type], fields["name"], namespace)
        found.append((path, {**fields, "name": function_name(form)}, form))
    named = name_offers((offer for _, offer in ours), (fields["name"] for _, fields, _ in found))
    for (path, offer), function in zip(ours, named, strict=True):
        kind = SEARCH_CALL if offer.server == OWN else _MCP_CALL
        form = CallForm(kind, offer.tool.name, offer.server or None)
        found.append((path, describe(function, offer), form))
    if isinstance(choice, ToolSelection):
        selected, choice_field = _select(found, choice)
        found = selected if choice.type in ("allowed_tools", "mcp") else found
    else:
        choice_field = choice or "auto"
    check_choice(choice_field, found, left_out)
    sent_names = {f"tools[{number}]": path for number, (path, _, _) in enumerate(found)}
    for number, (path, _, form) in enumerate(found):
        if form.kind == "custom_tool_call":
            sent_names[pattern_path(number)] = f"{path}.format.definition"
    return Functions(
        tools=[fields for _, fields, _ in found],
        forms={fields["name"]: form for _, fields, form in found},
        choice=choice_field,
        sent_names=sent_names,
        left_out=left_out,
        offers={fields["name"]: named[fields["name"]] for _, fields, _ in found if fields["name"] in named},
    )


def function_name(form: CallForm) -> str:
    """The name that the model sees, of the tool's own and its namespace."""
    if form.namespace is None:
        return form.name
    return join_name(form.namespace, form.name)


def _walk(tools: Iterable[Any]) -> Iterator[tuple[str, Any, str | None]]:
    """Each tool with its path in the request, and the namespace in which it is."""
    for number, tool in enumerate(tools):
        if isinstance(tool, NamespaceTool):
            for inner, each in enumerate(tool.tools):
                yield f"tools[{number}].tools[{inner}]", each, tool.name
        else:
            yield f"tools[{number}]", tool, None


def _select(found: list[_Found], choice: ToolSelection) -> tuple[list[_Found], Any]:
    """The tools that a choice names, and the field tool_choice for the engine."""
    if choice.type == "allowed_tools":
        allowed = [tool for tool in found if any(_is_named(tool, entry) for entry in choice.tools)]
        if not allowed:
            raise InvalidRequest("tool_choice allows none of the tools that there are.", "tool_choice")
        return allowed, choice.mode
    if choice.type == "mcp" and (
        of_server := [tool for tool in found if _is_named(tool, choice.model_dump())]
    ):
        return of_server, "required"
    if choice.type not in _KINDS:
        raise unsupported(
            "tool_choice",
            f"tool_choice asks for {shorten(choice.type)}, which this service cannot run; send auto.",
        )
    named = [tool for tool in found if _is_named(tool, choice.model_dump())]
    name = named[0][1]["name"] if named else choice.name or choice.type
    return named, {"name": name}


def _is_named(tool: _Found, entry: dict[str, Any]) -> bool:
    """Whether an entry of tool_choice names a tool, or its namespace."""
    form, kind, name = tool[2], entry.get("type"), entry.get("name")
    if kind == "mcp" or form.kind == _MCP_CALL:
        is_server = kind == "mcp" and form.kind == _MCP_CALL and form.namespace == entry.get("server_label")
        return is_server and name in (None, form.name)
    if kind == "namespace":
        return form.namespace is not None and form.namespace == name
    wanted = name if kind in ("function", "custom") else kind
    return (
        form.name == wanted
        and form.kind == _KINDS.get(str(kind))
        and entry.get("namespace") in (None, form.namespace)
    )
