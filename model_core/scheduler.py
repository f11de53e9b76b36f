"""Which requests run, and what each does in the next step (iteration-level scheduling, as in Orca)."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from .config import ModelConfig
from .errors import NoMemory, QueueFull
from .request import Sequence

# Prompts are computed in chunks of this many tokens, counted from the prompt's own beginning, so that
# a long one neither holds up the others nor depends on them.
PREFILL_CHUNK = 256


@dataclass(frozen=True)
class Limits:
    """What the server can carry.

    Attributes:
        max_context: positions one request may have, prompt and answer together.
        max_concurrency: requests computed together.
        max_queue: requests waiting beyond those.
        kv_cache_memory: bytes of KV memory for all running requests together.
    """

    max_context: int
    max_concurrency: int
    max_queue: int
    kv_cache_memory: int


@dataclass(frozen=True)
class Step:
    """One step of the engine: prompts that go on by a chunk, and answers that go on by a token."""

    prefill: list[Sequence]
    decode: list[Sequence]


class Scheduler:
    """First come, first served, within the limits. Not thread-safe: the engine holds its lock."""

    def __init__(self, config: ModelConfig, limits: Limits) -> None:
        self.limits = limits
        self.waiting: deque[Sequence] = deque()
        self.running: list[Sequence] = []
        self._config = config
        self._kv_positions = limits.kv_cache_memory // config.kv_bytes_per_token

    @property
    def kv_bytes_used(self) -> int:
        """Bytes of KV memory that running requests have reserved."""
        return sum(self._bytes(s) for s in self.running)

    def add(self, sequence: Sequence) -> None:
        """Queue a request. Raises QueueFull, or NoMemory if it would not fit into an empty server."""
        if sequence.capacity > self._kv_positions:
            raise NoMemory(
                f"the request may need {self._bytes(sequence) / 2**20:.0f} MiB of KV memory; the server has "
                f"{self.limits.kv_cache_memory / 2**20:.0f} MiB; ask for fewer tokens (max_tokens) "
                "or start it with a larger --kv-cache-memory."
            )
        if len(self.waiting) >= self.limits.max_queue and not self._fits(sequence):
            raise QueueFull(
                f"the server is full: {len(self.running)} requests run and {len(self.waiting)} wait "
                "(--max-concurrency, --max-queue); try again in a moment."
            )
        self.waiting.append(sequence)
        self.admit()

    def admit(self) -> None:
        """Move waiting requests to the running ones, in order, while there is room."""
        while self.waiting and self._fits(self.waiting[0]):
            sequence = self.waiting[0]
            try:
                sequence.reserve(self._config)
            except MemoryError:
                sequence.refused = NoMemory(
                    f"the machine has no {self._bytes(sequence) / 2**20:.0f} MiB left for the request's KV "
                    "memory; start the server with a smaller --kv-cache-memory, which makes requests wait."
                )
                return
            self.running.append(self.waiting.popleft())

    def plan(self) -> Step:
        """What to compute next: a token for each answer, and prompts up to about one chunk."""
        prefill, budget = [], PREFILL_CHUNK
        for sequence in self.running:
            if sequence.prefilling and budget > 0:
                prefill.append(sequence)
                budget -= len(next_chunk(sequence))
        return Step(prefill, [s for s in self.running if not s.prefilling])

    def remove(self, finished: Callable[[Sequence], bool]) -> list[Sequence]:
        """Take out every request, running or waiting, for which `finished` holds."""
        taken = [s for s in (*self.running, *self.waiting) if finished(s)]
        gone = set(map(id, taken))
        self.running = [s for s in self.running if id(s) not in gone]
        self.waiting = deque(s for s in self.waiting if id(s) not in gone)
        return taken

    def _bytes(self, sequence: Sequence) -> int:
        return sequence.capacity * self._config.kv_bytes_per_token

    def _fits(self, sequence: Sequence) -> bool:
        used = sum(s.capacity for s in self.running)
        return (
            len(self.running) < self.limits.max_concurrency and used + sequence.capacity <= self._kv_positions
        )


def next_chunk(sequence: Sequence) -> list[int]:
    """The tokens of the prompt that are computed next."""
    assert sequence.cache is not None
    start = sequence.cache.length
    return sequence.prompt[start : start + PREFILL_CHUNK]
