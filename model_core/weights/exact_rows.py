"""Finds codes whose scales belong to rows: those that `tritonchat quantize` writes, and int8 by channel."""

import numpy as np

from ..kernels.layout import NIBBLE_GROUP
from .codes import Codes
from .rounding import Stepped


def is_int8(weight: Codes) -> bool:
    """Whether codes [n, k] are bytes with a scale for each row."""
    is_plain = weight.codes.dtype == np.int8 and weight.super_scales is None and weight.order is None
    others, scales = (weight.zeros, weight.offsets, weight.factors), weight.scales
    return is_plain and all(array is None for array in others) and bool((scales == scales[:, :1]).all())


def to_stepped(weight: Codes, bits: int) -> Stepped | None:
    """Codes [n, k] as Stepped with so many bits; None if that is not exact.

    The scale of each group must be a whole number times a scale of the row, see Stepped.
    """
    has_one_group = weight.shape[1] <= min(weight.group, NIBBLE_GROUP)
    if not (weight.group == NIBBLE_GROUP or has_one_group):
        return None
    if any(array is not None for array in (weight.order, weight.super_scales, weight.factors)):
        return None
    found = _find_zeros(weight) if bits == 4 else _find_wide_zeros(weight, bits)
    if found is None:
        return None
    numbers, zeros = found
    largest, largest_step = 2**bits - 1, 2 ** (8 - bits) - 1
    scales = weight.scales.astype(np.float32)
    smallest = scales.min(axis=1)
    if not (smallest > 0).all():
        return None
    units = np.zeros(len(scales), np.float32)
    steps: np.ndarray = np.zeros(scales.shape, np.float32)
    missing = np.arange(len(scales))  # rows whose unit is not known
    for step in range(1, largest_step + 1):
        unit, part = smallest[missing] / np.float32(step), scales[missing]
        multiples = np.rint(part / unit[:, None])
        fits = ((multiples * unit[:, None] == part) & (multiples <= largest_step)).all(axis=1)
        units[missing[fits]], steps[missing[fits]] = unit[fits], multiples[fits]
        missing = missing[~fits]
        if not len(missing):
            break
    else:
        return None
    steps = steps.astype(np.uint8)
    # (code - zero) * step must fit int8. Only in some groups it could exceed it.
    rows, groups = np.nonzero(
        steps * np.maximum(zeros.astype(np.int16), largest - zeros.astype(np.int16)) > 127
    )
    columns = groups[:, None] * NIBBLE_GROUP + np.arange(NIBBLE_GROUP)
    codes = numbers[rows[:, None], np.minimum(columns, weight.shape[1] - 1)].astype(np.int16)
    products = (codes - zeros[rows, groups, None]) * steps[rows, groups, None].astype(np.int16)
    if np.abs(products).max(initial=0) > 127:
        return None
    return Stepped(numbers, steps | zeros << 8 - bits, units, bits)


_Grid = tuple[np.ndarray, np.ndarray]


def _find_zeros(weight: Codes) -> _Grid | None:
    """Codes from 0 to 15, uint8 [n, k], and their zeros, uint8 [n, groups]; None if there are none."""
    if weight.table is None or weight.offsets is not None:
        return None
    zero = -int(weight.table[0])
    if not 0 <= zero <= 15 or not np.array_equal(weight.table, np.arange(16) - zero):
        return None
    if weight.zeros is None:
        return weight.codes, np.full(weight.scales.shape, zero, np.uint8)
    zeros = weight.zeros.astype(np.int16) + zero
    return (weight.codes, zeros.astype(np.uint8)) if zeros.max(initial=0) <= 15 else None


def _find_wide_zeros(weight: Codes, bits: int) -> _Grid | None:
    """The same for bytes with offsets, as codes of 5 and 6 bits are read (see arrays.with_signed_zeros)."""
    if weight.codes.dtype != np.int8 or weight.zeros is not None:
        return None
    scales, middle = weight.scales.astype(np.float32), 2 ** (bits - 1)
    zeros: np.ndarray = np.zeros(scales.shape, np.float32)
    if weight.offsets is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            zeros = np.rint(-weight.offsets.astype(np.float32) / scales)
        if not np.array_equal(-scales * zeros, weight.offsets):
            return None
    for numbers in (weight.codes, zeros):
        if not (numbers.min() >= -middle and numbers.max() < middle):
            return None
    codes = weight.codes.view(np.uint8) + np.uint8(middle)  # modulo 256
    return codes, (zeros + middle).astype(np.uint8)
