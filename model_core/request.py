"""What goes into the engine and what comes out of it."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from .errors import TritonchatError
from .page_pool import Pages
from .sampling import Sampler, SamplingParams, TokenLogprob
from .speculation import PromptLookup
from .tokenizer import TextStream

FinishReason = Literal["stop", "length", "cancelled"]


@dataclass(frozen=True)
class Usage:
    """Tokens of a request; `cached_tokens` of its prompt were found in the prefix cache."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0


@dataclass(frozen=True)
class Timings:
    """Seconds since the request came: until it was taken up, until its first token, until its end."""

    queue: float | None
    first_token: float | None
    total: float


@dataclass(frozen=True)
class Completion:
    """A finished answer. `error` says why it failed; what was made until then is here all the same.

    `token_ids` includes the end token where the model gave one; `text` never does.
    """

    text: str
    token_ids: list[int]
    finish_reason: FinishReason
    usage: Usage
    timings: Timings
    logprobs: list[TokenLogprob] | None = None
    error: TritonchatError | None = None


@dataclass(frozen=True)
class Piece:
    """A step of an answer: new text, possibly empty, and with the last one the whole completion.

    `logprobs` are those of the tokens since the piece before, where they were asked for.
    """

    text: str
    completion: Completion | None = None
    logprobs: list[TokenLogprob] | None = None


Deliver = Callable[[Piece], None]


@dataclass(eq=False)
class Sequence:
    """One request on its way through the engine: its tokens, its pages, its clock.

    Of its tokens (prompt, then answer) the first `computed` are in the KV cache; the rest are next.
    """

    request_id: str
    tokens: list[int]
    prompt_tokens: int  # how many of them are the prompt
    params: SamplingParams
    limit: int  # tokens the answer may have
    sampler: Sampler
    text: TextStream | None
    deliver: Deliver
    lookup: PromptLookup | None
    pages: Pages | None = None  # since it was admitted, and which row of the scheduler's tables they have
    row: int = -1
    arrived: float = field(default_factory=time.monotonic)
    admitted: float | None = None
    first_token: float | None = None
    cancelled: bool = False
    computed: int = 0
    cached_tokens: int = 0
    shown: list[str] = field(default_factory=list)
    logprobs: list[TokenLogprob] = field(default_factory=list)
    reported: int = 0  # how many of these have been delivered

    def piece(self, text: str, completion: Completion | None = None) -> Piece:
        """The next piece of the answer."""
        fresh = None if self.params.logprobs is None else self.logprobs[self.reported :]
        self.reported = len(self.logprobs)
        return Piece(text, completion, fresh)

    @property
    def answered(self) -> int:
        """Tokens of the answer so far."""
        return len(self.tokens) - self.prompt_tokens

    @property
    def positions(self) -> int:
        """Those that it may come to need in the KV cache; the last token's are never computed."""
        return self.prompt_tokens + self.limit - 1

    @property
    def remaining(self) -> int:
        """Tokens to compute before the next one can be chosen: 1 while it answers."""
        return len(self.tokens) - self.computed

    @property
    def deadline(self) -> float:
        """When, by `time.monotonic()`, the request has had its `timeout_s`; infinite without one."""
        return math.inf if self.params.timeout_s is None else self.arrived + self.params.timeout_s

    def completion(self, reason: FinishReason, error: TritonchatError | None) -> Completion:
        """The answer as it stands."""
        now = time.monotonic()
        return Completion(
            text="".join(self.shown),
            token_ids=self.tokens[self.prompt_tokens :],
            finish_reason=reason,
            usage=Usage(self.prompt_tokens, self.answered, self.cached_tokens),
            timings=Timings(
                queue=None if self.admitted is None else self.admitted - self.arrived,
                first_token=None if self.first_token is None else self.first_token - self.arrived,
                total=now - self.arrived,
            ),
            logprobs=None if self.params.logprobs is None else list(self.logprobs),
            error=error,
        )
