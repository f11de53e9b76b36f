"""The bodies of requests of Anthropic's Messages API, with the fields that this service reads.

Other fields are ignored, such as `metadata`, and `cache_control`: the prefix cache needs no marks. Source:
the types of the Python package `anthropic`.
"""

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from model_core.checks.request_values import JsonObject, check_json, shorten
from model_core.requests.messages import ChatFields, FailFastList
from model_core.requests.sampling import MAX_TOKEN_COUNT

from ..body import Body, WholeBody
from ..foreign_content import describe_part, read_text_file
from ..images.parts import base64_part, file_part, url_part
from ..request_body import GenerationBody, other_names
from .tools import ClientTool


def _with_type(*known: str | None) -> BeforeValidator:
    """A validator that refuses an object by the name of its `type` if that is not one of these."""

    def check(value: Any) -> Any:
        kind = value.get("type") if isinstance(value, dict) else None
        if isinstance(value, dict) and kind not in known:
            raise PydanticCustomError(
                "unknown_type",
                "has the type {type}, which this service does not understand; it knows {known}",
                {"type": shorten(kind), "known": ", ".join(filter(None, known))},
            )
        return value

    return BeforeValidator(check)


def _to_known_block(value: Any) -> Any:
    """A block, which is text if it has a type of another service. Raises PydanticCustomError without text."""
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind in _BLOCK_CLASSES:
        return value
    source = value.get("source")
    if kind == "document" and isinstance(source, dict):
        text = _read_document(source)
        heads = (value.get(name) for name in ("title", "context"))
        if text is not None:
            parts = [*(head for head in heads if isinstance(head, str)), text]
            return {"type": "text", "text": "\n".join(parts)}
    if kind in ("image", "document", "container_upload"):
        raise PydanticCustomError(
            "no_text",
            "has the type {type} and no text, but this service shows models texts and images only",
            {"type": shorten(kind)},
        )
    return {"type": "text", "text": describe_part(kind, check_json(value))}


def _read_document(source: dict[str, Any]) -> str | None:
    """The text of a document; None if it has none."""
    kind, data, content = source.get("type"), source.get("data"), source.get("content")
    if kind == "text" and isinstance(data, str):
        return data
    if kind == "base64" and source.get("media_type") == "text/plain":
        return read_text_file(data)
    if kind == "content" and isinstance(content, list):
        texts = [part["text"] for part in content if isinstance(part, dict) and _is_text(part)]
        return "\n".join(texts) if len(texts) == len(content) else None
    return content if kind == "content" and isinstance(content, str) else None


def _is_text(part: dict[str, Any]) -> bool:
    return isinstance(part.get("text"), str)


class TextBlock(Body):
    """Text."""

    type: Literal["text"]
    text: str


class ImageSource(Body):
    """Where an image is: in the request, on the web, or among the files of /v1/files."""

    type: Literal["base64", "url", "file"]
    media_type: str = "image/png"
    data: str | None = None
    url: str | None = Field(None, description="An https address of a host of --allow-image-urls.")
    file_id: str | None = None

    @model_validator(mode="after")
    def _check_place(self) -> "ImageSource":
        name = {"base64": "data", "file": "file_id"}.get(self.type, self.type)
        if getattr(self, name) is None:
            raise PydanticCustomError("no_source", "has no {name}", {"name": name})
        return self


class ImageBlock(Body):
    """An image, for models that see."""

    type: Literal["image"]
    source: ImageSource

    def to_part(self) -> dict[str, Any]:
        """The part of a message."""
        source = self.source
        if source.type == "base64":
            return base64_part(source.data or "", source.media_type)
        return url_part(source.url or "") if source.type == "url" else file_part(source.file_id or "")


TextContent = str | FailFastList[Annotated[TextBlock, _with_type("text"), BeforeValidator(_to_known_block)]]


class ThinkingBlock(Body):
    """What the assistant thought before it answered. Its signature is not checked."""

    type: Literal["thinking"]
    thinking: str
    signature: str | None = None


class RedactedThinkingBlock(Body):
    """What the assistant thought, encrypted. It is left out."""

    type: Literal["redacted_thinking"]


class ToolUseBlock(Body):
    """A call of a tool by the assistant."""

    type: Literal["tool_use"]
    id: str
    name: str
    input: JsonObject


ResultContent = (
    str
    | FailFastList[
        Annotated[
            Annotated[TextBlock, Tag("TextBlock")] | Annotated[ImageBlock, Tag("ImageBlock")],
            Discriminator(lambda value: _name_class(value)),
            _with_type("text", "image"),
            BeforeValidator(lambda value: _to_known_block(value)),
        ]
    ]
)


class ToolResultBlock(Body):
    """The result of a call."""

    type: Literal["tool_result"]
    tool_use_id: str
    content: ResultContent | None = None
    is_error: bool | None = Field(False, description="The model then reads `Error: ` before the content.")


_BLOCK_CLASSES = {
    "text": TextBlock,
    "image": ImageBlock,
    "thinking": ThinkingBlock,
    "redacted_thinking": RedactedThinkingBlock,
    "tool_use": ToolUseBlock,
    "tool_result": ToolResultBlock,
}


def _name_class(value: Any) -> str:
    """The class of a block. Paths in messages about errors leave out names of classes."""
    return _BLOCK_CLASSES[value["type"]].__name__ if isinstance(value, dict) else TextBlock.__name__


