"""AMD's Quark in safetensors: float8, MXFP4, int8 and uint4.

Weights in float8 and MXFP4 are as those of ModelOpt. Int8 has `weight_zero_point` int8 [out]. Uint4 has the
layout of AWQ under other names: `weight` int32 [in, out / 8], packed along its outputs, `weight_scale` and
`weight_zero_point` [groups, out] and [groups, out / 8]. Source: amd-quark, torch/export.
"""

from collections.abc import Mapping
from typing import Any

from ...checks.file_values import expect, ignore, shorten
from ...errors import ModelError
from ...weights.codes import Codes
from ..safetensors import SafetensorsFolder
from .arrays import FLOAT_TYPES, as_scales, read_array, split_groups, with_signed_zeros, with_zeros
from .awq import unpack_outputs
from .modelopt import ModelOpt


class Quark(ModelOpt):
    """See `Format`."""

    def __init__(self, settings: Mapping[str, Any], stored: SafetensorsFolder) -> None:
        super().__init__({}, stored)
        # How activations, keys and values are rounded, which are not here; and what is quantized, which is in
        # the names, types and shapes of the tensors.
        ignore(settings, "global_quant_config", "layer_quant_config", "layer_type_quant_config", "exclude")
        ignore(settings, "kv_cache_post_rope", "kv_cache_quant_config", "softmax_quant_spec", "quant_mode")
        if "rot" in str(settings.get("algo_config")).lower():
            raise ModelError("weights that Quark has rotated are not supported; take another copy.")
        export = settings.get("export") or {}
        if not isinstance(export, Mapping):
            raise ModelError(f"export should be an object, not {shorten(export)}.")
        expect(export, weight_format="real_quantized", pack_method="reorder")

    def parts(self, name: str) -> list[str]:
        module = name.removesuffix(".weight")
        if name in self._stored and self._stored.dtype(name) == "I32":
            return [name, f"{module}.weight_scale", f"{module}.weight_zero_point"]
        found, zeros = super().parts(name), f"{module}.weight_zero_point"
        return [*found, zeros] if found and zeros in self._stored else found

    def shape(self, name: str) -> tuple[int, ...]:
        if self._stored.dtype(name) != "I32":
            return super().shape(name)
        k, words = read_array(self._stored, name, ["int32"], (None, None)).shape
        return 8 * words, k

    def codes(self, name: str, expert: int | None) -> Codes:
        kind, parts = self._stored.dtype(name), self.parts(name)
        if kind == "I32":
            return self._read_uint4(name)
        codes = super().codes(name, expert)
        if not parts[-1].endswith("weight_zero_point"):
            return codes
        if kind != "I8":
            raise ModelError(f"{self._stored.place(parts[-1])} should not be there, beside {kind}.")
        zeros = read_array(self._stored, parts[-1], ["int8"], (codes.shape[0],))
        zeros = zeros[:, None].repeat(codes.scales.shape[1], axis=1)
        return with_signed_zeros(codes.codes, zeros, codes.scales, codes.group)

    def _read_uint4(self, name: str) -> Codes:
        _, scale_name, zero_name = self.parts(name)
        (n, k), where = self.shape(name), self._stored.place(scale_name)
        scales = read_array(self._stored, scale_name, FLOAT_TYPES, (None, n))
        count = len(scales)
        if k % count:
            raise ModelError(f"{where} has {count} groups for {k} columns.")
        words = read_array(self._stored, zero_name, ["int32"], (count, n // 8))
        group, spread = split_groups(k // count, k, where)
        numbers = unpack_outputs(self._stored[name]).T.copy()
        zeros = unpack_outputs(words).T[:, spread]
        return with_zeros(numbers, zeros, as_scales(scales).T[:, spread], bits=4, group=group)
