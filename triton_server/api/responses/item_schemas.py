"""The items of a conversation in OpenAI's Responses API, with the fields that this service reads.

Other fields are ignored. Source: the types of the Python package `openai`.
"""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, Tag, TypeAdapter, model_validator
from pydantic_core import PydanticCustomError

from model_core.checks.request_values import JsonObject, Text, check_json, shorten
from model_core.requests.messages import Arguments, FailFastList

from ..body import Body
from ..foreign_content import read_text_file
from ..images.parts import file_part, url_part


def _to_text_part(value: Any) -> Any:
    """A part with its text. Raises PydanticCustomError for one that the model cannot be shown."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return value
    kind, text = value["type"], value.get("text")
    if kind == "input_image":
        return value
    if kind == "refusal":
        text = value.get("refusal")
    elif kind == "input_file":
        if isinstance(value.get("file_id"), str) and value.get("file_data") is None:
            return {**value, "text": text or ""}
        text = read_text_file(value.get("file_data"))
        if text is not None and isinstance(value.get("filename"), str):
            text = f"{value['filename']}:\n{text}"
    if kind in ("input_text", "output_text") or isinstance(text, str):
        return {**value, "type": "output_text" if kind == "output_text" else "input_text", "text": text}
    raise PydanticCustomError(
        "unsupported_type",
        "is of the type {type} and has no text, but this service shows models texts and images only",
        {"type": shorten(kind)},
    )


class TextPart(Body):
    """A part of a message, or of the result of a call. A file of /v1/files gets its text when it is read."""

    type: Literal["input_text", "output_text", "input_file"]
    text: Text
    file_id: str | None = None


class ImagePart(Body):
    """An image, for models that see: its URL, or its id among the files of /v1/files."""

    type: Literal["input_image"]
    image_url: Text | None = Field(
        None, description="A data URL with base64, or an https address of a host of --allow-image-urls."
    )
    file_id: Text | None = None
    detail: Literal["auto", "low", "high", "original"] | None = Field(
        None, description="low: at most 512 pixels a side; others: as many as the model takes."
    )

    @model_validator(mode="after")
    def _check_source(self) -> "ImagePart":
        if (self.image_url is None) == (self.file_id is None):
            raise PydanticCustomError("source", "must have either image_url or file_id")
        return self

    def to_part(self) -> dict[str, Any]:
        """The part of a message."""
        if self.image_url is not None:
            return url_part(self.image_url, self.detail)
        return file_part(self.file_id or "", self.detail)


def _kind_of_part(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return "ImagePart" if kind == "input_image" else "TextPart"


_Part = Annotated[
    Annotated[TextPart, Tag("TextPart")] | Annotated[ImagePart, Tag("ImagePart")],
    Discriminator(_kind_of_part),
    BeforeValidator(_to_text_part),
]
# What is missing or null is empty.
Content = Annotated[Text | FailFastList[_Part], BeforeValidator(lambda value: "" if value is None else value)]


class MessageItem(Body):
    """A message of the conversation."""

    type: Literal["message"] = "message"
    id: str | None = None
    role: Literal["system", "developer", "user", "assistant"]
    content: Content = ""

    @model_validator(mode="after")
    def _check_images(self) -> "MessageItem":
        if self.role == "assistant" and not isinstance(self.content, str):
            for part in self.content:
                if isinstance(part, ImagePart):
                    raise PydanticCustomError("image_of_role", "is of the assistant, who sends no images")
        return self


class FunctionCallItem(Body):
    """A call of a function by the model."""

    type: Literal["function_call"]
    id: str | None = None
    call_id: str
    name: str
    namespace: str | None = None
    arguments: Arguments = Field("", description="A JSON object as text.")


class CustomCallItem(Body):
    """A call of a custom tool by the model."""

    type: Literal["custom_tool_call"]
    id: str | None = None
    call_id: str
    name: str
    namespace: str | None = None
    input: Text = ""


class ActionItem(Body):
    """A command or a patch by the model, which the client runs or applies."""

    type: Literal["shell_call", "local_shell_call", "apply_patch_call"]
    id: str | None = None
    call_id: str
    action: JsonObject | None = Field(None, description="The commands.")
    operation: JsonObject | None = Field(None, description="The patch.")


class CallOutputItem(Body):
    """The result of a call."""

    type: Literal["function_call_output", "custom_tool_call_output"]
    id: str | None = None
    call_id: str
    output: Content = ""


class ActionOutputItem(Body):
    """The result of a command or a patch."""

    type: Literal["shell_call_output", "local_shell_call_output", "apply_patch_call_output"]
    id: str | None = Field(None, description="Of local_shell_call_output: the id of the call.")
    call_id: str | None = None
    status: str | None = None
    output: Text | FailFastList[JsonObject] | None = None


class McpListToolsItem(Body):
    """The tools of an MCP server. The model is told of those of the request."""

    type: Literal["mcp_list_tools"]
    id: str | None = None
    server_label: Text
    tools: FailFastList[JsonObject] = Field([])
    error: Any = None


class McpCallItem(Body):
    """A call of a tool of an MCP server by the service, with its result."""

    type: Literal["mcp_call"]
    id: str | None = None
    server_label: Text
    name: Text
    arguments: Arguments = ""
    approval_request_id: str | None = None
    output: Text | None = None
    error: JsonObject | Text | None = None


class McpApprovalRequestItem(Body):
    """A call that the model wants the service to make, if a person approves."""

    type: Literal["mcp_approval_request"]
    id: str
    server_label: Text
    name: Text
    arguments: Arguments = ""


class McpApprovalResponseItem(Body):
    """Whether a person approves a call."""

    type: Literal["mcp_approval_response"]
    id: str | None = None
    approval_request_id: str
    approve: bool
    reason: Text | None = None


class FileSearchCallItem(Body):
    """A search of vector stores by the service. Without its results the model is not told of it."""

    type: Literal["file_search_call"]
    id: str | None = None
    status: Text | None = None
    queries: FailFastList[Text] = Field([])
    results: FailFastList[JsonObject] | None = None


class ReasoningPart(Body):
    """A part of reasoning."""

    type: Literal["reasoning_text", "summary_text"]
    text: Text


class ReasoningItem(Body):
    """What the model thought. Reasoning that is only encrypted or summarized is not shown to the model."""

    type: Literal["reasoning"]
    id: str | None = None
    content: FailFastList[ReasoningPart] | None = None
    summary: FailFastList[ReasoningPart] | None = None


class ItemReference(Body):
    """An item of a stored response, of its input or its output."""

    type: Literal["item_reference"]
    id: str


class OtherItem(Body):
    """An item of another service. What it says is shown to the model as text."""

    model_config = ConfigDict(extra="allow")

    type: Text

    @model_validator(mode="after")
    def _check_depth(self) -> "OtherItem":
        check_json(self.model_extra)  # what describes it recurses
        return self


_CLASSES: dict[str, type[Body]] = {
    "message": MessageItem,
    "function_call": FunctionCallItem,
    "custom_tool_call": CustomCallItem,
    **dict.fromkeys(("shell_call", "local_shell_call", "apply_patch_call"), ActionItem),
    **dict.fromkeys(("function_call_output", "custom_tool_call_output"), CallOutputItem),
    **dict.fromkeys(
        ("shell_call_output", "local_shell_call_output", "apply_patch_call_output"), ActionOutputItem
    ),
    "mcp_list_tools": McpListToolsItem,
    "mcp_call": McpCallItem,
    "mcp_approval_request": McpApprovalRequestItem,
    "mcp_approval_response": McpApprovalResponseItem,
    "file_search_call": FileSearchCallItem,
    "reasoning": ReasoningItem,
    "item_reference": ItemReference,
}


def _tag_of_item(value: Any) -> str:
    kind = value.get("type", "message") if isinstance(value, dict) else getattr(value, "type", "message")
    if not isinstance(value, dict | Body) or not isinstance(kind, str):
        return MessageItem.__name__  # which refuses it
    return _CLASSES.get(kind, OtherItem).__name__


Item = Annotated[
    Annotated[MessageItem, Tag("MessageItem")]
    | Annotated[FunctionCallItem, Tag("FunctionCallItem")]
    | Annotated[CustomCallItem, Tag("CustomCallItem")]
    | Annotated[ActionItem, Tag("ActionItem")]
    | Annotated[CallOutputItem, Tag("CallOutputItem")]
    | Annotated[ActionOutputItem, Tag("ActionOutputItem")]
    | Annotated[McpListToolsItem, Tag("McpListToolsItem")]
    | Annotated[McpCallItem, Tag("McpCallItem")]
    | Annotated[McpApprovalRequestItem, Tag("McpApprovalRequestItem")]
    | Annotated[McpApprovalResponseItem, Tag("McpApprovalResponseItem")]
    | Annotated[FileSearchCallItem, Tag("FileSearchCallItem")]
    | Annotated[ReasoningItem, Tag("ReasoningItem")]
    | Annotated[ItemReference, Tag("ItemReference")]
    | Annotated[OtherItem, Tag("OtherItem")],
    Discriminator(_tag_of_item),
]
ITEMS: TypeAdapter[list[Item]] = TypeAdapter(list[Item])
