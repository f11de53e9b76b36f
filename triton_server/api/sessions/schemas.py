"""The bodies of requests and responses of sessions."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator, model_validator

from model_core.checks.request_values import Text
from model_core.errors import InvalidRequest
from model_core.requests.events import FinishReason, Timings, Usage
from model_core.requests.messages import PromptFields, ToolCall
from model_core.requests.sampling import SamplingFields

from ...contract.request_fields import ModelFields
from ...conversations.fields import ID_PATTERN
from ...conversations.tree import Conversation

SessionId = Annotated[
    str, Path(alias="id", pattern=ID_PATTERN, description="1 to 64 of A-Z, a-z, 0-9, _, - and, inside, dots.")
]


class RequestBody(BaseModel):
    """A body with exact types, and no other fields."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class Parameters(SamplingFields, PromptFields, ModelFields, RequestBody):
    """Parameters of answers. The model's defaults replace those that are missing or null."""

    @model_validator(mode="after")
    def _refuse_tokens(self) -> "Parameters":
        for name in ("logprobs", "prompt_logprobs", "return_token_ids"):
            if getattr(self, name) not in (None, False):
                raise InvalidRequest(f"{name} cannot be reported in sessions.", f"parameters.{name}")
        return self


class NewSession(RequestBody):
    """A session to create."""

    id: str | None = Field(None, pattern=ID_PATTERN, description="If it is missing, the service chooses one.")
    system: Text | None = Field(None, description="The system prompt.")
    parameters: Parameters = Field(Parameters(), description="Defaults for all answers of the session.")


class SessionChanges(RequestBody):
    """Changes of a session, from the next question on. Fields that are left out do not change."""

    system: Text | None = Field(None, description="The system prompt; null for none.")
    parameters: Parameters = Field(Parameters(), description="They replace the session's; null removes one.")


class Question(RequestBody):
    """The next question."""

    prompt: Text = Field(
        min_length=1,
        validation_alias=AliasChoices("prompt", "question"),
        description="The question. `question` is another name for it.",
    )
    stream: bool = Field(False, description="Send the answer as server-sent events, as it is made.")
    parameters: Parameters = Field(Parameters(), description="For this answer; they override the session's.")


class RevertRequest(RequestBody):
    """Which questions to remove: all from this number on."""

    to: int = Field(
        description="The number of the first question to remove, from 1. The number after the last question "
        "removes nothing.",
        json_schema_extra={"minimum": 1},  # the store checks the range and names it in the error
    )


class SessionTurn(BaseModel):
    """A question and its answer."""

    number: int = Field(description="From 1.")
    question: str
    answer: str
    finish_reason: FinishReason = Field(
        description="cancelled: the answer broke off; it has the part that was sent."
    )
    usage: Usage | None = Field(description="null if the answer broke off.")
    parameters: dict[str, Any] = Field(description="Those of the answer, with its seed and its model.")
    created: datetime

    @field_validator("finish_reason", mode="before")
    @classmethod
    def _describe_running(cls, reason: str | None) -> str:
        return reason or "cancelled"  # the page's answers are stored while they run


class SessionState(BaseModel):
    """A session."""

    id: str
    system: str | None
    parameters: dict[str, Any]
    created: datetime
    updated: datetime
    turns: list[SessionTurn]

    @classmethod
    def of(cls, conversation: Conversation) -> "SessionState":
        """The path to the head of a conversation."""
        turns = [{"number": number, **vars(turn)} for number, turn in enumerate(conversation.path(), 1)]
        return cls(**{**vars(conversation), "turns": turns})


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


class AnswerDetails(BaseModel):
    """What is known of an answer at its end."""

    turn: int = Field(description="The number of the question, from 1.")
    finish_reason: FinishReason
    usage: Usage
    timings: Timings
    seed: int = Field(description="The seed that was used, whether a parameter gave it or not.")


class SessionAnswer(AnswerDetails):
    """An answer that is not streamed."""

    text: str
    reasoning: str = Field(description="What the model thought before its answer. It is not stored.")
    tool_calls: list[ToolCall] = Field(description="Calls of tools. They are not stored.")
