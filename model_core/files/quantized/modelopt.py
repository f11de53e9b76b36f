"""NVIDIA's ModelOpt (unified Hugging Face export): float8, int8 by row, and NVFP4, MXFP4 and MXFP8.

A module has `weight` in float8 or int8 and `weight_scale`: one number, [out], or for MXFP8 uint8 [out, in /
32]. Numbers in E2M1 are packed in `weight` uint8 [out, in / 2], the lower half first. Their `weight_scale` is
float8 [out, in / 16], beside the factor `weight_scale_2` (NVFP4), or uint8 [out, in / 32] (MXFP4). Those in
uint8 are exponents of 2, plus 127. Activations keep their precision here. Source: modelopt,
torch/export/quant_utils.py.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...checks.file_values import shorten
from ...errors import ModelError
from ...weights.codes import Codes
from ..safetensors import SafetensorsFolder
from .arrays import power_scales, read_array, split_groups, unpack_integers
from .fp8 import Fp8
from .mxfp4 import DOUBLED_E2M1

_ALGORITHMS = (
    *("FP8", "FP8_PER_CHANNEL_PER_TOKEN", "W8A16", "W8A8_SQ_PER_CHANNEL", "MXFP8"),
    *("NVFP4", "W4A16_NVFP4", "W4A8_NVFP4_FP8", "W4A8_MXFP4_FP8"),
)
_MIXED = "MIXED_PRECISION"


class ModelOpt:
    """See `Format`."""

    def __init__(self, settings: Mapping[str, Any], stored: SafetensorsFolder) -> None:
        self._stored, self._fp8 = stored, Fp8(settings, stored)
        algorithm, layers = settings.get("quant_algo"), settings.get("quantized_layers") or {}
        schemes = list(layers.values()) if isinstance(layers, Mapping) else [layers]
        own = [scheme.get("quant_algo") if isinstance(scheme, Mapping) else scheme for scheme in schemes]
        for name in own if algorithm == _MIXED else [algorithm, *own]:
            if name is not None and name not in _ALGORITHMS:
                raise ModelError(
                    f"quant_algo is {shorten(name)}, but only {', '.join(_ALGORITHMS)} and {_MIXED} of these "
                    "are supported; take another copy of the model."
                )

    def parts(self, name: str) -> list[str]:
        if name not in self._stored or self._stored.dtype(name) not in ("F8_E4M3", "I8", "U8"):
            return []
        module = name.removesuffix(".weight")
        factor = f"{module}.weight_scale_2"
        return [name, f"{module}.weight_scale", *([factor] if factor in self._stored else [])]

    def shape(self, name: str) -> tuple[int, ...]:
        shape = self._stored.shape(name)
        return (*shape[:-1], 2 * shape[-1]) if self._stored.dtype(name) == "U8" and shape else shape

    def codes(self, name: str, expert: int | None) -> Codes:
        kind, scale_name = self._stored.dtype(name), self.parts(name)[1]
        if kind == "U8":
            return self._read_float4(name)
        if kind == "F8_E4M3" and self._stored.dtype(scale_name) != "U8":
            return self._fp8.codes(name, expert)
        types = ["int8"] if kind == "I8" else ["float8_e4m3fn"]
        numbers, where = read_array(self._stored, name, types, (None, None)), self._stored.place(name)
        n, k = numbers.shape
        if kind == "F8_E4M3":
            scales = read_array(self._stored, scale_name, ["uint8"], (n, -(-k // 32)))
            return Codes(numbers, 32, power_scales(scales))
        scales = read_array(self._stored, scale_name, ["float32"], (n,))
        group, columns = split_groups(k, k, where)
        return Codes(numbers, group, np.repeat(scales[:, None], len(columns), axis=1))

    def order(self, name: str) -> None:
        return None

    def is_unused(self, name: str) -> bool:
        return self._fp8.is_unused(name)

    def _read_float4(self, name: str) -> Codes:
        octets = read_array(self._stored, name, ["uint8"], (None, None))
        _, scale_name, *factor_names = self.parts(name)
        n, k = len(octets), 2 * octets.shape[1]
        numbers = unpack_integers(octets, 4, k)
        if not factor_names:
            scales = read_array(self._stored, scale_name, ["uint8"], (n, -(-k // 32)))
            return Codes(numbers, 32, power_scales(scales, offset=-1), table=DOUBLED_E2M1)
        scales = read_array(self._stored, scale_name, ["float8_e4m3fn"], (n, -(-k // 16)))
        factor = self._stored[factor_names[0]]
        if factor.dtype != np.float32 or factor.size != 1:
            raise ModelError(f"{self._stored.place(factor_names[0])} should be one number in float32.")
        halves = scales.astype(np.float16) / np.float16(2)
        factors = np.full((n, 1), factor.reshape(()), np.float32)
        return Codes(numbers, 16, halves, table=DOUBLED_E2M1, factors=factors)
