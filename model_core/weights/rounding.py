"""Quantizes weights to 8 or 4 bits, and activations to 8, as codes that integer kernels multiply.

Codes of 8 bits share a scale by GROUP, or by row in files. A row of an int4 matrix stands for an int8 row, as
in QServe (Lin et al., 2024, arXiv:2405.04532): each 32 consecutive codes share a small whole step s and a
zero point z, and (code - z) * s is the int8 code, of which a row has one scale. So both use the same integer
product, which is exact: the order of summation does not change its result.

Scales have few significant bits, so that bfloat16 holds them, and whole multiples of those of int4, exactly.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..errors import ModelError
from ..kernels.layout import GROUP, INT8, NIBBLE_GROUP, STEPPED_BITS
from .codes import Codes, dequantize_codes
from .rotation import rotate

# Scales to try for an int4 row, relative to the smallest that reaches all its weights. A smaller scale clips
# the largest weights and is finer for the others. With each scale, other groups have a good whole step.
_SCALE_RATIOS = (0.7, 0.8, 0.9, 1.0, 1.1, 1.2)
_INT8_SCALE_BITS = 8  # significant bits of a scale, as bfloat16 has
_STEPPED_SCALE_BITS = 4  # a step has 4 more. Weights lose nothing: other scales suit other steps
_BLOCK_SIZE = 2**16  # weights rounded at a time, so that they stay in the cache
_DAMPING = 0.01  # share of the mean diagonal that is added to a Hessian's diagonal, as in the GPTQ paper
_MIN_SCALE = np.finfo(np.float32).tiny  # the inverse of a smaller scale is infinite


class Int8(NamedTuple):
    """scales[n] * codes[n, k]: int8 [n, k] from -127 to 127, float32 [n]."""

    codes: np.ndarray
    scales: np.ndarray


class Stepped(NamedTuple):
    """scales[n] * (codes[n, k] - z) * s, where s and z are those of group k // 32.

    bits: of a code, 4 to 6. codes: uint8 [n, k]. groups: uint8 [n, ceil(k / 32)], a whole step s from 1 on in
    the lowest 8 - bits, and a zero point z in the others. scales: float32 [n]. (code - z) * s is from -127 to
    127.
    """

    codes: np.ndarray
    groups: np.ndarray
    scales: np.ndarray
    bits: int = 4

    def rows(self, rows: slice) -> "Stepped":
        """Some of the rows."""
        return Stepped(self.codes[rows], self.groups[rows], self.scales[rows], self.bits)


def round_activations(x: np.ndarray, group: int) -> tuple[np.ndarray, np.ndarray]:
    """float32 [..., k] -> int8 codes [..., k], float32 scales [..., ceil(k / group)].

    Each run of `group` inputs has its largest magnitude at 127; ties round to even.
    """
    k = x.shape[-1]
    starts = range(0, k, group)
    peaks = np.maximum.reduceat(np.abs(x), starts, axis=-1)
    scales = _replace_tiny_scales(peaks / np.float32(127))
    codes = np.rint(x / np.repeat(scales, group, axis=-1)[..., :k])
    return np.clip(codes, -127, 127).astype(np.int8), scales


def round_int8(weight: np.ndarray) -> Int8:
    """Round float32 [n, k] to int8. The largest code of each row is 127. Raises ModelError if not finite."""
    result = Int8(np.empty(weight.shape, np.int8), np.empty(len(weight), np.float32))
    for part in _row_blocks(weight):
        x = _check_finite(weight[part])
        scales = _replace_tiny_scales(np.abs(x).max(axis=1) / np.float32(127))
        scales = _round_mantissas(scales, _INT8_SCALE_BITS)
        result.codes[part] = np.clip(np.rint(x / scales[:, None]), -127, 127)
        result.scales[part] = scales
    return result


def round_chunks(weight: np.ndarray) -> Codes:
    """Round float32 [n, k] to int8, with a scale for each GROUP of columns, which bfloat16 holds.

    Raises ModelError if a weight is not finite.
    """
    n, k = weight.shape
    scales = np.empty((n, -(-k // GROUP)), np.float32)
    codes = np.empty((n, k), np.int8)
    for chunk in range(scales.shape[1]):
        columns = slice(chunk * GROUP, (chunk + 1) * GROUP)
        codes[:, columns], scales[:, chunk] = round_int8(weight[:, columns])
    return Codes(codes, GROUP, scales)


def round_as_packed(weight: np.ndarray, kind: int) -> np.ndarray:
    """The numbers that float32 [n, k] become in a matrix of a kind: rotated, rounded, and rotated back."""
    return rotate(dequantize(round_rows(rotate(weight), kind)))[:, : weight.shape[1]]


def round_groups(weight: np.ndarray) -> Codes:
    """Round float32 [n, k] to 8 bits, with a scale for each 32 columns. Raises ModelError if not finite."""
    codes, scales = round_activations(_check_finite(weight), NIBBLE_GROUP)
    return Codes(codes, NIBBLE_GROUP, scales)


def round_stepped(weight: np.ndarray, bits: int = 4) -> Stepped:
    """Round float32 [n, k] to 4 to 6 bits, with the scales, steps and zeros of the smallest squared error.

    It tries a few candidates. For Gaussian rows the error of 4 bits is within 4 % of the smallest possible
    one. Raises ModelError if a weight is not finite.
    """
    n, k = weight.shape
    count = -(-k // NIBBLE_GROUP)
    result = Stepped(
        np.empty((n, k), np.uint8), np.empty((n, count), np.uint8), np.empty(n, np.float32), bits
    )
    for part in _row_blocks(weight):
        x = _split_groups(_check_finite(weight[part]))
        scales, step, zero = _choose_row_scales(x, bits)
        codes = _encode(x, scales[:, None], step, zero, bits)
        result.codes[part] = codes.transpose(1, 2, 0).reshape(len(scales), -1)[:, :k]
        result.groups[part] = _pack_groups(step, zero, bits)
        result.scales[part] = scales
    return result


def round_rows(weight: np.ndarray, kind: int) -> Codes | Stepped:
    """Round float32 [n, k] for a matrix of the kind INT8 or one of STEPPED_BITS. Raises ModelError."""
    return round_chunks(weight) if kind == INT8 else round_stepped(weight, STEPPED_BITS[kind])


def round_by_gptq(weight: np.ndarray, hessian: np.ndarray, bits: int = 4) -> Stepped:
    """Quantize float32 [n, k] to the codes that change a layer's outputs least (GPTQ, arXiv:2210.17323).

    Columns are rounded one after the other, and the later columns correct the error of each. The steps and
    zero points of a group are chosen just before it is rounded, row scales at the start.

    Args:
        weight: float32 [n, k].
        hessian: [k, k], proportional to the sum of x x^T over the layer's inputs x. Some inputs may be 0.

    Raises:
        ModelError: a number is not finite.
    """
    n, k = weight.shape
    hessian = _check_finite(hessian).astype(np.float64)
    diagonal = np.einsum("ii->i", hessian)  # a view
    diagonal += (_DAMPING * diagonal.mean()) or 1.0
    factor = _inverse_factor(hessian).astype(np.float32)
    scales = round_stepped(weight, bits).scales
    # Columns as rows: contiguous, and in units of the row scale.
    remaining = np.ascontiguousarray((weight / scales[:, None]).T)
    codes = np.empty((k, n), np.uint8)
    groups = np.empty((n, -(-k // NIBBLE_GROUP)), np.uint8)
    unit_scale = np.ones(n, np.float32)
    for start in range(0, k, NIBBLE_GROUP):
        end = min(start + NIBBLE_GROUP, k)
        step, zero, _ = _choose_groups(remaining[start:end], unit_scale, bits)
        errors = np.empty((end - start, n), np.float32)
        for i in range(start, end):
            code = _encode(remaining[i], unit_scale, step, zero, bits)
            codes[i] = code
            error = (remaining[i] - (code - zero) * step) / factor[i, i]
            remaining[i + 1 : end] -= factor[i, i + 1 : end, None] * error
            errors[i - start] = error
        remaining[end:] -= factor[start:end, end:].T @ errors
        groups[:, start // NIBBLE_GROUP] = _pack_groups(step, zero, bits)
    return Stepped(np.ascontiguousarray(codes.T), groups, scales, bits)


def stepped_as_int8(weight: Stepped) -> Int8:
    """The int8 matrix with the same numbers."""
    k = weight.codes.shape[1]
    step, zero = (
        np.repeat(part, NIBBLE_GROUP, axis=1)[:, :k] for part in split_groups(weight.groups, weight.bits)
    )
    # Modulo 256, where the result is exact.
    return Int8(((weight.codes - zero) * step).view(np.int8), weight.scales)


def split_groups(groups: np.ndarray, bits: int) -> tuple[np.ndarray, np.ndarray]:
    """The steps and zero points of Stepped.groups: uint8."""
    return groups & (1 << 8 - bits) - 1, groups >> 8 - bits


def dequantize(weight: Int8 | Stepped | Codes) -> np.ndarray:
    """The numbers that the codes stand for: float32 [n, k]."""
    if isinstance(weight, Codes):
        return dequantize_codes(weight)
    codes, scales = stepped_as_int8(weight) if isinstance(weight, Stepped) else weight
    return codes * scales[:, None]


def _row_blocks(weight: np.ndarray) -> Iterator[slice]:
    """Slices of the rows of [n, k]."""
    n, k = weight.shape
    rows = max(1, _BLOCK_SIZE // k)
    return (slice(start, start + rows) for start in range(0, n, rows))


def _check_finite(x: np.ndarray) -> np.ndarray:
    if not np.isfinite(x).all():
        raise ModelError("Numbers that are infinite or not a number cannot be quantized.")
    return x


def _replace_tiny_scales(scales: np.ndarray) -> np.ndarray:
    """Replace scales whose inverse is infinite by 1, so that the codes are 0."""
    return np.where(scales < _MIN_SCALE, np.float32(1), scales)


def _round_mantissas(scales: np.ndarray, bits: int) -> np.ndarray:
    """The nearest float32 numbers with so many significant bits."""
    mantissas, exponents = np.frexp(scales)
    return np.ldexp(np.rint(mantissas * np.float32(2**bits)) / np.float32(2**bits), exponents)


def _split_groups(weight: np.ndarray) -> np.ndarray:
    """[n, k] -> [32, n, groups]. The last group is padded with zeros, which are always exact."""
    n, k = weight.shape
    x = np.pad(weight, ((0, 0), (0, -k % NIBBLE_GROUP))).reshape(n, -1, NIBBLE_GROUP)
    return np.ascontiguousarray(x.transpose(2, 0, 1))


def _choose_row_scales(x: np.ndarray, bits: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x [32, n, groups] -> the best scales [n], with steps and zero points [n, groups]."""
    widest = (np.maximum(x.max(axis=0), 0) - np.minimum(x.min(axis=0), 0)).max(axis=1)
    # All codes, with the largest step, must cover a group, and 127 units must reach its largest weight.
    units = (2**bits - 1) * (2 ** (8 - bits) - 1)
    base_scales = _replace_tiny_scales(
        np.maximum(widest / np.float32(units), np.abs(x).max(axis=(0, 2)) / np.float32(127))
    )
    best: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None = None
    for ratio in _SCALE_RATIOS:
        scales = _round_mantissas(base_scales * np.float32(ratio), _STEPPED_SCALE_BITS)
        step, zero, errors = _choose_groups(x, scales[:, None], bits)
        candidate = scales, step, zero, errors.sum(axis=1) * np.square(scales / base_scales)
        if best is None:
            best = candidate
            continue
        is_better = candidate[-1] < best[-1]
        for current, new in zip(best, candidate, strict=True):
            current[is_better] = new[is_better]
    assert best is not None
    return best[:3]


