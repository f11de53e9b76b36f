"""The bodies of requests and responses of OpenAI's API, with the fields that this service reads.

Other fields are ignored. The engine checks ranges of values.
"""

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

T = TypeVar("T")
# Validation of a list stops at the first error: a large body may have millions, which take minutes to list.
FailFastList = Annotated[list[T], Field(fail_fast=True)]


class _RequestBody(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)


class ContentPart(_RequestBody):
    """A part of a message. Only those of the type "text" are understood."""

    type: str
    text: str | None = None


class Message(_RequestBody):
    """A message of a conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"] = Field(
        description="developer is another name for system; tool and function are refused."
    )
    content: str | FailFastList[ContentPart] | None = Field(
        None, description="Text, or parts of the type text, which are joined by line ends."
    )
    tool_calls: FailFastList[Any] | None = Field(None, description="Refused, unless empty.")


class StreamOptions(_RequestBody):
    """Options of a stream."""

    include_usage: bool | None = Field(None, description="One more chunk at the end has the usage.")


class ResponseFormat(_RequestBody):
    """The form of the answer."""

    type: str = Field(description="text; others are refused so far.")


class _SamplingFields(_RequestBody):
    """Sampling parameters. The checkpoint's defaults replace those that are missing."""

    model_config = ConfigDict(extra="allow")  # so that constraints.py sees what it has to refuse

    model: str = Field("default", description="The name of the model served (see /v1/models).")
    max_tokens: int | None = None
    temperature: float | None = Field(None, description="From 0, which takes the likeliest tokens, to 2.")
    top_p: float | None = None
    n: int | None = Field(None, description="How many answers, whose seeds are seed, seed + 1, ...")
    seed: int | None = Field(
        None,
        description="The same seed gives the same answer. Without one, each request has another at random, "
        "so only a temperature of 0 gives the same answer again.",
    )
    stop: str | FailFastList[str] | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    logit_bias: dict[str, Any] | None = Field(
        None, description="Token id: what is added to its logit, -100 to 100."
    )
    stream: bool | None = Field(None, description="Send the answer as server-sent events, as it is made.")
    stream_options: StreamOptions | None = None
    top_k: int | None = Field(
        None, description="Not OpenAI's: choose among so many likeliest tokens; 0 or -1: all."
    )
    min_p: float | None = Field(
        None, description="Not OpenAI's: leave out tokens below this fraction of the likeliest's probability."
    )
    repetition_penalty: float | None = Field(None, description="Not OpenAI's: above 1, repeat less.")
    ignore_eos: bool | None = Field(None, description="Not OpenAI's: go on past the model's end token.")
    timeout_s: float | None = Field(None, description="Not OpenAI's: give up after so many seconds.")
    cache_salt: str | None = Field(
        None, description="Not OpenAI's: share the prefix cache only with requests of the same salt and key."
    )
    response_format: ResponseFormat | None = None


class ChatRequest(_SamplingFields):
    """A conversation to answer."""

    messages: FailFastList[Message]
    max_completion_tokens: int | None = Field(None, description="Takes precedence over max_tokens.")
    logprobs: bool | None = None
    top_logprobs: int | None = Field(None, description="Alternatives for each token, 0 to 20.")
    tools: FailFastList[Any] | None = Field(
        None, description='Refused, unless empty or tool_choice is "none".'
    )
    tool_choice: Any = None
    functions: FailFastList[Any] | None = Field(None, description='Refused, unless function_call is "none".')
    function_call: Any = None
    modalities: FailFastList[str] | None = Field(None, description="text; others are refused.")
    continue_final_message: bool = Field(
        False, description="Not OpenAI's: go on with the last message; the answer holds what is new."
    )
    add_generation_prompt: bool | None = Field(
        None, description="Not OpenAI's: false only together with continue_final_message."
    )


TokenIds = Annotated[FailFastList[int], Field(min_length=1)]


class CompletionRequest(_SamplingFields):
    """A text to continue, or several: as text or as token ids."""

    prompt: str | FailFastList[str] | TokenIds | FailFastList[TokenIds]
    max_tokens: int | None = Field(None, description="16 where none is given.")
    logprobs: int | None = Field(None, description="Alternatives for each token, 0 to 20.")
    echo: bool | None = Field(None, description="Refused, unless false.")
    suffix: str | None = Field(None, description="Refused, unless empty.")
    best_of: int | None = Field(None, description="Refused, unless it is n.")


class PromptTokensDetails(BaseModel):
    """Tokens of the prompt that were found in the prefix cache."""

    cached_tokens: int


class Usage(BaseModel):
    """The tokens of a request. A prompt counts once, however many answers it has."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: PromptTokensDetails


class TopLogprob(BaseModel):
    """A token with its log probability. If the token is a part of a character, only `bytes` is exact."""

    token: str
    logprob: float
    bytes: list[int]


class TokenLogprob(TopLogprob):
    """A token of the answer, and the likeliest tokens at its position."""

    top_logprobs: list[TopLogprob]


class ChatLogprobs(BaseModel):
    """Log probabilities of the tokens of an answer."""

    content: list[TokenLogprob]
    refusal: None


class AnswerMessage(BaseModel):
    """An answer."""

    role: Literal["assistant"]
    content: str
    refusal: None


class ChatChoice(BaseModel):
    """One of the answers."""

    index: int
    message: AnswerMessage
    logprobs: ChatLogprobs | None
    finish_reason: Literal["stop", "length"]


class _AnswerFields(BaseModel):
    id: str
    created: int
    model: str
    system_fingerprint: str
    usage: Usage


class ChatCompletion(_AnswerFields):
    """The answers to a conversation."""

    object: Literal["chat.completion"]
    choices: list[ChatChoice]


class CompletionLogprobs(BaseModel):
    """Log probabilities of the tokens of a continuation, and their offsets in it, in characters."""

    tokens: list[str]
    token_logprobs: list[float]
    top_logprobs: list[dict[str, float]]
    text_offset: list[int]


class CompletionChoice(BaseModel):
    """One of the continuations."""

    index: int
    text: str
    logprobs: CompletionLogprobs | None
    finish_reason: Literal["stop", "length"]


class TextCompletion(_AnswerFields):
    """The continuations of a text."""

    object: Literal["text_completion"]
    choices: list[CompletionChoice]


class ModelEntry(BaseModel):
    """A model that is served."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class ModelList(BaseModel):
    """The models that are served: one."""

    object: Literal["list"]
    data: list[ModelEntry]
