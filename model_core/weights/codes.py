"""Weights as small integers with scales by group, as quantized files hold them.

Every format of quantized weights is read into `Codes`, without rounding anything. Kernels compute with them
as they are (kernels/products/grouped.py), and `dequantize_codes` says what they mean.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np

FLOAT8 = np.dtype(ml_dtypes.float8_e4m3fn)
SUPER_GROUP = 256  # consecutive columns that share a super scale
GROUPS = (16, 32, 64, 128, 256)  # sizes of groups that kernels know
# The arrays of Codes whose second last axis is that of rows.
_BY_ROWS = ("codes", "scales", "super_scales", "zeros", "offsets", "super_offsets", "factors")


@dataclass(frozen=True)
class Codes:
    """Weights [..., n, k]: w = factor * (scale * (number - zero) + offset).

    A group of columns shares scale, zero and offset, and a row the factor.

    Any array may have leading axes, one index for each expert of a mixture.

    Attributes:
        codes: [..., n, k] numbers in int8 or float8_e4m3fn; or uint8 from 0 to 15, indices of numbers in
            `table`.
        table: int8 [16] for uint8 codes, else None.
        group: columns that share a scale, one of GROUPS. The last group may be shorter.
        scales: [..., n, ceil(k / group)] in float16 or float32; or in int8 or uint8, with `super_scales`.
        super_scales: float32 [..., n, ceil(k / 256)], which multiply the scales, or None.
        zeros: uint8 [..., n, ceil(k / group)], or None for 0.
        offsets: as `scales`, or None for 0. Not together with zeros.
        super_offsets: as `super_scales`, for the offsets.
        factors: float32 [..., n, 1], or None for 1.
        order: int32 [k]: column j belongs to the input order[j] of the product. None: to input j.
    """

    codes: np.ndarray
    group: int
    scales: np.ndarray
    table: np.ndarray | None = None
    super_scales: np.ndarray | None = None
    zeros: np.ndarray | None = None
    offsets: np.ndarray | None = None
    super_offsets: np.ndarray | None = None
    factors: np.ndarray | None = None
    order: np.ndarray | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the weights."""
        return self.codes.shape

    def __getitem__(self, index: int | slice | np.ndarray) -> "Codes":
        """The codes of an expert, or of some rows: an index of the first axis of all arrays."""
        return map_arrays(lambda array: array[index], self)


def map_arrays(function: Callable[..., np.ndarray], *parts: Codes) -> Codes:
    """Codes with each array made from the same array of all parts, which have the same format.

    It is not called for `table` and `order`, which are the same for all rows.
    """
    arrays = {name: [getattr(part, name) for part in parts] for name in _BY_ROWS}
    changes: dict[str, Any] = {name: function(*a) for name, a in arrays.items() if a[0] is not None}
    return replace(parts[0], **changes)


def dequantize_codes(weight: Codes) -> np.ndarray:
    """The weights that codes stand for, their columns in the order of inputs: float32 [..., n, k]."""
    k = weight.shape[-1]

    def spread(values: np.ndarray, supers: np.ndarray | None) -> np.ndarray:
        """A number of each group -> one of each column."""
        columns = np.repeat(values.astype(np.float32), weight.group, axis=-1)[..., :k]
        if supers is None:
            return columns
        return columns * np.repeat(supers, SUPER_GROUP, axis=-1)[..., :k]

    numbers = weight.codes if weight.table is None else weight.table[weight.codes]
    result = numbers.astype(np.float32)
    if weight.zeros is not None:
        result -= spread(weight.zeros, None)
    result *= spread(weight.scales, weight.super_scales)
    if weight.offsets is not None:
        result += spread(weight.offsets, weight.super_offsets)
    if weight.factors is not None:
        result *= weight.factors
    if weight.order is None:
        return result
    columns = np.empty_like(result)
    columns[..., weight.order] = result
    return columns
