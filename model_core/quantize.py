"""Weights in 8 and 4 bits, and activations in 8: how numbers become the codes that integer kernels multiply.

A row of an int8 matrix is its codes times one float scale. A row of an int4 matrix is an int8 row in
disguise, as in QServe (Lin et al., 2024, arXiv:2405.04532): runs of 32 codes share a small whole step s
and a zero point z, and (code - z) * s is the int8 code. So one exact integer product serves both, and no
order of summation can change its result.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .errors import ModelError

NIBBLE_GROUP = 32  # consecutive inputs of an int4 row that share a step and a zero point

# Scales tried for an int4 row, relative to the smallest that reaches all its weights. A smaller one cuts
# off the largest weights and is finer for all others; each lets other groups fall on a whole step.
_RATIOS = (0.7, 0.8, 0.9, 1.0, 1.1, 1.2)
_BLOCK = 2**16  # weights rounded at a time, so that what is computed for them stays in the cache
_DAMPING = 0.01  # of the mean diagonal, added to a Hessian's: the value of the GPTQ paper
_TINY = np.finfo(np.float32).tiny  # a scale below this has no finite inverse


class Int8(NamedTuple):
    """scales[n] * codes[n, k]: int8 [n, k] from -127 to 127, float32 [n]."""

    codes: np.ndarray
    scales: np.ndarray


class Int4(NamedTuple):
    """scales[n] * (codes[n, k] - z) * s, where s and z are those of group k // 32.

    codes: uint8 [n, k] from 0 to 15. groups: uint8 [n, ceil(k / 32)], each s | z << 4, s from 1 to 15, z from
    0 to 15. scales: float32 [n]. (code - z) * s is from -127 to 127.
    """

    codes: np.ndarray
    groups: np.ndarray
    scales: np.ndarray


def round_activations(x: np.ndarray, group: int) -> tuple[np.ndarray, np.ndarray]:
    """float32 [..., k] -> int8 codes [..., k], float32 scales [..., ceil(k / group)].

    Each run of `group` inputs has its largest magnitude at 127; ties round to even.
    """
    k = x.shape[-1]
    starts = range(0, k, group)
    peaks = np.maximum.reduceat(np.abs(x), starts, axis=-1)
    scales = _sane(peaks / np.float32(127))
    codes = np.rint(x / np.repeat(scales, group, axis=-1)[..., :k])
    return np.clip(codes, -127, 127).astype(np.int8), scales


def round_int8(weight: np.ndarray) -> Int8:
    """float32 [n, k] to the nearest int8 codes, each row's largest at 127. ModelError: not finite."""
    result = Int8(np.empty(weight.shape, np.int8), np.empty(len(weight), np.float32))
    for part in _parts(weight):
        x = _finite(weight[part])
        scales = _sane(np.abs(x).max(axis=1) / np.float32(127))
        result.codes[part] = np.clip(np.rint(x / scales[:, None]), -127, 127)
        result.scales[part] = scales
    return result


