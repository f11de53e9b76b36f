"""What comes back for a request: events, in the order in which they happen.

`Accepted` comes first, then the parts of the answer, then `Done` or `Failed`. `Logprobs` come before the part
that has their tokens, as `TokenIds` do. If that part is not known yet, an empty `Text` follows them.
`PromptLogprobs` come before the first part, `RankedChoices` before the text of the likeliest one.
"""

from dataclasses import dataclass
from typing import Any, Literal

from ..errors import TritonchatError

FinishReason = Literal["stop", "length", "tool_calls", "cancelled"]


@dataclass(frozen=True)
class Usage:
    """Token counts of a request. `cached_tokens` of its prompt were found in the prefix cache.

    `reasoning_tokens` of the completion are reasoning; only answers to conversations are known to have some.
    `truncated_messages` are the oldest ones of a conversation, which were left out because it was too long.
    `ignored_schema` names the parts of JSON schemas, such as `form.json_schema.properties.a.not`, that could
    not be enforced. `image_tokens` of the prompt are those of images. `answer_cached` says that the answer
    was kept from an equal request (--answer-cache).
    """

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0
    truncated_messages: int = 0
    reasoning_tokens: int = 0
    ignored_schema: tuple[str, ...] = ()
    image_tokens: int = 0
    answer_cached: bool = False

    @property
    def counts(self) -> dict[str, int]:
        """The token counts by their names. Prompts without images do not count theirs."""
        counts = {name: value for name, value in vars(self).items() if type(value) is int}
        if not self.image_tokens:
            del counts["image_tokens"]
        return counts

    @property
    def remarks(self) -> dict[str, Any]:
        """What else there is to say, as JSON by its name; mostly nothing."""
        ignored = {"ignored_schema": list(self.ignored_schema)} if self.ignored_schema else {}
        return {**ignored, **({"answer_cached": True} if self.answer_cached else {})}

    def to_dict(self) -> dict[str, Any]:
        """The usage as JSON."""
        return {**self.counts, **self.remarks}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> "Usage":
        """The usage that `to_dict` has written."""
        return cls(**{**fields, "ignored_schema": tuple(fields.get("ignored_schema", ()))})


@dataclass(frozen=True)
class Timings:
    """Seconds from the arrival of a request until it was admitted, until its first token, until its end."""

    queue: float | None
    first_token: float | None
    total: float


@dataclass(frozen=True)
class Accepted:
    """The engine has accepted the request. It may come again while there is nothing else to say.

    `fingerprint`: that of the answer's `details` (triton_server/contract/tensors.py), as far as it is known.
    `answer_cached`: see Usage. `prompt_tokens`: None where another server counts them at the end.
    """

    fingerprint: str | None = None
    answer_cached: bool = False
    prompt_tokens: int | None = None


@dataclass(frozen=True)
class Text:
    """New text of the answer."""

    text: str


@dataclass(frozen=True)
class Reasoning:
    """New text of the reasoning before the answer, or between its parts."""

    text: str


@dataclass(frozen=True)
class ToolCallDelta:
    """A part of a tool call. The first one of a call has its `id` and `name`, the others only `arguments`.

    `index` counts the calls of an answer from 0. The `arguments` of a call join to JSON.
    """

    index: int
    id: str | None = None
    name: str | None = None
    arguments: str = ""


@dataclass(frozen=True)
class Logprobs:
    """Log probabilities of tokens, in the form of `details.logprobs` (triton_server/contract/tensors.py)."""

    entries: list[dict[str, Any]]


@dataclass(frozen=True)
class PromptLogprobs:
    """Log probabilities of all tokens of the prompt, in the form of `details.prompt_logprobs`."""

    entries: list[dict[str, Any]]


@dataclass(frozen=True)
class RankedChoices:
    """The choices of the request, in their order, in the form of `details.choices`."""

    entries: list[dict[str, Any]]


@dataclass(frozen=True)
class TokenIds:
    """Ids of tokens of the answer; the first such event of an answer has those of the prompt, too."""

    ids: list[int]
    prompt_ids: list[int] | None = None


@dataclass(frozen=True)
class Done:
    """The end of the answer.

    `seed` is the one that was used, whether the request gave it or not. `stop_string` is the one that ended
    the answer, if one did. `model` is the name of the model or adapter that has answered. `fingerprint`: that
    of the answer's `details`. `receipt` is the one that the request has asked for (docs/reproducible.md).
    """

    finish_reason: FinishReason
    usage: Usage
    timings: Timings
    seed: int
    stop_string: str | None = None
    fingerprint: str | None = None
    model: str | None = None
    receipt: dict[str, Any] | None = None


@dataclass(frozen=True)
class Failed:
    """The request was refused, or failed. Its error has this `type`, `param`, `status` and so on.

    `done` has what else is known of the end, if the answer had begun.
    """

    type: str
    message: str
    param: str | None = None
    status: int = TritonchatError.status
    retry_after_s: int | None = None
    done: Done | None = None


Event = (
    Accepted
    | Text
    | Reasoning
    | ToolCallDelta
    | Logprobs
    | PromptLogprobs
    | RankedChoices
    | TokenIds
    | Done
    | Failed
)
