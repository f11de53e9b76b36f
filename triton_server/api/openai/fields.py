"""What the bodies of OpenAI's API have in common. Unknown fields are ignored."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from ..body import Body
from ..request_body import MAX_ANSWERS, GenerationBody


class StreamOptions(Body):
    """Options of a stream."""

    include_usage: bool | None = Field(None, description="One more chunk at the end has the usage.")
    continuous_usage_stats: bool | None = Field(None, description="vLLM's. Refused, unless false.")


class OpenAIFields(GenerationBody):
    """The fields of all requests. Those that are not OpenAI's have the names of this service, or vLLM's."""

    model: str = Field("default", description="The name of a model (see /v1/models); default: the first one.")
    n: int | None = Field(
        None, ge=1, le=MAX_ANSWERS, description="How many answers, whose seeds are seed, seed + 1, ..."
    )
    stream: bool | None = Field(None, description="Send the answer as server-sent events, as it is made.")
    stream_options: StreamOptions | None = None
    return_tokens_as_token_ids: bool | None = Field(
        None, description="vLLM's: name the tokens of log probabilities by their ids, as in token_id:42."
    )


class PromptLogprob(BaseModel):
    """A token at a position of a prompt. `rank` is 1 for the likeliest one there."""

    logprob: float
    rank: int
    decoded_token: str


# By token id: the token of the prompt and its alternatives; null for the first token.
VllmPromptLogprobs = list[dict[str, PromptLogprob] | None]


class PromptTokensDetails(BaseModel):
    """Tokens of the prompt that were found in the prefix cache, and those of images."""

    cached_tokens: int
    image_tokens: int = 0


class CompletionTokensDetails(BaseModel):
    """Tokens of the answers that are reasoning."""

    reasoning_tokens: int


class CompletionUsage(BaseModel):
    """The tokens of a request. A prompt counts once, however many answers it has."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: PromptTokensDetails
    completion_tokens_details: CompletionTokensDetails
    truncated_messages: int = Field(
        0, description="Not OpenAI's: the number of old messages that were left out (see truncation)."
    )
    ignored_schema: list[str] = Field(
        [], description="Not OpenAI's: the parts of JSON schemas that could not be enforced."
    )
    answer_cached: bool = Field(
        False, description="Not OpenAI's: the answers were kept from an equal request (--answer-cache)."
    )


class Choice(BaseModel):
    """One of the answers."""

    index: int
    finish_reason: Literal["stop", "length", "tool_calls", "function_call"]
    token_ids: list[int] | None = Field(
        None, description="Not OpenAI's: of the answer, with return_token_ids."
    )
    seed: int = Field(description="Not OpenAI's: the seed that was used, whether the request gave it or not.")
    receipt: dict[str, Any] | None = Field(
        None, description="Not OpenAI's: a signed receipt of this answer, if it was asked for."
    )


class Completion(BaseModel):
    """The answers to a request."""

    id: str
    object: str
    created: int
    model: str
    system_fingerprint: str | None = Field(
        description="A digest of all that the answers depend on but the request: the same request with "
        "the same seed and fingerprint has the same answers. With --engine it is the other server's, or null."
    )
    choices: Sequence[Choice]
    usage: CompletionUsage
