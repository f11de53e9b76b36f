"""Brings codes of several matrices to one form, so that they can be packed as one matrix.

The forms are those that kernels/products/grouped.py reads. A change of form changes no weight by a bit:
scales that float16 cannot hold become float32, and smaller numbers become larger ones.
"""

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from ..errors import ModelError
from .codes import FLOAT8, SUPER_GROUP, Codes


def layout(weight: Codes) -> Hashable:
    """What two matrices must share so that a common form is no larger than theirs."""
    arrays = (weight.scales, weight.super_scales, weight.zeros, weight.offsets, weight.super_offsets)
    table, order = (None if array is None else array.tobytes() for array in (weight.table, weight.order))
    return weight.codes.dtype, table, weight.group, order, *(a is not None and a.dtype for a in arrays)


def to_common_form(parts: Sequence[Codes]) -> list[Codes]:
    """The same weights [n_i, k], with numbers, groups, scales and offsets of the same types.

    Scales and offsets become float32, float16, or int8 with super scales in float16. Raises ModelError if
    that would round a weight.
    """
    parts = [_simplify(part) for part in parts]
    if len({None if part.order is None else part.order.tobytes() for part in parts}) > 1:
        raise ModelError("matrices with different orders of columns cannot be multiplied as one.")
    if len({part.codes.dtype == FLOAT8 for part in parts}) > 1:
        raise ModelError("float8 and integer matrices cannot be multiplied as one.")
    tables = {None if part.table is None else part.table.tobytes() for part in parts}
    if len(tables) > 1:
        parts = [_without_table(part) for part in parts]
    group = min(part.group for part in parts)
    parts = [_split_groups(part, group) for part in parts]
    if len({part.zeros is None for part in parts}) > 1 and all(part.offsets is None for part in parts):
        zeros = [
            np.zeros(part.scales.shape, np.uint8) if part.zeros is None else part.zeros for part in parts
        ]
        parts = [replace(part, zeros=zero) for part, zero in zip(parts, zeros, strict=True)]
    elif len({(part.zeros is None, part.offsets is None) for part in parts}) > 1:
        parts = [_with_offsets(part) for part in parts]
    for numbers, supers in (("scales", "super_scales"), ("offsets", "super_offsets")):
        types = {_type_of(part, numbers) for part in parts}
        if len(types) > 1:
            parts = [_multiply_supers(part, numbers, supers) for part in parts]
            types = {_type_of(part, numbers) for part in parts}
        if len(types) > 1:
            parts = [replace(part, **{numbers: getattr(part, numbers).astype(np.float32)}) for part in parts]
    if any(part.factors is not None for part in parts):
        parts = [_with_factors(part) for part in parts]
    return parts


def _with_factors(weight: Codes) -> Codes:
    if weight.factors is not None:
        return weight
    return replace(weight, factors=np.ones((*weight.shape[:-1], 1), np.float32))


def _type_of(part: Codes, name: str) -> np.dtype | None:
    array = getattr(part, name)
    return None if array is None else array.dtype


def _simplify(weight: Codes) -> Codes:
    """The same weights with scales and offsets of types that kernels read, and without equal zeros.

    Super scales stay if float16 holds them; those of weights without offsets also if it does after a power of
    two has been taken off from each row.
    """
    for numbers, supers in (("scales", "super_scales"), ("offsets", "super_offsets")):
        values, factors = getattr(weight, numbers), getattr(weight, supers)
        if values is None or factors is None:
            continue
        if values.dtype == np.uint8 and values.max(initial=0) <= 127:
            weight = replace(weight, **{numbers: values.view(np.int8)})
        elif values.dtype != np.int8:
            weight = _multiply_supers(weight, numbers, supers)
            continue
        of_rows = power_of_rows([factors])[..., None] if weight.offsets is None else np.float32(1)
        if not fits_float16(factors) and not fits_float16(factors / of_rows):
            weight = _multiply_supers(weight, numbers, supers)
    zeros, table = weight.zeros, weight.table
    if zeros is not None and table is not None and zeros.size and (zeros == zeros.flat[0]).all():
        shifted = table.astype(np.int16) - zeros.flat[0]
        if shifted.min() >= -128:
            weight = replace(weight, table=shifted.astype(np.int8), zeros=None)
    return weight


def fits_float16(array: np.ndarray) -> bool:
    """Whether float16 holds all these numbers exactly."""
    with np.errstate(over="ignore"):
        return bool(np.array_equal(array.astype(np.float16).astype(np.float32), array))


def power_of_rows(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """The powers of two, float32 [..., n], by which rows of arrays [..., n, groups] are divided.

    The largest number of each row then has the largest exponent of float16.
    """
    peaks = np.max([np.abs(array).max(axis=-1) for array in arrays], axis=0)
    return np.ldexp(np.float32(1), np.frexp(peaks)[1] - 16)


def _without_table(weight: Codes) -> Codes:
    if weight.table is None:
        return weight
    return replace(weight, codes=weight.table[weight.codes], table=None)


def _split_groups(weight: Codes, group: int) -> Codes:
    """The same weights in smaller groups."""
    if weight.group == group:
        return weight
    count = -(-weight.shape[-1] // group)
    arrays = {name: getattr(weight, name) for name in ("scales", "zeros", "offsets")}
    repeated = {
        name: np.repeat(array, weight.group // group, axis=-1)[..., :count]
        for name, array in arrays.items()
        if array is not None
    }
    return replace(weight, group=group, **repeated)


def _multiply_supers(weight: Codes, numbers: str, supers: str) -> Codes:
    """The same weights with scales, or offsets, in float32 without super scales."""
    values, factors = getattr(weight, numbers), getattr(weight, supers)
    if values is None or factors is None:
        return weight
    factors = np.repeat(factors, SUPER_GROUP // weight.group, axis=-1)[..., : values.shape[-1]]
    return replace(weight, **{numbers: values.astype(np.float32) * factors, supers: None})


def _with_offsets(weight: Codes) -> Codes:
    """The same weights with offsets in float32, and without zeros."""
    weight = _multiply_supers(weight, "offsets", "super_offsets")
    if weight.super_scales is not None and not fits_float16(weight.super_scales):
        weight = _multiply_supers(weight, "scales", "super_scales")
    if weight.zeros is not None:
        scales = _multiply_supers(weight, "scales", "super_scales").scales.astype(np.float32)
        return replace(weight, offsets=-scales * weight.zeros, zeros=None)
    if weight.offsets is None:
        return replace(weight, offsets=np.zeros(weight.scales.shape, np.float32))
    return replace(weight, offsets=weight.offsets.astype(np.float32))
