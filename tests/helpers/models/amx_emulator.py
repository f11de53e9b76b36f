"""Executes the instructions of AMX that kernels use on a processor that lacks them.

Such a processor raises SIGILL at each of these instructions. The signal's handler decodes it, does what the
manual says (Intel, Software Developer's Manual, volume 2), and goes on behind it. So tests run the machine
code that a processor with AMX would run.

Import this before model_core: it lets the system seem to grant AMX.
"""

import ctypes
import functools
import os
import signal
import struct
import sys

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import carray, cfunc, njit, types
from numba.core.ccallback import CFunc
from numba.extending import intrinsic
from paths import ROOT

FEATURES = ("+amx-tile", "+amx-int8", "+amx-bf16")
_TILE = 1024  # bytes: 16 rows of 64
_SHAPE = 8 * _TILE  # of the state: the memory of ldtilecfg, and behind it how many instructions were executed
_COUNT = _SHAPE + 64
_FLOATS = _COUNT + 64  # two tiles as float32
_STATE = np.zeros(_FLOATS + 4 * _TILE, np.uint8)
_ADDRESS = _STATE.ctypes.data
# Of the general registers, by the numbers of instructions: their places in ucontext_t, in units of 8 bytes.
_REGISTERS = np.array([18, 19, 17, 16, 20, 15, 14, 13, 5, 6, 7, 8, 9, 10, 11, 12])
_RIP = 21
_CONFIGURE, _MOVE, _BYTES, _BFLOAT16 = 0x49, 0x4B, 0x5E, 0x5C
_NONE, _66, _F3, _F2 = range(4)  # prefixes


def features() -> str:
    """NUMBA_CPU_FEATURES of this processor with AMX."""
    return ",".join([llvm.get_host_cpu_features().flatten(), *FEATURES])


@intrinsic
def _pointer(typing_context, address):
    """An address as a pointer to bytes."""

    def code(context, b, signature, args):
        return b.inttoptr(args[0], ir.PointerType(ir.IntType(8)))

    return types.CPointer(types.uint8)(types.int64), code


@njit
def _bytes(address, count):
    """The memory at an address."""
    return carray(_pointer(address), count)


@njit
def _multiply_bytes(c, a, b):
    """c += a times b: signed bytes [16, 64] by unsigned bytes [16, 16, 4]; c int32 [16, 16]."""
    for row in range(16):
        for k in range(16):
            for column in range(16):
                total = np.int32(0)
                for i in range(4):
                    x, w = a[64 * row + 4 * k + i], b[64 * k + 4 * column + i]
                    total += np.int32(np.int8(x)) * np.int32(w)
                c[16 * row + column] += total


