"""Weights of torchao in safetensors: integers of up to 8 bits in int8, and float8.

A module has `_weight_qdata` int8 or float8 [out, in], and `_weight_scale` [out, groups] or one number.
Integers may have `_weight_zero_point` int8, as the scales: a weight is (integer - zero) * scale. Those of 4
bits are not packed in the file. Source: torchao 0.18, prototype/safetensors, the types Int8Tensor,
IntxUnpackedToInt8Tensor and Float8Tensor. Activations keep their precision here.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...checks.file_values import ignore
from ...errors import ModelError
from ...weights.codes import Codes
from ..safetensors import SafetensorsFolder
from .arrays import FLOAT_TYPES, as_scales, read_array, split_groups, with_signed_zeros, with_zeros
from .fp8 import read_grid


class TorchAo:
    """See `Format`."""

    def __init__(self, settings: Mapping[str, Any], stored: SafetensorsFolder) -> None:
        self._stored = stored
        # What is quantized, and how, is in the names, types and shapes of the tensors.
        ignore(settings, "quant_type", "quant_type_kwargs")
        ignore(settings, "include_input_output_embeddings", "untie_embedding_weights")

    def parts(self, name: str) -> list[str]:
        start = f"{name.removesuffix('weight')}_weight_"
        names = [start + part for part in ("qdata", "scale", "zero_point")]
        if names[0] not in self._stored:
            return []
        return names if names[2] in self._stored else names[:2]

    def shape(self, name: str) -> tuple[int, ...]:
        return self._stored.shape(self.parts(name)[0])

    def codes(self, name: str, expert: int | None) -> Codes:
        data_name, *grids = self.parts(name)
        if self._stored.dtype(data_name) not in ("I8", "F8_E4M3"):
            raise ModelError(
                f"{self._stored.place(data_name)} is {self._stored.dtype(data_name)}, but of torchao only "
                "int8 and float8 weights are supported; take another copy of the model."
            )
        numbers = read_array(self._stored, data_name, ["int8", "float8_e4m3fn"], (None, None))
        group, scales = self._read_grid(grids[0], FLOAT_TYPES, numbers.shape)
        scales = as_scales(scales)
        zeros = np.zeros(scales.shape, np.int8)
        if len(grids) > 1:
            _, zeros = self._read_grid(grids[1], ["int8"], numbers.shape)
        if numbers.dtype != np.int8:
            if zeros.any():
                raise ModelError(f"{self._stored.place(grids[1])} should be 0, because weights are float8.")
            return Codes(numbers, group, scales)
        if min(numbers.min(), zeros.min()) >= -8 and max(numbers.max(), zeros.max()) <= 7:
            nibbles, zero_nibbles = ((array + np.int8(8)).view(np.uint8) for array in (numbers, zeros))
            return with_zeros(nibbles, zero_nibbles, scales, 4, group)
        return with_signed_zeros(numbers, zeros, scales, group)

    def order(self, name: str) -> None:
        return None

    def is_unused(self, name: str) -> bool:
        return False

    def _read_grid(self, name: str, types: Sequence[str], shape: tuple[int, ...]) -> tuple[int, np.ndarray]:
        """The size of groups, and a stored number [n, groups] for each."""
        (n, k), stored = shape, self._stored.shape(name)
        if len(stored) != 2 or stored[0] != n or stored[1] < 2:
            return read_grid(self._stored, name, types, shape, None)
        if k % stored[1]:
            raise ModelError(f"{self._stored.place(name)} has {stored[1]} groups for {k} columns.")
        group, columns = split_groups(k // stored[1], k, self._stored.place(name))
        return group, read_array(self._stored, name, types, stored)[:, columns]
