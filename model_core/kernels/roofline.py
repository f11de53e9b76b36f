"""The limits of this machine, as in a roofline model (Williams et al., 2009): bandwidth and arithmetic."""

import time

import numpy as np

from .block_sizes import block_tiles
from .blocks import Ahead, Codes, Groups, IntegerCase, Runs, Strided, Sums, integer_block
from .compiler import njit
from .emit import HAS_BFLOAT16, ROWS, TILES
from .float_blocks import FloatCase, Weights, float_block
from .layout import BFLOAT16, FLOAT32, INT8, STRIP
from .products.bfloat16 import vector_block
from .products.strips import scratch_bytes
from .simd import add, broadcast, load_f32, sum_of
from .team import Team, barrier, claim

_READ = 2**28  # bytes, more than any cache holds
_CHUNK = 2**20
_K = 256  # of a product that stays in the first cache
_REPEATS = 20_000


@njit(nogil=True)
def _read(thread, threads, team, memory, size, sums):
    total = broadcast(np.float32(0))
    chunk = claim(team)
    while chunk < size // _CHUNK:
        at = memory + chunk * _CHUNK
        for i in range(0, _CHUNK, 256):
            for j in range(4):
                total = add(total, load_f32(at, i + 64 * j))
        chunk = claim(team)
    sums[thread] = sum_of(total)
    barrier(team, threads)


@njit(nogil=True)
def _multiply(thread, threads, team, kind, memory, thread_bytes):
    w = memory + thread * thread_bytes
    x = w + STRIP * _K * 4
    y = x + 64 * _K
    for _ in range(_REPEATS):
        if kind == INT8:
            for tile in range(0, TILES, block_tiles(INT8, ROWS[0])):
                integer_block(
                    (INT8,),
                    IntegerCase(INT8, ROWS[0], 8),
                    Codes(w + tile * 16 * _K, 16 * _K, 0, 0, 0, 0),
                    Strided(x, _K),
                    Groups(_K // 32, 0, y, 0),
                    Runs(y, y, 0),
                    Ahead(w, 512, w, 0),
                    Sums(y + 64 * tile, 4 * STRIP, 0),
                )
        elif HAS_BFLOAT16 and kind == BFLOAT16:
            vector_block(
                ROWS[0],
                _K // 2,
                Strided(w, 32 * _K),
                Ahead(w, 64, w, 0),
                Strided(x, 2 * _K),
                y,
                0,
            )
        else:
            float_block(
                (FLOAT32,),
                (TILES,),
                FloatCase(FLOAT32, ROWS[0], TILES),
                Weights(w, 64, 64 * _K),
                Ahead(w, 64, w, 0),
                Strided(x, 4 * _K),
                _K,
                Sums(y + 64, 4 * STRIP, 0),
            )
    barrier(team, threads)


def measure_bandwidth(threads: int) -> float:
    """Bytes a second that `threads` threads read from memory: the best of a few runs."""
    team, memory = Team(threads), np.ones(_READ // 4 + 16, np.float32)
    sums = np.zeros(threads, np.float32)
    start = memory.ctypes.data + -memory.ctypes.data % 64
    seconds = _measure_shortest(lambda: team.run(_read, team.address, start, _READ, sums))
    team.close()
    return _READ / seconds


def measure_arithmetic(kind: int, threads: int) -> float:
    """Additions and multiplications a second of the inner loop of products in vectors.

    kind: INT8, FLOAT32 or, where the processor has AVX-512 BF16, BFLOAT16; elsewhere this is FLOAT32. Its
    numbers stay in the first cache. It is the best of a few runs.
    """
    thread_bytes = STRIP * _K * 4 + 64 * _K + 64 + scratch_bytes(ROWS[0])
    team, memory = Team(threads), np.zeros(threads * thread_bytes + 64, np.uint8)
    start = memory.ctypes.data + -memory.ctypes.data % 64
    seconds = _measure_shortest(lambda: team.run(_multiply, team.address, kind, start, thread_bytes))
    team.close()
    return 2.0 * threads * _REPEATS * ROWS[0] * TILES * 16 * _K / seconds


def _measure_shortest(call) -> float:
    times = []
    for _ in range(6):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times[1:])
