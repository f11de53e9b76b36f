"""A team of threads that run one kernel together, and divide its work between barriers.

Threads wait for calls in compiled code, without the interpreter's lock (calls.py), and in a call for each
other at barriers. They claim items of work while they run, so a thread that the system delays does not delay
the others. The result of an item does not depend on the thread.
"""

import os
import threading
import time
from contextlib import nullcontext
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numba import typeof
from numba.core.dispatcher import Dispatcher

from ..machine.fair_lock import Turns
from ..machine.processors import choose_processors
from . import calls
from .atomics import atomic_add, atomic_load, atomic_store, pause
from .inner import inner

# Offsets in the shared memory of a team, in bytes.
_ARRIVED, _GENERATION, _THREADS, _PARTS = calls.ARRIVED, calls.GENERATION, calls.THREADS, calls.PARTS
_NEXT, _THREAD_SIZE = calls.NEXT, calls.THREAD_SIZE
_SPINS = 4000  # some ten microseconds; then the thread yields its core
_MANY = 4  # items for each thread, from which on threads claim their next item early
# All weights are read for each part of the rows of a step, so a part has so many rows at least; but for the
# last, a multiple of _PART_STEP, so that blocks of rows and tiles are whole.
_PART_ROWS, _PART_STEP = 64, 16


@inner
def claim(team: int, part: int = 0) -> int:
    """The index of the next item of a part that no thread has claimed since the last barrier: 0, 1, 2, ...

    There is one part, unless the work was divided into several (`divide_rows`).
    """
    return atomic_add(team + _NEXT + part * _THREAD_SIZE, 1)


@inner
def claim_ahead(team: int, items: int, part: int = 0, parts: int = 1) -> int:
    """Claim the item after the present one, of `items` in all, so that a thread can prefetch what it needs.

    -1 if there are few items for each thread: it would keep one that an idle thread could compute.
    """
    return claim(team, part) if items * parts >= _MANY * atomic_load(team + _THREADS) else -1


