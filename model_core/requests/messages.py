"""The messages of a conversation, and the options of its answer other than sampling."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    PrivateAttr,
    Tag,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError, from_json

from ..checks.request_values import JsonObject, Text, explain
from ..errors import InvalidRequest
from ..images.image import Pixels

MAX_TEMPLATE_LENGTH = 2**17  # in characters; the longest of published models has a quarter of that
MAX_TOOL_NAME = 128  # in characters; Anthropic's limit, OpenAI's is half of it
Item = TypeVar("Item")
# Validation stops at the first error: a large list may have millions, which take minutes to list.
FailFastList = Annotated[list[Item], Field(fail_fast=True)]
ReasoningEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]
ImageDetail = Literal["auto", "low", "high"]
TemplateText = Annotated[Text, Field(min_length=1, max_length=MAX_TEMPLATE_LENGTH)]
Role = Literal["system", "developer", "user", "assistant", "tool"]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class TextPart(_Part):
    """A part of a message's content."""

    type: Literal["text"]
    text: Text


class ImagePart(_Part):
    """An image in a message's content, decoded."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    type: Literal["image"]
    pixels: Pixels


class ImageUrl(_Part):
    """An image as a file: one of the first two fields."""

    url: Text | None = Field(
        None,
        description="A data URL with base64: data:image/png;base64,... The HTTP service takes https "
        "addresses of some hosts, too, if it is started with --allow-image-urls.",
    )
    file_id: Text | None = Field(None, description="A file of the HTTP service (/v1/files).")
    detail: ImageDetail | None = Field(
        "auto", description="low: no side has more than 512 pixels. auto, high: as many as the model takes."
    )

    @model_validator(mode="after")
    def _check_source(self) -> "ImageUrl":
        if (self.url is None) == (self.file_id is None):
            raise PydanticCustomError("source", "must have either url or file_id")
        return self


class ImageUrlPart(_Part):
    """An image in a message's content, as requests bring it."""

    type: Literal["image_url"]
    image_url: ImageUrl

    _place: str = PrivateAttr("messages")
    _salt: str = PrivateAttr("")

    @property
    def place(self) -> str:
        """Where it is in the request, such as messages[0].content[1].image_url."""
        return self._place

    @property
    def salt(self) -> str:
        """What is kept of it is shared with images of the same salt only."""
        return self._salt

    def separate(self, salt: str) -> None:
        """Set its salt."""
        self._salt = salt


_PART_TAGS = {"text": "TextPart", "image_url": "ImageUrlPart", "image": "ImagePart"}


def _kind_of_part(value: Any) -> str | None:
    kind = value.get("type") if isinstance(value, Mapping) else getattr(value, "type", None)
    return _PART_TAGS.get(kind) if isinstance(kind, str) else None


Part = Annotated[
    Annotated[TextPart, Tag("TextPart")]
    | Annotated[ImageUrlPart, Tag("ImageUrlPart")]
    | Annotated[SkipJsonSchema[ImagePart], Tag("ImagePart")],
    Discriminator(
        _kind_of_part,
        custom_error_type="part",
        custom_error_message="must be an object of the type 'text' or 'image_url'",
    ),
]


# The arguments of a call, as JSON. What is missing or null has no members.
Arguments = Annotated[Text, BeforeValidator(lambda value: "" if value is None else value)]


class ToolCall(_Part):
    """A call of a tool by the model. `arguments` is a JSON object as text, as the model has written it."""

    id: Text
    name: Text
    arguments: Arguments = ""

    @property
    def json_arguments(self) -> str:
        """The arguments, "{}" if there are none."""
        return "{}" if self.arguments.strip() in ("", "null") else self.arguments


