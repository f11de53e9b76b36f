"""Which requests run, and what each does in the next step (iteration-level scheduling, as in Orca).

Orca: Yu et al., 2022, usenix.org/conference/osdi22/presentation/yu.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from .errors import NoMemory, QueueFull
from .kv_cache import PAGE, Batch, KVCache
from .page_pool import PagePool, Pages
from .request import Sequence

# Tokens a step: every answer goes on by one, and prompts take the rest. More would compute prompts little
# faster, and make answers wait longer for their next token.
STEP_TOKENS = 256


@dataclass(frozen=True)
class Limits:
    """What the server can carry.

    Attributes:
        max_context: positions one request may have, prompt and answer together.
        max_concurrency: requests computed together.
        max_queue: requests waiting beyond those.
        kv_cache_memory: bytes of KV memory for all requests together.
    """

    max_context: int
    max_concurrency: int
    max_queue: int
    kv_cache_memory: int


@dataclass(slots=True)
class Work:
    """What one sequence does in a step: its next tokens, and drafts of those that may follow."""

    sequence: Sequence
    end: int  # its tokens from `computed` up to here
    rows: int  # its last rows whose logits are wanted
    drafts: Collection[int] = ()
    prompt: bool = False  # a chunk of a prompt (or of a preempted request), not a step of an answer


class Scheduler:
    """First come, first served, within the limits. Not thread-safe: the engine holds its lock.

    `running` and `waiting` are both in the order in which requests came, and all that wait came later.
    """

    def __init__(self, cache: KVCache, limits: Limits) -> None:
        self.limits = limits
        self.pool = PagePool(cache)
        self.waiting: OrderedDict[Sequence, None] = OrderedDict()
        self.running: list[Sequence] = []
        self.prefix_hits_tokens = self.preemptions = 0
        self._page_bytes = cache.page_bytes
        # The pages of each running request: a row each, which it has while it runs.
        self._tables = np.zeros((limits.max_concurrency, -(-limits.max_context // PAGE)), np.int32)
        self._free_rows = list(range(limits.max_concurrency))
        self._cancelled: set[Sequence] = set()
        self._deadline = math.inf  # no request times out before
        self._short = False  # of pages, until a request leaves

    @property
    def kv_bytes_used(self) -> int:
        """Bytes of KV memory that running requests hold."""
        return self.pool.used * self._page_bytes

    def add(self, sequence: Sequence) -> None:
        """Queue a request. Raises QueueFull, or NoMemory if it would not fit into an empty server."""
        needed = -(-sequence.positions // PAGE)
        if needed > self.pool.total:
            raise NoMemory(
                f"the request may need {needed * self._page_bytes / 2**20:.3g} MiB of KV memory; the server "
                f"has {self.limits.kv_cache_memory / 2**20:.3g} MiB; ask for fewer tokens (max_tokens) "
                "or start it with a larger --kv-cache-memory."
            )
        starting = 0 if self._short else self.limits.max_concurrency - len(self.running)
        if len(self.waiting) >= starting + self.limits.max_queue:
            raise QueueFull(
                f"the server is full: {len(self.running)} requests run and {len(self.waiting)} wait "
                "(--max-concurrency, --max-queue); try again in a moment."
            )
        self.waiting[sequence] = None
        self._deadline = min(self._deadline, sequence.deadline)

    def cancel(self, sequence: Sequence) -> None:
        """Let a request end before the next step."""
        sequence.cancelled = True
        self._cancelled.add(sequence)

    def sweep(self) -> list[Sequence]:
        """Take out what was cancelled or has timed out."""
        ended, self._cancelled = self._cancelled, set()
        now = time.monotonic()
        if now >= self._deadline:
            everybody = (*self.running, *self.waiting)
            ended.update(s for s in everybody if s.deadline <= now)
            self._deadline = min((s.deadline for s in everybody if s.deadline > now), default=math.inf)
        for sequence in ended:
            self.remove(sequence)
        return list(ended)

    def plan(self) -> list[Work]:
        """What to compute next: a token of each answer with its drafts, and prompts as far as they fit."""
        work: dict[Sequence, Work] = {}
        spare = STEP_TOKENS // 2 - len(self.running)  # for drafts, which must not hold up prompts
        for sequence in self.running:
            end = len(sequence.tokens)
            if end - sequence.computed > 1:
                continue
            if end > sequence.pages.room and not self._make_room(sequence, end, work):
                continue
            if sequence.lookup is None:
                work[sequence] = Work(sequence, end, 1)
            else:
                drafts = self._drafts(sequence, spare)
                spare -= len(drafts)
                work[sequence] = Work(sequence, end, 1 + len(drafts), drafts)
        budget = max(1, STEP_TOKENS - sum(w.rows for w in work.values()))
        for sequence in self.running if len(work) < len(self.running) else ():
            if sequence.remaining > 1 and budget > 0:
                budget -= self._prefill(sequence, budget, work)
        while self.waiting and budget > 0 and not self._short:
            sequence = next(iter(self.waiting))
            if len(self.running) == self.limits.max_concurrency or not self._admit(sequence, budget):
                break
            budget -= self._prefill(sequence, budget, work)
        return list(work.values())

    def batch(self, work: list[Work]) -> Batch:
        """A step's work as the model takes it."""
        tokens: list[int] = []
        positions: list[int] = []
        rows: list[int] = []
        starts = [0]
        for one in work:
            sequence, first = one.sequence, one.sequence.computed
            if one.end - first == 1:
                tokens.append(sequence.tokens[first])
                positions.append(first)
            else:
                tokens += sequence.tokens[first : one.end]
                positions += range(first, one.end)
            if one.drafts:
                tokens += one.drafts
                positions += range(one.end, one.end + len(one.drafts))
            end = len(tokens)
            if one.rows == 1:
                rows.append(end - 1)
            else:
                rows += range(end - one.rows, end)
            starts.append(end)
        most = max(one.sequence.pages.count for one in work)
        tables = self._tables[[one.sequence.row for one in work], :most]
        arrays = (np.array(values, np.int32) for values in (tokens, positions, starts))
        return Batch(*arrays, tables, np.array(rows, np.int32))

    def commit(self, work: list[Work]) -> None:
        """Take a step, without its drafts, for computed."""
        for one in work:
            sequence = one.sequence
            sequence.computed = one.end
            if one.prompt or one.end > PAGE * len(sequence.pages.path) + PAGE - 1:
                self.pool.enter(sequence.pages, sequence.tokens, sequence.computed)
            if one.prompt and one.rows:
                self.pool.enter_tail(sequence.pages, sequence.tokens, sequence.computed)

    def remove(self, sequence: Sequence) -> None:
        """Take a request out, running or waiting; does nothing if it is neither."""
        self._cancelled.discard(sequence)
        self.waiting.pop(sequence, None)
        if sequence in self.running:
            self.running.remove(sequence)
            self._release(sequence)
        self._short = False

    def _drafts(self, sequence: Sequence, most: int) -> list[int]:
        most = min(most, sequence.limit - sequence.answered - 1)
        if most <= 0:
            return []
        drafts = sequence.lookup.draft(sequence.tokens, most)
        # A guess is not worth a preemption.
        return drafts if self.pool.reserve(sequence.pages, len(sequence.tokens) + len(drafts)) else []

    def _prefill(self, sequence: Sequence, budget: int, work: dict[Sequence, Work]) -> int:
        """Plan the next chunk of a prompt; returns its length, 0 where it has to wait for pages."""
        waits = self._take(sequence)
        end = min(sequence.computed + budget, len(sequence.tokens))
        if waits or not self._make_room(sequence, end, work):
            return 0
        if sequence.admitted is None:
            sequence.admitted, sequence.cached_tokens = time.monotonic(), sequence.computed
            self.prefix_hits_tokens += sequence.cached_tokens
        self.pool.announce(sequence.pages, sequence.tokens, end)
        work[sequence] = Work(sequence, end, int(end == len(sequence.tokens)), prompt=True)
        return end - sequence.computed

    def _take(self, sequence: Sequence) -> bool:
        """Use what the prefix cache has. True if the next page is being computed for another request."""
        sequence.computed, waits = self.pool.take(sequence.pages, sequence.tokens, sequence.computed)
        return waits

    def _admit(self, sequence: Sequence, budget: int) -> bool:
        """Let a waiting request run, if there are pages for its first chunk."""
        sequence.row = self._free_rows.pop()
        sequence.pages = Pages(self._tables[sequence.row])
        waits = self._take(sequence)
        end = min(sequence.computed + budget, len(sequence.tokens))
        if not waits and not self.pool.reserve(sequence.pages, end):
            self._release(sequence)
            self._short = True
            return False
        del self.waiting[sequence]
        self.running.append(sequence)
        return True

    def _make_room(self, sequence: Sequence, length: int, work: dict[Sequence, Work]) -> bool:
        """Have pages for a running request, if need be by preempting the youngest; False if it is that."""
        while not self.pool.reserve(sequence.pages, length):
            youngest = self.running.pop()
            work.pop(youngest, None)
            self._release(youngest)
            self.waiting[youngest] = None
            self.waiting.move_to_end(youngest, last=False)
            self.preemptions += 1
            self._short = True
            if youngest is sequence:
                return False
        return True

    def _release(self, sequence: Sequence) -> None:
        self.pool.release(sequence.pages, sequence.tokens, sequence.computed)
        self._free_rows.append(sequence.row)
        sequence.computed = 0
