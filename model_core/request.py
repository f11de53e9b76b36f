"""What goes into the engine and what comes out of it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from .config import ModelConfig
from .errors import TritonchatError
from .kv_cache import KVCache
from .sampling import Sampler, SamplingParams, TokenLogprob
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
    """A step of an answer: new text, possibly empty, and with the last one the whole completion."""

    text: str
    completion: Completion | None = None


Deliver = Callable[[Piece], None]


@dataclass(eq=False)
class Sequence:
    """One request on its way through the engine: its tokens, its KV memory, its clock.

    Of its tokens (prompt, then answer) the first `cache.length` are in the KV cache; the rest are next.
    """

    request_id: str
    prompt: list[int]
    params: SamplingParams
    limit: int  # tokens the answer may have
    sampler: Sampler
    text: TextStream | None
    deliver: Deliver
    arrived: float = field(default_factory=time.monotonic)
    admitted: float | None = None
    first_token: float | None = None
    cancelled: bool = False
    refused: TritonchatError | None = None  # why it cannot run after all
    cache: KVCache | None = None
    answer: list[int] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    logprobs: list[TokenLogprob] = field(default_factory=list)

    @property
    def capacity(self) -> int:
        """Positions of KV memory it may come to need; the last token's are never computed."""
        return len(self.prompt) + self.limit - 1

    @property
    def prefilling(self) -> bool:
        """Whether part of the prompt is still to be computed."""
        return self.cache is not None and self.cache.length < len(self.prompt)

    def timed_out(self) -> bool:
        """Whether the request has had its `timeout_s`."""
        return self.params.timeout_s is not None and time.monotonic() - self.arrived >= self.params.timeout_s

    def reserve(self, config: ModelConfig) -> None:
        """Take the KV memory and start."""
        self.cache = KVCache(config, self.capacity)
        self.admitted = time.monotonic()

    def completion(self, reason: FinishReason, error: TritonchatError | None) -> Completion:
        """The answer as it stands."""
        now = time.monotonic()
        return Completion(
            text="".join(self.shown),
            token_ids=list(self.answer),
            finish_reason=reason,
            usage=Usage(len(self.prompt), len(self.answer)),
            timings=Timings(
                queue=None if self.admitted is None else self.admitted - self.arrived,
                first_token=None if self.first_token is None else self.first_token - self.arrived,
                total=now - self.arrived,
            ),
            logprobs=None if self.params.logprobs is None else list(self.logprobs),
            error=error,
        )
