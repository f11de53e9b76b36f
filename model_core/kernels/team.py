"""Threads that go through one kernel together, and share out its work between barriers.

Python starts the threads once a step; within the step they meet in compiled code, which takes a
microsecond where waking a thread would take fifty. Which thread does which piece is decided as they go, so
that a thread that the system holds up does not hold up the others. What a piece computes does not depend
on who does it.
"""

import os
import queue
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from . import emit

# Where in the shared memory of a team things stand, in bytes: a cache line each.
_ARRIVED, _GENERATION, _NEXT, _SIZE = 0, 64, 128, 192
_SPINS = 4000  # some ten microseconds, then others may have the core

_n = types.intp


@intrinsic
def _atomic_add(typing_context, address, value):
    """Add to a number that others change too; returns what it was."""

    def code(b: ir.IRBuilder, address: ir.Value, value: ir.Value) -> ir.Value:
        return b.atomic_rmw("add", emit.pointer(b, address, emit.I64), value, "seq_cst")

    return emit.typed(types.int64, (_n, types.int64), code)


@intrinsic
def _atomic_load(typing_context, address):
    """A number that others change, and everything they wrote before it."""
    return emit.typed(
        types.int64,
        (_n,),
        lambda b, a: b.load_atomic(emit.pointer(b, a, emit.I64), ordering="acquire", align=8),
    )


@intrinsic
def _atomic_store(typing_context, address, value):
    """Write a number that others read, after everything written before."""

    def code(b: ir.IRBuilder, address: ir.Value, value: ir.Value) -> None:
        b.store_atomic(value, emit.pointer(b, address, emit.I64), ordering="release", align=8)

    return emit.typed(types.void, (_n, types.int64), code)


@intrinsic
def _pause(typing_context, long):
    """Wait for a moment, or for longer: let another thread have the core."""

    def code(b: ir.IRBuilder, long: ir.Value) -> None:
        with b.if_else(long) as (yes, no):
            with yes:
                kind = ir.FunctionType(ir.IntType(32), [])
                b.call(_declared(b.module, kind, "sched_yield"), [])
            with no:
                if emit.INSTRUCTIONS != "generic":
                    b.call(_declared(b.module, ir.FunctionType(ir.VoidType(), []), "llvm.x86.sse2.pause"), [])

    return emit.typed(types.void, (types.boolean,), code)


def _declared(module: ir.Module, kind: ir.FunctionType, name: str) -> ir.Function:
    return module.globals.get(name) or ir.Function(module, kind, name)


@njit(nogil=True)
def claim(team: int) -> int:
    """The next piece of work that nobody has taken since the last barrier: 0, 1, 2, ..."""
    return _atomic_add(team + _NEXT, 1)


@njit(nogil=True)
def barrier(team: int, threads: int) -> None:
    """Wait until all threads are here; what they have written can then be read, and pieces count from 0."""
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


class Team:
    """`threads` threads, the caller being one of them. `close` ends the others.

    One call of `run` at a time. What it runs must pass a barrier at its end, and never raise.

    A team with a thread for each processor keeps each on its own while it computes: threads that wait for
    each other must not share one, and some systems put them together and leave them there.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._memory = np.zeros(_SIZE // 8 + 8, np.int64)
        self.address = -(-self._memory.ctypes.data // 64) * 64
        free = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
        self._places = sorted(free) if threads == len(free) > 1 else []
        self._calls: list[queue.SimpleQueue] = [queue.SimpleQueue() for _ in range(threads - 1)]
        for thread, calls in enumerate(self._calls, 1):
            place = {self._places[thread]} if self._places else None
            args = (thread, threads, calls, place)
            threading.Thread(target=_work, args=args, name=f"kernel-{thread}", daemon=True).start()

    def run(self, kernel: Callable[..., None], *args: Any) -> None:
        """Call `kernel(thread, threads, *args)` in every thread of the team; returns when all are through."""
        for calls in self._calls:
            calls.put((kernel, args))
        if self._places:
            before = os.sched_getaffinity(0)
            os.sched_setaffinity(0, self._places[:1])
        kernel(0, self.threads, *args)
        if self._places:
            os.sched_setaffinity(0, before)

    def close(self) -> None:
        """End the threads."""
        for calls in self._calls:
            calls.put(None)


def _work(thread: int, threads: int, calls: queue.SimpleQueue, place: set[int] | None) -> None:
    if place is not None:
        os.sched_setaffinity(0, place)
    while (call := calls.get()) is not None:
        kernel, args = call
        kernel(thread, threads, *args)
        del call, kernel, args  # what they hold must not live until the next call