@njit
def _widen(tile, out):
    """bfloat16 of a tile as float32, written to the address `out`."""
    words = _bytes(out, 2 * _TILE).view(np.uint32)
    for i in range(_TILE // 2):
        words[i] = np.uint32(tile[2 * i]) << np.uint32(16) | np.uint32(tile[2 * i + 1]) << np.uint32(24)
    return words.view(np.float32)


@njit
def _flush(x):
    """A number, or 0 for a denormal one, which the unit neither reads nor writes."""
    return np.float32(0) if abs(x) < np.float32(2.0**-126) else np.float32(x)


@njit
def _multiply_bfloat16(c, a, b):
    """c += a times b: bfloat16 [16, 32] by [16, 16, 2]; c float32 [16, 16].

    Products are exact in float64, and so is nearly every sum: it is rounded once, as by a fused operation.
    """
    x, w = _widen(a, _ADDRESS + _FLOATS), _widen(b, _ADDRESS + _FLOATS + 2 * _TILE)
    for row in range(16):
        for column in range(16):
            even = odd = np.float32(0)
            for k in range(16):
                i, j = 32 * row + 2 * k, 32 * k + 2 * column
                even = _flush(np.float64(_flush(x[i])) * np.float64(_flush(w[j])) + np.float64(even))
                odd = _flush(np.float64(_flush(x[i + 1])) * np.float64(_flush(w[j + 1])) + np.float64(odd))
            c[16 * row + column] = _flush(c[16 * row + column] + _flush(even + odd))


@njit
def _execute(context):
    """Execute the instruction at the instruction pointer. False if it is not one of AMX."""
    code = _bytes(context[_RIP], 16)
    if code[0] != 0xC4 or code[1] & 0x1F != 2:
        return False
    prefix, operation, mode = code[2] & 3, code[3], code[4]
    second = 15 - (code[2] >> 3 & 15)
    register, size = mode >> 3 & 7, 5
    tiles = _bytes(_ADDRESS, _COUNT)
    if mode >> 6 == 3:
        other = mode & 7
        if operation == _CONFIGURE and prefix == _NONE:  # tilerelease
            tiles[_SHAPE:_COUNT] = 0
        elif operation == _CONFIGURE and prefix == _F2:  # tilezero
            tiles[_TILE * register : _TILE * (register + 1)] = 0
        elif tiles[_SHAPE] != 1:
            return False  # not configured
        elif operation == _BYTES and prefix == _F3:  # tdpbsud
            c, a, b = _ADDRESS + _TILE * register, _ADDRESS + _TILE * other, _ADDRESS + _TILE * second
            _multiply_bytes(_bytes(c, _TILE).view(np.int32), _bytes(a, _TILE), _bytes(b, _TILE))
        elif operation == _BFLOAT16 and prefix == _F3:  # tdpbf16ps
            c, a, b = _ADDRESS + _TILE * register, _ADDRESS + _TILE * other, _ADDRESS + _TILE * second
            _multiply_bfloat16(_bytes(c, _TILE).view(np.float32), _bytes(a, _TILE), _bytes(b, _TILE))
        else:
            return False
    else:
        base, stride = mode & 7, 0
        if base == 4:
            scaled, base = code[5], code[5] & 7
            index = (scaled >> 3 & 7) + (0 if code[1] & 0x40 else 8)
            if index != 4:
                stride = context[_REGISTERS[index]] << (scaled >> 6)
            size += 1
        at = np.int64(0)
        if mode >> 6 == 0 and base == 5:
            at = np.int64(_bytes(context[_RIP] + size, 4).view(np.int32)[0])
            size += 4
            if mode & 7 == 5:  # relative to the next instruction
                at += context[_RIP] + size
        else:
            at = context[_REGISTERS[base + (0 if code[1] & 0x20 else 8)]]
            if mode >> 6 == 1:
                at += np.int64(np.int8(code[size]))
                size += 1
            elif mode >> 6 == 2:
                at += np.int64(_bytes(context[_RIP] + size, 4).view(np.int32)[0])
                size += 4
        if operation == _CONFIGURE and prefix == _NONE:  # ldtilecfg
            tiles[_SHAPE:_COUNT] = _bytes(at, 64)
        elif operation == _MOVE and tiles[_SHAPE] == 1 and prefix in (_F2, _F3):  # tileloadd, tilestored
            for row in range(16):
                held, memory = (
                    _bytes(_ADDRESS + _TILE * register + 64 * row, 64),
                    _bytes(at + stride * row, 64),
                )
                if prefix == _F2:
                    held[:] = memory
                else:
                    memory[:] = held
        else:
            return False
    _bytes(_ADDRESS + _COUNT, 8).view(np.int64)[0] += 1
    context[_RIP] += size
    return True


def _handle(number, info, context):
    registers = carray(context, 32)
    if not _execute(registers):
        registers[_RIP] = 0  # the process ends with SIGSEGV


@functools.cache
def _compile_handler() -> CFunc:
    """The handler of SIGILL. It is compiled where it is installed, which takes seconds, and not at import."""
    return cfunc(types.void(types.int32, types.voidptr, types.CPointer(types.int64)))(_handle)


def executed() -> int:
    """How many instructions were executed here."""
    return int(_STATE[_COUNT : _COUNT + 8].view(np.int64)[0])


def install() -> None:
    """Handle SIGILL from now on, and let arch_prctl's request for tiles succeed.

    A processor that has tiles takes ldtilecfg and tilerelease without permission, so they raise nothing. All
    kernels configure whole tiles.
    """
    _STATE[_SHAPE] = llvm.get_host_cpu_features().get("amx-tile", False)
    # struct sigaction: the handler, 128 bytes of blocked signals, flags, and a restorer.
    on_signal_information, do_not_block = 4, 0x40000000
    action = struct.pack("=Q128xi4xQ", _compile_handler().address, on_signal_information | do_not_block, 0)
    if ctypes.CDLL(None).sigaction(signal.SIGILL, action, None):
        sys.exit("the handler cannot be installed")
    system = ctypes.CDLL

    class Granting:
        """The C library, which grants tiles."""

        def __init__(self, name: str | None, **options: object) -> None:
            self._library = system(name, **options)

        def __getattr__(self, name: str) -> object:
            return self._library[name]

        def syscall(self, *args: int) -> int:
            """0 for the request that this emulates."""
            return 0 if args == (158, 0x1023, 18) else self._library.syscall(*args)

    ctypes.CDLL = Granting


def run(program: str, *arguments: str, cache: str) -> dict[str, object]:
    """What subprocess.run takes for a program that calls `install` first. cache: for compiled kernels."""
    environment = {
        **os.environ,
        "TRITONCHAT_AMX": "1",
        "NUMBA_CPU_FEATURES": features(),
        "NUMBA_CACHE_DIR": cache,
        "NUMBA_OPT": "0",  # which takes half of the time to compile
        "PYTHONPATH": str(ROOT),  # tests has a folder model_core, too
    }
    return {
        "args": [sys.executable, program, *arguments],
        "env": environment,
        "capture_output": True,
        "text": True,
    }