@inner
def divide_rows(rows: int, threads: int) -> tuple[int, int]:
    """Into how many parts, at most `threads`, the rows of a step are divided; the rows of each but the last.

    Each thread begins with the part of `own_part` in products, attention and operations by row, so what it
    reads is in its caches, where it wrote it. Then it takes items of other parts. Mixtures of experts,
    products with adapters and recurrences divide their work in their own ways.
    """
    parts = max(1, min(threads, rows // _PART_ROWS))
    return parts, -(-rows // (parts * _PART_STEP)) * _PART_STEP


@inner
def own_part(thread: int, threads: int, parts: int) -> int:
    """The part of rows with which a thread begins."""
    return thread * parts // threads


@inner
def set_parts(team: int, thread: int, parts: int) -> None:
    """Announce into how many parts work is divided in this call, at most as many as threads."""
    if thread == 0:  # all arrive at a barrier, which reads it, after that
        atomic_store(team + _PARTS, parts)


@inner
def barrier(team: int, threads: int) -> None:
    """Wait for all threads. Then all can read what any of them wrote, and items count from 0 again."""
    if threads == 1:
        atomic_store(team + _NEXT, 0)
        return
    generation = atomic_load(team + _GENERATION)
    if atomic_add(team + _ARRIVED, 1) == threads - 1:
        atomic_store(team + _ARRIVED, 0)
        atomic_store(team + _NEXT, 0)
        for part in range(1, atomic_load(team + _PARTS)):
            atomic_store(team + _NEXT + part * _THREAD_SIZE, 0)
        atomic_store(team + _GENERATION, generation + 1)
        return
    spins = 0
    while atomic_load(team + _GENERATION) == generation:
        spins += 1
        pause(spins > _SPINS)


class _Code(NamedTuple):
    """A compiled kernel: the address of its code, and the hash of the types that it takes (calls.py)."""

    entry: int
    kind: int


_turns = Turns()  # of pinned teams, which have the same processors
_codes: WeakKeyDictionary[Dispatcher, _Code] = WeakKeyDictionary()


class Team:
    """`threads` threads: the caller and its helpers. `close` ends the helpers.

    One call of `run` at a time. Its kernel must pass a barrier at its end.

    Each thread is pinned to a processor of its own during a call (machine/processors.py), unless there are
    more threads than processors, or it is not known who else pins threads. Pinned teams take turns.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        size = calls.memory_size(threads)
        self._memory = np.zeros(size // 8 + 8, np.int64)
        self.address = -(-self._memory.ctypes.data // 64) * 64
        first = (self.address - self._memory.ctypes.data) // 8
        self._shared = self._memory[first : first + size // 8]
        self._processors = choose_processors(threads) if threads > 1 else []
        self._errors: list[BaseException] = []  # of helpers, in the present call
        self._is_closed = False
        self._start()

    def run(self, kernel: Dispatcher, *args: Any) -> None:
        """Call `kernel(thread, threads, *args)` in every thread of the team, and wait for all of them.

        Raises what the kernel raises in any thread. Then its results are not valid, but the team is ready for
        the next call.
        """
        if self.threads == 1:
            try:
                return kernel(0, 1, *args)
            except BaseException:
                self._shared[_NEXT // 8] = 0  # the next call begins anew
                raise
        self.compile(kernel, *args)
        with _turns if self._processors else nullcontext():
            self._run(kernel, *args)

    def _run(self, kernel: Dispatcher, *args: Any) -> None:
        if self._is_closed:
            raise RuntimeError("This team is closed.")
        if self._process != os.getpid():  # a fork has no threads but the one that forked
            self._start()
        affinity = self._pin_caller()
        try:
            if not calls.lead(self.address, self.threads, *_codes[kernel], *args):
                _codes[kernel] = _compile(kernel, args)
                calls.lead(self.address, self.threads, *_codes[kernel], *args)
            if self._errors:
                raise self._errors[0]
        finally:
            self._errors.clear()
            if affinity:
                _pin(affinity)

    def compile(self, kernel: Dispatcher, *args: Any) -> None:
        """Compile a kernel that is not yet, before threads call it: one that fails must not fail in each."""
        if kernel not in _codes:
            _codes[kernel] = _compile(kernel, args)

    def close(self) -> None:
        """End the threads."""
        if self.threads > 1 and not self._is_closed:
            self._is_closed = True
            calls.end_calls(self.address)

    def _start(self) -> None:
        """Start the helpers."""
        self._process = os.getpid()
        self._shared[:] = 0
        self._shared[_THREADS // 8] = self.threads
        for thread in range(1, self.threads):
            args = (thread, {self._processors[thread]} if self._processors else set())
            threading.Thread(target=self._help, args=args, name=f"kernel-{thread}", daemon=True).start()

    def _pin_caller(self) -> set[int]:
        """Pin the caller to its processor. Returns its previous processors, or none if it was not pinned."""
        if not self._processors:
            return set()
        affinity = os.sched_getaffinity(0)
        if not _pin({self._processors[0]}):
            self._processors = []  # the system took this processor away from the process
            return set()
        return affinity

    def _help(self, thread: int, processors: set[int]) -> None:
        """Run the calls of a helper thread. `processors`: where it is pinned; empty if it is not."""
        if processors:
            _pin(processors)
        spins = calls.SPINS if processors else 0  # without a processor of its own, it would be in others' way
        seen, ends = 0, False
        while not ends:
            try:
                calls.help_team(thread, self.threads, self.address, spins, seen)
                ends = True
            except BaseException as error:
                self._errors.append(error)
                seen = int(self._shared[calls.CALLS // 8]) & ~1
                while self._shared[calls.ENDED // 8] != seen:
                    self._open_barrier()
                self._shared[calls.returned_address(thread) // 8] = seen

    def _open_barrier(self) -> None:
        """Let the threads that wait in a barrier pass it, although not all are there."""
        self._shared[_GENERATION // 8] += 1
        time.sleep(1e-4)


def _compile(kernel: Dispatcher, args: tuple[Any, ...]) -> _Code:
    """The code of a kernel for arguments of these types."""
    argument_types = tuple(map(typeof, args))
    signature = (typeof(0), typeof(0), *argument_types)
    if signature not in kernel.overloads:
        kernel.compile(signature)
    compiled = kernel.overloads[signature]
    entry = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return _Code(entry, calls.hash_types(argument_types))


def _pin(processors: set[int]) -> bool:
    """Let this thread run only on these processors. False if the system does not allow it."""
    try:
        os.sched_setaffinity(0, processors)
    except OSError:
        return False
    return True
