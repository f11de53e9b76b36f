"""What a request gets: deltas of its answer, the completion, and log probabilities of tokens."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import TritonchatError
from .events import FinishReason, Timings, Usage
from .messages import ToolCall


@dataclass(frozen=True)
class TokenLogprob:
    """A token's log probability under the model, before penalties, bias and temperature.

    `top` holds the likeliest alternatives, the likeliest first, as (token id, log probability). `rank` is 1
    for the likeliest token: no token is likelier.
    """

    token_id: int
    logprob: float
    top: tuple[tuple[int, float], ...]
    rank: int


@dataclass(frozen=True)
class Completion:
    """A finished answer. `error` says why it failed; then the text and tokens are those made until then.

    `token_ids` includes the end token where the model gave one; `text` never does. `seed` is the one that was
    used, whether the request gave it or not. `stop_string` is the one that ended the answer, if one did. Only
    a completion made by `join_deltas` has `logprobs` and `prompt_logprobs`: the engine keeps none that it has
    delivered. `prompt_logprobs` begin with the prompt's second token, or with the plan's `scored_from`.
    Only an answer to a conversation has `reasoning` and `tool_calls`, which are no part of its `text`.
    """

    text: str
    token_ids: list[int]
    finish_reason: FinishReason
    usage: Usage
    timings: Timings
    seed: int
    stop_string: str | None = None
    logprobs: list[TokenLogprob] | None = None
    prompt_logprobs: list[TokenLogprob] | None = None
    error: TritonchatError | None = None
    reasoning: str = ""
    tool_calls: list[ToolCall] = field(default_factory=list)


@dataclass(frozen=True)
class Delta:
    """New text of an answer, possibly empty. The last delta has the completion.

    `logprobs` and `token_ids` are those of the tokens since the previous delta; None if the request did not
    ask for them. The first delta after the prompt has its `prompt_logprobs`, if the request asks for them.
    """

    text: str
    completion: Completion | None = None
    logprobs: list[TokenLogprob] | None = None
    token_ids: list[int] | None = None
    prompt_logprobs: list[TokenLogprob] | None = None


DeltaCallback = Callable[[Delta], None]


def join_deltas(deltas: Iterable[Delta]) -> Completion:
    """The completion of an answer with the log probabilities of all its deltas, if they have some.

    Raises ValueError if the last delta is missing.
    """
    *_, last = deltas = list(deltas)
    if last.completion is None:
        raise ValueError("the last delta of the answer is missing")
    changes: dict[str, Any] = {}
    for delta in deltas:
        if delta.prompt_logprobs is not None:
            changes["prompt_logprobs"] = delta.prompt_logprobs
    if last.logprobs is not None:
        changes["logprobs"] = [entry for delta in deltas for entry in delta.logprobs or ()]
    return replace(last.completion, **changes) if changes else last.completion
