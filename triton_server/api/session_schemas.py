"""What travels to and from sessions."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field

from model_core.sampling import MAX_STOPS

# No dot at the beginning: clients take `.` and `..` in a path for folders.
ID_PATTERN = r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$"
SessionId = Annotated[
    str, Path(alias="id", pattern=ID_PATTERN, description="1 to 64 of A-Z, a-z, 0-9, _, - and, inside, dots.")
]


def _unicode(text: str) -> str:
    """The text. Raises ValueError where JSON's escapes have left half a character in it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("half of a surrogate pair stands for no character") from None
    return text


Text = Annotated[str, AfterValidator(_unicode)]
Stop = Annotated[Text, Field(min_length=1, max_length=256)]
TokenId = Annotated[str, Field(pattern="^[0-9]{1,9}$")]
Bias = Annotated[float, Field(ge=-100, le=100)]


class _In(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class Parameters(_In):
    """How answers are made. What is left out, or null, is the checkpoint's choice."""

    max_tokens: int | None = Field(None, ge=1, le=2**31 - 1)
    temperature: float | None = Field(None, ge=0, le=2, description="0 takes the likeliest token.")
    top_p: float | None = Field(None, ge=0, le=1)
    top_k: int | None = Field(None, ge=0, le=2**31 - 1)
    min_p: float | None = Field(None, ge=0, le=1)
    repetition_penalty: float | None = Field(None, ge=0.01, le=10)
    presence_penalty: float | None = Field(None, ge=-2, le=2)
    frequency_penalty: float | None = Field(None, ge=-2, le=2)
    stop: Stop | Annotated[list[Stop], Field(max_length=MAX_STOPS)] | None = Field(
        None, description="The answer ends before the first of these."
    )
    seed: int | None = Field(None, ge=-(2**63), le=2**63 - 1, description="0 where none is given.")
    logit_bias: dict[TokenId, Bias] | None = Field(None, description="Token id: what is added to its logit.")
    ignore_eos: bool | None = Field(None, description="Go on past the model's end token.")
    timeout_s: float | None = Field(None, ge=0, le=604800, description="Seconds after which to give up.")


class NewSession(_In):
    """A session to begin."""

    id: str | None = Field(None, pattern=ID_PATTERN, description="One is made where none is given.")
    system: Text | None = Field(None, description="The system prompt.")
    parameters: Parameters = Field(Parameters(), description="Of all answers that do not say otherwise.")


class Changes(_In):
    """What is to be otherwise from the next question on; what is left out stays."""

    system: Text | None = Field(None, description="The system prompt; null for none.")
    parameters: Parameters = Field(
        Parameters(), description="Those given here replace the session's; null takes one away."
    )


class Question(_In):
    """The next question."""

    prompt: Text = Field(
        min_length=1,
        validation_alias=AliasChoices("prompt", "question"),
        description="The question. `question` is another name for it.",
    )
    stream: bool = Field(False, description="Send the answer as server-sent events, as it is made.")
    parameters: Parameters = Field(Parameters(), description="For this answer; they override the session's.")


class Reversion(_In):
    """Where to go back to."""

    to: int = Field(
        description="The first question to drop, from 1; one past the last drops nothing.",
        json_schema_extra={"minimum": 1},  # a number out of range is told what the range is
    )


class TokenUsage(BaseModel):
    """Tokens; `cached_tokens` of the prompt did not have to be computed again."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int


class Timings(BaseModel):
    """Seconds since the question came: until it was taken up, until the first token, until the end."""

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
    finish_reason: FinishReason = Field(description="cancelled: broken off; the answer is what was sent.")
    usage: TokenUsage | None = Field(description="null where the answer was broken off.")
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
    questions: int = Field(description="How many it has.")


class SessionPage(BaseModel):
    """A page of a list, the newest session first."""

    sessions: list[SessionSummary]
    next: int | None = Field(description="`before` of the next page; null on the last one.")


class SessionAnswer(BaseModel):
    """A whole answer."""

    text: str
    turn: int = Field(description="The number of the question, from 1.")
    finish_reason: FinishReason
    usage: TokenUsage
    timings: Timings
