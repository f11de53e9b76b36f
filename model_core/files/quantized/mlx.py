"""Quantization as MLX writes it (mlx.core.quantize): affine with 1 to 8 bits, MXFP4, MXFP8 and NVFP4.

A module has `weight` uint32 [out, in * bits / 32], packed along its inputs without gaps, and `scales` and
`biases` [out, groups]. A weight is code * scale + bias. The other modes have numbers in E2M1 or E4M3, scales
in uint8, which are E8M0 or, of NVFP4, E4M3, and no biases. Embeddings are quantized like products. The
settings may give a module other bits, groups and another mode, under its name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...checks.file_values import read_size, shorten
from ...errors import ModelError
from ...weights.codes import FLOAT8, Codes
from ..safetensors import SafetensorsFolder
from .arrays import FLOAT_TYPES, as_scales, power_scales, read_array, split_groups, unpack_integers
from .mxfp4 import DOUBLED_E2M1

_BITS = (1, 2, 3, 4, 5, 6, 8)
# mode -> the bits and the size of groups that it has
_FLOAT_MODES = {"mxfp4": (4, 32), "mxfp8": (8, 32), "nvfp4": (4, 16)}


@dataclass(frozen=True)
class _Scheme:
    bits: int
    group: int
    mode: str


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
        if names[1] not in self._stored:
            return []
        return names if self._scheme(name).mode == "affine" else names[:2]

    def shape(self, name: str) -> tuple[int, ...]:
        n, words = read_array(self._stored, name, ["uint32"], (None, None)).shape
        return n, words * 32 // self._scheme(name).bits

    def codes(self, name: str, expert: int | None) -> Codes:
        _, scale_name, *bias_names = self.parts(name)
        scheme, where = self._scheme(name), self._stored.place(name)
        bits, size = scheme.bits, scheme.group
        words = read_array(self._stored, name, ["uint32"], (None, None))
        types = FLOAT_TYPES if bias_names else ["uint8"]
        scales = read_array(self._stored, scale_name, types, (len(words), None))
        k = size * scales.shape[1]
        if 32 * words.shape[1] != k * bits:
            raise ModelError(
                f"{where} has {words.shape[1]} columns, which do not hold {k} integers of {bits} bits."
            )
        numbers = unpack_integers(words, bits, k)
        if not bias_names:
            return _read_floats(numbers, scales, scheme)
        biases = read_array(self._stored, bias_names[0], [scales.dtype.name], scales.shape)
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

    def _scheme(self, name: str) -> _Scheme:
        """That of a module, which settings may name with a prefix."""
        module = name.removesuffix(".weight")
        found = (s for full, s in self._schemes.items() if full == module or full.endswith(f".{module}"))
        return next(found, self._default)


def _read_floats(numbers: np.ndarray, scales: np.ndarray, scheme: _Scheme) -> Codes:
    """Codes of numbers in E2M1 or E4M3, uint8 [n, k], with scales, uint8 [n, groups]."""
    if scheme.mode == "mxfp8":
        return Codes(numbers.view(FLOAT8), scheme.group, power_scales(scales))
    if scheme.mode == "mxfp4":
        return Codes(numbers, scheme.group, power_scales(scales, offset=-1), table=DOUBLED_E2M1)
    halves = scales.view(FLOAT8).astype(np.float16) / np.float16(2)
    return Codes(numbers, scheme.group, halves, table=DOUBLED_E2M1)


def _read_scheme(settings: Mapping[str, Any]) -> _Scheme:
    """How a module is quantized. Raises ModelError."""
    mode = settings.get("mode") or "affine"
    bits, size = read_size(settings, "bits"), read_size(settings, "group_size")
    if mode == "affine":
        if bits not in _BITS:
            raise ModelError(f"bits is {bits}, not one of {', '.join(map(str, _BITS))}.")
    elif not isinstance(mode, str) or mode not in _FLOAT_MODES:
        raise ModelError(
            f"mode is {shorten(mode)}, but only affine, {', '.join(_FLOAT_MODES)} are supported."
        )
    elif _FLOAT_MODES[mode] != (bits, size):
        raise ModelError(f"mode is {mode} with {bits} bits in groups of {size}, which MLX does not have.")
    return _Scheme(bits, size, mode)
