"""Weight matrices packed for the kernels, in any of the kinds they know."""

import mmap
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from .kernels.emit import BFLOAT16, FLOAT16, FLOAT32, INT4, INT8
from .kernels.linear import MATRIX, STRIP
from .quantize import NIBBLE_GROUP, Int4, round_int4, round_int8

# --weights -> kind
KINDS = {"float32": FLOAT32, "bfloat16": BFLOAT16, "float16": FLOAT16, "int8": INT8, "int4": INT4}
NAMES = {kind: name for name, kind in KINDS.items()}
_DTYPES = {
    FLOAT32: np.dtype(np.float32),
    BFLOAT16: np.dtype(ml_dtypes.bfloat16),
    FLOAT16: np.dtype(np.float16),
}
_ROWS = 4 * STRIP  # rows that are packed at a time, to need little memory beside the result


@dataclass(frozen=True)
class Matrix:
    """Weights [n, k], packed: kernels/linear.py reads them strip by strip.

    Attributes:
        kind: of emit's kinds.
        n, k: padded sizes; n to whole strips, and k to groups of 4-bit weights where they are integers.
        data: 16 rows side by side. Float kinds [n / 16, k, 16]; int8 uint8 [n / 16, k / 4, 16, 4], weights +
            128; int4 uint8 [n / 16, k / 8, 16, 4], each byte the codes of k (low half) and k + 4.
        scales: float32 [n] of integer kinds.
        groups: uint8 [n / 16, k / 32, 16] of int4: factor + 16 * zero, and a weight is (code - zero) *
            factor * scale.
        bias: float32 [n], or None.
    """

    kind: int
    n: int
    k: int
    data: np.ndarray
    scales: np.ndarray | None = None
    groups: np.ndarray | None = None
    bias: np.ndarray | None = None

    def arrays(self) -> dict[str, np.ndarray]:
        """Its arrays by name, those that it has."""
        parts = {name: getattr(self, name) for name in ("data", "scales", "groups", "bias")}
        return {name: array for name, array in parts.items() if array is not None}

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return sum(array.nbytes for array in self.arrays().values())

    def record(self) -> np.ndarray:
        """What kernels take: MATRIX [1]. The matrix must live as long."""
        record = np.zeros(1, MATRIX)
        record["kind"], record["n"], record["k"] = self.kind, self.n, self.k
        for name, array in self.arrays().items():
            record[name] = array.ctypes.data
        return record

    def rows(self, indices: np.ndarray) -> np.ndarray:
        """Rows of the matrix as they were before packing, except for rounding: float32 [..., k]."""
        tile, lane = np.divmod(indices, 16)
        if self.kind == INT4:
            raise ValueError("rows of int4 weights are not needed one by one")
        if self.kind == INT8:
            codes = self.data[tile, :, lane].reshape(*indices.shape, self.k).astype(np.float32)
            return (codes - np.float32(128)) * self.scales[indices][..., None]
        return self.data[tile, :, lane].astype(np.float32)


