"""The bodies of requests and responses of sessions."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field

from model_core.sampling import MAX_STOP_STRINGS, MAX_TOKEN_COUNT

# No dot at the beginning: clients take `.` and `..` in a path for folders.
ID_PATTERN = r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$"
SessionId = Annotated[
    str, Path(alias="id", pattern=ID_PATTERN, description="1 to 64 of A-Z, a-z, 0-9, _, - and, inside, dots.")
]


def _check_unicode(text: str) -> str:
    """Return the text. Raises ValueError if it contains half of a surrogate pair, which JSON can escape."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("half of a surrogate pair is not a character") from None
    return text


Text = Annotated[str, AfterValidator(_check_unicode)]
StopString = Annotated[Text, Field(min_length=1, max_length=256)]
TokenId = Annotated[str, Field(pattern="^[0-9]{1,9}$")]
Bias = Annotated[float, Field(ge=-100, le=100)]


class _RequestBody(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class Parameters(_RequestBody):
    """Sampling parameters. The checkpoint's defaults replace those that are missing or null."""

    max_tokens: int | None = Field(None, ge=1, le=MAX_TOKEN_COUNT)
    temperature: float | None = Field(None, ge=0, le=2, description="0 takes the likeliest token.")
    top_p: float | None = Field(None, ge=0, le=1)
    top_k: int | None = Field(None, ge=0, le=MAX_TOKEN_COUNT)
    min_p: float | None = Field(None, ge=0, le=1)
    repetition_penalty: float | None = Field(None, ge=0.01, le=10)
    presence_penalty: float | None = Field(None, ge=-2, le=2)
    frequency_penalty: float | None = Field(None, ge=-2, le=2)
    stop: StopString | Annotated[list[StopString], Field(max_length=MAX_STOP_STRINGS)] | None = Field(
        None, description="The answer ends before the first of these."
    )
    seed: int | None = Field(
        None, ge=-(2**63), le=2**63 - 1, description="The same seed gives the same answer; 0 by default."
    )
    logit_bias: dict[TokenId, Bias] | None = Field(None, description="Token id: what is added to its logit.")
    ignore_eos: bool | None = Field(None, description="Go on past the model's end token.")
    timeout_s: float | None = Field(None, ge=0, le=604800, description="Seconds after which to give up.")


class NewSession(_RequestBody):
    """A session to create."""

    id: str | None = Field(None, pattern=ID_PATTERN, description="If it is missing, the service chooses one.")
    system: Text | None = Field(None, description="The system prompt.")
    parameters: Parameters = Field(Parameters(), description="Defaults for all answers of the session.")


class SessionChanges(_RequestBody):
    """Changes of a session, from the next question on. Fields that are left out do not change."""

    system: Text | None = Field(None, description="The system prompt; null for none.")
    parameters: Parameters = Field(Parameters(), description="They replace the session's; null removes one.")


class Question(_RequestBody):
    """The next question."""

    prompt: Text = Field(
        min_length=1,
        validation_alias=AliasChoices("prompt", "question"),
        description="The question. `question` is another name for it.",
    )
    stream: bool = Field(False, description="Send the answer as server-sent events, as it is made.")
    parameters: Parameters = Field(Parameters(), description="For this answer; they override the session's.")


class RevertRequest(_RequestBody):
    """Which questions to remove: all from this number on."""

    to: int = Field(
        description="The number of the first question to remove, from 1. The number after the last question "
        "removes nothing.",
        json_schema_extra={"minimum": 1},  # store.py checks the range and names it in the error
    )


class TokenUsage(BaseModel):
    """Numbers of tokens. `cached_tokens` of the prompt were found in the prefix cache."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int


class Timings(BaseModel):
    """Seconds from the arrival of the question to the start of its computation, the first token, the end."""

    queue: float | None
    first_token: float | None
    total: float


FinishReason = Literal["stop", "length", "cancelled"]


class SessionTurn(BaseModel):
    """A question and its answer."""

    model_config = ConfigDict(from_attributes=True)

    number: int = Field(description="From 1.")
    question: str
    answer: str
    finish_reason: FinishReason = Field(
        description="cancelled: the answer broke off; it has the part that was sent."
    )
    usage: TokenUsage | None = Field(description="null if the answer broke off.")
    parameters: dict[str, Any]
    created: datetime


class SessionState(BaseModel):
    """A session."""

    model_config = ConfigDict(from_attributes=True)

    id: str
    system: str | None
    parameters: dict[str, Any]
    created: datetime
    updated: datetime
    turns: list[SessionTurn]


class SessionSummary(BaseModel):
    """A session in a list."""

    id: str
    created: datetime
    updated: datetime
    questions: int = Field(description="The number of its questions.")


class SessionPage(BaseModel):
    """A page of a list, the newest session first."""

    sessions: list[SessionSummary]
    next: int | None = Field(description="`before` of the next page; null on the last one.")


class SessionAnswer(BaseModel):
    """An answer that is not streamed."""

    text: str
    turn: int = Field(description="The number of the question, from 1.")
    finish_reason: FinishReason
    usage: TokenUsage
    timings: Timings
