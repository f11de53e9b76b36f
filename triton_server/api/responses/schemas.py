"""The bodies of requests and responses of OpenAI's Responses API, with the fields that this service reads.

Other fields are ignored.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, TypeAdapter
from pydantic_core import PydanticCustomError

from model_core.checks.request_values import JsonObject, Text, shorten
from model_core.requests.messages import Arguments, ChatFields, FailFastList, ReasoningEffort
from model_core.requests.sampling import MAX_LOGPROBS

from ..body import Body
from ..request_body import GenerationBody, other_names


def _known_types(*names: str, default: str | None = None) -> BeforeValidator:
    """Refuses an object whose field `type` is none of `names`."""

    def check(value: Any) -> Any:
        kind = value.get("type", default) if isinstance(value, dict) else None
        if isinstance(kind, str) and kind not in names:
            raise PydanticCustomError(
                "unsupported_type",
                "is of the type {type}, and this service supports only {names}",
                {"type": shorten(kind), "names": ", ".join(names)},
            )
        return value

    return BeforeValidator(check)


class TextPart(Body):
    """A part of a message, or of the result of a call."""

    type: Literal["input_text", "output_text"]
    text: Text


Content = Text | FailFastList[Annotated[TextPart, _known_types("input_text", "output_text")]]


class MessageItem(Body):
    """A message of the conversation."""

    type: Literal["message"] = "message"
    id: str | None = None
    role: Literal["system", "developer", "user", "assistant"]
    content: Content


class FunctionCallItem(Body):
    """A call of a function by the model."""

    type: Literal["function_call"]
    id: str | None = None
    call_id: str
    name: str
    arguments: Arguments = Field("", description="A JSON object as text.")


class FunctionCallOutputItem(Body):
    """The result of a call."""

    type: Literal["function_call_output"]
    id: str | None = None
    call_id: str
    output: Content


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


_TAGS = {
    "message": "Message",
    "function_call": "Call",
    "function_call_output": "Result",
    "reasoning": "Reasoning",
    "item_reference": "Reference",
}


def _tag_of_item(value: Any) -> str:
    kind = value.get("type", "message") if isinstance(value, dict) else getattr(value, "type", "message")
    return _TAGS.get(kind, "Message") if isinstance(kind, str) else "Message"


Item = Annotated[
    Annotated[MessageItem, Tag("Message")]
    | Annotated[FunctionCallItem, Tag("Call")]
    | Annotated[FunctionCallOutputItem, Tag("Result")]
    | Annotated[ReasoningItem, Tag("Reasoning")]
    | Annotated[ItemReference, Tag("Reference")],
    Discriminator(_tag_of_item),
    _known_types(*_TAGS, default="message"),
]
ITEMS: TypeAdapter[list[Item]] = TypeAdapter(list[Item])


class FunctionTool(Body):
    """A function that the model may call."""

    type: Literal["function"]
    name: str = Field(min_length=1, max_length=64)
    description: str | None = None
    parameters: JsonObject | None = Field(None, description="The JSON schema of its arguments.")
    strict: bool | None = Field(None, description="Whether arguments follow the schema for certain.")

    def to_fields(self) -> dict[str, Any]:
        """The fields of model_core.requests.messages.Tool. `strict` is true by default, as with OpenAI."""
        return {**self.model_dump(exclude={"type"}), "strict": self.strict is not False}


class FunctionName(Body):
    """The function that the model must call."""

    type: Literal["function"]
    name: str


class TextFormat(Body):
    """The form of the answer's text."""

    type: Literal["text", "json_object", "json_schema"]
    name: str | None = None
    description: str | None = None
    json_schema: JsonObject | None = Field(None, alias="schema", description="That of json_schema.")
    strict: bool | None = Field(
        None,
        description="Refuse a schema of which a part cannot be enforced, unless this is false.",
    )


class TextOptions(Body):
    """Options of the answer's text."""

    format: TextFormat | None = None
    verbosity: str | None = Field(None, description="Ignored.")