def round_int4(weight: np.ndarray) -> Int4:
    """float32 [n, k] to nearby int4 codes: scales, steps and zero points of least squared error.

    Least among a few candidates: on Gaussian rows within 4 % of what trying everything leaves.
    Raises ModelError where a weight is not finite.
    """
    n, k = weight.shape
    count = -(-k // NIBBLE_GROUP)
    result = Int4(np.empty((n, k), np.uint8), np.empty((n, count), np.uint8), np.empty(n, np.float32))
    for part in _parts(weight):
        x = _grouped(_finite(weight[part]))
        scales, step, zero = _choose_rows(x)
        codes = _codes(x, scales[:, None], step, zero)
        result.codes[part] = codes.transpose(1, 2, 0).reshape(len(scales), -1)[:, :k]
        result.groups[part] = _pack(step, zero)
        result.scales[part] = scales
    return result


def gptq_int4(weight: np.ndarray, hessian: np.ndarray) -> Int4:
    """float32 [n, k] to the int4 codes that change the layer's outputs least (GPTQ, arXiv:2210.17323).

    Columns are rounded one after the other, and those still to come make up for the error of each. Steps and
    zero points are chosen when a group's turn comes, from the weights as they then are; row scales
    beforehand, and once more at the end, when the codes are known.

    Args:
        weight: float32 [n, k].
        hessian: [k, k], proportional to the sum of x x^T over the layer's inputs x. Inputs may be dead.

    Raises:
        ModelError: a number is not finite.
    """
    n, k = weight.shape
    hessian = _finite(hessian).astype(np.float64)
    diagonal = np.einsum("ii->i", hessian)  # a view
    diagonal += (_DAMPING * diagonal.mean()) or 1.0
    factor = _inverse_factor(hessian).astype(np.float32)
    scales = round_int4(weight).scales
    # Columns as rows: contiguous, and in units of the row scale.
    rest = np.ascontiguousarray((weight / scales[:, None]).T)
    codes, rounded = np.empty((k, n), np.uint8), np.empty((k, n), np.float32)
    groups = np.empty((n, -(-k // NIBBLE_GROUP)), np.uint8)
    one = np.ones(n, np.float32)
    for start in range(0, k, NIBBLE_GROUP):
        end = min(start + NIBBLE_GROUP, k)
        step, zero, _ = _choose_groups(rest[start:end], one)
        errors = np.empty((end - start, n), np.float32)
        for i in range(start, end):
            code = _codes(rest[i], one, step, zero)
            codes[i], rounded[i] = code, (code - zero) * step
            error = (rest[i] - rounded[i]) / factor[i, i]
            rest[i + 1 : end] -= factor[i, i + 1 : end, None] * error
            errors[i - start] = error
        rest[end:] -= factor[start:end, end:].T @ errors
        groups[:, start // NIBBLE_GROUP] = _pack(step, zero)
    # The scale r of least error (w - r q) H (w - r q)^T is w H q / q H q.
    weighted = hessian.astype(np.float32) @ rounded
    size = np.einsum("kn,kn->n", rounded, weighted)
    best = np.einsum("nk,kn->n", weight, weighted) / np.where(size > 0, size, 1)
    return Int4(np.ascontiguousarray(codes.T), groups, np.where(size > 0, best, scales))


def int4_as_int8(weight: Int4) -> Int8:
    """The int8 matrix that an int4 one stands for; the numbers are the same."""
    k = weight.codes.shape[1]
    step, zero = (
        np.repeat(part, NIBBLE_GROUP, axis=1)[:, :k] for part in (weight.groups & 15, weight.groups >> 4)
    )
    return Int8((weight.codes.astype(np.int8) - zero.astype(np.int8)) * step.astype(np.int8), weight.scales)


def dequantise(weight: Int8 | Int4) -> np.ndarray:
    """The numbers that the codes stand for: float32 [n, k]."""
    codes, scales = int4_as_int8(weight) if isinstance(weight, Int4) else weight
    return codes * scales[:, None]


def _parts(weight: np.ndarray) -> Iterator[slice]:
    """The rows of [n, k], some at a time."""
    n, k = weight.shape
    rows = max(1, _BLOCK // k)
    return (slice(start, start + rows) for start in range(0, n, rows))


def _finite(x: np.ndarray) -> np.ndarray:
    if not np.isfinite(x).all():
        raise ModelError("Numbers that are infinite or not a number cannot be quantised.")
    return x


def _sane(scales: np.ndarray) -> np.ndarray:
    """What is zero, or nearly, gets the scale 1 and thereby the code 0."""
    return np.where(scales < _TINY, np.float32(1), scales)


def _grouped(weight: np.ndarray) -> np.ndarray:
    """[n, k] -> [32, n, groups], the last group filled up with zeros, which are always exact."""
    n, k = weight.shape
    x = np.pad(weight, ((0, 0), (0, -k % NIBBLE_GROUP))).reshape(n, -1, NIBBLE_GROUP)
    return np.ascontiguousarray(x.transpose(2, 0, 1))


def _choose_rows(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x [32, n, groups] -> the best scales [n], with steps and zero points [n, groups]."""
    widest = (np.maximum(x.max(axis=0), 0) - np.minimum(x.min(axis=0), 0)).max(axis=1)
    # 15 steps of 15 units reach across a group, 127 units to its farthest weight.
    reach = _sane(np.maximum(widest / np.float32(225), np.abs(x).max(axis=(0, 2)) / np.float32(127)))
    best, least = None, None
    for ratio in _RATIOS:
        scales = reach * np.float32(ratio)
        step, zero, errors = _choose_groups(x, scales[:, None])
        error = errors.sum(axis=1) * np.float32(ratio**2)
        if best is None:
            best, least = (scales, step, zero), error
            continue
        better = error < least
        for kept, new in zip((*best, least), (scales, step, zero, error), strict=True):
            kept[better] = new[better]
    return best


def _choose_groups(x: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x [inputs of a group, ...], scale [...] -> step, zero point and squared error, in units of `scale`."""
    inverse = 1 / scale
    high = np.maximum(x.max(axis=0), 0) * inverse
    low = np.minimum(x.min(axis=0), 0) * inverse
    # The smallest step that reaches all weights (the largest may lack a little of a step), or the next finer.
    widest = np.clip(np.ceil((high - low) / np.float32(15) - np.float32(0.01)), 1, 15)
    best: tuple[np.ndarray, ...] = ()
    for step in (widest, np.maximum(widest - 1, 1)):
        zero = np.clip(np.rint(np.float32(7.5) - (high + low) / (2 * step)), 0, 15)
        error = x * (inverse / step)
        error += zero
        error -= _nearest(error, step, zero)
        np.square(error, out=error)
        new = step, zero, error.sum(axis=0) * step * step
        if best:
            better = new[2] < best[2]
            best = tuple(np.where(better, b, a) for a, b in zip(best, new, strict=True))
        else:
            best = new
    return best[0], best[1], best[2]


def _codes(x: np.ndarray, scale: np.ndarray, step: np.ndarray, zero: np.ndarray) -> np.ndarray:
    """The nearest codes, as float32, to x / scale."""
    return _nearest(x * (1 / scale / step) + zero, step, zero)


def _nearest(x: np.ndarray, step: np.ndarray, zero: np.ndarray) -> np.ndarray:
    """The nearest code to x that (code - zero) * step holds within 127."""
    reach = np.floor(127 / step)
    codes = np.rint(x)
    np.maximum(codes, np.maximum(zero - reach, 0), out=codes)
    return np.minimum(codes, np.minimum(zero + reach, 15), out=codes)


def _pack(step: np.ndarray, zero: np.ndarray) -> np.ndarray:
    return step.astype(np.uint8) | zero.astype(np.uint8) << 4


def _inverse_factor(matrix: np.ndarray) -> np.ndarray:
    """The upper triangular U with U^T U = matrix^-1."""
    # Counted from the other end, a lower triangular factor is an upper one.
    return _inverse_of_lower(np.linalg.cholesky(matrix[::-1, ::-1]))[::-1, ::-1]


def _inverse_of_lower(matrix: np.ndarray) -> np.ndarray:
    """The inverse of a lower triangular matrix, by halves: NumPy's own takes no advantage of the zeros."""
    k = len(matrix)
    if k <= 64:
        return np.linalg.inv(matrix)
    half = k // 2
    inverse = np.zeros_like(matrix)
    inverse[:half, :half] = _inverse_of_lower(matrix[:half, :half])
    inverse[half:, half:] = _inverse_of_lower(matrix[half:, half:])
    inverse[half:, :half] = -inverse[half:, half:] @ (matrix[half:, :half] @ inverse[:half, :half])
    return inverse
