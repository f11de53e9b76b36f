"""The adapters that are loaded, by name, and the slots that the kernels know them by."""

import itertools
import threading
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidRequest, ModelUnavailable
from ..kernels.products.adapters import FACTORS
from .packing import AdaptedTensor, PackedAdapter

NO_SLOT = -1


@dataclass(eq=False)
class LoadedAdapter:
    """An adapter in memory.

    Attributes:
        number: no other adapter has or had it, so that the prefix cache tells adapters of one name apart.
        slot: its row in the factors that kernels read.
        users: unfinished requests.
        is_dropped: no new request may use it.
    """

    name: str
    number: int
    slot: int
    packed: PackedAdapter
    users: int = 0
    is_dropped: bool = False


class AdapterTable:
    """The adapters of a model. Its methods may be called from any thread.

    A dropped adapter stays in memory until its last request has ended.
    """

    def __init__(self, tensors: list[AdaptedTensor]) -> None:
        """`tensors`: those of the model that adapters can change."""
        self.tensors = tensors
        self.factors = np.zeros((1, len(tensors)), FACTORS)  # [slots, tensors]
        self._by_slot: list[LoadedAdapter | None] = [None]
        self._by_name: dict[str, LoadedAdapter] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    @property
    def names(self) -> list[str]:
        """The names that requests may give, in the order in which they were loaded."""
        with self._lock:
            return list(self._by_name)

    @property
    def slots_used(self) -> int:
        """How many adapters are in memory, those that were dropped and still have requests among them."""
        with self._lock:
            return sum(loaded is not None for loaded in self._by_slot)

    def load(self, name: str, packed: PackedAdapter) -> None:
        """Add an adapter. Raises InvalidRequest if the name is taken."""
        with self._lock:
            if name in self._by_name:
                raise InvalidRequest(f"an adapter with the name {name!r} is loaded already.")
            if None not in self._by_slot:
                self._by_slot.append(None)
                self.factors = np.concatenate([self.factors, np.zeros_like(self.factors[:1])])
            slot = self._by_slot.index(None)
            self.factors[slot] = packed.factors
            loaded = LoadedAdapter(name, next(self._numbers), slot, packed)
            self._by_slot[slot] = self._by_name[name] = loaded

    def drop(self, name: str) -> None:
        """Let no new request use an adapter. Raises InvalidRequest if there is none of this name."""
        with self._lock:
            loaded = self._find(name)
            del self._by_name[name]
            loaded.is_dropped = True
            self._free_unused(loaded)

    def acquire(self, name: str | None, digest: str | None = None) -> LoadedAdapter | None:
        """The adapter for a new request, None for None.

        `digest`: of the one that it should be. Raises InvalidRequest for an unknown name, and
        ModelUnavailable if the name is another one's by now.
        """
        if name is None:
            return None
        with self._lock:
            loaded = self._find(name)
            if digest is not None and loaded.packed.digest != digest:
                raise ModelUnavailable(f"the adapter {name!r} was replaced just now; ask again.", "adapter")
            loaded.users += 1
            return loaded

    def release(self, loaded: LoadedAdapter | None) -> None:
        """A request that has used the adapter, None for none, has ended."""
        if loaded is None:
            return
        with self._lock:
            loaded.users -= 1
            self._free_unused(loaded)

    def at(self, slot: int) -> PackedAdapter:
        """The adapter in a slot that a request uses."""
        loaded = self._by_slot[slot]
        assert loaded is not None
        return loaded.packed

    def packed(self, name: str) -> PackedAdapter:
        """The adapter of a name. Raises InvalidRequest for an unknown one."""
        with self._lock:
            return self._find(name).packed

    def _find(self, name: str) -> LoadedAdapter:
        if name not in self._by_name:
            known = ", ".join(self._by_name) or "none"
            raise InvalidRequest(f"there is no adapter {name!r}; loaded are: {known}.", "adapter")
        return self._by_name[name]

    def _free_unused(self, loaded: LoadedAdapter) -> None:
        if loaded.is_dropped and not loaded.users:
            self._by_slot[loaded.slot] = None


def find_runs(slots: np.ndarray) -> np.ndarray:
    """Divide rows with these slots into runs of the same one: int32 [runs, RUN_FIELDS], as kernels do."""
    starts = np.flatnonzero(np.diff(slots, prepend=-2))
    counts = np.diff(starts, append=len(slots))
    return np.stack([starts, counts, slots[starts]], axis=1).astype(np.int32)