def aligned_zeros(shape: Sequence[int], dtype: np.dtype | type) -> np.ndarray:
    """Zeros that begin at a cache line, as vectors like it; the system gives memory as they are written.

    In large pages where the system has them: a step reads all weights, and the table of small pages would
    not fit into the processor.
    """
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if hasattr(mmap, "MADV_HUGEPAGE"):
        # Private, because shared memory is kept in small pages unless the whole system is told otherwise.
        memory = mmap.mmap(-1, max(size, 1), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        with suppress(OSError):
            memory.madvise(mmap.MADV_HUGEPAGE)
    else:
        memory = mmap.mmap(-1, max(size, 1))
    return np.frombuffer(memory, dtype, size // np.dtype(dtype).itemsize).reshape(shape)


def padded(size: int, multiple: int) -> int:
    """The next multiple."""
    return -(-size // multiple) * multiple


def empty(kind: int, n: int, k: int, bias: bool) -> Matrix:
    """A matrix of `n` rows, whole strips, and `k` columns, all zeros."""
    data_type = _DTYPES.get(kind)
    b = aligned_zeros((n,), np.float32) if bias else None
    if data_type is not None:
        return Matrix(kind, n, k, aligned_zeros((n // 16, k, 16), data_type), bias=b)
    k = padded(k, NIBBLE_GROUP)
    data = aligned_zeros((n // 16, k // (4 if kind == INT8 else 8), 16, 4), np.uint8)
    groups = aligned_zeros((n // 16, k // NIBBLE_GROUP, 16), np.uint8) if kind == INT4 else None
    return Matrix(kind, n, k, data, aligned_zeros((n,), np.float32), groups, b)


def pack(
    parts: Sequence[np.ndarray | Int4],
    kind: int,
    biases: Sequence[np.ndarray] | None = None,
    gated: bool = False,
) -> Matrix:
    """Pack matrices [n_i, k] below each other, each padded to whole strips, with their biases [n_i].

    `gated`: two matrices, of which each strip gets 32 rows and 32 rows. One for INT4 may come as codes.
    Raises ModelError where a weight to be rounded is not finite.
    """
    sizes, k = [_size(part)[0] for part in parts], _size(parts[0])[1]
    tiles = [padded(size, STRIP // 2 if gated else STRIP) // 16 for size in sizes]
    matrix = empty(kind, 16 * sum(tiles), k, biases is not None)
    for i, (part, size) in enumerate(zip(parts, sizes, strict=True)):
        own = np.arange(tiles[i])
        places = own // 2 * 4 + 2 * i + own % 2 if gated else sum(tiles[:i]) + own
        for first in range(0, size, _ROWS):
            rows = slice(first, first + _ROWS)
            block = Int4(*(array[rows] for array in part)) if isinstance(part, Int4) else part[rows]
            _fill(matrix, places[first // 16 : (first + _ROWS) // 16], block)
        if biases is not None:
            _by_tiles(matrix.bias)[places[: -(-size // 16)]] = _by_tiles(biases[i])
    return matrix


def _fill(matrix: Matrix, places: np.ndarray, block: np.ndarray | Int4) -> None:
    """Put some rows into a matrix, rounded to its kind; 16 of them to each of the `places`."""
    places = places[: -(-_size(block)[0] // 16)]
    if matrix.kind == INT4:
        codes, groups, scales = block if isinstance(block, Int4) else round_int4(np.float32(block))
        side = _side_by_side(codes, matrix.k // 8, 8)
        matrix.data[places] = side[..., :4] | side[..., 4:] << 4
        matrix.groups[places] = _side_by_side(groups, matrix.k // NIBBLE_GROUP, 1)[..., 0]
    elif matrix.kind == INT8:
        codes, scales = round_int8(np.float32(block))
        matrix.data[places] = _side_by_side(codes, matrix.k // 4, 4).view(np.uint8) ^ np.uint8(128)
    else:
        matrix.data[places] = _side_by_side(block.astype(matrix.data.dtype, copy=False), matrix.k, 1)[..., 0]
        return
    _by_tiles(matrix.scales)[places] = _by_tiles(scales)


def _by_tiles(numbers: np.ndarray) -> np.ndarray:
    """[n] -> float32 [n / 16, 16], zeros behind."""
    if len(numbers) % 16:
        numbers = np.concatenate([numbers, np.zeros(-len(numbers) % 16, numbers.dtype)])
    return numbers.astype(np.float32, copy=False).reshape(-1, 16)


def _side_by_side(array: np.ndarray, steps: int, width: int) -> np.ndarray:
    """[n, k] -> [n / 16, steps, 16, width]: 16 rows side by side, `width` columns of each, zeros around."""
    n, k = array.shape
    whole = array
    if n % 16 or k != steps * width:
        whole = np.zeros((padded(n, 16), steps * width), array.dtype)
        whole[:n, :k] = array
    return whole.reshape(-1, 16, steps, width).transpose(0, 2, 1, 3)


def _size(part: np.ndarray | Int4) -> tuple[int, int]:
    return (part.codes if isinstance(part, Int4) else part).shape
