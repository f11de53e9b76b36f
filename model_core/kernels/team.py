"""A team of threads that run one kernel together, and divide its work between barriers.

Python wakes the threads once for each step. Within the step they wait for each other in compiled code, which
takes a microsecond; waking a thread takes fifty. Threads claim items of work while they run, so a thread that
the system delays does not delay the others. The result of an item does not depend on the thread.
"""

import os
import queue
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core.dispatcher import Dispatcher
from numba.extending import intrinsic

from ..machine.fair_lock import Turns
from ..machine.processors import choose_processors
from . import emit
from .inner import inner

# Offsets in the shared memory of a team, in bytes. Each number has a cache line of its own.
_ARRIVED, _GENERATION, _NEXT, _THREADS, _SIZE = 0, 64, 128, 192, 256
_SPINS = 4000  # about ten microseconds; then the thread yields its core
_MANY = 4  # items for each thread, from which on threads claim their next item early

_n = types.intp


@intrinsic
def _atomic_add(typing_context, address, value):
    """Add to a number that other threads change too. Returns its previous value."""

    def code(b: ir.IRBuilder, address: ir.Value, value: ir.Value) -> ir.Value:
        return b.atomic_rmw("add", emit.pointer(b, address, emit.I64), value, "seq_cst")

    return emit.typed(types.int64, (_n, types.int64), code)


@intrinsic
def _atomic_load(typing_context, address):
    """A number that other threads write. What they wrote before it can be read then."""
    return emit.typed(
        types.int64,
        (_n,),
        lambda b, a: b.load_atomic(emit.pointer(b, a, emit.I64), ordering="acquire", align=8),
    )


@intrinsic
def _atomic_store(typing_context, address, value):
    """Write a number that other threads read, after everything that this thread wrote before."""

    def code(b: ir.IRBuilder, address: ir.Value, value: ir.Value) -> None:
        b.store_atomic(value, emit.pointer(b, address, emit.I64), ordering="release", align=8)

    return emit.typed(types.void, (_n, types.int64), code)


@intrinsic
def _pause(typing_context, yields):
    """Wait for a moment. With `yields`, another thread may use the core."""

    def code(b: ir.IRBuilder, yields: ir.Value) -> None:
        with b.if_else(yields) as (yes, no):
            with yes:
                kind = ir.FunctionType(ir.IntType(32), [])
                b.call(_declare(b.module, kind, "sched_yield"), [])
            with no:
                if emit.INSTRUCTION_SET != "generic":
                    b.call(_declare(b.module, ir.FunctionType(ir.VoidType(), []), "llvm.x86.sse2.pause"), [])

    return emit.typed(types.void, (types.boolean,), code)


def _declare(module: ir.Module, kind: ir.FunctionType, name: str) -> ir.Function:
    return module.globals.get(name) or ir.Function(module, kind, name)


@inner
def claim(team: int) -> int:
    """The index of the next item of work that no thread has claimed since the last barrier: 0, 1, 2, ..."""
    return _atomic_add(team + _NEXT, 1)


@inner
def claim_ahead(team: int, items: int) -> int:
    """Claim the item after the present one, of `items` in all, so that a thread can prefetch what it needs.

    -1 if there are few items for each thread: it would keep one that an idle thread could compute.
    """
    return claim(team) if items >= _MANY * _atomic_load(team + _THREADS) else -1


@inner
def barrier(team: int, threads: int) -> None:
    """Wait for all threads. Then all can read what any of them wrote, and items count from 0 again."""
    if threads == 1:
        _atomic_store(team + _NEXT, 0)
        return
    generation = _atomic_load(team + _GENERATION)
    if _atomic_add(team + _ARRIVED, 1) == threads - 1:
        _atomic_store(team + _ARRIVED, 0)
        _atomic_store(team + _NEXT, 0)
        _atomic_store(team + _GENERATION, generation + 1)
        return
    spins = 0
    while _atomic_load(team + _GENERATION) == generation:
        spins += 1
        _pause(spins > _SPINS)


