"""Affine quantization as MLX writes it (mlx.core.quantize): 2, 3, 4, 5, 6 or 8 bits.

A module has `weight` uint32 [out, in * bits / 32], packed along its inputs without gaps, and `scales` and
`biases` [out, groups]. A weight is code * scale + bias. Embeddings are quantized like products. The settings
may give a module other bits and groups, under its name.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...checks.file_values import expect, read_size
from ...errors import ModelError
from ...weights.codes import Codes
from ..safetensors import SafetensorsFolder
from .arrays import FLOAT_TYPES, as_scales, read_array, split_groups, unpack_integers

_BITS = (2, 3, 4, 5, 6, 8)


class Mlx:
    """See `Format`."""

    def __init__(self, settings: Mapping[str, Any], stored: SafetensorsFolder) -> None:
        self._stored = stored
        self._default = _read_scheme(settings)
        # false: a module that is not quantized; it has no scales among its tensors.
        names = [name for name, value in settings.items() if value is False or isinstance(value, Mapping)]
        values = [(name, settings[name]) for name in names]  # which marks them as read
        self._schemes = {name: _read_scheme(value) for name, value in values if value is not False}

    def parts(self, name: str) -> list[str]:
        module = name.removesuffix(".weight")
        names = [f"{module}.{part}" for part in ("weight", "scales", "biases")]
        return names if names[1] in self._stored else []

    def shape(self, name: str) -> tuple[int, ...]:
        n, words = read_array(self._stored, name, ["uint32"], (None, None)).shape
        bits, _ = self._scheme(name)
        return n, words * 32 // bits

    def codes(self, name: str, expert: int | None) -> Codes:
        _, scale_name, bias_name = self.parts(name)
        words = read_array(self._stored, name, ["uint32"], (None, None))
        scales = read_array(self._stored, scale_name, FLOAT_TYPES, (len(words), None))
        biases = read_array(self._stored, bias_name, [scales.dtype.name], scales.shape)
        (bits, size), where = self._scheme(name), self._stored.place(name)
        k = size * scales.shape[1]
        if 32 * words.shape[1] != k * bits:
            raise ModelError(
                f"{where} has {words.shape[1]} columns, which do not hold {k} integers of {bits} bits."
            )
        numbers = unpack_integers(words, bits, k)
        group, spread = split_groups(size, k, where)
        scales, offsets = as_scales(scales)[:, spread], as_scales(biases)[:, spread]
        if bits <= 4:
            return Codes(numbers, group, scales, table=np.arange(16, dtype=np.int8), offsets=offsets)
        middle = np.uint8(2 ** (bits - 1))
        scales = scales.astype(np.float32)
        return Codes((numbers - middle).view(np.int8), group, scales, offsets=offsets + scales * middle)

    def order(self, name: str) -> None:
        return None

    def is_unused(self, name: str) -> bool:
        return False

    def _scheme(self, name: str) -> tuple[int, int]:
        """The bits and the size of groups of a module, which settings may name with a prefix."""
        module = name.removesuffix(".weight")
        found = (s for full, s in self._schemes.items() if full == module or full.endswith(f".{module}"))
        return next(found, self._default)


def _read_scheme(settings: Mapping[str, Any]) -> tuple[int, int]:
    """The bits and the size of groups. Raises ModelError."""
    expect(settings, mode="affine")
    bits, size = read_size(settings, "bits"), read_size(settings, "group_size")
    if bits not in _BITS:
        raise ModelError(f"bits is {bits}, not one of {', '.join(map(str, _BITS))}.")
    return bits, size
