"""What this machine can do at most: how fast it reads memory, and how fast it multiplies."""

import time

import numpy as np
from numba import njit

from .blocks import STRIP, float_block, integer_block
from .emit import FLOAT32, INT8, ROWS, TILES
from .linear import scratch_bytes
from .simd import add, broadcast, load_f32, sum_of
from .team import Team, barrier, claim

_READ = 2**28  # bytes, more than any cache holds
_PIECE = 2**20
_K = 256  # of a product that stays in the first cache
_TURNS = 20_000


@njit(nogil=True)
def _read(thread, threads, team, memory, size, sums):
    total = broadcast(np.float32(0))
    piece = claim(team)
    while piece < size // _PIECE:
        at = memory + piece * _PIECE
        for i in range(0, _PIECE, 256):
            for j in range(4):
                total = add(total, load_f32(at, i + 64 * j))
        piece = claim(team)
    sums[thread] = sum_of(total)
    barrier(team, threads)


@njit(nogil=True)
def _multiply(thread, threads, team, kind, memory, each):
    w = memory + thread * each
    x = w + STRIP * _K * 4
    y = x + 64 * _K
    for _ in range(_TURNS):
        if kind == INT8:
            integer_block(
                INT8, ROWS[0], w, 16 * _K, 0, 0, x, _K, _K // 32, y, y, 0, w, 512, w, 0, y + 64, 4 * STRIP, 0
            )
        else:
            float_block(
                (FLOAT32,),
                TILES,
                FLOAT32,
                ROWS[0],
                w,
                64,
                64 * _K,
                w,
                w,
                0,
                x,
                4 * _K,
                _K,
                y + 64,
                4 * STRIP,
                0,
            )
    barrier(team, threads)


def bandwidth(threads: int) -> float:
    """Bytes a second that so many threads read from memory; the best of some runs."""
    team, memory = Team(threads), np.ones(_READ // 4 + 16, np.float32)
    sums = np.zeros(threads, np.float32)
    start = memory.ctypes.data + -memory.ctypes.data % 64
    seconds = _best(lambda: team.run(_read, team.address, start, _READ, sums))
    team.close()
    return _READ / seconds


def arithmetic(kind: int, threads: int) -> float:
    """Operations a second (an addition or a product each) of the inner loop of INT8 or FLOAT32 products.

    On numbers that stay in the first cache; the best of some runs.
    """
    each = STRIP * _K * 4 + 64 * _K + 64 + scratch_bytes(ROWS[0])
    team, memory = Team(threads), np.zeros(threads * each + 64, np.uint8)
    start = memory.ctypes.data + -memory.ctypes.data % 64
    seconds = _best(lambda: team.run(_multiply, team.address, kind, start, each))
    team.close()
    return 2.0 * threads * _TURNS * ROWS[0] * TILES * 16 * _K / seconds


def _best(call) -> float:
    times = []
    for _ in range(6):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times[1:])
