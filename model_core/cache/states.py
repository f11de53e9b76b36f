"""Recurrent state: what convolutions and linear attention keep of each sequence between steps.

Each running sequence has a slot, which holds the states of all its layers. The states of a sequence are zero
before its first token. They cannot be cut as keys and values can: they belong to one number of tokens. So the
prefix cache keeps copies of slots, at the ends of some pages (`next_snapshot_position`). A step writes the
state after each drafted token to a slot of its own, and the state after the last token that was right becomes
that of the sequence.
"""

from collections import OrderedDict
from collections.abc import Collection, Hashable, Sequence
from typing import Generic, TypeVar

import numpy as np

from ..errors import TritonchatError
from ..kernels.layout import PAGE, STATE_COLUMNS
from ..machine.memory import aligned_zeros, round_up

SNAPSHOT_INTERVAL = 256  # tokens
SHORT_PROMPT = 48  # tokens that are sooner computed than found


def state_offsets(shapes: Sequence[tuple[int, ...]]) -> tuple[list[int], int]:
    """Where each state begins in a slot, and how long a slot is, both in bytes.

    The states are float32. Their last axis is padded to STATE_COLUMNS.
    """
    sizes = [4 * int(np.prod(shape[:-1])) * round_up(shape[-1], STATE_COLUMNS) for shape in shapes]
    stops = np.cumsum([0, *sizes]).tolist()
    return stops[:-1], stops[-1]


def next_snapshot_position(computed: int, prompt_length: int, is_saved: bool = False) -> int:
    """After how many tokens, beyond those computed, the prefix cache copies a sequence's slot next.

    These are multiples of SNAPSHOT_INTERVAL, and the last end of a page within the prompt. A short prompt is
    computed in one step instead, unless it is going to be saved.
    """
    regular = (computed // SNAPSHOT_INTERVAL + 1) * SNAPSHOT_INTERVAL
    last = (prompt_length - 1) // PAGE * PAGE
    return last if max(computed, 0 if is_saved else SHORT_PROMPT) < last < regular else regular


class StateCache:
    """Slots of state. The system provides their memory when they are first written.

    Attributes:
        memory: float32 [slots, numbers]. The kernels set it to zero for the first token of a sequence.
        snapshot_slots: the slots of copies, which follow those of sequences.
        draft_slots: the slots of states after drafted tokens, which follow those of copies.
    """

    def __init__(
        self, shapes: Sequence[tuple[int, ...]], slots: int, snapshots: int = 0, drafts: int = 0
    ) -> None:
        """Reserve memory. Raises OSError, ValueError or OverflowError if it is too much."""
        count = slots + snapshots + drafts
        self.slot_bytes = state_offsets(shapes)[1]
        self.snapshot_slots = range(slots, slots + snapshots)
        self.draft_slots = range(slots + snapshots, count)
        self.memory = aligned_zeros((count, self.slot_bytes // 4), np.float32)
        self._rows = np.arange(count, dtype=np.int32)  # of the memory, by slots
        self._positions = np.zeros(count, np.int32)  # tokens that each slot has seen; -1: unknown

    def begin(self, slots: np.ndarray, positions: np.ndarray) -> None:
        """Begin a step that goes on from `positions`, int32 [sequences].

        Raises TritonchatError if a slot has seen another number of tokens, for example because a step failed.
        """
        if np.any((positions != 0) & (positions != self._positions[slots])):
            raise TritonchatError("the state of the sequence is lost, because a step failed; ask again.")
        self._positions[slots] = -1

    def finish(self, slots: np.ndarray, positions: np.ndarray) -> None:
        """End the step. `positions`: how many tokens each slot has seen now; of one that is named several
        times, the last counts.
        """
        self._positions[slots] = positions

    def rows(self, slots: np.ndarray) -> np.ndarray:
        """The rows of the memory that slots have: int32, as `slots`."""
        return self._rows[slots]

    def accept(self, slot: int, draft: int) -> None:
        """Let a sequence go on from the state of a draft slot, which gets the sequence's own."""
        pair, swapped = [slot, draft], [draft, slot]
        self._rows[pair], self._positions[pair] = self._rows[swapped], self._positions[swapped]

    def read(self, slot: int) -> np.ndarray:
        """A view of the states of a slot, float32 [numbers]."""
        view: np.ndarray = self.memory[self._rows[slot]]
        return view

    def copy(self, source: int, target: int) -> None:
        """Copy the states of one slot to another."""
        self.write(target, self.read(source), self._positions[source])

    def write(self, slot: int, state: np.ndarray, position: int) -> None:
        """Set the states of a slot, float32 [numbers], which has seen `position` tokens."""
        self.memory[self._rows[slot]] = state
        self._positions[slot] = position


Key = TypeVar("Key", bound=Hashable)


class Snapshots(Generic[Key]):
    """Copies of slots. Where there is no room, the least recently used one is evicted."""

    def __init__(self, states: StateCache) -> None:
        self._states, self._free = states, list(states.snapshot_slots)
        self._slots: OrderedDict[Key, int] = OrderedDict()  # the least recently used first

    def __contains__(self, key: Key) -> bool:
        return key in self._slots

    def save(self, key: Key, slot: int) -> Key | None:
        """Copy a slot, unless there is a copy for this key. Returns the key whose copy is evicted, if any."""
        is_new, (target, evicted) = key not in self._slots, self._reserve(key)
        if is_new and target is not None:
            self._states.copy(slot, target)
        return evicted

    def write(self, key: Key, state: np.ndarray, position: int) -> Key | None:
        """As `save`, for states that are in no slot: float32 [numbers], after `position` tokens."""
        target, evicted = self._reserve(key)
        if target is not None:
            self._states.write(target, state, position)
        return evicted

    def read(self, key: Key) -> np.ndarray:
        """A copy of the states for a key, float32 [numbers]."""
        self._slots.move_to_end(key)
        return self._states.read(self._slots[key]).copy()

    def restore(self, key: Key, slot: int) -> None:
        """Copy back to a slot."""
        self._states.copy(self._slots[key], slot)
        self._slots.move_to_end(key)

    def check(self, keys: Collection[Key]) -> None:
        """Raise AssertionError unless each copy is for one of the keys, and each slot is free or a copy's."""
        if strangers := self._slots.keys() - set(keys):
            raise AssertionError(f"{len(strangers)} copies of states belong to nothing.")
        if sorted([*self._free, *self._slots.values()]) != list(self._states.snapshot_slots):
            raise AssertionError(f"slots {self._free} are free, and {list(self._slots.values())} are used.")

    def _reserve(self, key: Key) -> tuple[int | None, Key | None]:
        """The slot for a key, None if there is no room at all; and the key whose copy is evicted, if any."""
        evicted = None
        if key not in self._slots:
            if not self._free and self._slots:
                evicted = next(iter(self._slots))
                self.drop(evicted)
            if not self._free:
                return None, None
            self._slots[key] = self._free.pop()
        self._slots.move_to_end(key)
        return self._slots[key], evicted

    def drop(self, key: Key) -> None:
        """Forget the copy for a key, if there is one."""
        if key in self._slots:
            self._free.append(self._slots.pop(key))
