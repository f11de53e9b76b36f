"""What formats have in common: checked arrays, packed integers, scales of groups."""

from collections.abc import Sequence

import ml_dtypes
import numpy as np

from ...checks.file_values import shorten
from ...errors import ModelError
from ...weights.codes import GROUPS, Codes
from ..safetensors import SafetensorsFolder

FLOAT_TYPES = ("float16", "bfloat16", "float32")
_LARGEST_GROUP = max(GROUPS)


def read_array(
    stored: SafetensorsFolder,
    name: str,
    types: Sequence[str],
    shape: Sequence[int | None],
    expert: int | None = None,
) -> np.ndarray:
    """A stored array of one of the types; None in `shape` stands for any length.

    `expert`: the array has a leading axis; take this index of it. Raises ModelError.
    """
    array = take_expert(stored, name, expert)
    if array.dtype.name not in types:
        raise ModelError(f"{stored.place(name)} is {array.dtype}, but should be {' or '.join(types)}.")
    fits = len(array.shape) == len(shape) and all(
        expected in (None, size) for size, expected in zip(array.shape, shape, strict=True)
    )
    if not fits or not array.size:
        expected = ", ".join("any" if size is None else str(size) for size in shape)
        raise ModelError(f"{stored.place(name)} is {shorten(list(array.shape))}, but should be [{expected}].")
    return array


def take_expert(stored: SafetensorsFolder, name: str, expert: int | None) -> np.ndarray:
    """A stored array; of one with a leading axis for experts, the part of an expert. Raises ModelError."""
    array = stored[name]
    if expert is None:
        return array
    if not array.ndim or len(array) <= expert:
        raise ModelError(f"{stored.place(name)} is {shorten(list(array.shape))}, without expert {expert}.")
    return array[expert]


def unpack_integers(words: np.ndarray, bits: int, count: int) -> np.ndarray:
    """int32 [..., words] -> uint8 [..., count]: integers of `bits` bits without gaps, the lowest bits first.

    An integer may begin in a word and end in the next. Integers of 4 or 8 bits may also be in uint8.
    """
    if bits in (4, 8):
        octets = np.ascontiguousarray(words).view(np.uint8)
        if bits == 8:
            return octets[..., :count]
        halves = np.stack([octets & np.uint8(15), octets >> np.uint8(4)], axis=-1)
        return halves.reshape(*words.shape[:-1], -1)[..., :count]
    # 32 integers are in `bits` words.
    blocks = np.pad(words, [(0, 0)] * (words.ndim - 1) + [(0, -words.shape[-1] % bits)]).view(np.uint32)
    blocks = blocks.reshape(*words.shape[:-1], -1, bits)
    integers = np.empty((*blocks.shape[:-1], 32), np.uint8)
    for i in range(32):
        word, shift = divmod(i * bits, 32)
        value = blocks[..., word] >> np.uint32(shift)
        if shift + bits > 32:
            value |= blocks[..., word + 1] << np.uint32(32 - shift)
        integers[..., i] = value & np.uint32(2**bits - 1)
    return integers.reshape(*words.shape[:-1], -1)[..., :count]


def unpack_padded_integers(words: np.ndarray, bits: int, count: int) -> np.ndarray:
    """As `unpack_integers`, but no integer is in two words: the highest bits of a word may be unused."""
    shifts = np.arange(32 // bits, dtype=np.uint32) * np.uint32(bits)
    parts = np.ascontiguousarray(words).view(np.uint32)[..., None] >> shifts & np.uint32(2**bits - 1)
    return parts.astype(np.uint8).reshape(*words.shape[:-1], -1)[..., :count]


def split_groups(size: int, k: int, where: str) -> tuple[int, np.ndarray]:
    """A size of groups that kernels know, and of each such group of k columns the number of its own group.

    The groups of a file may be larger, up to all columns. `where` begins the error. Raises ModelError if
    kernels know no divisor of the size.
    """
    if size >= k:
        group = next((group for group in GROUPS if group >= k), _LARGEST_GROUP)
        return group, np.zeros(-(-k // group), np.intp)
    group = max((group for group in GROUPS if size % group == 0), default=0)
    if not group:
        raise ModelError(f"{where} has groups of {size} columns, not a multiple of {GROUPS[0]}.")
    return group, np.arange(0, k, group) // size


def sort_groups(groups: np.ndarray, count: int, where: str) -> tuple[int, np.ndarray | None]:
    """The group of each column -> the size of the `count` groups, and the order that sorts columns by group.

    The order is None if columns are sorted. `where` begins the error. Raises ModelError unless all groups
    have the same size; the last may be smaller.
    """
    if groups.min() < 0 or groups.max() >= count:
        raise ModelError(f"{where} names other groups than 0 to {count - 1}.")
    sizes = np.bincount(groups, minlength=count)
    if (sizes[:-1] != sizes[0]).any() or not 0 < sizes[-1] <= sizes[0]:
        raise ModelError(f"{where} has groups of unequal sizes.")
    if (groups[1:] >= groups[:-1]).all():
        return int(sizes[0]), None
    return int(sizes[0]), np.argsort(groups, kind="stable").astype(np.int32)


def as_scales(array: np.ndarray) -> np.ndarray:
    """Scales in float16 if they are stored so, else in float32. Those in uint8 are in E8M0."""
    if array.dtype in (np.uint8, ml_dtypes.float8_e8m0fnu):
        return power_scales(array.view(np.uint8))
    return array if array.dtype == np.float16 else array.astype(np.float32)


def power_scales(exponents: np.ndarray, offset: int = 0) -> np.ndarray:
    """uint8 -> float32 2^(exponent - 127 + offset), the type E8M0. 255 is not a number."""
    scales = np.ldexp(np.float32(1), exponents.astype(np.int32) - 127 + offset)
    return np.where(exponents == 255, np.float32(np.nan), scales)


def with_zeros(
    numbers: np.ndarray,
    zeros: np.ndarray,
    scales: np.ndarray,
    bits: int,
    group: int,
    order: np.ndarray | None = None,
) -> Codes:
    """Codes for weights (number - zero) * scale, where both are from 0 to 2^bits - 1.

    numbers: uint8 [n, k]. zeros: uint8 [n, groups], as `scales`. `group`, `order`: see Codes.
    """
    first = int(zeros.flat[0])
    is_constant = bool((zeros == first).all())
    if bits <= 4:
        if is_constant:
            table = (np.arange(16) - first).astype(np.int8)
            return Codes(numbers, group, scales, table=table, order=order)
        table = np.arange(16, dtype=np.int8)
        return Codes(numbers, group, scales, table=table, zeros=zeros, order=order)
    middle = np.uint8(2 ** (bits - 1))
    signed = (numbers - middle).view(np.int8)  # modulo 256
    return with_signed_zeros(signed, (zeros - middle).view(np.int8), scales, group, order)


def with_signed_zeros(
    numbers: np.ndarray,
    zeros: np.ndarray,
    scales: np.ndarray,
    group: int,
    order: np.ndarray | None = None,
) -> Codes:
    """Codes for weights (number - zero) * scale with numbers and zeros in int8.

    `Codes` has no negative zeros, so they become offsets: exact, for a scale in float16 or bfloat16 times
    a number of 8 bits.
    """
    if not zeros.any():
        return Codes(numbers, group, scales, order=order)
    scales = scales.astype(np.float32)
    return Codes(numbers, group, scales, offsets=-scales * zeros, order=order)
