"""Rows of rotated weights as floats: the embeddings of tokens, where the head's matrix is the embedding too.

weights/matrix.py says how codes lie in memory, and Matrix.rows is the specification.
"""

from typing import NamedTuple

import numpy as np

from ..compiler import njit
from ..inner import inner
from ..layout import BLOCK, GROUP, INT4, INT8, NIBBLE_GROUP, STRIP
from ..simd import broadcast, butterfly, load_f32, multiply, store_f32
from .activations import rotate_four


class RotatedRows(NamedTuple):
    """A matrix of INT8 or STEPPED_BITS that is rotated: its arrays, flat. Those that it has not are empty.

    groups: uint8, of STEPPED_BITS. group_scales: the bits of bfloat16, of INT8.
    """

    kind: int
    k: int
    data: np.ndarray
    high: np.ndarray
    groups: np.ndarray
    group_scales: np.ndarray
    scales: np.ndarray
    balance: np.ndarray


@njit(nogil=True, cache=True)
def unpack_rows(weights, indices, out):
    """Write rows of a matrix, float32 [indices, k], to `out`. weights: RotatedRows. indices: int32."""
    k, bits = weights.k, np.zeros(1, np.uint32)
    number = bits.view(np.float32)
    for i in range(len(indices)):
        index, row = np.int64(indices[i]), out[i]
        if weights.kind == INT8:
            _unpack_bytes(weights, index // 16, index % 16, row)
        else:
            _unpack_steps(weights, index // 16, index % 16, row)
        address = out.ctypes.data + i * 4 * k
        for first in range(0, k, GROUP):
            if weights.kind == INT8:
                group = index // STRIP * -(-k // GROUP) + first // GROUP
                bits[0] = np.uint32(weights.group_scales[group * STRIP + index % STRIP]) << np.uint32(16)
                scale = number[0]
            else:
                scale = weights.scales[index]
            start, balance = address + 4 * first, weights.balance.ctypes.data + 4 * first
            size = min(GROUP, k - first)
            for block in range(0, 4 * size, 4 * BLOCK):
                _rotate_block(start + block)
            if size == GROUP:
                _join_blocks(start)
            orthonormal = broadcast(np.float32(1 / 16) if size == GROUP else np.float32(1 / 8))
            for j in range(0, 4 * size, 64):
                floats = multiply(multiply(load_f32(start, j), orthonormal), load_f32(balance, j))
                store_f32(start, j, multiply(floats, broadcast(scale)))


@njit(nogil=True, inline="always")
def _unpack_bytes(weights, tile, lane, row):
    """The codes of a row of INT8."""
    k = weights.k
    for quad in range(k // 4):
        at = ((tile * (k // 4) + quad) * 16 + lane) * 4
        for j in range(4):
            row[4 * quad + j] = np.int32(weights.data[at + j]) - 128


@njit(nogil=True, inline="always")
def _unpack_steps(weights, tile, lane, row):
    """The int8 codes that those of a row of STEPPED_BITS stand for."""
    k = weights.k
    width = weights.kind - INT4  # of the bits above the lowest four
    each = NIBBLE_GROUP // max(1, width)  # codes whose higher bits are side by side
    for first in range(0, k, NIBBLE_GROUP):
        group = tile * (k // NIBBLE_GROUP) + first // NIBBLE_GROUP
        both = np.int32(weights.groups[group * 16 + lane])
        step, zero = both & (1 << 4 - width) - 1, both >> 4 - width
        for j in range(0, NIBBLE_GROUP, 4):
            at = ((tile * (k // 8) + (first + j) // 8) * 16 + lane) * 4
            high_at, shift = ((group * width + j // each) * 16 + lane) * 4, j % each // 4 * width
            for byte in range(4):
                code = np.int32(weights.data[at + byte]) >> j % 8 & 15
                if width:
                    code |= (np.int32(weights.high[high_at + byte]) >> shift & (1 << width) - 1) << 4
                row[first + j + byte] = (code - zero) * step


@inner
def _rotate_block(address):
    """Multiply a BLOCK by the Hadamard matrix of ones. Sums of codes are exact, in whatever order."""
    x, y = load_f32(address, 0), load_f32(address, 64)
    z, w = load_f32(address, 128), load_f32(address, 192)
    x, y, z, w = rotate_four(x, y, z, w)
    store_f32(address, 0, butterfly(x))
    store_f32(address, 64, butterfly(y))
    store_f32(address, 128, butterfly(z))
    store_f32(address, 192, butterfly(w))


@inner
def _join_blocks(address):
    """Multiply a GROUP by the Hadamard matrix of ones, of which the BLOCKs are rotated already."""
    for i in range(0, 256, 64):
        x, y = load_f32(address, i), load_f32(address + 256, i)
        z, w = load_f32(address + 512, i), load_f32(address + 768, i)
        x, y, z, w = rotate_four(x, y, z, w)
        store_f32(address, i, x)
        store_f32(address + 256, i, y)
        store_f32(address + 512, i, z)
        store_f32(address + 768, i, w)
