"""Weights in float8 (E4M3), with a scale for each block of 128 x 128 weights, each row, or the tensor.

A module has `weight` float8_e4m3fn [out, in], and `weight_scale_inv` or `weight_scale`: one number, [out, 1],
or [ceil(out / rows), ceil(in / columns)] for blocks of `weight_block_size` (DeepSeek-V3, arXiv:2412.19437).
Experts may be in one array, such as `down_proj` [experts, out, in], with `_scale_inv` after the name.
In spite of the name, a weight is its number times the scale. Activations keep their precision here, so
their scales are not needed.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...checks.file_values import shorten
from ...errors import ModelError
from ...weights.codes import Codes
from ..safetensors import SafetensorsFolder
from .arrays import FLOAT_TYPES, as_scales, read_array, split_groups, take_expert

_SCALES = ("weight_scale_inv", "weight_scale")
SCALE_TYPES = (*FLOAT_TYPES, "float8_e8m0fnu", "uint8")
_UNUSED = re.compile(
    r".*\.(input_scale|activation_scale|act_scale|[qkv]_scale|[qkv]_proj\.output_scale|input_scale_ub"
    r"|(gate_up|down)_proj_activation_scale)"
)


class Fp8:
    """See `Format`."""

    def __init__(self, settings: Mapping[str, Any], stored: SafetensorsFolder) -> None:
        self._stored = stored
        block = settings.get("weight_block_size")
        if block is not None and not is_block(block):
            raise ModelError(f"weight_block_size is {shorten(block)}, but should be two positive numbers.")
        self._block = block

    def parts(self, name: str) -> list[str]:
        if name not in self._stored or self._stored.dtype(name) != "F8_E4M3":
            return []
        module = name.removesuffix(".weight")
        scales = [f"{module}.{scale}" for scale in _SCALES]
        if name == module:
            scales = [f"{name}_scale_inv", *scales]
        return [name, next((scale for scale in scales if scale in self._stored), scales[0])]

    def shape(self, name: str) -> tuple[int, ...]:
        return self._stored.shape(name)

    def codes(self, name: str, expert: int | None) -> Codes:
        weight, scale_name = self.parts(name)
        numbers = read_array(self._stored, weight, ["float8_e4m3fn"], (None, None), expert)
        group, scales = read_grid(self._stored, scale_name, SCALE_TYPES, numbers.shape, self._block, expert)
        return Codes(numbers, group, as_scales(scales))

    def order(self, name: str) -> None:
        return None

    def is_unused(self, name: str) -> bool:
        return bool(_UNUSED.fullmatch(name))


def is_block(value: Any) -> bool:
    """Whether a value is the size of a block: [rows, columns]."""
    return isinstance(value, list) and len(value) == 2 and all(type(n) is int and n > 0 for n in value)


def read_grid(
    stored: SafetensorsFolder,
    name: str,
    types: Sequence[str],
    shape: tuple[int, ...],
    block: Sequence[int] | None,
    expert: int | None = None,
) -> tuple[int, np.ndarray]:
    """Numbers for the tensor, its rows or its blocks -> the size of groups, numbers [n, groups].

    shape: [n, k] of the weights. expert: see `read_array`. Raises ModelError if the stored array `name` has
    another shape, or none of the types.
    """
    (n, k), array, where = shape, take_expert(stored, name, expert), stored.place(name)
    if array.dtype.name not in types:
        raise ModelError(f"{where} is {array.dtype}, but should be {' or '.join(types)}.")
    if array.size == 1:
        size, rows = k, np.zeros(n, np.intp)
    elif array.shape in ((n, 1), (n,)):
        size, rows = k, np.arange(n)
    elif block is not None and array.shape == (-(-n // block[0]), -(-k // block[1])):
        size, rows = block[1], np.arange(n) // block[0]
    else:
        raise ModelError(f"{where} is {shorten(list(array.shape))}, which does not fit [{n}, {k}].")
    group, columns = split_groups(size, k, where)
    return group, array.reshape(-1, array.shape[-1] if size < k else 1)[rows[:, None], columns]