@dataclass(slots=True, eq=False)
class _Call:
    """One call of `Team.run`, for its helper threads."""

    kernel: Callable[..., None]
    args: tuple[Any, ...]
    has_ended: bool = False  # in the first thread
    errors: list[BaseException] = field(default_factory=list)  # of the other threads


_turns = Turns()  # of pinned teams, which have the same processors


class Team:
    """`threads` threads: the caller and its helpers. `close` ends the helpers.

    One call of `run` at a time. Its kernel must pass a barrier at its end.

    Each thread is pinned to a processor of its own during a call (machine/processors.py), unless there are
    more threads than processors, or it is not known who else pins threads. Pinned teams take turns.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._memory = np.zeros(_SIZE // 8 + 8, np.int64)
        self.address = -(-self._memory.ctypes.data // 64) * 64
        first = (self.address - self._memory.ctypes.data) // 8
        self._shared = self._memory[first : first + _SIZE // 8]
        self._shared[_THREADS // 8] = threads
        self._processors = choose_processors(threads) if threads > 1 else []
        self._calls: list[queue.SimpleQueue[_Call | None]] = [queue.SimpleQueue() for _ in range(threads - 1)]
        for thread in range(1, threads):
            args = (thread, {self._processors[thread]} if self._processors else set())
            threading.Thread(target=self._run_helper, args=args, name=f"kernel-{thread}", daemon=True).start()

    def run(self, kernel: Dispatcher, *args: Any) -> None:
        """Call `kernel(thread, threads, *args)` in every thread of the team, and wait for all of them.

        Raises what the kernel raises in any thread. Then its results are not valid, but the team is ready for
        the next call.
        """
        self.compile(kernel, *args)
        with _turns if self._processors else nullcontext():
            self._run(kernel, *args)

    def _run(self, kernel: Dispatcher, *args: Any) -> None:
        call, affinity = _Call(kernel, args), self._pin_caller()
        try:
            for calls in self._calls:
                calls.put(call)
            kernel(0, self.threads, *args)
            call.has_ended = True
            if call.errors:
                raise call.errors[0]
        except BaseException:
            call.has_ended = True
            self._recover()
            raise
        finally:
            if affinity:
                _pin(affinity)

    def compile(self, kernel: Dispatcher, *args: Any) -> None:
        """Compile a kernel that is not yet, before threads call it: one that fails must not fail in each."""
        if not kernel.overloads:
            kernel.compile(tuple(typeof(value) for value in (0, self.threads, *args)))

    def close(self) -> None:
        """End the threads."""
        for calls in self._calls:
            calls.put(None)

    def _pin_caller(self) -> set[int]:
        """Pin the caller to its processor. Returns its previous processors, or none if it was not pinned."""
        if not self._processors:
            return set()
        affinity = os.sched_getaffinity(0)
        if not _pin({self._processors[0]}):
            self._processors = []  # the system took this processor away from the process
            return set()
        return affinity

    def _run_helper(self, thread: int, processors: set[int]) -> None:
        """Run the calls of a helper thread. `processors`: where it is pinned; empty if it is not."""
        calls = self._calls[thread - 1]
        if processors:
            _pin(processors)
        while (call := calls.get()) is not None:
            try:
                call.kernel(thread, self.threads, *call.args)
            except BaseException as error:
                call.errors.append(error)
                while not call.has_ended:
                    self._open_barrier()
            del call  # its arguments must not live until the next call

    def _recover(self) -> None:
        """Wait until all threads have left a kernel that failed in one of them, and reset the barrier."""
        finished: queue.SimpleQueue[int] = queue.SimpleQueue()
        for calls in self._calls:
            calls.put(_Call(lambda thread, _: finished.put(thread), (), has_ended=True))
        while finished.qsize() < self.threads - 1:
            self._open_barrier()
        self._shared[: _THREADS // 8] = 0

    def _open_barrier(self) -> None:
        """Let the threads that wait in a barrier pass it, although not all are there."""
        self._shared[_GENERATION // 8] += 1
        time.sleep(1e-4)


def _pin(processors: set[int]) -> bool:
    """Let this thread run only on these processors. False if the system does not allow it."""
    try:
        os.sched_setaffinity(0, processors)
    except OSError:
        return False
    return True
