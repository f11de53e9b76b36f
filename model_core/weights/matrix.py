"""Weight matrices in memory, as kernels read them, in any of their types."""

from dataclasses import dataclass
from functools import cache

import ml_dtypes
import numpy as np

from ..kernels.layout import (
    BFLOAT16,
    BFLOAT16_STEP,
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
    INT5,
    INT6,
    INT8,
    MATRIX,
    NIBBLE_GROUP,
    ROTATED,
    STEPPED_BITS,
    STRIP,
    UINT8,
)
from ..machine.memory import aligned_zeros, round_up
from .codes import FLOAT8 as FLOAT8_TYPE
from .codes import Codes, dequantize_codes
from .rotation import rotate_codes_back
from .rounding import split_groups

# The name of a type -> kind.
KINDS = {"float32": FLOAT32, "bfloat16": BFLOAT16, "float16": FLOAT16, "int8": INT8}
KINDS |= {f"int{bits}": kind for kind, bits in STEPPED_BITS.items()}
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
FLOATS = set(_DTYPES)
INTEGERS = {INT8, *STEPPED_BITS, GROUPED8, GROUPED4}
_GROUP_KINDS = {np.dtype(np.int8): INT8, np.dtype(np.uint8): UINT8} | {
    dtype: kind for kind, dtype in _DTYPES.items()
}


