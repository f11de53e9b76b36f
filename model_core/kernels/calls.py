"""Calls of a kernel in several threads, which wait for them in compiled code.

The first thread writes what it calls into memory, and makes it known by one addition, and one call of the
system if threads sleep, whatever their number. Helpers with processors of their own watch that number for
some microseconds, because the next call often follows at once, and sleep then. They never have the
interpreter's lock, unless a kernel fails.

Threads call a kernel by its address. An adapter between them, which is compiled with the function that Python
calls (`lead`), reads its arguments.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.callconv import RETCODE_NONE, RETCODE_OK
from numba.extending import intrinsic

from . import emit
from .atomics import atomic_add, atomic_load, atomic_store, pause, sleep_while, wake_all
from .compiler import njit
from .inner import inner

# Offsets in the shared memory of a team, in bytes. What is written during a call has a cache line of its own.
ARRIVED, GENERATION, THREADS, PARTS = 0, 64, 128, 136  # see team.py
CALLS = 192  # twice the number of calls, and one more if the team is closed
SLEEPERS = 256  # threads that sleep, or are about to
_ADAPTER, _ENTRY, _ARGUMENTS = 320, 328, 336  # of the present call
FAILED = 384  # threads in which the present call has failed
ENDED = 392  # CALLS of the last call that has ended in the first thread, if it failed in some thread
# For each thread: CALLS of the last call that has ended in it; numba's description of an exception; and the
# next item of a part (team.py), of which there are as many as threads.
RETURNED, _EXCEPTION, NEXT, THREAD_SIZE = 448, 456, 512, 128

SPINS = 400  # pauses before a helper sleeps: 20 microseconds on a Xeon of 2023, less on other processors

_SUCCESSES = RETCODE_OK.constant, RETCODE_NONE.constant  # what numba's functions return

_n = types.intp


def memory_size(threads: int) -> int:
    """The bytes that a team shares."""
    return RETURNED + threads * THREAD_SIZE


def returned_address(thread: int) -> int:
    """Bytes from the start of the shared memory to RETURNED of a thread."""
    return RETURNED + thread * THREAD_SIZE


def hash_types(argument_types: Sequence[types.Type]) -> int:
    """A number that tells argument types from others."""
    digest = hashlib.sha256("\n".join(map(str, argument_types)).encode()).digest()
    return int.from_bytes(digest[:8], "little", signed=True)


@intrinsic
def _hash_types(typing_context, args):
    """hash_types of a tuple, a constant."""
    value = hash_types(args.types)
    return types.int64(args), lambda context, b, signature, values: emit.I64(value)


@intrinsic
def _write_call(typing_context, team, entry, args):
    """Write a call into the memory of a team. Its arguments stay on the stack of the caller."""
    argument_types = (types.int64, types.int64, *args.types)

    def code(context: Any, b: ir.IRBuilder, signature: Any, values: Sequence[ir.Value]) -> ir.Value:
        team, entry, arguments = values
        block = cgutils.alloca_once_value(b, arguments)
        adapter = _make_adapter(context, b, argument_types, arguments.type)
        for offset, value in (
            (_ADAPTER, b.ptrtoint(adapter, emit.I64)),
            (_ENTRY, entry),
            (_ARGUMENTS, b.ptrtoint(block, emit.I64)),
        ):
            b.store(value, emit.pointer(b, b.add(team, emit.I64(offset)), emit.I64))
        return context.get_dummy_value()

    return types.void(_n, _n, args), code


def _adapter_type(context: Any) -> ir.FunctionType:
    """int32 code(thread, threads, entry, arguments, where to write the address of an exception)."""
    kernel = context.call_conv.get_function_type(types.none, ())
    return ir.FunctionType(kernel.return_type, [emit.I64] * 4 + [kernel.args[1]])


def _make_adapter(context: Any, b: ir.IRBuilder, argument_types: tuple, block: ir.Type) -> ir.Function:
    """A function that calls a kernel with what `_write_call` has written.

    Arrays lose what counts their references: threads would count in one place, and wait for each other. The
    first thread keeps them until the call has ended.
    """
    adapter = ir.Function(
        b.module, _adapter_type(context), b.module.get_unique_name(f"{b.function.name}.adapter")
    )
    adapter.linkage = "internal"
    inner_b = ir.IRBuilder(adapter.append_basic_block())
    thread, threads, entry, arguments, exception = adapter.args
    values = cgutils.unpack_tuple(inner_b, inner_b.load(inner_b.inttoptr(arguments, block.as_pointer())))
    values = [
        _without_owner(inner_b, value) if isinstance(kind, types.Array) else value
        for kind, value in zip(argument_types[2:], values, strict=True)
    ]
    kernel = context.call_conv.get_function_type(types.none, argument_types)
    result = cgutils.alloca_once(inner_b, kernel.args[0].pointee)
    passed = context.get_arg_packer(argument_types).as_arguments(inner_b, [thread, threads, *values])
    called = inner_b.inttoptr(entry, kernel.as_pointer())
    inner_b.ret(inner_b.call(called, [result, exception, *passed]))
    return adapter


def _without_owner(b: ir.IRBuilder, array: ir.Value) -> ir.Value:
    """An array that owns no memory, and no Python object (the first two fields of numba's arrays)."""
    for field in range(2):
        array = b.insert_value(array, ir.Constant(array.type.elements[field], None), field)
    return array


@intrinsic
def _run_call(typing_context, team, thread, threads):
    """Call the kernel of the present call in this thread. Returns numba's code: whether it has failed."""

    def code(context: Any, b: ir.IRBuilder, signature: Any, values: Sequence[ir.Value]) -> ir.Value:
        team, thread, threads = values
        kind = _adapter_type(context)
        adapter, entry, arguments = (
            b.load(emit.pointer(b, b.add(team, emit.I64(offset)), emit.I64))
            for offset in (_ADAPTER, _ENTRY, _ARGUMENTS)
        )
        exception = _exception_pointer(b, team, thread, kind.args[4])
        called = b.inttoptr(adapter, kind.as_pointer())
        return b.sext(b.call(called, [thread, threads, entry, arguments, exception]), emit.I64)

    return types.int64(_n, types.int64, types.int64), code


@intrinsic
def _raise(typing_context, team, thread, code):
    """Raise what a kernel has raised in this thread."""

    def emit_code(context: Any, b: ir.IRBuilder, signature: Any, values: Sequence[ir.Value]) -> ir.Value:
        team, thread, number = values
        conv = context.call_conv
        exception = b.load(_exception_pointer(b, team, thread, _adapter_type(context).args[4]))
        status = conv._get_return_status(b, b.trunc(number, emit.I32), exception)
        conv.return_status_propagate(b, status)
        return context.get_dummy_value()

    return types.void(_n, types.int64, types.int64), emit_code


def _exception_pointer(b: ir.IRBuilder, team: ir.Value, thread: ir.Value, kind: ir.Type) -> ir.Value:
    offset = b.add(b.mul(thread, emit.I64(THREAD_SIZE)), emit.I64(_EXCEPTION))
    return b.inttoptr(b.add(team, offset), kind)


@inner
def _has_failed(code):
    return code not in _SUCCESSES


@njit(nogil=True, cache=True)
def lead(team, threads, entry, kind, *args):
    """Call a kernel in all threads of a team, in this one too, and wait for all of them.

    team: the address of its memory. entry: the address of the kernel's code for arguments with the types
    whose hash is `kind`. Returns False, and does nothing, if the arguments have other types. Raises what the
    kernel raises here; where it fails elsewhere, helpers keep what it raises.
    """
    if kind != _hash_types(args):
        return False
    _write_call(team, entry, args)
    call = (atomic_add(team + CALLS, 2) + 2) & ~1
    if atomic_add(team + SLEEPERS, 0):  # which a load could read before others see the call
        wake_all(team + CALLS)
    code = _run_call(team, 0, threads)
    if _has_failed(code) or atomic_load(team + FAILED):
        # Others may still read the arguments, or wait in a barrier to which not all will come.
        atomic_store(team + ENDED, call)
        for thread in range(1, threads):
            while atomic_load(team + RETURNED + thread * THREAD_SIZE) != call:
                atomic_add(team + GENERATION, 1)
                pause(True)
        atomic_store(team + ARRIVED, 0)
        for part in range(threads):
            atomic_store(team + NEXT + part * THREAD_SIZE, 0)
        atomic_store(team + FAILED, 0)
    if _has_failed(code):
        _raise(team, 0, code)
    return True


@njit(nogil=True, cache=True)
def help_team(thread, threads, team, spins, seen):
    """Take part in the calls of a team as one of its helpers, until the team is closed.

    spins: pauses before it sleeps. seen: CALLS of the last call that this thread has seen. Raises what a
    kernel raises. Then the thread must open barriers until the call has ENDED, and write RETURNED.
    """
    while True:
        if _await_call(team, spins, seen) - seen < 2:
            return
        seen += 2
        code = _run_call(team, thread, threads)
        if _has_failed(code):
            atomic_add(team + FAILED, 1)
            _raise(team, thread, code)
        atomic_store(team + RETURNED + thread * THREAD_SIZE, seen)


@inner
def _await_call(team, spins, seen):
    """Wait until there is another call, or the team is closed. Returns CALLS."""
    calls = atomic_load(team + CALLS)
    while calls == seen:
        if spins > 0:
            spins -= 1
            pause(False)
        else:
            atomic_add(team + SLEEPERS, 1)
            sleep_while(team + CALLS, seen)
            atomic_add(team + SLEEPERS, -1)
        calls = atomic_load(team + CALLS)
    return calls


@njit("void(intp)", nogil=True, cache=True)
def end_calls(team):
    """Close a team: its helpers end after the calls that they have not seen."""
    atomic_add(team + CALLS, 1)
    wake_all(team + CALLS)