def _choose_groups(x: np.ndarray, scale: np.ndarray, bits: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x [inputs of a group, ...], scale [...] -> step, zero point and squared error, in units of `scale`."""
    inverse = 1 / scale
    high = np.maximum(x.max(axis=0), 0) * inverse
    low = np.minimum(x.min(axis=0), 0) * inverse
    # The smallest step that reaches all weights (the largest almost), or the next smaller one.
    largest = 2**bits - 1
    widest = np.clip(np.ceil((high - low) / np.float32(largest) - np.float32(0.01)), 1, 2 ** (8 - bits) - 1)
    best: tuple[np.ndarray, ...] = ()
    for step in (widest, np.maximum(widest - 1, 1)):
        zero = np.clip(np.rint(np.float32(largest / 2) - (high + low) / (2 * step)), 0, largest)
        error = x * (inverse / step)
        error += zero
        error -= _nearest_codes(error, step, zero, bits)
        np.square(error, out=error)
        new = step, zero, error.sum(axis=0) * step * step
        if best:
            is_better = new[2] < best[2]
            best = tuple(np.where(is_better, b, a) for a, b in zip(best, new, strict=True))
        else:
            best = new
    return best[0], best[1], best[2]


def _encode(x: np.ndarray, scale: np.ndarray, step: np.ndarray, zero: np.ndarray, bits: int) -> np.ndarray:
    """The nearest codes, as float32, to x / scale."""
    return _nearest_codes(x * (1 / scale / step) + zero, step, zero, bits)


def _nearest_codes(x: np.ndarray, step: np.ndarray, zero: np.ndarray, bits: int) -> np.ndarray:
    """The codes nearest to x for which |(code - zero) * step| <= 127."""
    max_distance = np.floor(127 / step)
    codes = np.rint(x)
    np.maximum(codes, np.maximum(zero - max_distance, 0), out=codes)
    return np.minimum(codes, np.minimum(zero + max_distance, 2**bits - 1), out=codes)


def _pack_groups(step: np.ndarray, zero: np.ndarray, bits: int) -> np.ndarray:
    return step.astype(np.uint8) | zero.astype(np.uint8) << 8 - bits


def _inverse_factor(matrix: np.ndarray) -> np.ndarray:
    """The upper triangular U with U^T U = matrix^-1."""
    # Reversing rows and columns turns a lower triangular factor into an upper one.
    return _inverse_of_lower(np.linalg.cholesky(matrix[::-1, ::-1]))[::-1, ::-1]


def _inverse_of_lower(matrix: np.ndarray) -> np.ndarray:
    """The inverse of a lower triangular matrix, by halves: NumPy's function does not use the zeros."""
    k = len(matrix)
    if k <= 64:
        return np.linalg.inv(matrix)
    half = k // 2
    inverse = np.zeros_like(matrix)
    inverse[:half, :half] = _inverse_of_lower(matrix[:half, :half])
    inverse[half:, half:] = _inverse_of_lower(matrix[half:, half:])
    inverse[half:, :half] = -inverse[half:, half:] @ (matrix[half:, :half] @ inverse[:half, :half])
    return inverse
