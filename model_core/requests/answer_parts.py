"""What the events of an answer add up to."""

from dataclasses import dataclass, field, replace
from typing import Any

from .events import (
    Accepted,
    Done,
    Event,
    Failed,
    Logprobs,
    PromptLogprobs,
    RankedChoices,
    Reasoning,
    Text,
    TokenIds,
    ToolCallDelta,
)
from .messages import ToolCall


@dataclass
class AnswerParts:
    """An answer as far as its events have come. What no event has told of is empty or None.

    `calls` are those of tools, by their index. `end` is the last event, Done or Failed.
    """

    text: str = ""
    reasoning: str = ""
    calls: dict[int, ToolCallDelta] = field(default_factory=dict)
    logprobs: list[dict[str, Any]] | None = None
    prompt_logprobs: list[dict[str, Any]] | None = None
    choices: list[dict[str, Any]] | None = None
    token_ids: list[int] | None = None
    prompt_token_ids: list[int] | None = None
    accepted: Accepted | None = None
    end: Done | Failed | None = None

    @property
    def tool_calls(self) -> list[ToolCall]:
        """The calls of tools, as far as they have come."""
        calls = [self.calls[index] for index in sorted(self.calls)]
        return [ToolCall(id=c.id or str(c.index), name=c.name or "", arguments=c.arguments) for c in calls]

    @property
    def done(self) -> Done:
        """The end of an answer that has not failed."""
        assert isinstance(self.end, Done)
        return self.end

    def add(self, *events: Event) -> "AnswerParts":
        """Add the next events of the answer. Returns itself."""
        for event in events:
            match event:
                case Text(text):
                    self.text += text
                case Reasoning(text):
                    self.reasoning += text
                case ToolCallDelta(index):
                    begun = self.calls.get(index, ToolCallDelta(index, event.id, event.name))
                    self.calls[index] = replace(begun, arguments=begun.arguments + event.arguments)
                case Logprobs(entries):
                    self.logprobs = [] if self.logprobs is None else self.logprobs
                    self.logprobs += entries
                case TokenIds(ids, prompt_ids):
                    self.token_ids = [] if self.token_ids is None else self.token_ids
                    self.token_ids += ids
                    self.prompt_token_ids = self.prompt_token_ids if prompt_ids is None else prompt_ids
                case PromptLogprobs(entries):
                    self.prompt_logprobs = entries
                case RankedChoices(entries):
                    self.choices = entries
                case Accepted():
                    self.accepted = event
                case Done() | Failed():
                    self.end = event
        return self
