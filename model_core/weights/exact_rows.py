"""Finds codes whose scales belong to rows: those that `tritonchat quantize` writes, and int8 by channel."""

import numpy as np

from ..kernels.layout import NIBBLE_GROUP
from .codes import Codes
from .rounding import Int4

_STEPS = range(1, 16)


def is_int8(weight: Codes) -> bool:
    """Whether codes [n, k] are bytes with a scale for each row."""
    is_plain = weight.codes.dtype == np.int8 and weight.super_scales is None and weight.order is None
    scales, has_zeros = weight.scales, weight.zeros is not None or weight.offsets is not None
    return is_plain and not has_zeros and bool((scales == scales[:, :1]).all())


def to_int4(weight: Codes) -> Int4 | None:
    """Codes [n, k] as Int4; None if that is not exact.

    The scale of each group must be 1 to 15 times a scale of the row.
    """
    zeros = _find_zeros(weight)
    has_one_group = weight.shape[1] <= min(weight.group, NIBBLE_GROUP)
    if zeros is None or weight.offsets is not None or not (weight.group == NIBBLE_GROUP or has_one_group):
        return None
    if weight.order is not None or weight.super_scales is not None:
        return None
    scales = weight.scales.astype(np.float32)
    smallest = scales.min(axis=1)
    if not (smallest > 0).all():
        return None
    units = np.zeros(len(scales), np.float32)
    steps: np.ndarray = np.zeros(scales.shape, np.float32)
    missing = np.arange(len(scales))  # rows whose unit is not known
    for step in _STEPS:
        unit, part = smallest[missing] / np.float32(step), scales[missing]
        multiples = np.rint(part / unit[:, None])
        fits = ((multiples * unit[:, None] == part) & (multiples <= 15)).all(axis=1)
        units[missing[fits]], steps[missing[fits]] = unit[fits], multiples[fits]
        missing = missing[~fits]
        if not len(missing):
            break
    else:
        return None
    steps = steps.astype(np.uint8)
    # (code - zero) * step must fit int8. Only in some groups it could exceed it.
    rows, groups = np.nonzero(steps * np.maximum(zeros, 15 - zeros) > 127)
    columns = groups[:, None] * NIBBLE_GROUP + np.arange(NIBBLE_GROUP)
    codes = weight.codes[rows[:, None], np.minimum(columns, weight.shape[1] - 1)].astype(np.int16)
    products = (codes - zeros[rows, groups, None]) * steps[rows, groups, None].astype(np.int16)
    if np.abs(products).max(initial=0) > 127:
        return None
    return Int4(weight.codes, steps | zeros << 4, units)


def _find_zeros(weight: Codes) -> np.ndarray | None:
    """The zeros of codes from 0 to 15, uint8 [n, groups]; None if the numbers are no such codes."""
    if weight.table is None:
        return None
    zero = -int(weight.table[0])
    if not 0 <= zero <= 15 or not np.array_equal(weight.table, np.arange(16) - zero):
        return None
    if weight.zeros is None:
        return np.full(weight.scales.shape, zero, np.uint8)
    zeros = weight.zeros.astype(np.int16) + zero
    return zeros.astype(np.uint8) if zeros.max(initial=0) <= 15 else None
