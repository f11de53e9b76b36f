"""A request in the engine, and the parts of its answer: deltas and the completion."""

import math
import time
from collections import deque
from dataclasses import dataclass, field

from ..adapters.table import NO_SLOT, LoadedAdapter
from ..cache.page_tree import OWN_ROOT, CacheRoot, SequencePages, shared_root
from ..errors import TritonchatError
from ..families.vision.parts import count_rows
from ..grammar.constraint import Constraint
from ..requests.events import FinishReason, Timings, Usage
from ..requests.results import Completion, Delta, DeltaCallback, TokenLogprob
from ..sampling.prompt_logprobs import PromptScores
from ..sampling.sampler import Sampler
from ..text.stream import TextStream
from .job import Job
from .request_images import RequestImages


@dataclass(eq=False, slots=True)
class Sequence:
    """One request in the engine: its tokens (prompt, then answer), its pages, its times.

    The first `computed_tokens` of `tokens` are in the KV cache; the others are computed next. Times are those
    of `time.monotonic()`.
    """

    request_id: str
    job: Job
    max_new_tokens: int
    sampler: Sampler
    text_stream: TextStream | None
    on_delta: DeltaCallback
    constraint: Constraint | None = None  # holds the answer to its form
    prompt_scores: PromptScores | None = None  # the log probabilities of its prompt, if they are wanted
    adapter: LoadedAdapter | None = None  # which it computes with
    images: RequestImages | None = None  # that its prompt shows
    ignored_schema: tuple[str, ...] = ()  # parts of JSON schemas that its grammar does not enforce
    slot: int = -1  # of the scheduler, from its admission on
    arrival_time: float = field(default_factory=time.monotonic)
    admission_time: float | None = None
    first_token_time: float | None = None
    is_cancelled: bool = False
    computed_tokens: int = 0
    cached_tokens: int = 0
    forced_tokens: deque[int] = field(default_factory=deque)  # must follow, and are not yet appended
    text_parts: list[str] = field(default_factory=list)  # of the answer, as delivered
    pending_text: str = ""  # since the last delta
    pending_logprobs: list[TokenLogprob] = field(default_factory=list)  # of tokens since the last delta
    pages: SequencePages = field(init=False, repr=False)  # from its admission on
    tokens: list[int] = field(init=False)
    prompt_length: int = field(init=False)  # in tokens
    delivered_end: int = field(init=False)  # of `tokens`, up to where a delta had them
    wants_answer: bool = field(init=False)  # whether tokens are generated after the prompt

    def __post_init__(self) -> None:
        self.tokens = list(self.job.prompt)
        self.prompt_length = self.delivered_end = len(self.tokens)
        self.wants_answer = self.max_new_tokens > 0

    def next_delta(self, completion: Completion | None = None) -> Delta:
        """A delta with the pending text and log probabilities, which are pending no more."""
        params = self.job.params
        logprobs = None if params.logprobs is None else self.pending_logprobs
        token_ids = self.tokens[self.delivered_end :] if params.return_token_ids else None
        prompt_logprobs = None if self.prompt_scores is None else self.prompt_scores.take()
        delta = Delta(self.pending_text, completion, logprobs, token_ids, prompt_logprobs)
        self.pending_text, self.pending_logprobs, self.delivered_end = "", [], len(self.tokens)
        return delta

    @property
    def keys(self) -> list[int]:
        """What the prefix cache knows its tokens by: their ids; for rows of images, what names these."""
        if self.images is None:
            return self.tokens
        keys = self.images.keys
        keys += self.tokens[len(keys) :]
        return keys

    @property
    def text_length(self) -> int:
        """Tokens before the first image, of the prompt and the answer if there is none."""
        return len(self.tokens) if self.images is None else self.images.first

    @property
    def adapter_slot(self) -> int:
        """That of its adapter, NO_SLOT for none."""
        return NO_SLOT if self.adapter is None else self.adapter.slot

    @property
    def cache_root(self) -> CacheRoot:
        """The salt of its pages."""
        adapter = 0 if self.adapter is None else self.adapter.number
        return shared_root(adapter) if self.job.is_shared else (OWN_ROOT, self.job.cache_salt, adapter)

    @property
    def answer_length(self) -> int:
        """Tokens of the answer so far."""
        return len(self.tokens) - self.prompt_length

    @property
    def max_positions(self) -> int:
        """Positions of the KV cache that the sequence may need. An answer's last token is never computed."""
        return self.prompt_length + max(self.max_new_tokens, 1) - 1

    @property
    def sharable_keys(self) -> list[int]:
        """Its keys, up to the first that it must compute itself, and not take from the prefix cache."""
        scores = self.prompt_scores
        return self.keys if scores is None or scores.is_complete else self.keys[: scores.next_token]

    @property
    def shared_length(self) -> int:
        """Tokens at its beginning that other requests are likely to begin with, too."""
        scores = self.prompt_scores
        return self.prompt_length if scores is None or scores.start == 1 else scores.start

    @property
    def uncomputed_tokens(self) -> int:
        """Tokens to compute before the next one can be chosen: 1 during the answer."""
        return len(self.tokens) - self.computed_tokens

    @property
    def shows_image(self) -> bool:
        """Whether there are rows of images to compute."""
        return self.images is not None and self.computed_tokens < self.images.end

    @property
    def deadline(self) -> float:
        """When the request's `timeout_s` is over; infinite without one."""
        timeout_s = self.job.params.timeout_s
        return math.inf if timeout_s is None else self.arrival_time + timeout_s

    def make_completion(self, reason: FinishReason, error: TritonchatError | None) -> Completion:
        """The answer so far as a completion, without log probabilities."""
        now, start, plan = time.monotonic(), self.arrival_time, self.job.plan
        return Completion(
            text="".join(self.text_parts),
            token_ids=self.tokens[self.prompt_length :],
            finish_reason=reason,
            usage=Usage(
                self.prompt_length,
                self.answer_length,
                self.cached_tokens,
                plan.truncated_messages,
                0 if plan.budget is None else plan.budget.token_count,
                self.ignored_schema,
                count_rows(self.job.images),
            ),
            timings=Timings(
                queue=None if self.admission_time is None else self.admission_time - start,
                first_token=None if self.first_token_time is None else self.first_token_time - start,
                total=now - start,
            ),
            seed=self.job.params.seed,
            stop_string=None if self.text_stream is None else self.text_stream.stop_string,
            error=error,
        )
