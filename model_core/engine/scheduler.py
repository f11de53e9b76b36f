"""Which requests run, and what each does in the next step (iteration-level scheduling, as in Orca).

Orca: Yu et al., 2022, usenix.org/conference/osdi22/presentation/yu.
"""

import itertools
import math
import sys
import time
from collections.abc import Iterable, Mapping
from operator import attrgetter
from types import MappingProxyType

import numpy as np

from ..cache.memory import PAGE, KVCache
from ..cache.page_check import check_pages
from ..cache.page_pool import PagePool
from ..cache.page_tree import SequencePages, shared_root
from ..cache.reserve import Limits
from ..cache.states import next_snapshot_position
from ..errors import NoMemory, QueueFull
from ..model.batch import STEP_TOKENS, Batch, BatchBuilder
from ..sampling.prompt_logprobs import StepScores
from .pixel_memory import PixelMemory
from .sequence import Sequence
from .step_pace import StepPace
from .waiting import WaitingRequests
from .work import WorkItem

NO_DRAFTS: Mapping[Sequence, list[int]] = MappingProxyType({})
# One slot of this many is reserved for clients that have no running request, so that they start at once. The
# rule does not apply to requests that name no client.
RESERVED_DIVISOR = 8


class Scheduler:
    """Decides which requests run and what each step computes. Not thread-safe: the engine holds its lock.

    `running` is in the order of admission. The next request of `waiting` is chosen as waiting.py describes.
    """

    def __init__(self, cache: KVCache, limits: Limits) -> None:
        self.limits = limits
        self._states = cache.states
        self.pool = PagePool(cache)
        self.pace = StepPace(limits.step_time_s)
        self.waiting = WaitingRequests()
        self.running: list[Sequence] = []
        self._pixels = PixelMemory()
        self.prefix_hits_tokens = self.preemptions = 0
        self._page_bytes = cache.page_bytes
        # A running request has a slot: a row for each group of KV layers, which lists its pages.
        shape = (self.pool.groups, limits.max_concurrency, -(-limits.max_context // PAGE))
        self._page_tables: np.ndarray = np.zeros(shape, np.int32)
        self._free_slots = list(range(limits.max_concurrency))
        # By slots: the work of a sequence that computes one token, which is used again for each step.
        self._answer_items: list[WorkItem | None] = [None] * limits.max_concurrency
        self._cancelled: set[Sequence] = set()
        self._earliest_deadline = math.inf  # of all requests
        self._is_out_of_pages = False  # until a request leaves

    @property
    def kv_bytes_used(self) -> int:
        """Bytes of KV memory that running requests hold, with their states."""
        slots = 0 if self._states is None else len(self.running) * self._states.slot_bytes
        return self.pool.used_pages * self._page_bytes + slots

    @property
    def max_drafts(self) -> int:
        """Drafts that the next step has room for; more of them would delay prompts."""
        room = STEP_TOKENS // 2 - len(self.running)
        return room if self._states is None else min(room, len(self._states.draft_slots))

    def check_room(self, sequence: Sequence) -> None:
        """Raises QueueFull, or NoMemory if a request would not fit into an empty server."""
        most_uncut = 0 if sequence.images is None else sequence.images.most_uncut
        needed = self.pool.max_pages(sequence.max_positions, max(STEP_TOKENS, most_uncut))
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
        self._pixels.check(sequence.job.images)

    def add(self, sequence: Sequence) -> None:
        """Queue a request, for which there is room."""
        self.waiting.add(sequence, needs_encoding=self._needs_encoding(sequence))
        self._pixels.add(sequence, sequence.job.images)
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

    def find_failed(self) -> list[tuple[Sequence, BaseException]]:
        """The requests with an image that cannot be encoded, and why."""
        images = ((sequence, sequence.images) for sequence in (*self.running, *self.waiting.asked))
        return [
            (sequence, own.error) for sequence, own in images if own is not None and own.error is not None
        ]

    def schedule(self, drafts: Mapping[Sequence, list[int]] = NO_DRAFTS) -> list[WorkItem]:
        """What the next step computes: a token of each answer with its `drafts`, and chunks of prompts."""
        work: dict[Sequence, WorkItem] = {}
        draft_rows = 0
        for sequence in self.running:
            end = len(sequence.tokens)
            if end - sequence.computed_tokens > 1 or (sequence.images and sequence.shows_image):
                continue
            if end > sequence.pages.count * PAGE and not self._allocate_or_preempt(sequence, end, work):
                continue
            item = self._answer_items[sequence.slot]
            if item is None:
                item = self._answer_items[sequence.slot] = WorkItem(sequence, 0, int(sequence.wants_answer))
            work[sequence], item.end = item, end
            # No request is preempted to have pages for drafts.
            own = drafts.get(sequence) if drafts else None
            if own and self._states is not None:
                own = own[: self._next_snapshot(sequence) - end]  # where a state is copied, a step ends
            if own and self.pool.allocate(sequence.pages, end + len(own)):
                work[sequence] = WorkItem(sequence, end, item.logit_count + len(own), own)
                draft_rows += len(own)
        least, most = max(1, STEP_TOKENS // 8), STEP_TOKENS - len(work) - draft_rows
        budget = self.pace.limit_tokens(least, most) if work else STEP_TOKENS  # nobody waits for a token
        for sequence in self.running if len(work) < len(self.running) else ():
            if (sequence.uncomputed_tokens > 1 or sequence not in work) and budget > 0:
                budget -= self._schedule_chunk(sequence, budget, work)
        while self.waiting and budget > 0 and not self._is_out_of_pages:
            if len(self.running) == self.limits.max_concurrency:
                break
            chosen = self._choose_waiting()
            if chosen is None or not self._admit(chosen, budget):
                break
            budget -= self._schedule_chunk(chosen, budget, work)
        items = list(work.values())
        if any(sequence.adapter is not None for sequence in work):
            items.sort(key=lambda item: item.sequence.adapter_slot)  # rows of one adapter together
        return items

    def build_batch(self, work: list[WorkItem]) -> Batch:
        """The work of a step in the form that the model computes."""
        singles = [item.sequence for item in itertools.takewhile(attrgetter("is_single"), work)]
        builder = BatchBuilder([s.tokens[-1] for s in singles], [s.computed_tokens for s in singles])
        scores = StepScores()
        for item in work[len(singles) :]:
            sequence, first = item.sequence, item.sequence.computed_tokens
            tokens, end = [*sequence.tokens[first : item.end], *item.drafts], item.end + len(item.drafts)
            if sequence.prompt_scores is not None:
                scored = sequence.prompt_scores.scored_positions(first, item.end)
                row = len(builder.tokens) + scored.start - first
                scores.want(sequence.prompt_scores, scored, row)
            builder.add(tokens, first, range(end - item.logit_count, end))
        for number, item in enumerate(work):
            if item.sequence.images is not None:
                first, end = item.sequence.computed_tokens, item.end + len(item.drafts)
                builder.sights[number] = item.sequence.images.sight(first, end)
        sequences = [item.sequence for item in work]
        slots = np.array([sequence.slot for sequence in sequences], np.int32)
        tables = self._page_tables[:, :, : max(sequence.pages.count for sequence in sequences)]
        adapters = None
        if any(sequence.adapter is not None for sequence in sequences):
            adapters = np.array([sequence.adapter_slot for sequence in sequences], np.int32)
        rest = (None, scores, self._assign_draft_slots(work))
        return builder.build(tables.take(slots, axis=1), slots, adapters, *rest)

    def commit(self, work: list[WorkItem]) -> int:
        """Record that the work of a step is computed, its drafts excepted. Returns its tokens of prompts."""
        has_states, prompt_tokens = self._states is not None, 0
        for item in work:
            sequence, end = item.sequence, item.end
            pages, is_snapshot_due = sequence.pages, has_states and end == self._next_snapshot(sequence)
            if item.is_prompt_chunk:
                prompt_tokens += end - sequence.computed_tokens
                self.pool.insert(pages, sequence.keys, end)
                if end == len(sequence.tokens):
                    self.pool.insert_tail(pages, sequence.keys, end)
            elif end >= PAGE * len(pages.nodes) + PAGE:
                self.pool.insert(pages, sequence.keys, end)
            sequence.computed_tokens = end
            if sequence.images is not None and item.is_prompt_chunk:
                sequence.images.release(end)
            if is_snapshot_due:
                self.pool.save_state(pages, sequence.slot, end)
        return prompt_tokens

    def accept_drafts(self, item: WorkItem, count: int) -> None:
        """Record that the first drafts of an item are right, and are computed. The tokens have them."""
        sequence, end = item.sequence, item.end + count
        is_snapshot_due = self._states is not None and end == self._next_snapshot(sequence)
        sequence.computed_tokens = end
        if self._states is not None:
            self._states.accept(sequence.slot, item.draft_slots[count - 1])
        if is_snapshot_due:
            self.pool.insert(sequence.pages, sequence.keys, end)
            self.pool.save_state(sequence.pages, sequence.slot, end)

    def remove(self, sequence: Sequence) -> None:
        """Remove a request, running or waiting. Does nothing if it is neither."""
        self._cancelled.discard(sequence)
        self.waiting.remove(sequence)
        self._pixels.remove(sequence)
        if sequence.images is not None:
            sequence.images.release()
        if sequence in self.running:
            self.running.remove(sequence)
            self.waiting.release(sequence)
            self._release(sequence)
        self._is_out_of_pages = False

    def check(self, held: Iterable[SequencePages] = ()) -> None:
        """Raise AssertionError unless each page and each slot is free, cached or used, and once only.

        No request may be left that was cancelled. `held`: the pages of others than running requests and pins.
        """
        if self._cancelled:
            raise AssertionError(f"{len(self._cancelled)} cancelled requests are left.")
        check_pages(self.pool, [*held, *(sequence.pages for sequence in self.running)])
        slots = sorted([*self._free_slots, *(sequence.slot for sequence in self.running)])
        if slots != list(range(self.limits.max_concurrency)):
            raise AssertionError(f"the slots that are free or used are {slots}.")

    def _schedule_chunk(self, sequence: Sequence, budget: int, work: dict[Sequence, WorkItem]) -> int:
        """Schedule the next chunk of a prompt. Returns its length, 0 if it has to wait for pages."""
        must_wait = self._acquire_prefix(sequence)
        end = min(sequence.computed_tokens + budget, len(sequence.tokens), self._next_snapshot(sequence))
        if sequence.images is not None and not must_wait:
            end = sequence.images.find_end(sequence.computed_tokens, end)
            must_wait = end == sequence.computed_tokens
        if must_wait or not self._allocate_or_preempt(sequence, end, work):
            return 0
        if sequence.admission_time is None:
            sequence.admission_time, sequence.cached_tokens = time.monotonic(), sequence.computed_tokens
            self.prefix_hits_tokens += sequence.cached_tokens
        self.pool.insert_pending(sequence.pages, sequence.keys, end)
        logit_count = int(sequence.wants_answer and end == len(sequence.tokens))
        work[sequence] = WorkItem(sequence, end, logit_count, is_prompt_chunk=True)
        return end - sequence.computed_tokens

    def _assign_draft_slots(self, work: list[WorkItem]) -> np.ndarray | None:
        """Give each draft a slot for the state after it. Returns Batch.state_slots."""
        if self._states is None or not any(item.drafts for item in work):
            return None
        slots, free = list[int](), self._states.draft_slots
        for item in work:
            count = len(item.drafts)
            item.draft_slots, free = free[:count], free[count:]
            slots += [item.sequence.slot] * (item.end - item.sequence.computed_tokens) + list(
                item.draft_slots
            )
        return np.array(slots, np.int32)

    def _next_snapshot(self, sequence: Sequence) -> int:
        """After how many tokens the prefix cache copies a sequence's state next; never without states."""
        if self._states is None:
            return sys.maxsize
        is_saved = sequence.job.is_shared  # then there is one however short it is
        return next_snapshot_position(sequence.computed_tokens, sequence.shared_length, is_saved)

    def _acquire_prefix(self, sequence: Sequence) -> bool:
        """Use pages of the prefix cache. True if another request is just computing the next one."""
        before = sequence.computed_tokens
        sequence.computed_tokens, must_wait = self.pool.acquire_prefix(
            sequence.pages, sequence.sharable_keys, before
        )
        if self._states is not None and sequence.computed_tokens > before:
            self.pool.restore_state(sequence.pages, sequence.slot)
        return must_wait

    def _choose_waiting(self) -> Sequence | None:
        """The next to admit; None if all wait for images, which they do without a slot, or if the free slots
        are reserved for clients without a running request."""
        chosen = self.waiting.first(self._are_encoded)
        if chosen is None:
            return None
        client, free_slots = chosen.job.client, self.limits.max_concurrency - len(self.running)
        is_reserved = bool(client) and free_slots <= self.limits.max_concurrency // RESERVED_DIVISOR
        return None if is_reserved and self.waiting.running[client] else chosen

    def _needs_encoding(self, sequence: Sequence) -> bool:
        """Whether a request that starts now has rows of images to compute, which the prefix cache lacks."""
        return sequence.images is not None and self._cached_length(sequence) < sequence.images.end

    def _are_encoded(self, sequence: Sequence) -> bool:
        images = sequence.images
        return images is None or images.may_begin(self._cached_length(sequence))

    def _cached_length(self, sequence: Sequence) -> int:
        """How many of its first tokens the prefix cache has in whole pages."""
        root = sequence.cache_root
        pages = SequencePages(self._page_tables[:, 0], root, shared_root(root[2]))  # reads no table
        return self.pool.cached_length(pages, sequence.sharable_keys)

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
        self.waiting.admit(sequence)
        self.running.append(sequence)
        return True

    def _allocate_or_preempt(self, sequence: Sequence, length: int, work: dict[Sequence, WorkItem]) -> bool:
        """Allocate pages for a running request, and preempt the youngest requests while there are too few.

        False if the request itself was preempted.
        """
        while not self.pool.allocate(sequence.pages, length):
            youngest = self.running.pop()
            work.pop(youngest, None)
            self._release(youngest)
            self.waiting.release(youngest)
            self.waiting.add(youngest, is_preempted=True, needs_encoding=self._needs_encoding(youngest))
            self.preemptions += 1
            self._is_out_of_pages = bool(self.running)
            if youngest is sequence:
                return False
        return True

    def _release(self, sequence: Sequence) -> None:
        self.pool.release(sequence.pages, sequence.keys, sequence.computed_tokens)
        self._free_slots.append(sequence.slot)
        self._answer_items[sequence.slot], sequence.computed_tokens = None, 0
