"""Weight matrices, packed for the kernels in any of their types."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from ..errors import ModelError
from ..kernels.layout import (
    BFLOAT16,
    BLOCK,
    BY_CHUNK,
    BY_GROUP,
    EXACT,
    FLOAT8,
    FLOAT16,
    FLOAT32,
    GROUP,
    GROUPED4,
    GROUPED8,
    INT4,
    INT8,
    MATRIX,
    NIBBLE_GROUP,
    ROTATED,
    STRIP,
    UINT8,
)
from ..machine.all_finite import all_finite
from ..machine.memory import aligned_zeros, round_up
from .codes import FLOAT8 as FLOAT8_TYPE
from .codes import SUPER_GROUP, Codes, dequantize_codes
from .common_form import fits_float16, to_common_form
from .rotation import rotate, rotate_codes_back
from .rounding import Int4, Int8, round_int4, round_int8

# --weights -> kind
KINDS = {"float32": FLOAT32, "bfloat16": BFLOAT16, "float16": FLOAT16, "int8": INT8, "int4": INT4}
NAMES = {kind: name for name, kind in KINDS.items()} | {
    GROUPED8: "8 bits by group",
    GROUPED4: "4 bits by group",
    FLOAT8: "float8",
}
_DTYPES = {
    FLOAT32: np.dtype(np.float32),
    BFLOAT16: np.dtype(ml_dtypes.bfloat16),
    FLOAT16: np.dtype(np.float16),
}
_GROUP_KINDS = {np.dtype(np.int8): INT8, np.dtype(np.uint8): UINT8} | {
    dtype: kind for kind, dtype in _DTYPES.items()
}
_ROWS = 4 * STRIP  # rows packed at a time, to limit temporary memory


@dataclass(frozen=True)
class Matrix:
    """Weights [n, k], packed: kernels/products/strips.py reads them strip by strip.

    Attributes:
        kind: one of the kinds in kernels/layout.py.
        n, k: padded sizes: n to a multiple of STRIP, and k of integer kinds to a multiple of NIBBLE_GROUP and
            of the group.
        inputs: k without padding.
        data: 16 rows side by side. Float kinds [n / 16, k, 16]; of 8 bits uint8 [n / 16, k / 4, 16, 4],
            integers + 128 or the bits of floats; of 4 bits uint8 [n / 16, k / 8, 16, 4], each byte the codes
            of k (low half) and k + 4.
        scales: float32 [n] of integer kinds, which multiply whole rows; None for 1.
        group: columns that share a scale; GROUP for INT8 and INT4.
        groups: uint8 [n / 16, k / 32, 16] of INT4: factor + 16 * zero, and a weight is (code - zero) *
            factor * scale. Of GROUPED4, GROUPED8 and FLOAT8 the scales of groups [n / 64, k / group, 64]:
            float32, float16 or int8.
        supers: float16 [n / 64, k / 256, 64], which multiply scales of groups in int8.
        offsets: as `groups`, added to the weights of each group; or zeros in uint8, subtracted from codes.
        offset_supers: as `supers`, for the offsets.
        table: uint8 [16] of GROUPED4: codes are indices of these numbers + 128.
        is_small: whether the numbers of GROUPED4 or GROUPED8 are from -32 to 31, as those of 6 bits are.
        is_rotated: whether the weights are rotated (see rotation.py): those of INT8, and of INT4 that are
            rounded here.
        bias: float32 [n], or None.
    """

    kind: int
    n: int
    k: int
    inputs: int
    data: np.ndarray
    scales: np.ndarray | None = None
    group: int = GROUP
    groups: np.ndarray | None = None
    supers: np.ndarray | None = None
    offsets: np.ndarray | None = None
    offset_supers: np.ndarray | None = None
    table: np.ndarray | None = None
    bias: np.ndarray | None = None
    is_small: bool = False
    is_rotated: bool = False

    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays that are not None, by name."""
        names = ("data", "scales", "groups", "supers", "offsets", "offset_supers", "table", "bias")
        return {name: array for name in names if (array := getattr(self, name)) is not None}

    @property
    def nbytes(self) -> int:
        """Bytes of memory of all arrays."""
        return sum(array.nbytes for array in self.arrays().values())

    def rounding(self, arithmetic: str) -> int:
        """How activations that it multiplies are rounded with this --arithmetic: see kernels/layout.py."""
        if arithmetic == "float32" or self.kind not in (INT8, INT4, GROUPED8, GROUPED4):
            return EXACT
        if self.kind in (GROUPED8, GROUPED4):
            return BY_GROUP
        return ROTATED if self.is_rotated else BY_CHUNK

    def record(self, arithmetic: str = "int8", parts: int = 0) -> np.ndarray:
        """The matrix in the form that kernels read: MATRIX [1]. It points into this object.

        parts: in bfloat16 of activations that it multiplies, if it has such weights (see bind).
        """
        record = np.zeros(1, MATRIX)
        for name in ("kind", "n", "k", "inputs", "group", "is_small", "is_rotated"):
            record[name] = getattr(self, name)
        record["rounding"] = self.rounding(arithmetic)
        record["parts"] = parts if self.kind == BFLOAT16 else 0
        for name, array in self.arrays().items():
            record[name] = array.ctypes.data
        for kind, values in (("scale_kind", self.groups), ("offset_kind", self.offsets)):
            if values is not None:
                record[kind] = _GROUP_KINDS[values.dtype]
        return record

    def rows(self, indices: np.ndarray) -> np.ndarray:
        """Unpacked rows of the matrix: float32 [..., k]."""
        tile, lane = np.divmod(indices, 16)
        if self.kind == INT4:
            raise ValueError("rows of int4 weights are not needed one by one")
        numbers = self.data[tile, :, lane]
        if self.kind in _DTYPES:
            return numbers.astype(np.float32)
        if self.kind == GROUPED4:
            numbers = np.concatenate([numbers & 15, numbers >> 4], axis=-1)
        numbers = numbers.reshape(*indices.shape, self.k)
        if self.kind in (INT8, GROUPED8):
            numbers = (numbers ^ np.uint8(128)).view(np.int8)
        if self.kind == INT8:
            assert self.scales is not None
            return rotate_codes_back(numbers) * self.scales[indices][..., None]
        strip, column = np.divmod(indices, STRIP)
        groups, supers, offsets, offset_supers = (
            None if array is None else array[strip, :, column]
            for array in (self.groups, self.supers, self.offsets, self.offset_supers)
        )
        assert groups is not None
        has_zeros = offsets is not None and offsets.dtype == np.uint8
        codes = Codes(
            numbers.view(FLOAT8_TYPE) if self.kind == FLOAT8 else numbers,
            self.group,
            groups,
            None if self.table is None else (self.table ^ np.uint8(128)).view(np.int8),
            None if supers is None else supers.astype(np.float32),
            offsets if has_zeros else None,
            None if has_zeros else offsets,
            None if offset_supers is None else offset_supers.astype(np.float32),
        )
        rows = dequantize_codes(codes)
        return rows if self.scales is None else rows * self.scales[indices][..., None]