Block = Annotated[
    Annotated[TextBlock, Tag("TextBlock")]
    | Annotated[ImageBlock, Tag("ImageBlock")]
    | Annotated[ThinkingBlock, Tag("ThinkingBlock")]
    | Annotated[RedactedThinkingBlock, Tag("RedactedThinkingBlock")]
    | Annotated[ToolUseBlock, Tag("ToolUseBlock")]
    | Annotated[ToolResultBlock, Tag("ToolResultBlock")],
    Discriminator(_name_class),
    _with_type(*_BLOCK_CLASSES),
    BeforeValidator(_to_known_block),
]
_BLOCK_TYPES_OF_ROLES = {
    "system": ("text",),
    "user": ("text", "image", "tool_result"),
    "assistant": ("text", "thinking", "redacted_thinking", "tool_use"),
}


class InputMessage(Body):
    """A message of a conversation."""

    role: Literal["user", "assistant", "system"]
    content: Annotated[
        str | FailFastList[Block], BeforeValidator(lambda value: "" if value is None else value)
    ]

    @field_validator("content")
    @classmethod
    def _check_content(cls, content: Any, info: ValidationInfo) -> Any:
        # An answer may be empty, and comes back as a message then.
        if content == [] and info.data.get("role") != "assistant":
            raise PydanticCustomError("empty", "is an empty list; it needs at least one block")
        return content

    @property
    def blocks(self) -> list[Any]:
        """The content as blocks."""
        content = self.content
        return [TextBlock(type="text", text=content)] if isinstance(content, str) else content

    @model_validator(mode="after")
    def _check_blocks(self) -> "InputMessage":
        for block in self.blocks:
            if block.type not in _BLOCK_TYPES_OF_ROLES[self.role]:
                raise PydanticCustomError(
                    "block_of_role",
                    "has a block of the type {type}, which a message of the role {role} cannot have",
                    {"type": block.type, "role": self.role},
                )
        return self


class ToolChoice(Body):
    """Whether the model calls a tool, and which."""

    type: Literal["auto", "any", "tool", "none"]
    name: str | None = Field(None, description="The tool, with the type tool.")
    disable_parallel_tool_use: bool | None = False

    @model_validator(mode="after")
    def _check_name(self) -> "ToolChoice":
        if self.type == "tool" and self.name is None:
            raise PydanticCustomError("tool_name", "has the type tool, but no name")
        return self


class Thinking(Body):
    """Whether the model reasons before it answers."""

    type: Literal["enabled", "disabled", "adaptive"] = Field(description="adaptive: as the model does.")
    budget_tokens: int | None = Field(
        None, ge=1, le=MAX_TOKEN_COUNT, description="The largest number of tokens of the reasoning."
    )


class OutputFormat(Body):
    """The form of the answer."""

    type: Literal["json_schema"]
    json_schema: JsonObject = Field(alias="schema")


class OutputConfig(Body):
    """The form of the answer, and how much the model reasons."""

    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = None
    format: OutputFormat | None = None


class CountRequest(ChatFields, WholeBody):
    """A conversation whose tokens are counted. Fields that are not Anthropic's are those of this service."""

    model: str = Field(description="The name of a model (see /v1/models); default: the first one.")
    messages: Annotated[FailFastList[InputMessage], Field(min_length=1)] = Field(
        description="If the last one is the assistant's, the answer continues it."
    )
    system: TextContent | None = None
    tools: FailFastList[ClientTool] | None = Field(  # type: ignore[assignment]
        None, description="X-Ignored-Tools names tools that are left out: those that Anthropic runs."
    )
    tool_choice: ToolChoice | None = None  # type: ignore[assignment]  # these two in Anthropic's form
    thinking: Thinking | None = Field(None, description="The default is the model's.")
    output_config: OutputConfig | None = None
    output_format: OutputFormat | None = Field(None, description="The older place of output_config.format.")


class MessagesRequest(GenerationBody, CountRequest):
    """A conversation to answer."""

    model_config = other_names(stop_sequences="stop")

    max_tokens: int = Field(
        ge=1, le=MAX_TOKEN_COUNT, description="The largest number of tokens of the answer."
    )
    stream: bool | None = Field(False, description="Send the answer as server-sent events, as it is made.")
    thread: Any = Field(
        None, description="Refused: send the whole conversation. Anthropic's client then does."
    )
    compaction: Any = Field(None, description="Refused.")
    container: Any = Field(None, description="Refused.")
    mcp_servers: Any = Field(None, description="Refused, unless empty.")


class Usage(BaseModel):
    """The tokens of a request. Those of its prompt are counted in two parts."""

    input_tokens: int = Field(description="Tokens of the prompt that were computed.")
    cache_creation_input_tokens: int = Field(description="0: the prefix cache costs nothing.")
    cache_read_input_tokens: int = Field(description="Tokens of the prompt found in the prefix cache.")
    output_tokens: int
    ignored_schema: list[str] = Field(
        [], description="Not Anthropic's: the parts of JSON schemas that could not be enforced."
    )


class Answer(BaseModel):
    """An answer."""

    id: str
    type: Literal["message"]
    role: Literal["assistant"]
    model: str
    content: list[TextBlock | ThinkingBlock | ToolUseBlock]
    stop_reason: Literal["end_turn", "max_tokens", "stop_sequence", "tool_use"]
    stop_sequence: str | None = Field(description="The one of stop_sequences that ended the answer.")
    usage: Usage


class TokenCount(BaseModel):
    """The number of tokens of a conversation."""

    input_tokens: int
