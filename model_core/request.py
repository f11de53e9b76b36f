"""A request in the engine, and the parts of its answer: deltas and the completion."""

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from .adapters.table import NO_SLOT, LoadedAdapter
from .constraint import Constraint
from .errors import TritonchatError
from .events import FinishReason, Timings, Usage
from .messages import ToolCall
from .page_tree import SequencePages
from .prompt_scores import PromptScores
from .reasoning import ReasoningBudget
from .sampler import Sampler, TokenLogprob
from .sampling import SamplingParams
from .text_stream import TextStream

if TYPE_CHECKING:
    from .drafter import SequenceDrafts
    from .scheduler import WorkItem


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
class AnswerPlan:
    """How the engine makes an answer, beside its sampling parameters.

    Attributes:
        kept_tokens: special tokens that are part of the text, with their names.
        budget: counts the tokens of the reasoning, and ends it.
        truncated_messages: of the conversation, which the prompt lacks (truncation.py); for the usage.
        grammar: of the whole answer, in llguidance's JSON; None: that of the parameter `form`, if it has one.
        scored_from: the first token of the prompt whose log probability `prompt_logprobs` reports.
    """

    kept_tokens: Mapping[int, str] = field(default_factory=dict)
    budget: ReasoningBudget | None = None
    truncated_messages: int = 0
    grammar: str | None = None
    scored_from: int = 1


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
    changes: dict[str, list[TokenLogprob]] = {}
    for delta in deltas:
        if delta.prompt_logprobs is not None:
            changes["prompt_logprobs"] = delta.prompt_logprobs
    if last.logprobs is not None:
        changes["logprobs"] = [entry for delta in deltas for entry in delta.logprobs or ()]
    return replace(last.completion, **changes) if changes else last.completion


CacheRoot = tuple[int, str, int]
OWN_ROOT = 1  # the first of a root for requests of one salt


def shared_root(adapter: int = 0) -> CacheRoot:
    """The salt of pages for everybody, which no request can name. `adapter`: the number of its adapter."""
    return 0, "", adapter


@dataclass(eq=False, slots=True)
class Sequence:
    """One request in the engine: its tokens (prompt, then answer), its pages, its times.

    The first `computed_tokens` of `tokens` are in the KV cache; the others are computed next. Times are those
    of `time.monotonic()`.
    """

    request_id: str
    tokens: list[int]
    prompt_length: int  # in tokens
    params: SamplingParams
    max_new_tokens: int
    sampler: Sampler
    text_stream: TextStream | None
    on_delta: DeltaCallback
    drafts: "SequenceDrafts | None" = None  # what the drafter knows
    constraint: Constraint | None = None  # holds the answer to its form
    reasoning_budget: ReasoningBudget | None = None
    prompt_scores: PromptScores | None = None  # the log probabilities of its prompt, if they are wanted
    adapter: LoadedAdapter | None = None  # which it computes with
    cache_salt: str = ""  # the sequence shares pages with those of the same salt only
    is_shared: bool = False  # everybody may use its pages
    client: str = ""  # the scheduler shares its slots fairly between clients
    truncated_messages: int = 0  # that the prompt lacks, see truncation.py
    pages: SequencePages | None = None  # from its admission on
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
    single_item: "WorkItem | None" = None  # of the scheduler
    delivered_end: int = field(init=False)  # of `tokens`, up to where a delta had them
    wants_answer: bool = field(init=False)  # whether tokens are generated after the prompt

    def __post_init__(self) -> None:
        self.delivered_end, self.wants_answer = self.prompt_length, self.max_new_tokens > 0

    def next_delta(self, completion: Completion | None = None) -> Delta:
        """A delta with the pending text and log probabilities, which are pending no more."""
        logprobs = None if self.params.logprobs is None else self.pending_logprobs
        token_ids = self.tokens[self.delivered_end :] if self.params.return_token_ids else None
        prompt_logprobs = None if self.prompt_scores is None else self.prompt_scores.take()
        delta = Delta(self.pending_text, completion, logprobs, token_ids, prompt_logprobs)
        self.pending_text, self.pending_logprobs, self.delivered_end = "", [], len(self.tokens)
        return delta

    @property
    def adapter_slot(self) -> int:
        """That of its adapter, NO_SLOT for none."""
        return NO_SLOT if self.adapter is None else self.adapter.slot

    @property
    def cache_root(self) -> CacheRoot:
        """The salt of its pages."""
        adapter = 0 if self.adapter is None else self.adapter.number
        return shared_root(adapter) if self.is_shared else (OWN_ROOT, self.cache_salt, adapter)

    @property
    def answer_length(self) -> int:
        """Tokens of the answer so far."""
        return len(self.tokens) - self.prompt_length

    @property
    def max_positions(self) -> int:
        """Positions of the KV cache that the sequence may need. An answer's last token is never computed."""
        return self.prompt_length + max(self.max_new_tokens, 1) - 1

    @property
    def sharable_tokens(self) -> list[int]:
        """Its tokens, up to the first that it must compute itself, and not take from the prefix cache."""
        scores = self.prompt_scores
        return self.tokens if scores is None or scores.is_complete else self.tokens[: scores.next_token]

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
    def deadline(self) -> float:
        """When the request's `timeout_s` is over; infinite without one."""
        return math.inf if self.params.timeout_s is None else self.arrival_time + self.params.timeout_s

    def make_completion(self, reason: FinishReason, error: TritonchatError | None) -> Completion:
        """The answer so far as a completion, without log probabilities."""
        now, start = time.monotonic(), self.arrival_time
        return Completion(
            text="".join(self.text_parts),
            token_ids=self.tokens[self.prompt_length :],
            finish_reason=reason,
            usage=Usage(
                self.prompt_length,
                self.answer_length,
                self.cached_tokens,
                self.truncated_messages,
                0 if self.reasoning_budget is None else self.reasoning_budget.token_count,
            ),
            timings=Timings(
                queue=None if self.admission_time is None else self.admission_time - start,
                first_token=None if self.first_token_time is None else self.first_token_time - start,
                total=now - start,
            ),
            seed=self.params.seed,
            stop_string=None if self.text_stream is None else self.text_stream.stop_string,
            error=error,
        )
