"""Packs weight matrices for the kernels."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import ModelError
from ..kernels.layout import (
    FLOAT8,
    GROUPED4,
    GROUPED8,
    INT8,
    NIBBLE_GROUP,
    STEPPED_BITS,
    STRIP,
)
from ..machine.all_finite import all_finite
from ..machine.memory import aligned_zeros, round_up
from .codes import FLOAT8 as FLOAT8_TYPE
from .codes import SUPER_GROUP, Codes
from .common_form import fits_float16, power_of_rows, to_common_form
from .matrix import FLOATS, Matrix, allocate
from .rotation import rotate
from .rounding import Stepped, round_rows

_ROWS = 4 * STRIP  # rows packed at a time, to limit temporary memory


def pack(
    parts: Sequence[np.ndarray | Stepped],
    kind: int,
    biases: Sequence[np.ndarray] | None = None,
    gated: bool = False,
) -> Matrix:
    """Pack matrices [n_i, k] one below the other, each padded to multiples of STRIP, with biases [n_i].

    `gated`: the matrices are pairs of equal shapes, and each strip has 32 rows of both. For INT8 and
    STEPPED_BITS, the matrices are rotated and rounded; all for STEPPED_BITS may be rounded already, and stay
    as they are. Raises ModelError if a weight to be rounded is not finite.
    """
    rotated = kind == INT8 or (kind in STEPPED_BITS and isinstance(parts[0], np.ndarray))
    rows = _rows(_place_tiles([_size(part)[0] for part in parts], gated))
    matrix = allocate(kind, rows, _size(parts[0])[1], biases is not None, rotated)
    fill(matrix, parts, biases, gated)
    return matrix


def reserve(
    sizes: Sequence[tuple[int, ...]], kind: int, bias: bool, gated: bool = False, rotated: bool = True
) -> Matrix:
    """A matrix of zeros for `fill`, with parts of these sizes, [n_i, k]. For the others see `pack`.

    If it is rotated, it has a balance of its own, of ones, which can be set.
    """
    rows = _rows(_place_tiles([size[0] for size in sizes], gated))
    matrix = allocate(kind, rows, sizes[0][1], bias, rotated)
    if matrix.balance is not None:
        own = aligned_zeros(matrix.balance.shape, np.float32)
        own[:] = 1
        matrix.balance = own
    return matrix


def fill(
    matrix: Matrix,
    parts: Sequence[np.ndarray | Stepped],
    biases: Sequence[np.ndarray] | None = None,
    gated: bool = False,
) -> None:
    """Pack matrices as `pack` does, into one that is reserved for them. Raises ModelError as `pack`."""
    places = _place_tiles([_size(part)[0] for part in parts], gated)
    for part, tiles_at in zip(parts, places, strict=True):
        size = _size(part)[0]
        for first in range(0, size, _ROWS):
            rows = slice(first, first + _ROWS)
            block = part[rows] if isinstance(part, np.ndarray) else part.rows(rows)
            _fill(matrix, tiles_at[first // 16 : (first + _ROWS) // 16], block)
    _fill_bias(matrix, places, biases)


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
            _fill_groups(getattr(matrix, name), used, values[number])
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
    fits = all(fits_float16(array) for values in floats.values() for array in values)
    # Factors multiply all numbers of a row, and those in float16 stay as they are.
    if not fits and not any(values[0].dtype == np.float16 for values in arrays.values()):
        factors = [power_of_rows(part) for part in zip(*floats.values(), strict=True)]
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            scaled = {
                name: [array / factor[:, None] for array, factor in zip(values, factors, strict=True)]
                for name, values in floats.items()
            }
        is_exact = all(
            fits_float16(part) and np.array_equal(part * factor[:, None], array)  # it may have become 0
            for name, values in floats.items()
            for part, factor, array in zip(scaled[name], factors, values, strict=True)
        )
        floats, factors = (scaled, factors) if is_exact else (floats, None)
    for name, values in floats.items():
        if all(map(fits_float16, values)):
            floats[name] = [array.astype(np.float16) for array in values]
    # Kernels read no others; to_common_form has multiplied those that do not fit.
    assert all(values[0].dtype == np.float16 for name, values in floats.items() if name.endswith("supers"))
    if parts[0].factors is not None:
        of_parts = [part.factors[:, 0] for part in parts if part.factors is not None]
        powers = factors or [np.ones(1, np.float32)] * len(parts)
        factors = [power * factor for power, factor in zip(powers, of_parts, strict=True)]
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
    if matrix.high is not None:
        width = STEPPED_BITS[matrix.kind] - 4
        high = _interleave(
            words >> np.uint32(4) & np.uint32((1 << width) * 0x01010101 - 0x01010101), words.shape[1], 1
        )
        planes = high.reshape(-1, *matrix.high.shape[1:3], 8 // width, 16)  # of four numbers
        shifts = np.arange(0, 8, width, dtype=np.uint32)[:, None]
        matrix.high.view(np.uint32)[tiles_at] = np.bitwise_or.reduce(planes << shifts, axis=-2)[..., None]
        words = words & np.uint32(0x0F0F0F0F)
    if matrix.kind in STEPPED_BITS or matrix.kind == GROUPED4:
        words = words[:, ::2] | words[:, 1::2] << np.uint32(4)
    elif matrix.kind != FLOAT8:
        words = words ^ np.uint32(0x80808080)
    matrix.data.view(np.uint32)[tiles_at] = _interleave(words, words.shape[1], 1)


def _fill_groups(target: np.ndarray, tiles_at: np.ndarray, values: np.ndarray) -> None:
    """Write values of rows by group, [16 * tiles or fewer, groups], to [strips, groups, STRIP]."""
    by_tile = target.reshape(len(target), -1, STRIP // 16, 16)
    by_tile[tiles_at // 4, :, tiles_at % 4] = _interleave(values, target.shape[1], 1)[..., 0]


def _fill(matrix: Matrix, tiles_at: np.ndarray, block: np.ndarray | Stepped) -> None:
    """Write rows to a matrix in its kind: 16 rows to each of the tiles `tiles_at`."""
    tiles_at = tiles_at[: -(-_size(block)[0] // 16)]
    if matrix.kind in FLOATS:
        assert isinstance(block, np.ndarray)
        matrix.data[tiles_at] = _interleave(_convert(block, matrix.data.dtype), matrix.k, 1)[..., 0]
        return
    rounded = block if isinstance(block, Stepped) else _round(block, matrix)
    _fill_numbers(matrix, tiles_at, rounded.codes.view(np.uint8))
    assert matrix.groups is not None
    if isinstance(rounded, Codes):
        _fill_groups(matrix.groups, tiles_at, rounded.scales)
        return
    assert matrix.scales is not None
    matrix.groups[tiles_at] = _interleave(rounded.groups, matrix.k // NIBBLE_GROUP, 1)[..., 0]
    _split_tiles(matrix.scales)[tiles_at] = _split_tiles(rounded.scales)


def _round(block: np.ndarray, matrix: Matrix) -> Codes | Stepped:
    """Round rows of a matrix, of one that is rotated after that. Raises ModelError if they are not finite."""
    if matrix.balance is None:
        return round_rows(block.astype(np.float32, copy=False), matrix.kind)
    with np.errstate(over="ignore"):
        balanced = block / matrix.balance[: matrix.inputs]
    return round_rows(rotate(balanced), matrix.kind)


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


def _size(part: np.ndarray | Stepped) -> tuple[int, ...]:
    return (part.codes if isinstance(part, Stepped) else part).shape
