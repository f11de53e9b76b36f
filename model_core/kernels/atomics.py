"""Numbers that threads of compiled code share: how they change them, and wait for each other's changes."""

import platform

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from . import emit

# The system call of Linux that waits for a number in memory and wakes who waits; see futex(2). Processors
# other than x86 share a table of calls.
_FUTEX = 202 if platform.machine() == "x86_64" else 98
_WAIT, _WAKE = 128, 129  # among the threads of a process

_n = types.intp


@intrinsic
def atomic_add(typing_context, address, value):
    """Add to a number that other threads change too. Returns its previous value."""

    def code(b: ir.IRBuilder, address: ir.Value, value: ir.Value) -> ir.Value:
        return b.atomic_rmw("add", emit.pointer(b, address, emit.I64), value, "seq_cst")

    return emit.typed(types.int64, (_n, types.int64), code)


@intrinsic
def atomic_load(typing_context, address):
    """A number that other threads write. What they wrote before it can be read then."""
    return emit.typed(
        types.int64,
        (_n,),
        lambda b, a: b.load_atomic(emit.pointer(b, a, emit.I64), ordering="acquire", align=8),
    )


@intrinsic
def atomic_store(typing_context, address, value):
    """Write a number that other threads read, after everything that this thread wrote before."""

    def code(b: ir.IRBuilder, address: ir.Value, value: ir.Value) -> None:
        b.store_atomic(value, emit.pointer(b, address, emit.I64), ordering="release", align=8)

    return emit.typed(types.void, (_n, types.int64), code)


@intrinsic
def pause(typing_context, yields):
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


@intrinsic
def sleep_while(typing_context, address, value):
    """Sleep until another thread calls `wake_all`, unless the number is no longer `value`.

    The lowest 32 bits are compared. It may also return for no reason.
    """

    def code(b: ir.IRBuilder, address: ir.Value, value: ir.Value) -> None:
        _call_futex(b, address, _WAIT, b.trunc(value, emit.I32))

    return emit.typed(types.void, (_n, types.int64), code)


@intrinsic
def wake_all(typing_context, address):
    """Wake all threads that sleep while the number at this address stays as it is."""
    return emit.typed(types.void, (_n,), lambda b, a: _call_futex(b, a, _WAKE, emit.I32(2**31 - 1)))


def _call_futex(b: ir.IRBuilder, address: ir.Value, operation: int, value: ir.Value) -> None:
    kind = ir.FunctionType(emit.I64, [emit.I64], var_arg=True)
    no_timeout = emit.I64(0)
    call = _declare(b.module, kind, "syscall")
    b.call(call, [emit.I64(_FUTEX), address, emit.I32(operation), value, no_timeout])


def _declare(module: ir.Module, kind: ir.FunctionType, name: str) -> ir.Function:
    return module.globals.get(name) or ir.Function(module, kind, name)
