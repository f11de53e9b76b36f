"""Ternary weights of BitNet (Ma et al., 2024, arXiv:2402.17764): -1, 0 or 1, times a scale of the tensor.

A module has `weight` uint8 [out / 4, in] and `weight_scale` [1]. A byte has two bits for each of four rows, a
quarter of the matrix apart, the first in the lowest bits: the weight plus 1. With the class `autobitlinear`
weights are multiplied by the scale, with `bitlinear` they are divided by it. In the mode `online`, files have
floats, which are rounded to -1, 0 or 1 times the mean of their magnitudes.

The published computation rounds activations to 8 bits with a scale for each row. So do kernels for integers,
with scales for parts of long rows; with --arithmetic float32, activations are not rounded.
"""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...checks.file_values import expect, ignore, shorten
from ...errors import ModelError
from ...weights.codes import Codes
from ..safetensors import SafetensorsFolder
from .arrays import FLOAT_TYPES, read_array

_GROUP = 32  # columns that share a scale, for kernels: in truth all do
_ROWS = 4  # in a byte
_LINEAR = re.compile(r".*\.\w+_proj\.weight")


class BitNet:
    """See `Format`."""

    def __init__(self, settings: Mapping[str, Any], stored: SafetensorsFolder) -> None:
        self._stored = stored
        expect(settings, use_rms_norm=False)
        ignore(settings, "rms_norm_eps")  # of this norm
        kind, mode = settings.get("linear_class", "bitlinear"), settings.get("quantization_mode", "offline")
        if kind not in ("bitlinear", "autobitlinear") or mode not in ("offline", "online"):
            raise ModelError(
                f"linear_class {shorten(kind)} with quantization_mode {shorten(mode)} is not supported."
            )
        self._divides, self._is_online = kind == "bitlinear", mode == "online"

    def parts(self, name: str) -> list[str]:
        if name not in self._stored:
            return []
        if self._is_online:
            return [name] if _LINEAR.fullmatch(name) else []
        return [name, self._scale_name(name)] if self._stored.dtype(name) == "U8" else []

    def shape(self, name: str) -> tuple[int, ...]:
        rows, *others = self._stored.shape(name)
        return (rows if self._is_online else rows * _ROWS, *others)

    def codes(self, name: str, expert: int | None) -> Codes:
        if expert is not None:
            raise ModelError(f"{self._stored.place(name)} has experts, which are not supported here.")
        numbers, scale = self._round(name) if self._is_online else self._unpack(name)
        groups = (len(numbers), -(-numbers.shape[1] // _GROUP))
        return Codes(
            numbers,
            _GROUP,
            np.full(groups, scale, np.float32),
            table=np.arange(16, dtype=np.int8),
            zeros=np.ones(groups, np.uint8),
        )

    def order(self, name: str) -> None:
        return None

    def is_unused(self, name: str) -> bool:
        return False

    def _unpack(self, name: str) -> tuple[np.ndarray, np.float32]:
        """The weights plus 1, uint8 [n, k], and their scale."""
        octets = read_array(self._stored, name, ["uint8"], (None, None))
        numbers = np.concatenate([octets >> np.uint8(2 * i) & np.uint8(3) for i in range(_ROWS)])
        if numbers.max() > 2:
            raise ModelError(f"{self._stored.place(name)} has other weights than -1, 0 and 1.")
        where = self._scale_name(name)
        scale = read_array(self._stored, where, FLOAT_TYPES, (1,)).astype(np.float32)[0]
        if not 0 < scale < np.inf:
            raise ModelError(f"{self._stored.place(where)} is {scale}, but should be positive.")
        return numbers, np.float32(1) / scale if self._divides else scale

    def _round(self, name: str) -> tuple[np.ndarray, np.float32]:
        """The same of weights that are floats."""
        floats = read_array(self._stored, name, FLOAT_TYPES, (None, None)).astype(np.float32)
        scale = np.maximum(np.abs(floats).mean(dtype=np.float32), np.float32(1e-5))
        return (np.clip(np.rint(floats / scale), -1, 1) + 1).astype(np.uint8), scale

    def _scale_name(self, name: str) -> str:
        return f"{name.removesuffix('.weight')}.weight_scale"