class ReasoningOptions(Body):
    """Options of the reasoning, which comes as the model writes it, never summarized."""

    effort: ReasoningEffort | None = Field(None, description="As `reasoning_effort`.")
    summary: str | None = Field(None, description="Ignored.")


class ResponsesRequest(GenerationBody, ChatFields):
    """A conversation to answer. Fields that are not OpenAI's have the names of this service."""

    model_config = other_names(max_output_tokens="max_tokens")

    max_tokens: int | None = Field(
        None, ge=1, lt=2**31, description="The largest number of tokens of the answer."
    )
    model: str = Field("default", description="The name of a model (see /v1/models); default: the first one.")
    input: Text | FailFastList[Item] = Field(description="A question, or the items of the conversation.")
    instructions: Text | None = Field(
        None, description="The system prompt. It is not taken over from the previous response."
    )
    previous_response_id: str | None = Field(
        None, description="A stored response: its conversation comes before `input`."
    )
    store: bool | None = Field(True, description="Keep the response, so that it can be read and continued.")
    stream: bool | None = Field(False, description="Send the answer as server-sent events, as it is made.")
    top_logprobs: int | None = Field(
        None, ge=0, le=MAX_LOGPROBS, description="Report log probabilities, with so many alternatives."
    )
    include: FailFastList[str] | None = Field(
        None, description="message.output_text.logprobs reports log probabilities; others are ignored."
    )
    tools: FailFastList[Annotated[FunctionTool, _known_types("function")]] | None = Field(  # type: ignore[assignment]
        None, description="Functions that the model may call."
    )
    tool_choice: (
        Literal["auto", "none", "required"] | Annotated[FunctionName, _known_types("function")] | None
    ) = Field(  # type: ignore[assignment]  # these two in the form of Responses
        "auto", description="Whether the model may, must not or must call a function, or which."
    )
    text: TextOptions | None = None
    reasoning: ReasoningOptions | None = None
    metadata: dict[Text, Text] | None = Field(None, description="Stored with the response.")
    user: Text | None = Field(None, description="Stored with the response.")
    background: bool | None = Field(None, description="Refused, unless false.")
    conversation: Any = Field(None, description="Refused; previous_response_id continues a conversation.")
    prompt: Any = Field(None, description="Refused.")
    context_management: Any = Field(None, description="Refused; `truncation` may be auto.")

    def items(self) -> list[Item]:
        """`input` as items."""
        if isinstance(self.input, str):
            return [MessageItem(role="user", content=self.input)]
        return self.input


class _CachedTokens(BaseModel):
    cached_tokens: int


class _ReasoningTokens(BaseModel):
    reasoning_tokens: int


class ResponseUsage(BaseModel):
    """The tokens of a response."""

    input_tokens: int
    input_tokens_details: _CachedTokens
    output_tokens: int
    output_tokens_details: _ReasoningTokens
    total_tokens: int
    ignored_schema: list[str] = Field(
        [], description="Not OpenAI's: the parts of JSON schemas that could not be enforced."
    )


class ResponseBody(BaseModel):
    """A response. It also has the fields of its request."""

    model_config = ConfigDict(extra="allow")

    id: str
    object: Literal["response"]
    created_at: int
    completed_at: int | None
    status: Literal["in_progress", "completed", "incomplete", "failed"]
    error: dict[str, Any] | None
    incomplete_details: dict[str, Any] | None
    output: list[dict[str, Any]]
    usage: ResponseUsage | None
    seed: int | None = Field(description="The one that was used, whether the request gave it or not.")


class DeletedResponse(BaseModel):
    """What is left of a removed response."""

    id: str
    object: Literal["response"]
    deleted: Literal[True]


class ItemList(BaseModel):
    """A page of items."""

    object: Literal["list"]
    data: list[dict[str, Any]]
    first_id: str | None
    last_id: str | None
    has_more: bool
