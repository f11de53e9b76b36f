"""Weight matrices, packed for the kernels in any of their types."""

from collections.abc import Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from .checkpoint import all_finite
from .errors import ModelError
from .kernels.emit import BFLOAT16, FLOAT16, FLOAT32, INT4, INT8
from .kernels.linear import MATRIX, STRIP
from .memory import aligned_zeros, round_up
from .quantize import NIBBLE_GROUP, Int4, round_int4, round_int8

# --weights -> kind
KINDS = {"float32": FLOAT32, "bfloat16": BFLOAT16, "float16": FLOAT16, "int8": INT8, "int4": INT4}
NAMES = {kind: name for name, kind in KINDS.items()}
_DTYPES = {
    FLOAT32: np.dtype(np.float32),
    BFLOAT16: np.dtype(ml_dtypes.bfloat16),
    FLOAT16: np.dtype(np.float16),
}
_ROWS = 4 * STRIP  # rows packed at a time, to limit temporary memory


@dataclass(frozen=True)
class Matrix:
    """Weights [n, k], packed: kernels/linear.py reads them strip by strip.

    Attributes:
        kind: one of the kinds in kernels/emit.py.
        n, k: padded sizes: n to a multiple of STRIP, and k of integer kinds to a multiple of NIBBLE_GROUP.
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
        """The arrays that are not None, by name."""
        parts = {name: getattr(self, name) for name in ("data", "scales", "groups", "bias")}
        return {name: array for name, array in parts.items() if array is not None}

    @property
    def nbytes(self) -> int:
        """Bytes of memory of all arrays."""
        return sum(array.nbytes for array in self.arrays().values())

    def record(self) -> np.ndarray:
        """The matrix in the form that kernels read: MATRIX [1]. It points into this object."""
        record = np.zeros(1, MATRIX)
        record["kind"], record["n"], record["k"] = self.kind, self.n, self.k
        for name, array in self.arrays().items():
            record[name] = array.ctypes.data
        return record

    def rows(self, indices: np.ndarray) -> np.ndarray:
        """Unpacked rows of the matrix: float32 [..., k]."""
        tile, lane = np.divmod(indices, 16)
        if self.kind == INT4:
            raise ValueError("rows of int4 weights are not needed one by one")
        if self.kind == INT8:
            codes = self.data[tile, :, lane].reshape(*indices.shape, self.k).astype(np.float32)
            return (codes - np.float32(128)) * self.scales[indices][..., None]
        return self.data[tile, :, lane].astype(np.float32)


def allocate(kind: int, n: int, k: int, bias: bool) -> Matrix:
    """A matrix of zeros with `n` rows, a multiple of STRIP, and `k` columns."""
    data_type = _DTYPES.get(kind)
    b = aligned_zeros((n,), np.float32) if bias else None
    if data_type is not None:
        return Matrix(kind, n, k, aligned_zeros((n // 16, k, 16), data_type), bias=b)
    k = round_up(k, NIBBLE_GROUP)
    data = aligned_zeros((n // 16, k // (4 if kind == INT8 else 8), 16, 4), np.uint8)
    groups = aligned_zeros((n // 16, k // NIBBLE_GROUP, 16), np.uint8) if kind == INT4 else None
    return Matrix(kind, n, k, data, aligned_zeros((n,), np.float32), groups, b)


def pack(
    parts: Sequence[np.ndarray | Int4],
    kind: int,
    biases: Sequence[np.ndarray] | None = None,
    gated: bool = False,
) -> Matrix:
    """Pack matrices [n_i, k] one below the other, each padded to multiples of STRIP, with biases [n_i].

    `gated`: the matrices are pairs of equal shapes, and each strip has 32 rows of both. A matrix for INT4 may
    be given as codes. Raises ModelError if a weight to be rounded is not finite.
    """
    sizes, k = [_size(part)[0] for part in parts], _size(parts[0])[1]
    tiles = [round_up(size, STRIP // 2 if gated else STRIP) // 16 for size in sizes]
    starts = np.cumsum([0, *tiles])
    matrix = allocate(kind, 16 * int(starts[-1]), k, biases is not None)
    for i, (part, size) in enumerate(zip(parts, sizes, strict=True)):
        indices = np.arange(tiles[i])
        tiles_at = starts[i] + indices
        if gated:
            tiles_at = starts[i - i % 2] + indices // 2 * 4 + 2 * (i % 2) + indices % 2
        for first in range(0, size, _ROWS):
            rows = slice(first, first + _ROWS)
            block = Int4(*(array[rows] for array in part)) if isinstance(part, Int4) else part[rows]
            _fill(matrix, tiles_at[first // 16 : (first + _ROWS) // 16], block)
        if biases is not None:
            _split_tiles(matrix.bias)[tiles_at[: -(-size // 16)]] = _split_tiles(biases[i])
    return matrix


def _fill(matrix: Matrix, tiles_at: np.ndarray, block: np.ndarray | Int4) -> None:
    """Write rows to a matrix in its kind: 16 rows to each of the tiles `tiles_at`."""
    tiles_at = tiles_at[: -(-_size(block)[0] // 16)]
    if matrix.kind == INT4:
        codes, groups, scales = block if isinstance(block, Int4) else round_int4(np.float32(block))
        side = _interleave(codes, matrix.k // 8, 8)
        matrix.data[tiles_at] = side[..., :4] | side[..., 4:] << 4
        matrix.groups[tiles_at] = _interleave(groups, matrix.k // NIBBLE_GROUP, 1)[..., 0]
    elif matrix.kind == INT8:
        codes, scales = round_int8(np.float32(block))
        matrix.data[tiles_at] = _interleave(codes, matrix.k // 4, 4).view(np.uint8) ^ np.uint8(128)
    else:
        matrix.data[tiles_at] = _interleave(_convert(block, matrix.data.dtype), matrix.k, 1)[..., 0]
        return
    _split_tiles(matrix.scales)[tiles_at] = _split_tiles(scales)


def _convert(block: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Finite weights in another float type. Raises ModelError if a number is beyond its range."""
    if block.dtype == dtype:
        return block
    with np.errstate(over="ignore"):
        converted = block.astype(dtype)
    if not all_finite(converted):
        raise ModelError(f"a weight is too large for {dtype.name}; take other --weights.")
    return converted


def _split_tiles(numbers: np.ndarray) -> np.ndarray:
    """[n] -> float32 [n / 16, 16], padded with zeros."""
    if len(numbers) % 16:
        numbers = np.concatenate([numbers, np.zeros(-len(numbers) % 16, numbers.dtype)])
    return numbers.astype(np.float32, copy=False).reshape(-1, 16)


def _interleave(array: np.ndarray, steps: int, width: int) -> np.ndarray:
    """[n, k] -> [n / 16, steps, 16, width]: 16 rows interleaved, `width` columns each, zero-padded."""
    n, k = array.shape
    complete = array
    if n % 16 or k != steps * width:
        complete = np.zeros((round_up(n, 16), steps * width), array.dtype)
        complete[:n, :k] = array
    return complete.reshape(-1, 16, steps, width).transpose(0, 2, 1, 3)


def _size(part: np.ndarray | Int4) -> tuple[int, int]:
    return (part.codes if isinstance(part, Int4) else part).shape