@dataclass
class Matrix:
    """Weights [n, k], packed: kernels/products/strips.py reads them strip by strip.

    Attributes:
        kind: one of the kinds in kernels/layout.py.
        n, k: padded sizes: n to a multiple of STRIP, k of integer kinds to a multiple of NIBBLE_GROUP and of
            the group, and k of bfloat16 to one of BFLOAT16_STEP.
        inputs: k without padding.
        data: 16 rows side by side. Float kinds [n / 16, k, 16], bfloat16 also [n / 16, k / 2, 16, 2] (see
            pair_columns); of 8 bits uint8 [n / 16, k / 4, 16, 4], integers + 128 or the bits of floats; of
            codes of 4 to 6 bits the lowest four, uint8 [n / 16, k / 8, 16, 4], each byte those of k (low
            half) and k + 4.
        high: of INT5 and INT6, the bits above the lowest four: uint8 [n / 16, k / 32, 1 or 2, 16, 4]. Within
            32 k, a byte has one bit of k, k + 4, ..., k + 28, or two of k, ..., k + 12, the first lowest.
        scales: float32 [n] of integer kinds, which multiply whole rows; None for 1.
        group: columns that share a scale; GROUP for INT8 and STEPPED_BITS.
        groups: uint8 [n / 16, k / 32, 16] of STEPPED_BITS, as of rounding.Stepped. Of INT8 the scales of
            groups in bfloat16 [n / 64, ceil(k / GROUP), 64]; of GROUPED4, GROUPED8 and FLOAT8
            [n / 64, k / group, 64] in float32, float16 or int8.
        supers: float16 [n / 64, k / 256, 64], which multiply scales of groups in int8.
        offsets: as `groups`, added to the weights of each group; or zeros in uint8, subtracted from codes.
        offset_supers: as `supers`, for the offsets.
        table: uint8 [16] of GROUPED4: codes are indices of these numbers + 128.
        is_small: whether the numbers of GROUPED4 or GROUPED8 are from -32 to 31, as those of 6 bits are.
        balance: of rotated weights, which are those of INT8, and of STEPPED_BITS that are rounded here:
            float32 [k], by which they were divided before, and which multiplies activations (see balance.py
            and rotation.py).
        bias: float32 [n], or None.
        heads: the matrix is that of so many, one below the other, each of which multiplies a head of the
            activations.
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
    high: np.ndarray | None = None
    bias: np.ndarray | None = None
    is_small: bool = False
    balance: np.ndarray | None = None
    heads: int = 1

    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays that are not None, by name."""
        names = ("data", "high", "scales", "groups", "supers", "offsets", "offset_supers", "table", "bias")
        arrays = {name: getattr(self, name) for name in (*names, "balance")}
        return {name: array for name, array in arrays.items() if array is not None}

    @property
    def is_rotated(self) -> bool:
        """Whether the weights are rotated."""
        return self.balance is not None

    def set_balance(self, balance: np.ndarray) -> None:
        """Give rotated weights, which are to be filled in, their balance: float32 [inputs] or more.

        The matrix must have a balance of its own: see pack.reserve.
        """
        assert self.balance is not None
        self.balance[: self.inputs] = balance[: self.inputs]

    @property
    def nbytes(self) -> int:
        """Bytes of memory of all arrays."""
        return sum(array.nbytes for array in self.arrays().values())

    @property
    def is_paired(self) -> bool:
        """Whether two columns in bfloat16 lie beside each other."""
        return self.kind == BFLOAT16 and self.data.ndim == 4

    def pair_columns(self) -> None:
        """Lay two columns beside each other, in place, as instructions for bfloat16 multiply them."""
        # Most commands that import this module need no compiler, which takes half a second to import.
        from ..kernels.products.bfloat16 import pair_columns

        if not self.is_paired:
            pair_columns(self.data.ctypes.data, self.data.nbytes // 64)
            self.data = self.data.reshape(len(self.data), self.k // 2, 16, 2)

    def rounding(self, arithmetic: str) -> int:
        """How activations that it multiplies are rounded with this --arithmetic: see kernels/layout.py."""
        if arithmetic == "float32" or self.kind not in INTEGERS:
            return EXACT
        if self.kind in (GROUPED8, GROUPED4):
            return BY_GROUP
        return ROTATED if self.is_rotated else BY_CHUNK

    def record(self, arithmetic: str = "int8", parts: int = 0) -> np.ndarray:
        """The matrix in the form that kernels read: MATRIX [1]. It points into this object.

        parts: in bfloat16 of activations that it multiplies, if it has such weights (see bind). Its columns
        are in pairs then, once and for all.
        """
        parts = parts if self.kind == BFLOAT16 else 0
        if parts:
            self.pair_columns()
        assert self.is_paired == bool(parts)
        record = np.zeros(1, MATRIX)
        for name in ("kind", "n", "k", "inputs", "group", "is_small", "is_rotated"):
            record[name] = getattr(self, name)
        record["rounding"] = self.rounding(arithmetic)
        record["head_strips"] = self.n // STRIP // self.heads
        record["parts"] = parts
        for name, array in self.arrays().items():
            record[name] = array.ctypes.data
        for kind, values in (("scale_kind", self.groups), ("offset_kind", self.offsets)):
            if values is not None:
                record[kind] = _GROUP_KINDS[values.dtype]
        return record

    def rows(self, indices: np.ndarray) -> np.ndarray:
        """Unpacked rows of the matrix: float32 [..., k]."""
        tile, lane = np.divmod(indices, 16)
        numbers = self.data[tile, :, lane]
        if self.kind in _DTYPES:
            return numbers.reshape(*indices.shape, self.k).astype(np.float32)
        if self.kind in STEPPED_BITS or self.kind == GROUPED4:
            numbers = np.concatenate([numbers & 15, numbers >> 4], axis=-1)
        numbers = numbers.reshape(*indices.shape, self.k)
        if self.kind in (INT8, GROUPED8):
            numbers = (numbers ^ np.uint8(128)).view(np.int8)
        if self.kind in STEPPED_BITS:
            numbers = self._find_steps(numbers, tile, lane)
        strip, column = np.divmod(indices, STRIP)
        if self.kind == INT8 or self.kind in STEPPED_BITS:
            floats = numbers.astype(np.float32) if self.balance is None else rotate_codes_back(numbers)
            if self.balance is not None:
                floats *= self.balance
            if self.scales is not None:
                return floats * self.scales[indices][..., None]
            assert self.groups is not None
            scales = self.groups[strip, :, column].astype(np.float32)
            return floats * np.repeat(scales, GROUP, axis=-1)[..., : self.k]
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

    def unpack_rows(self, indices: np.ndarray) -> np.ndarray:
        """The same as `rows` of int32 [rows], by compiled code, if the weights are rotated."""
        from ..kernels.products.rows import RotatedRows, unpack_rows

        assert self.balance is not None and self.groups is not None
        nothing = np.empty(0, np.uint8)
        has_steps = self.kind in STEPPED_BITS
        weights = RotatedRows(
            self.kind,
            self.k,
            self.data.reshape(-1),
            nothing if self.high is None else self.high.reshape(-1),
            self.groups.reshape(-1) if has_steps else nothing,
            nothing.view(np.uint16) if has_steps else self.groups.view(np.uint16).reshape(-1),
            self.balance[:0] if self.scales is None else self.scales,
            self.balance,
        )
        rows = np.empty((len(indices), self.k), np.float32)
        unpack_rows(weights, indices.astype(np.int32), rows)
        return rows

    def _find_steps(self, codes: np.ndarray, tile: np.ndarray, lane: np.ndarray) -> np.ndarray:
        """Int8 [..., k] of the lowest bits of codes, uint8 [..., k]."""
        assert self.groups is not None
        bits = STEPPED_BITS[self.kind]
        if self.high is not None:
            width = bits - 4
            planes = self.high[tile, :, :, lane][..., None, :]  # [..., k / 32, width, 1, 4]
            shifts = np.arange(0, 8, width, dtype=np.uint8)[:, None]
            codes = codes | ((planes >> shifts & (1 << width) - 1) << 4).reshape(codes.shape)
        step, zero = (
            np.repeat(part, NIBBLE_GROUP, axis=-1) for part in split_groups(self.groups[tile, :, lane], bits)
        )
        return ((codes - zero) * step).view(np.int8)


@cache
def _no_balance(k: int) -> np.ndarray:
    """Ones, which matrices share: what is rounded for one of them is for others as well."""
    balance = aligned_zeros((k,), np.float32)
    balance[:] = 1
    balance.flags.writeable = False
    return balance


def allocate(kind: int, n: int, inputs: int, bias: bool, rotated: bool = False) -> Matrix:
    """A matrix of zeros with `n` rows, a multiple of STRIP, and `inputs` columns, for weights of KINDS."""
    data_type = _DTYPES.get(kind)
    b = aligned_zeros((n,), np.float32) if bias else None
    if data_type is not None:
        k = round_up(inputs, BFLOAT16_STEP) if kind == BFLOAT16 else inputs
        return Matrix(kind, n, k, inputs, aligned_zeros((n // 16, k, 16), data_type), bias=b)
    k = round_up(inputs, BLOCK if rotated else NIBBLE_GROUP)
    data = aligned_zeros((n // 16, k // (4 if kind == INT8 else 8), 16, 4), np.uint8)
    balance = _no_balance(k) if rotated else None
    if kind == INT8:
        scales_of_groups = aligned_zeros((n // STRIP, -(-k // GROUP), STRIP), _DTYPES[BFLOAT16])
        return Matrix(kind, n, k, inputs, data, groups=scales_of_groups, bias=b, balance=balance)
    high, groups = None, aligned_zeros((n // 16, k // NIBBLE_GROUP, 16), np.uint8)
    if kind in (INT5, INT6):
        high = aligned_zeros((n // 16, k // NIBBLE_GROUP, STEPPED_BITS[kind] - 4, 16, 4), np.uint8)
    scales = aligned_zeros((n,), np.float32)
    return Matrix(kind, n, k, inputs, data, scales, groups=groups, high=high, bias=b, balance=balance)
