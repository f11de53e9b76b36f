"""The bodies of requests and responses of OpenAI's Responses API, with the fields that this service reads."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from model_core.checks.request_values import JsonObject, Text
from model_core.requests.messages import ChatFields, FailFastList, ReasoningEffort
from model_core.requests.sampling import MAX_LOGPROBS

from ..body import Body, Metadata
from ..request_body import GenerationBody, other_names
from .item_schemas import Item, MessageItem
from .tools import ResponsesTool, ToolSelection


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
    verbosity: str | None = Field(None, description="Has no effect; X-Ignored-Fields names it.")


class ReasoningOptions(Body):
    """Options of the reasoning, which comes as the model writes it, never summarized."""

    effort: ReasoningEffort | None = Field(None, description="As `reasoning_effort`.")
    summary: str | None = Field(None, description="Has no effect; X-Ignored-Fields names it.")


class ConversationReference(Body):
    """A conversation, by its id."""

    id: Text


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
    include: FailFastList[Text] | None = Field(
        None,
        description="message.output_text.logprobs reports log probabilities, file_search_call.results what "
        "searches of files have found. X-Ignored-Fields names others.",
    )
    tools: FailFastList[ResponsesTool] | None = Field(  # type: ignore[assignment]
        None,
        description="What the model may call. X-Ignored-Tools names tools that are left out.",
    )
    tool_choice: Literal["auto", "none", "required"] | ToolSelection | None = Field(  # type: ignore[assignment]
        "auto",  # these two in the form of Responses
        description="Whether the model may, must not or must call a tool, which, or those that it may call.",
    )
    max_tool_calls: int | None = Field(
        None, ge=1, description="How many calls of MCP servers and of file_search may run for this response."
    )
    text: TextOptions | None = None
    reasoning: ReasoningOptions | None = None
    metadata: Metadata | None = Field(None, description="Stored with the response: at most 16 texts.")
    user: Text | None = Field(None, description="Stored with the response.")
    background: bool | None = Field(
        None,
        description="Answer at once with a response that is queued or in progress, and go on with it without "
        "the client. GET and /cancel have its id. It is stored.",
    )
    conversation: Text | ConversationReference | None = Field(
        None,
        description="A conversation of /v1/conversations: its items come before `input`, and `input` and the "
        "answer are added to it. Not with previous_response_id.",
    )
    prompt: Any = Field(None, description="Refused.")
    context_management: Any = Field(None, description="Refused; `truncation` may be auto.")

    @property
    def conversation_id(self) -> str | None:
        """The id of the conversation that is continued."""
        named = self.conversation
        return named.id if isinstance(named, ConversationReference) else named

    def items(self) -> list[Item]:
        """`input` as items."""
        if isinstance(self.input, str):
            return [MessageItem(role="user", content=self.input)]
        return self.input


class CountRequest(ResponsesRequest):
    """A conversation whose tokens are counted, with the fields of one that is answered."""

    input: Text | FailFastList[Item] = Field([], description="A question, or the items of the conversation.")


class InputTokens(BaseModel):
    """The number of tokens of a prompt."""

    object: Literal["response.input_tokens"]
    input_tokens: int


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
    status: Literal["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]
    error: dict[str, Any] | None
    incomplete_details: dict[str, Any] | None
    output: list[dict[str, Any]]
    usage: ResponseUsage | None
    seed: int | None = Field(description="The one that was used, whether the request gave it or not.")


class CompactedResponse(BaseModel):
    """What the user said in a conversation, and a summary (an item of the type compaction)."""

    id: str
    object: Literal["response.compaction"]
    created_at: int
    output: list[dict[str, Any]]
    usage: ResponseUsage


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

    @classmethod
    def of(cls, items: list[dict[str, Any]], limit: int) -> "ItemList":
        """The first `limit` of the items."""
        page = items[:limit]
        return cls(
            object="list",
            data=page,
            first_id=page[0]["id"] if page else None,
            last_id=page[-1]["id"] if page else None,
            has_more=len(items) > limit,
        )