def allocate(kind: int, n: int, inputs: int, bias: bool, rotated: bool = False) -> Matrix:
    """A matrix of zeros with `n` rows, a multiple of STRIP, and `inputs` columns, for weights of KINDS."""
    data_type = _DTYPES.get(kind)
    b = aligned_zeros((n,), np.float32) if bias else None
    if data_type is not None:
        return Matrix(kind, n, inputs, inputs, aligned_zeros((n // 16, inputs, 16), data_type), bias=b)
    k = round_up(inputs, BLOCK if rotated else NIBBLE_GROUP)
    data = aligned_zeros((n // 16, k // (4 if kind == INT8 else 8), 16, 4), np.uint8)
    groups = aligned_zeros((n // 16, k // NIBBLE_GROUP, 16), np.uint8) if kind == INT4 else None
    scales = aligned_zeros((n,), np.float32)
    return Matrix(kind, n, k, inputs, data, scales, groups=groups, bias=b, is_rotated=rotated)


def pack(
    parts: Sequence[np.ndarray | Int4],
    kind: int,
    biases: Sequence[np.ndarray] | None = None,
    gated: bool = False,
) -> Matrix:
    """Pack matrices [n_i, k] one below the other, each padded to multiples of STRIP, with biases [n_i].

    `gated`: the matrices are pairs of equal shapes, and each strip has 32 rows of both. For INT8 and INT4,
    the matrices are rotated and rounded; all for INT4 may be rounded already, and stay as they are. Raises
    ModelError if a weight to be rounded is not finite.
    """
    places = _place_tiles([_size(part)[0] for part in parts], gated)
    rotated = kind == INT8 or (kind == INT4 and isinstance(parts[0], np.ndarray))
    matrix = allocate(kind, _rows(places), _size(parts[0])[1], biases is not None, rotated)
    for part, tiles_at in zip(parts, places, strict=True):
        size = _size(part)[0]
        for first in range(0, size, _ROWS):
            rows = slice(first, first + _ROWS)
            block = part[rows] if isinstance(part, np.ndarray) else Int4(*(a[rows] for a in part))
            _fill(matrix, tiles_at[first // 16 : (first + _ROWS) // 16], block)
    _fill_bias(matrix, places, biases)
    return matrix


def pack_codes(
    parts: Sequence[Codes], biases: Sequence[np.ndarray] | None = None, gated: bool = False
) -> Matrix:
    """Pack codes as they are: `pack` for matrices that are quantized already.

    The columns stay in the order of the codes. Raises ModelError if the matrices have no common form.
    """
    parts = to_common_form(parts)
    first, places = parts[0], _place_tiles([part.shape[0] for part in parts], gated)
    n, group = _rows(places), first.group
    kind = FLOAT8 if first.codes.dtype == FLOAT8_TYPE else GROUPED8 if first.table is None else GROUPED4
    k = round_up(first.shape[1], max(group, NIBBLE_GROUP))
    factors, arrays = _share_factors(parts)

    def zeros(shape: tuple[int, ...], dtype: np.dtype | type) -> np.ndarray:
        return aligned_zeros((n // STRIP, *shape, STRIP), dtype)

    counts = {"groups": k // group, "supers": -(-k // SUPER_GROUP)}
    counts |= {"offsets": counts["groups"], "offset_supers": counts["supers"]}
    scales: dict[str, Any] = {name: zeros((counts[name],), array[0].dtype) for name, array in arrays.items()}
    matrix = Matrix(
        kind,
        n,
        k,
        first.shape[1],
        aligned_zeros((n // 16, k // (8 if kind == GROUPED4 else 4), 16, 4), np.uint8),
        None if factors is None else aligned_zeros((n,), np.float32),
        group,
        **scales,
        table=None if first.table is None else first.table.view(np.uint8) ^ np.uint8(128),
        bias=None if biases is None else aligned_zeros((n,), np.float32),
        is_small=kind != FLOAT8 and all(map(_is_small, parts)),
    )
    for number, (part, tiles_at) in enumerate(zip(parts, places, strict=True)):
        for start in range(0, part.shape[0], _ROWS):
            rows = part.codes[start : start + _ROWS].view(np.uint8)
            _fill_numbers(matrix, tiles_at[start // 16 :][: -(-len(rows) // 16)], rows)
        used = tiles_at[: -(-part.shape[0] // 16)]
        for name, values in arrays.items():
            target = getattr(matrix, name)
            by_tile = target.reshape(len(target), -1, STRIP // 16, 16)
            by_tile[used // 4, :, used % 4] = _interleave(values[number], target.shape[1], 1)[..., 0]
        if factors is not None and matrix.scales is not None:
            _split_tiles(matrix.scales)[used] = _split_tiles(factors[number])
    _fill_bias(matrix, places, biases)
    return matrix


def _is_small(part: Codes) -> bool:
    """Whether the numbers of integer codes are from -32 to 31."""
    numbers = part.codes if part.table is None else part.table
    return bool(numbers.min(initial=0) >= -32 and numbers.max(initial=0) <= 31)


def _share_factors(parts: Sequence[Codes]) -> tuple[list[np.ndarray] | None, dict[str, list[np.ndarray]]]:
    """Scales and offsets of parts by their names in a matrix; and factors of rows, or None for 1.

    Numbers in float32 become float16 where it holds them. If not at once, perhaps after a power of two has
    been taken off from each row.
    """
    fields = {
        "groups": "scales",
        "supers": "super_scales",
        "offsets": "zeros",
        "offset_supers": "super_offsets",
    }
    if parts[0].zeros is None:
        fields["offsets"] = "offsets"
    arrays = {name: [getattr(part, field) for part in parts] for name, field in fields.items()}
    arrays = {name: values for name, values in arrays.items() if values[0] is not None}
    names = [name for name, values in arrays.items() if values[0].dtype == np.float32]
    floats = {name: arrays[name] for name in names}
    factors = None
    if not all(fits_float16(array) for values in floats.values() for array in values):
        # The largest number of a row gets the largest exponent of float16.
        peaks = [
            np.max([np.abs(array).max(axis=1) for array in part], axis=0)
            for part in zip(*floats.values(), strict=True)
        ]
        factors = [np.ldexp(np.float32(1), np.frexp(peak)[1] - 16) for peak in peaks]
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            scaled = {
                name: [array / factor[:, None] for array, factor in zip(values, factors, strict=True)]
                for name, values in floats.items()
            }
        if all(fits_float16(array) for values in scaled.values() for array in values):
            floats = scaled
        else:
            factors = None
    for name, values in floats.items():
        if all(map(fits_float16, values)):
            floats[name] = [array.astype(np.float16) for array in values]
    return factors, arrays | floats


def _place_tiles(sizes: Sequence[int], gated: bool) -> list[np.ndarray]:
    """The tiles of 16 rows that each of several matrices gets, as `pack` places them."""
    tiles = [round_up(size, STRIP // 2 if gated else STRIP) // 16 for size in sizes]
    starts = np.cumsum([0, *tiles])
    places = []
    for i, count in enumerate(tiles):
        indices = np.arange(count)
        places.append(starts[i] + indices)
        if gated:
            places[i] = starts[i - i % 2] + indices // 2 * 4 + 2 * (i % 2) + indices % 2
    return places


def _rows(places: Sequence[np.ndarray]) -> int:
    return 16 * sum(map(len, places))


def _fill_bias(matrix: Matrix, places: Sequence[np.ndarray], biases: Sequence[np.ndarray] | None) -> None:
    if matrix.bias is None or biases is None:
        return
    for tiles_at, bias in zip(places, biases, strict=True):
        _split_tiles(matrix.bias)[tiles_at[: -(-len(bias) // 16)]] = _split_tiles(bias)


def _fill_numbers(matrix: Matrix, tiles_at: np.ndarray, numbers: np.ndarray) -> None:
    """Write rows of codes: uint8 [16 * tiles or fewer, k], 16 rows to each of the tiles `tiles_at`."""
    # Four numbers at a time: NumPy moves single bytes slowly.
    words = _pad(numbers, matrix.k).view(np.uint32)
    if matrix.kind in (INT4, GROUPED4):
        words = words[:, ::2] | words[:, 1::2] << np.uint32(4)
    elif matrix.kind != FLOAT8:
        words = words ^ np.uint32(0x80808080)
    matrix.data.view(np.uint32)[tiles_at] = _interleave(words, words.shape[1], 1)


def _fill(matrix: Matrix, tiles_at: np.ndarray, block: np.ndarray | Int4) -> None:
    """Write rows to a matrix in its kind: 16 rows to each of the tiles `tiles_at`."""
    tiles_at = tiles_at[: -(-_size(block)[0] // 16)]
    if matrix.scales is None:
        assert isinstance(block, np.ndarray)
        matrix.data[tiles_at] = _interleave(_convert(block, matrix.data.dtype), matrix.k, 1)[..., 0]
        return
    rounded: Int4 | Int8
    if isinstance(block, Int4):
        rounded = block
    else:
        rotated = rotate(np.asarray(block, np.float32))
        rounded = round_int4(rotated) if matrix.kind == INT4 else round_int8(rotated)
    _fill_numbers(matrix, tiles_at, rounded.codes.view(np.uint8))
    if isinstance(rounded, Int4) and matrix.groups is not None:
        matrix.groups[tiles_at] = _interleave(rounded.groups, matrix.k // NIBBLE_GROUP, 1)[..., 0]
    _split_tiles(matrix.scales)[tiles_at] = _split_tiles(rounded.scales)


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
    return _pad(array, steps * width).reshape(-1, 16, steps, width).transpose(0, 2, 1, 3)


def _pad(array: np.ndarray, columns: int) -> np.ndarray:
    """[n, k] with zeros below, to a multiple of 16 rows, and to the right. Its rows are contiguous."""
    n, k = array.shape
    if n % 16 == 0 and k == columns:
        return np.ascontiguousarray(array)
    padded = np.zeros((round_up(n, 16), columns), array.dtype)
    padded[:n, :k] = array
    return padded


def _size(part: np.ndarray | Int4) -> tuple[int, ...]:
    return (part.codes if isinstance(part, Int4) else part).shape
