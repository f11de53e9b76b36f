"""How the engine makes an answer that is to be read as a conversation's."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .reasoning import ReasoningBudget


@dataclass(frozen=True)
class AnswerPlan:
    """How the engine makes an answer, beside its sampling parameters.

    Attributes:
        kept_tokens: special tokens that are part of the text, with their names.
        budget: counts the tokens of the reasoning, and ends it.
        truncated_messages: of the conversation, which the prompt lacks (truncation.py); for the usage.
        grammar: of the whole answer, in llguidance's JSON; None: that of the parameter `form`, if it has one.
        scored_from: the first token of the prompt whose log probability `prompt_logprobs` reports.
        ignored_schema: the parts of JSON schemas that the grammar does not enforce; for the usage.
    """

    kept_tokens: Mapping[int, str] = field(default_factory=dict)
    budget: ReasoningBudget | None = None
    truncated_messages: int = 0
    grammar: str | None = None
    scored_from: int = 1
    ignored_schema: tuple[str, ...] = ()