class Message(_Part):
    """A message of a conversation."""

    role: Role = Field(description="developer is another name for system; tool is the result of a tool call.")
    content: Text | FailFastList[Part] | None = Field(
        None,
        description="Text, or parts of the types text and image_url. Texts that follow each other are joined "
        "by line ends.",
    )
    reasoning: Text | None = Field(None, description="What the assistant thought before its answer.")
    tool_calls: FailFastList[ToolCall] | None = Field(None, description="Calls that the assistant made.")
    tool_call_id: Text | None = Field(None, description="The call of which a tool message is the result.")
    name: Text | None = Field(None, description="The name of the sender, or of the tool.")

    @model_validator(mode="after")
    def _check_content(self) -> "Message":
        if self.content is None and not self.tool_calls and not self.reasoning:
            raise PydanticCustomError("content", "has no content")
        return self

    @property
    def text(self) -> str:
        """The content as one text, without its images."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if isinstance(part, TextPart))
        return self.content or ""

    @property
    def images(self) -> list[ImagePart | ImageUrlPart]:
        """The images of the content, in their order."""
        parts = self.content if isinstance(self.content, list) else ()
        return [part for part in parts if not isinstance(part, TextPart)]

    def text_with_images(self, mark: str) -> str:
        """The content as one text, with `mark` for each image, and a line end between two texts."""
        if not isinstance(self.content, list):
            return self.text
        text, before = "", None
        for part in self.content:
            is_text = isinstance(part, TextPart)
            text += "\n" if is_text and isinstance(before, TextPart) else ""
            text += part.text if isinstance(part, TextPart) else mark
            before = part
        return text


class Tool(_Part):
    """A function that the model may call."""

    name: str = Field(min_length=1, max_length=MAX_TOOL_NAME, pattern=r"^[\w.-]+$")
    description: Text | None = None
    parameters: JsonObject | None = Field(None, description="The JSON schema of its arguments.")
    strict: bool = Field(False, description="Whether arguments follow the schema for certain.")


class ToolName(_Part):
    """The tool that the model must call."""

    name: Text


ToolChoice = Literal["auto", "none", "required"] | ToolName


class PromptFields(BaseModel):
    """How a conversation becomes the prompt for an answer. What is missing or null has its default."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    enable_thinking: bool | None = Field(
        None, description="Whether the model reasons before it answers. The default is the model's."
    )
    reasoning_effort: ReasoningEffort | None = Field(
        None, description="How much the model reasons. The default is the model's."
    )
    reasoning_budget: int | None = Field(
        None,
        ge=0,
        le=2**31 - 1,
        description="The largest number of tokens of the reasoning. The default is half of `max_tokens` if a "
        "form or a call must follow, and else no limit.",
    )
    chat_template_kwargs: JsonObject | None = Field(
        None,
        description="Variables for the model's chat template: strings, numbers, true, false, null, and lists "
        "of these.",
    )
    truncation: Literal["auto", "disabled"] | None = Field(
        "disabled",
        description="What happens to a conversation that is too long: auto leaves out its oldest turns "
        "(usage.truncated_messages counts the messages), disabled refuses it.",
    )


class ChatFields(PromptFields):
    """How a conversation is answered. What is missing or null has its default."""

    chat_template: TemplateText | None = Field(
        None,
        description="A chat template (Jinja2) in the place of the model's, for this request. The server must "
        "allow it (--allow-request-templates).",
    )
    tools: FailFastList[Tool] | None = Field(None, description="Functions that the model may call.")
    tool_choice: ToolChoice | None = Field(
        "auto",
        description="Whether the model may (auto), must not (none) or must (required) call one, or which.",
    )
    parallel_tool_calls: bool | None = Field(True, description="Whether an answer may have several calls.")
    continue_final_message: bool | None = Field(
        False, description="Continue the last message instead of answering it; the answer has what is new."
    )
    add_generation_prompt: bool | None = Field(
        None,
        description="Let the prompt end where an answer begins. By default it does, unless "
        "continue_final_message is true.",
    )


DEFAULT_FIELDS = ChatFields()


def complete_object(text: str) -> dict[str, Any]:
    """The object of which a text has the beginning, as JSON: its members as far as they are there."""
    try:
        value = from_json(text, allow_inf_nan=False, allow_partial="trailing-strings")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


MESSAGES = TypeAdapter(Annotated[FailFastList[Message], Field(min_length=1)])


def parse_messages(value: Any) -> list[Message]:
    """The messages in a JSON value. Raises InvalidRequest, whose `param` is such as `messages[0].role`."""
    try:
        messages = MESSAGES.validate_python(value)
    except ValidationError as error:
        raise InvalidRequest(*explain(error.errors(), {}, "messages")) from None
    for number, message in enumerate(messages):
        for place, part in enumerate(message.content if isinstance(message.content, list) else ()):
            if isinstance(part, ImageUrlPart):
                part._place = f"messages[{number}].content[{place}].image_url"
    return messages
