"""compressed-tensors, which llm-compressor and `tritonchat quantize` write and vLLM reads.

A module has `weight` in int8 or float8, or `weight_packed`; `weight_scale` with one number, [out, 1], [out,
groups], or a number for each block; where the type is not symmetric, `weight_zero_point`; and where groups
are not contiguous, `weight_g_idx`, the group of each input. A weight is (number - zero) * scale.

Integers of 1 to 8 bits are packed along the inputs as number + 2^(bits - 1), in int32 [out, words], and their
zeros along the outputs. `weight_shape` is [out, in]. Before version 0.18, no integer lay in two words. FP4 is
packed in uint8 [out, in / 2], with scales in E8M0 (MXFP4), or in float8 with a divisor (NVFP4). Where
`tritonchat quantize` writes stacked experts, all arrays have a leading axis.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...checks.file_values import Fields, shorten
from ...checks.known_fields import SCHEME, SCHEME_WEIGHTS, KnownFields
from ...errors import ModelError
from ...weights.codes import Codes
from ..safetensors import SafetensorsFolder
from .arrays import (
    FLOAT_TYPES,
    as_scales,
    read_array,
    sort_groups,
    split_groups,
    take_expert,
    unpack_integers,
    unpack_padded_integers,
    with_signed_zeros,
    with_zeros,
)
from .fp8 import SCALE_TYPES, is_block, read_grid
from .mxfp4 import DOUBLED_E2M1

_FORMATS = (
    *("pack-quantized", "int-quantized", "float-quantized", "naive-quantized", "mixed-precision", "dense"),
    *("mxfp4-pack-quantized", "nvfp4-pack-quantized", "mxfp8-quantized"),
)
Shape = tuple[int, ...]
# words, bits of an integer, number of integers -> uint8
Unpack = Callable[[np.ndarray, int, int], np.ndarray]
_VERSION = re.compile(r"0\.(\d{1,3})\.")
_UNUSED = re.compile(
    r".*\.((input|output)_(scale|zero_point|global_scale|g_idx)|[qkv]_(scale|zero_point)|weight_shape)"
)


class CompressedTensors:
    """See `Format`."""

    def __init__(self, settings: Mapping[str, Any], stored: SafetensorsFolder) -> None:
        self._stored = stored
        layout = settings.get("format", "dense")
        if layout not in _FORMATS:
            raise ModelError(
                f"compressed-tensors in the format {shorten(layout)} is not supported, only "
                f"{', '.join(_FORMATS)}."
            )
        sparsity = settings.get("sparsity_config") or {}
        if not isinstance(sparsity, Mapping) or sparsity.get("format", "dense") != "dense":
            raise ModelError("sparse weights of compressed-tensors are not supported; take the dense model.")
        if settings.get("transform_config"):
            raise ModelError("compressed-tensors with a transform_config are not supported.")
        version = _VERSION.match(str(settings.get("version")))
        self._is_old = version is not None and int(version[1]) < 18
        groups = settings.get("config_groups")
        schemes = list(groups.values()) if isinstance(groups, Mapping) else []
        weights = [_known(scheme, SCHEME).get("weights") for scheme in schemes if isinstance(scheme, Mapping)]
        self._schemes = [_known(scheme, SCHEME_WEIGHTS) for scheme in weights if isinstance(scheme, Mapping)]
        self._named = _find_named_schemes(schemes)

    def parts(self, name: str) -> list[str]:
        weight = _weight_name(name)
        if f"{weight}_packed" in self._stored:
            return [f"{weight}_packed", f"{weight}_scale"]
        if weight in self._stored and self._stored.dtype(weight) in ("I8", "F8_E4M3"):
            return [weight, f"{weight}_scale"]
        return []

    def shape(self, name: str) -> tuple[int, ...]:
        weight, stored_name = _weight_name(name), self.parts(name)[0]
        stored_shape = self._stored.shape(stored_name)
        if stored_name == weight:
            return stored_shape
        if self._stored.dtype(stored_name) == "U8":
            return *stored_shape[:-1], 2 * stored_shape[-1]
        array = read_array(self._stored, f"{weight}_shape", ["int64", "int32"], (len(stored_shape),))
        shape = tuple(map(int, array))
        if shape[:-1] != stored_shape[:-1] or not stored_shape[-1] <= shape[-1] <= 32 * stored_shape[-1]:
            raise ModelError(
                f"{self._stored.place(stored_name)} is {shorten(list(stored_shape))}, which cannot hold "
                f"{shorten(list(shape))}."
            )
        return shape

    def codes(self, name: str, expert: int | None) -> Codes:
        weight, stored_name, shape = _weight_name(name), self.parts(name)[0], self.shape(name)
        shape = shape if expert is None else shape[1:]
        if len(shape) != 2 or not all(shape):
            raise ModelError(f"{self._stored.place(stored_name)} is {shorten(list(shape))}, not a matrix.")
        if stored_name == weight:
            return self._read_plain(weight, shape, expert)
        if self._stored.dtype(stored_name) == "U8":
            return self._read_fp4(weight, shape, expert)
        return self._read_packed(weight, shape, expert)

    def order(self, name: str) -> np.ndarray | None:
        weight = _weight_name(name)
        if f"{weight}_g_idx" not in self._stored:
            return None
        shape = self.shape(name)
        return self._find_groups(weight, "scale", shape[-1])[2] if shape else None

    def is_unused(self, name: str) -> bool:
        return bool(_UNUSED.fullmatch(name))

    def _read_plain(self, weight: str, shape: Shape, expert: int | None) -> Codes:
        numbers = read_array(self._stored, weight, ["int8", "float8_e4m3fn"], shape, expert)
        group, scales, order = self._read_grid(weight, "scale", SCALE_TYPES, shape, expert)
        scales = as_scales(scales)
        if order is not None:
            numbers = numbers[:, order]
        if numbers.dtype != np.int8 or f"{weight}_zero_point" not in self._stored:
            return Codes(numbers, group, scales, order=order)
        _, zeros, _ = self._read_grid(weight, "zero_point", ["int8"], shape, expert)
        return with_signed_zeros(numbers, zeros, scales, group, order)

    def _read_packed(self, weight: str, shape: Shape, expert: int | None) -> Codes:
        n, k = shape
        words = read_array(self._stored, f"{weight}_packed", ["int32"], (n, None), expert)
        bits, unpack = self._find_packing(f"{weight}_packed", k, words.shape[1])
        numbers = unpack(words, bits, k)
        group, scales, order = self._read_grid(weight, "scale", FLOAT_TYPES, shape, expert)
        if order is not None:
            numbers = numbers[:, order]
        zeros = np.full(scales.shape, 2 ** (bits - 1), np.uint8)
        zero_name = f"{weight}_zero_point"
        if zero_name in self._stored:
            zero_words = -(-n * bits // 32) if unpack is unpack_integers else -(-n // (32 // bits))
            count = self._stored.shape(f"{weight}_scale")[-1]
            packed = read_array(self._stored, zero_name, ["int32"], (zero_words, count), expert)
            _, columns, _ = self._find_groups(weight, "zero_point", k)
            zeros = unpack(np.ascontiguousarray(packed.T), bits, n).T[:, columns]
        return with_zeros(numbers, zeros, as_scales(scales), bits, group, order)

    def _read_fp4(self, weight: str, shape: Shape, expert: int | None) -> Codes:
        octets = read_array(self._stored, f"{weight}_packed", ["uint8"], (shape[0], shape[1] // 2), expert)
        types = ["uint8", "float8_e8m0fnu"]
        if f"{weight}_global_scale" not in self._stored:
            group, scales, order = self._read_grid(weight, "scale", types, shape, expert)
            scales = as_scales(scales)
        else:
            group, scales, order = self._read_grid(weight, "scale", ["float8_e4m3fn"], shape, expert)
            divisor = read_array(self._stored, f"{weight}_global_scale", ["float32"], (1,), expert)
            with np.errstate(divide="ignore", invalid="ignore"):
                scales = scales.astype(np.float32) / divisor
        numbers = unpack_integers(octets, 4, shape[1])
        if order is not None:
            numbers = numbers[:, order]
        return Codes(numbers, group, scales / 2, table=DOUBLED_E2M1, order=order)

    def _find_packing(self, name: str, k: int, words: int) -> tuple[int, Unpack]:
        """The bits of integers of which k are in so many words, and the function that unpacks them."""
        own = self._named.get(name.removesuffix("_packed").removesuffix(".weight"), {})
        sizes = [scheme.get("num_bits") for scheme in (own, *self._schemes)]
        known = [bits for bits in sizes if type(bits) is int and 1 <= bits <= 8]
        plain = [bits for bits in known if words == -(-k * bits // 32)]
        padded = [bits for bits in known if words == -(-k // (32 // bits))]
        if plain and not (padded and self._is_old):  # of few columns, both fit
            return plain[0], unpack_integers
        if padded:
            return padded[0], unpack_padded_integers
        raise ModelError(
            f"{self._stored.place(name)} has {words} columns, which do not hold {k} integers of "
            f"{' or '.join(map(str, known)) or 'unknown'} bits."
        )

    def _read_grid(
        self, weight: str, kind: str, types: Sequence[str], shape: Shape, expert: int | None
    ) -> tuple[int, np.ndarray, np.ndarray | None]:
        """The size of groups, a stored number [n, groups] for each, and the order of columns (see Codes)."""
        (n, k), name = shape, f"{weight}_{kind}"
        stored_shape = take_expert(self._stored, name, expert).shape
        if len(stored_shape) == 2 and stored_shape[0] == n and stored_shape[1] > 1:
            group, columns, order = self._find_groups(weight, kind, k)
            return group, read_array(self._stored, name, types, (n, None), expert)[:, columns], order
        blocks = [scheme.get("block_structure") for scheme in self._schemes]
        block = next(filter(is_block, blocks), None)
        return (*read_grid(self._stored, name, types, shape, block, expert), None)

    def _find_groups(self, weight: str, kind: str, k: int) -> tuple[int, np.ndarray, np.ndarray | None]:
        """The size of groups, for each the number of its column in an array, and the order of columns."""
        stored_shape = self._stored.shape(f"{weight}_{kind}")
        count = stored_shape[-1] if stored_shape else 0
        where = self._stored.place(f"{weight}_{kind}")
        if not 0 < count <= k:
            raise ModelError(f"{where} has {count} groups for {k} columns.")
        sizes = [scheme.get("group_size") for scheme in self._schemes]
        known = [size for size in sizes if type(size) is int and size > 0 and -(-k // size) == count]
        size, order, index_name = known[0] if known else -(-k // count), None, f"{weight}_g_idx"
        if index_name in self._stored:
            groups = read_array(self._stored, index_name, ["int32", "int64"], (k,))
            if groups.min() >= 0:  # -1: there is no order
                size, order = sort_groups(groups, count, self._stored.place(index_name))
        return (*split_groups(size, k, where), order)


def _find_named_schemes(schemes: Sequence[Any]) -> dict[str, Mapping[str, Any]]:
    """The scheme of the weights of each module that is named as a whole."""
    named: dict[str, Mapping[str, Any]] = {}
    for scheme in schemes:
        targets, weights = (
            (scheme.get("targets"), scheme.get("weights")) if isinstance(scheme, Mapping) else (0, 0)
        )
        if isinstance(targets, list) and isinstance(weights, Mapping):
            named |= {target: weights for target in targets if isinstance(target, str)}
    return named


def _known(scheme: Mapping[str, Any], known: KnownFields) -> Mapping[str, Any]:
    """The same, where all fields are known. Raises ModelError."""
    Fields(scheme, known).check_all_read()
    return scheme


def _weight_name(name: str) -> str:
    """The name of a module's weights. Tensors with the weights of all experts are called like modules."""
    return name if name.endswith(".weight") else f"{name}.weight"
