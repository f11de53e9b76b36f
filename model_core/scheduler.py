"""Which requests run, and what each does in the next step (iteration-level scheduling, as in Orca).

Orca: Yu et al., 2022, usenix.org/conference/osdi22/presentation/yu.
"""

import math
import time
from collections import Counter, OrderedDict
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from .errors import NoMemory, QueueFull
from .kv_cache import PAGE, Batch, KVCache
from .page_pool import PagePool
from .page_tree import SequencePages
from .prompt_scores import StepScores
from .request import Sequence, shared_root
from .state import next_snapshot_position

# Tokens that a step computes: one for each answer, and the rest for prompts. With more, prompts would be only
# a little faster, and answers would wait longer for their next token. Prompts get at least an eighth of it,
# however many answers there are: with one token a step a prompt would wait for minutes.
STEP_TOKENS = 256
# One slot of this many is reserved for clients that have no running request, so that they start at once. The
# rule does not apply to requests that name no client.
RESERVED_DIVISOR = 8


@dataclass(frozen=True)
class Limits:
    """The limits of the engine.

    Attributes:
        max_context: positions one request may have, prompt and answer together.
        max_concurrency: requests computed together.
        max_queue: requests that may wait beyond those.
        kv_cache_memory: bytes of KV memory for all requests together.
    """

    max_context: int
    max_concurrency: int
    max_queue: int
    kv_cache_memory: int


@dataclass(slots=True)
class WorkItem:
    """What a step computes for one sequence: its next tokens, and drafts of those that may follow."""

    sequence: Sequence
    end: int  # the step computes the sequence's tokens from `computed_tokens` up to here
    logit_count: int  # how many of the last computed tokens, drafts included, need logits to go on
    drafts: Collection[int] = ()
    is_prompt_chunk: bool = False  # a chunk of a prompt or of a preempted request, not one token of an answer


