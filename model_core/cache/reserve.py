"""Reserves the memory of the KV cache and of recurrent states."""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..errors import NoMemory
from .memory import KVCache, KVGroup
from .states import StateCache, state_offsets

LOGGER = logging.getLogger(__name__)
MAX_SNAPSHOTS = 64  # copies of recurrent states in the prefix cache
MAX_DRAFTS = 16  # states after drafted tokens in one step


@dataclass(frozen=True)
class Limits:
    """The limits of the engine.

    Attributes:
        max_context: positions one request may have, prompt and answer together.
        max_concurrency: requests computed together.
        max_queue: requests that may wait beyond those.
        kv_cache_memory: bytes of KV memory for all requests together.
        step_time_s: seconds that a step with answers and prompts aims at.
    """

    max_context: int
    max_concurrency: int
    max_queue: int
    kv_cache_memory: int
    step_time_s: float = math.inf


def create_kv_cache(
    groups: Sequence[KVGroup], memory: int, dtype: str, states: StateCache | None = None
) -> KVCache:
    """A KV cache of `memory` bytes, those of its states included. Raises NoMemory."""
    page_memory = memory if states is None else memory - states.memory.nbytes
    try:
        return KVCache(groups, page_memory // KVCache.bytes_per_page(groups, dtype), dtype, states)
    except (OSError, ValueError, OverflowError) as error:  # too much, or too large a number
        raise NoMemory(
            f"the machine has no {memory / 2**30:.3g} GiB for the KV cache; "
            "start with a smaller --kv-cache-memory."
        ) from error


def create_states(
    shapes: Sequence[tuple[int, ...]], limits: Limits, has_drafts: bool = False
) -> tuple[Limits, StateCache | None]:
    """The slots for the recurrent states of a model, None if it has none, and the limits that fit them.

    Slots, with those of drafts if there are some, take at most half of the KV memory. If there are more
    requests than that, fewer run together. What is left of the half is for the copies of the prefix cache.
    Raises NoMemory.
    """
    if not shapes:
        return limits, None
    slot_bytes = state_offsets(shapes)[1]
    room = limits.kv_cache_memory // 2 // slot_bytes
    drafts = min(MAX_DRAFTS, room // 4) if has_drafts else 0
    slots = min(limits.max_concurrency, room - drafts)
    if not slots:
        raise NoMemory(
            f"a sequence has {slot_bytes / 2**20:.3g} MiB of recurrent state, which takes more than half of "
            "the KV memory; start with a larger --kv-cache-memory."
        )
    if slots < limits.max_concurrency:
        LOGGER.warning(
            "Only %d requests are computed together, not %d: each has %.3g MiB of recurrent state. A larger "
            "--kv-cache-memory has room for more.",
            slots,
            limits.max_concurrency,
            slot_bytes / 2**20,
        )
    try:
        snapshots = min(MAX_SNAPSHOTS, room - slots - drafts)
        return replace(limits, max_concurrency=slots), StateCache(shapes, slots, snapshots, drafts)
    except (OSError, ValueError, OverflowError) as error:
        raise NoMemory(
            f"the machine has no {slots * slot_bytes / 2**30:.3g} GiB for recurrent states; start with a "
            "smaller --kv-cache-memory or --max-concurrency."
        ) from error
