"""The same product, from plain loops to the block that the kernels use, a step at a time.

    python benchmarks/ladder.py [--rows 12] [--outputs 512] [--inputs 512]

y[r, j] = sum over i of x[r, i] * w[j, i], in float32 with one thread. Each step says what it changes and why.
The tests check all of them against NumPy. The table shows their speed beside the limit that roofline.py
measures. Read the functions from the top down. kernels/products/strips.py goes on where the last one ends,
with other kinds of weights, and kernels/products/linear.py with more threads.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

from model_core.kernels.blocks import Ahead, Strided, Sums
from model_core.kernels.compiler import njit
from model_core.kernels.emit import ROWS, TILES
from model_core.kernels.float_blocks import FloatCase, Weights, float_block
from model_core.kernels.layout import FLOAT32
from model_core.kernels.roofline import measure_arithmetic
from model_core.kernels.simd import broadcast, fma, get_f32, load_f32, store_f32
from model_core.machine.memory import aligned_zeros

_LANES = 16  # floats of a vector
_BLOCK_ROWS = ROWS[0]


@njit(nogil=True)
def plain(x, w, y):
    """The formula. Each addition waits for the one before, some four cycles, and adds one number."""
    for r in range(len(x)):
        for j in range(len(w)):
            total = np.float32(0)
            for i in range(x.shape[1]):
                total += x[r, i] * w[j, i]
            y[r, j] = total


@njit(nogil=True)
def side_by_side(x, tiles, y):
    """16 outputs side by side in a vector, so that no sum waits for its own lanes.

    For that, the weights of 16 outputs stand together: tiles [outputs / 16, inputs, 16]. One number of x is
    multiplied with a vector of weights. Each weight is loaded for one multiplication.
    """
    for r in range(len(x)):
        for t in range(len(tiles)):
            w = tiles[t].ctypes.data
            total = broadcast(np.float32(0))
            for i in range(x.shape[1]):
                total = fma(broadcast(x[r, i]), load_f32(w, 4 * _LANES * i), total)
            store_f32(y[r].ctypes.data, 4 * _LANES * t, total)


@njit(nogil=True)
def four_sums(x, tiles, y):
    """Two rows and two tiles at a time: four sums, which wait for each other no more.

    Each vector of weights is loaded once for two rows, and each number of x once for two tiles.
    """
    for r in range(0, len(x), 2):
        upper, lower = x[r].ctypes.data, x[r + 1].ctypes.data
        for t in range(0, len(tiles), 2):
            left, right = tiles[t].ctypes.data, tiles[t + 1].ctypes.data
            a = b = c = d = broadcast(np.float32(0))
            for i in range(x.shape[1]):
                at = 4 * _LANES * i
                above, below = broadcast(get_f32(upper, 4 * i)), broadcast(get_f32(lower, 4 * i))
                a, b = fma(above, load_f32(left, at), a), fma(above, load_f32(right, at), b)
                c, d = fma(below, load_f32(left, at), c), fma(below, load_f32(right, at), d)
            at = 4 * _LANES * t
            store_f32(y[r].ctypes.data, at, a)
            store_f32(y[r].ctypes.data, at + 4 * _LANES, b)
            store_f32(y[r + 1].ctypes.data, at, c)
            store_f32(y[r + 1].ctypes.data, at + 4 * _LANES, d)


@njit(nogil=True)
def block_in_use(x, tiles, y):
    """The block of the kernels, which writes such a loop for as many rows and tiles as there are registers.

    It also fetches the weights of later steps into the cache. With AVX-512, 6 rows and 4 tiles need 24 sums;
    with AVX2, where a vector takes two registers, 2 rows and 2 tiles need 8 registers.
    """
    inputs = x.shape[1]
    for t in range(0, len(tiles), TILES):
        w = tiles[t].ctypes.data
        for r in range(0, len(x), _BLOCK_ROWS):
            float_block(
                (FLOAT32,),
                (TILES,),
                FloatCase(FLOAT32, _BLOCK_ROWS, TILES),
                Weights(w, 4 * _LANES, 4 * _LANES * inputs),
                Ahead(w, 4 * _LANES, w, 0),
                Strided(x[r].ctypes.data, 4 * inputs),
                inputs,
                Sums(y[r].ctypes.data + 4 * _LANES * t, y.strides[0], 0),
            )


STEPS = (plain, side_by_side, four_sums, block_in_use)


def pack_tiles(w: np.ndarray) -> np.ndarray:
    """The weights [outputs, inputs] as tiles of 16 outputs: [outputs / 16, inputs, 16]."""
    tiles = aligned_zeros((len(w) // _LANES, w.shape[1], _LANES), np.float32)
    tiles[:] = w.reshape(-1, _LANES, w.shape[1]).transpose(0, 2, 1)
    return tiles


def make_numbers(rows: int, outputs: int, inputs: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Activations [rows, inputs], weights [outputs, inputs], and room for the products [rows, outputs].

    Rows must be a multiple of 12, and outputs of 64, so that each step divides them without a rest.
    """
    if rows % 12 or outputs % 64:
        raise ValueError("rows must be a multiple of 12, and outputs of 64.")
    random = np.random.default_rng(0)
    x, w = (random.standard_normal((size, inputs), np.float32) for size in (rows, outputs))
    return x, w, aligned_zeros((rows, outputs), np.float32)


def multiply(step: Callable[..., None], x: np.ndarray, w: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What a step computes."""
    step(x, w if step is plain else pack_tiles(w), y)
    return y


def measure_seconds(step: Callable[..., None], x: np.ndarray, w: np.ndarray, y: np.ndarray) -> float:
    """The shortest of some calls. The weights are packed before, as while a model loads."""
    weights, times = w if step is plain else pack_tiles(w), []
    step(x, weights, y)
    for _ in range(20):
        start = time.perf_counter()
        step(x, weights, y)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print the speed of each step."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", type=int, default=12)
    parser.add_argument("--outputs", type=int, default=512)
    parser.add_argument("--inputs", type=int, default=512)
    args = parser.parse_args()
    x, w, y = make_numbers(args.rows, args.outputs, args.inputs)
    limits, speeds = [], []
    for step in STEPS:  # in turns, so that other programs on the machine disturb both alike
        limits.append(measure_arithmetic(FLOAT32, 1))
        speeds.append(2 * args.rows * args.outputs * args.inputs / measure_seconds(step, x, w, y))
    print("| step | billion operations a second | part of the limit |\n| --- | --- | --- |")
    for step, speed in zip(STEPS, speeds, strict=True):
        print(f"| {step.__name__} | {speed / 1e9:.1f} | {speed / max(limits):.0%} |")


if __name__ == "__main__":
    main()