class Scheduler:
    """Decides which requests run and what each step computes. Not thread-safe: the engine holds its lock.

    The requests of one client start in the order in which they arrived. Among the clients, the one with the
    fewest running requests is next. `running` is in the order of admission. `waiting` is in the order of
    arrival, with preempted requests in front.
    """

    def __init__(self, cache: KVCache, limits: Limits) -> None:
        self.limits = limits
        self._states = cache.states
        self.pool = PagePool(cache)
        self.waiting: OrderedDict[Sequence, None] = OrderedDict()
        self.running: list[Sequence] = []
        self.prefix_hits_tokens = self.preemptions = 0
        self._page_bytes = cache.page_bytes
        # A running request has a slot: a row for each group of KV layers, which lists its pages.
        shape = (self.pool.groups, limits.max_concurrency, -(-limits.max_context // PAGE))
        self._page_tables = np.zeros(shape, np.int32)
        self._free_slots = list(range(limits.max_concurrency))
        self._admissions = 0
        self._last_admissions: dict[str, int] = {}  # numbers, by clients that have a waiting request
        self._cancelled: set[Sequence] = set()
        self._earliest_deadline = math.inf  # of all requests
        self._is_out_of_pages = False  # until a request leaves

    @property
    def kv_bytes_used(self) -> int:
        """Bytes of KV memory that running requests hold, with their states."""
        slots = 0 if self._states is None else len(self.running) * self._states.slot_bytes
        return self.pool.used_pages * self._page_bytes + slots

    def add(self, sequence: Sequence) -> None:
        """Queue a request. Raises QueueFull, or NoMemory if it would not fit into an empty server."""
        needed = self.pool.max_pages(sequence.max_positions, STEP_TOKENS)
        if needed > self.pool.total_pages:
            raise NoMemory(
                f"the request may need {needed * self._page_bytes / 2**20:.3g} MiB of KV memory; the server "
                f"has {self.limits.kv_cache_memory / 2**20:.3g} MiB; ask for fewer tokens (max_tokens) "
                "or start it with a larger --kv-cache-memory."
            )
        startable = 0 if self._is_out_of_pages else self.limits.max_concurrency - len(self.running)
        if len(self.waiting) >= startable + self.limits.max_queue:
            raise QueueFull(
                f"the server is full: {len(self.running)} requests run and {len(self.waiting)} wait "
                "(--max-concurrency, --max-queue); try again in a moment."
            )
        self.waiting[sequence] = None
        self._earliest_deadline = min(self._earliest_deadline, sequence.deadline)

    def cancel(self, sequence: Sequence) -> None:
        """Mark a request, so that it ends before the next step."""
        sequence.is_cancelled = True
        self._cancelled.add(sequence)

    def find_ended(self) -> list[Sequence]:
        """The requests that were cancelled, or have timed out, since the last call. They are still here."""
        ended, self._cancelled = self._cancelled, set()
        now = time.monotonic()
        if now >= self._earliest_deadline:
            unfinished = (*self.running, *self.waiting)
            ended.update(s for s in unfinished if s.deadline <= now)
            self._earliest_deadline = min(
                (s.deadline for s in unfinished if s.deadline > now), default=math.inf
            )
        return list(ended)

    def schedule(self) -> list[WorkItem]:
        """What the next step computes: a token of each answer with its drafts, and chunks of prompts."""
        work: dict[Sequence, WorkItem] = {}
        max_drafts = STEP_TOKENS // 2 - len(self.running)  # in the step; more of them would delay prompts
        for sequence in self.running:
            end = len(sequence.tokens)
            if end - sequence.computed_tokens > 1:
                continue
            if end > sequence.pages.capacity and not self._allocate_or_preempt(sequence, end, work):
                continue
            if sequence.prompt_lookup is None:
                work[sequence] = WorkItem(sequence, end, int(sequence.wants_answer))
            else:
                drafts = self._draft(sequence, max_drafts)
                max_drafts -= len(drafts)
                work[sequence] = WorkItem(sequence, end, int(sequence.wants_answer) + len(drafts), drafts)
        budget = max(1, STEP_TOKENS // 8, STEP_TOKENS - sum(item.logit_count for item in work.values()))
        for sequence in self.running if len(work) < len(self.running) else ():
            if sequence.uncomputed_tokens > 1 and budget > 0:
                budget -= self._schedule_chunk(sequence, budget, work)
        while self.waiting and budget > 0 and not self._is_out_of_pages:
            if len(self.running) == self.limits.max_concurrency:
                break
            sequence = self._choose_waiting()
            if sequence is None or not self._admit(sequence, budget):
                break
            budget -= self._schedule_chunk(sequence, budget, work)
        # Rows with the same adapter are computed together.
        return sorted(work.values(), key=lambda item: item.sequence.adapter_slot)

    def build_batch(self, work: list[WorkItem]) -> Batch:
        """The work of a step in the form that the model computes."""
        tokens: list[int] = []
        positions: list[int] = []
        logit_rows: list[int] = []
        scores = StepScores()
        starts = [0]
        for item in work:
            sequence, first = item.sequence, item.sequence.computed_tokens
            if item.end - first == 1:
                tokens.append(sequence.tokens[first])
                positions.append(first)
            else:
                tokens += sequence.tokens[first : item.end]
                positions += range(first, item.end)
            if item.drafts:
                tokens += item.drafts
                positions += range(item.end, item.end + len(item.drafts))
            if sequence.prompt_scores is not None:
                scored = sequence.prompt_scores.scored_positions(first, item.end)
                scores.want(sequence.prompt_scores, scored, starts[-1] + scored.start - first)
            end = len(tokens)
            if item.logit_count == 1:
                logit_rows.append(end - 1)
            else:
                logit_rows += range(end - item.logit_count, end)
            starts.append(end)
        max_pages = max(item.sequence.pages.count for item in work)
        slots = np.array([item.sequence.slot for item in work], np.int32)
        tables = self._page_tables[:, :, :max_pages].take(slots, axis=1)
        arrays = (np.array(values, np.int32) for values in (tokens, positions, starts))
        adapters = np.array([item.sequence.adapter_slot for item in work], np.int32)
        rows = np.array(logit_rows, np.int32)
        return Batch(*arrays, tables, rows, slots, adapters, scores=scores)

    def commit(self, work: list[WorkItem]) -> None:
        """Record that the work of a step is computed, its drafts excepted."""
        for item in work:
            sequence = item.sequence
            is_snapshot_due = item.end == self._next_snapshot(sequence)
            sequence.computed_tokens = item.end
            if item.is_prompt_chunk or item.end > PAGE * len(sequence.pages.nodes) + PAGE - 1:
                self.pool.insert(sequence.pages, sequence.tokens, sequence.computed_tokens)
            if item.is_prompt_chunk and item.end == len(sequence.tokens):
                self.pool.insert_tail(sequence.pages, sequence.tokens, sequence.computed_tokens)
            if is_snapshot_due:
                self.pool.save_state(sequence.pages, sequence.slot, item.end)

    def remove(self, sequence: Sequence) -> None:
        """Remove a request, running or waiting. Does nothing if it is neither."""
        self._cancelled.discard(sequence)
        self.waiting.pop(sequence, None)
        if sequence in self.running:
            self.running.remove(sequence)
            self._release(sequence)
        self._is_out_of_pages = False

    def _draft(self, sequence: Sequence, max_drafts: int) -> list[int]:
        max_drafts = min(max_drafts, sequence.max_new_tokens - sequence.answer_length - 1)
        if max_drafts <= 0:
            return []
        drafts = sequence.prompt_lookup.draft(sequence.tokens, max_drafts)
        if sequence.constraint is not None:
            drafts = sequence.constraint.keep_valid(drafts)
        # No request is preempted to have pages for drafts.
        return drafts if self.pool.allocate(sequence.pages, len(sequence.tokens) + len(drafts)) else []

    def _schedule_chunk(self, sequence: Sequence, budget: int, work: dict[Sequence, WorkItem]) -> int:
        """Schedule the next chunk of a prompt. Returns its length, 0 if it has to wait for pages."""
        must_wait = self._acquire_prefix(sequence)
        end = min(sequence.computed_tokens + budget, len(sequence.tokens), self._next_snapshot(sequence))
        if must_wait or not self._allocate_or_preempt(sequence, end, work):
            return 0
        if sequence.admission_time is None:
            sequence.admission_time, sequence.cached_tokens = time.monotonic(), sequence.computed_tokens
            self.prefix_hits_tokens += sequence.cached_tokens
        self.pool.insert_pending(sequence.pages, sequence.tokens, end)
        logit_count = int(sequence.wants_answer and end == len(sequence.tokens))
        work[sequence] = WorkItem(sequence, end, logit_count, is_prompt_chunk=True)
        return end - sequence.computed_tokens

    def _next_snapshot(self, sequence: Sequence) -> float:
        """After how many tokens the prefix cache copies a sequence's state next; infinite without states."""
        if self._states is None:
            return math.inf
        is_saved = sequence.is_shared  # then there is one however short it is
        return next_snapshot_position(sequence.computed_tokens, sequence.shared_length, is_saved)

    def _acquire_prefix(self, sequence: Sequence) -> bool:
        """Use pages of the prefix cache. True if another request is just computing the next one."""
        before = sequence.computed_tokens
        sequence.computed_tokens, must_wait = self.pool.acquire_prefix(
            sequence.pages, sequence.sharable_tokens, before
        )
        if self._states is not None and sequence.computed_tokens > before:
            self.pool.restore_state(sequence.pages, sequence.slot)
        return must_wait

    def _choose_waiting(self) -> Sequence | None:
        """The next request to admit; None if the free slots are reserved for clients without a running one.

        It is the first waiting request of the client with the fewest running ones. Where several clients have
        the fewest, it is of the client whose last admission is the oldest.
        """
        running = Counter(sequence.client for sequence in self.running)
        clients = {sequence.client for sequence in self.waiting}
        self._last_admissions = {c: number for c, number in self._last_admissions.items() if c in clients}
        chosen = min(self.waiting, key=lambda s: (running[s.client], self._last_admissions.get(s.client, 0)))
        free_slots = self.limits.max_concurrency - len(self.running)
        is_reserved = bool(chosen.client) and free_slots <= self.limits.max_concurrency // RESERVED_DIVISOR
        return None if is_reserved and running[chosen.client] else chosen

    def _admit(self, sequence: Sequence, budget: int) -> bool:
        """Start a waiting request. False if there are too few pages for its first chunk."""
        sequence.slot = self._free_slots.pop()
        root = sequence.cache_root
        sequence.pages = SequencePages(self._page_tables[:, sequence.slot], root, shared_root(root[2]))
        must_wait = self._acquire_prefix(sequence)
        end = min(sequence.computed_tokens + budget, len(sequence.tokens))
        if not must_wait and not self.pool.allocate(sequence.pages, end):
            self._release(sequence)
            self._is_out_of_pages = True
            return False
        del self.waiting[sequence]
        self.running.append(sequence)
        self._admissions += 1
        self._last_admissions[sequence.client] = self._admissions
        return True

    def _allocate_or_preempt(self, sequence: Sequence, length: int, work: dict[Sequence, WorkItem]) -> bool:
        """Allocate pages for a running request, and preempt the youngest requests while there are too few.

        False if the request itself was preempted.
        """
        while not self.pool.allocate(sequence.pages, length):
            youngest = self.running.pop()
            work.pop(youngest, None)
            self._release(youngest)
            self.waiting[youngest] = None
            self.waiting.move_to_end(youngest, last=False)
            self.preemptions += 1
            self._is_out_of_pages = True
            if youngest is sequence:
                return False
        return True

    def _release(self, sequence: Sequence) -> None:
        self.pool.release(sequence.pages, sequence.tokens, sequence.computed_tokens)
        self._free_slots.append(sequence.slot)
        sequence.computed_tokens = 0
