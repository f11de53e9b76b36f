"""GPTQ (Frantar et al., 2022, arXiv:2210.17323), as AutoGPTQ and GPTQModel write it: 2, 3, 4 or 8 bits.

AutoRound writes the same with 5, 6 and 7 bits, too (auto_round.py).

A module has `qweight` int32 [in * bits / 32, out], packed along its inputs; `qzeros` int32 [groups, out *
bits / 32]; `scales` [groups, out]; and `g_idx` int32 [in], the group of each input. A weight is
(code - zero) * scale. Version 1 stores zeros minus 1.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...checks.file_values import shorten
from ...errors import ModelError
from ...weights.codes import Codes
from ..safetensors import SafetensorsFolder
from .arrays import FLOAT_TYPES, as_scales, read_array, sort_groups, split_groups, unpack_integers, with_zeros

_BITS = (2, 3, 4, 5, 6, 7, 8)
_VERSIONS = ("gptq", "gptq_v2")
_PARTS = ("qweight", "qzeros", "scales")
# GPTQModel subtracts these from packed zeros, word by word, to write version 1. So a zero of 0 borrows from
# its neighbour, which adding them again undoes. For 3 bits, they are not the number 1 at the place of each.
_VERSION_1 = {2: (0x55555555,), 3: (0x24924924, 0x92492492, 0x49249249), 4: (0x11111111,), 8: (0x01010101,)}


class Gptq:
    """See `Format`."""

    def __init__(
        self, settings: Mapping[str, Any], stored: SafetensorsFolder, version: str | None = None
    ) -> None:
        """`version`: None for that of the settings."""
        self._stored = stored
        version = version or settings.get("checkpoint_format") or settings.get("format") or "gptq"
        if version not in _VERSIONS:
            raise ModelError(
                f"GPTQ in the layout {shorten(version)} is not supported, only {' and '.join(_VERSIONS)}; "
                "convert it with GPTQModel."
            )
        self._is_version_1 = version == "gptq"
        self._bits = settings.get("bits")
        meta = settings.get("meta")
        writers = meta.get("quantizer") if isinstance(meta, Mapping) else None
        self._is_of_gptqmodel = "gptqmodel" in str(writers).lower()

    def parts(self, name: str) -> list[str]:
        module = name.removesuffix(".weight")
        if f"{module}.qweight" not in self._stored:
            return []
        names = [f"{module}.{part}" for part in (*_PARTS, "g_idx")]
        return names if names[-1] in self._stored else names[:-1]

    def shape(self, name: str) -> tuple[int, ...]:
        module = name.removesuffix(".weight")
        words, n = read_array(self._stored, f"{module}.qweight", ["int32"], (None, None)).shape
        if f"{module}.g_idx" in self._stored:
            return n, read_array(self._stored, f"{module}.g_idx", ["int32"], (None,)).shape[0]
        return n, words * 32 // self._find_bits(module, "qzeros", 1, n)

    def codes(self, name: str, expert: int | None) -> Codes:
        module, (n, k) = name.removesuffix(".weight"), self.shape(name)
        qweight = read_array(self._stored, f"{module}.qweight", ["int32"], (None, n))
        where = self._stored.place(f"{module}.qweight")
        bits = self._find_bits(module, "qweight", 0, k)
        scales = read_array(self._stored, f"{module}.scales", FLOAT_TYPES, (None, n))
        count = len(scales)
        zeros = self._read_zeros(f"{module}.qzeros", bits, count, n)
        numbers = unpack_integers(np.ascontiguousarray(qweight.T), bits, k)
        size, order = self._read_groups(module, count, k)
        if order is not None:
            numbers = numbers[:, order]
        group, spread = split_groups(size, k, where)
        scales, zeros = as_scales(scales).T[:, spread], zeros.T[:, spread]
        return with_zeros(numbers, zeros, scales, bits, group, order)

    def _find_bits(self, module: str, part: str, axis: int, count: int) -> int:
        """The bits of `count` integers along an axis of a part. A module may have its own number."""
        name = f"{module}.{part}"
        words = read_array(self._stored, name, ["int32"], (None, None)).shape[axis]
        fitting = [bits for bits in _BITS if -(-count * bits // 32) == words]
        if not fitting:
            what = "columns" if axis else "rows"
            raise ModelError(
                f"{self._stored.place(name)} has {words} {what}, which do not hold {count} integers of "
                f"{_BITS[0]} to {_BITS[-1]} bits."
            )
        return self._bits if self._bits in fitting else fitting[-1]

    def _read_zeros(self, name: str, bits: int, count: int, n: int) -> np.ndarray:
        """uint8 [groups, n]: the zeros, at most 2^bits."""
        words = read_array(self._stored, name, ["int32"], (count, -(-n * bits // 32)))
        if not self._is_version_1:
            return unpack_integers(words, bits, n)
        if bits not in _VERSION_1 or (bits == 3 and not self._is_of_gptqmodel):
            return (unpack_integers(words, bits, n) + np.uint8(1)) & np.uint8(2**bits - 1)
        offsets = np.resize(np.array(_VERSION_1[bits], np.uint32), words.shape[1])
        return unpack_integers((words.view(np.uint32) + offsets).view(np.int32), bits, n)

    def order(self, name: str) -> np.ndarray | None:
        module = name.removesuffix(".weight")
        if f"{module}.g_idx" not in self._stored:
            return None
        return self._read_groups(module, self._stored.shape(f"{module}.scales")[0], self.shape(name)[1])[1]

    def _read_groups(self, module: str, count: int, k: int) -> tuple[int, np.ndarray | None]:
        """The size of `count` groups, and the order of inputs that sorts them by group; see `sort_groups`."""
        name = f"{module}.g_idx"
        if name not in self._stored:
            return -(-k // max(count, 1)), None
        groups = read_array(self._stored, name, ["int32"], (k,))
        return sort_groups(groups, count, self._stored.place(name))

    def is_unused(self, name: str) -> bool:
        """AutoGPTQ writes a bias of zeros for modules that have none."""
        module, _, kind = name.rpartition(".")
        return kind == "bias" and f"{module}.qweight" in self._stored and not self._stored[name].any()
