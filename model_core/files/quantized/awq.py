"""AWQ (Lin et al., 2023, arXiv:2306.00978), as AutoAWQ writes it in the layout "gemm": 4 bits.

A module has `qweight` int32 [in, out / 8], packed along its outputs; `qzeros` int32 [groups, out / 8]; and
`scales` [groups, out]. A weight is (code - zero) * scale.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...checks.file_values import expect, shorten
from ...errors import ModelError
from ...weights.codes import Codes
from ..safetensors import SafetensorsFolder
from .arrays import FLOAT_TYPES, as_scales, read_array, split_groups, unpack_integers, with_zeros

_PLACES = np.array([0, 4, 1, 5, 2, 6, 3, 7])  # of 8 consecutive outputs in their word, from the lowest bits


class Awq:
    """See `Format`."""

    def __init__(self, settings: Mapping[str, Any], stored: SafetensorsFolder) -> None:
        self._stored = stored
        version = str(settings.get("version") or settings.get("format") or "gemm").lower()
        if version != "gemm":
            raise ModelError(
                f"AWQ in the layout {shorten(version)} is not supported, only gemm; take a copy of the model "
                "in this layout."
            )
        expect(settings, bits=4)

    def parts(self, name: str) -> list[str]:
        names = [f"{name.removesuffix('.weight')}.{part}" for part in ("qweight", "qzeros", "scales")]
        return names if names[0] in self._stored else []

    def shape(self, name: str) -> tuple[int, ...]:
        k, words = read_array(self._stored, self.parts(name)[0], ["int32"], (None, None)).shape
        return 8 * words, k

    def codes(self, name: str, expert: int | None) -> Codes:
        qweight, qzeros, scale_name = self.parts(name)
        n, k = self.shape(name)
        scales = read_array(self._stored, scale_name, FLOAT_TYPES, (None, n))
        count, where = len(scales), self._stored.place(scale_name)
        if not 0 < count <= k:
            raise ModelError(f"{where} has {count} groups for {k} columns.")
        words = read_array(self._stored, qzeros, ["int32"], (count, n // 8))
        group, spread = split_groups(-(-k // count), k, where)
        return with_zeros(
            np.ascontiguousarray(unpack_outputs(self._stored[qweight]).T),
            unpack_outputs(words).T[:, spread],
            as_scales(scales).T[:, spread],
            bits=4,
            group=group,
        )

    def order(self, name: str) -> None:
        return None

    def is_unused(self, name: str) -> bool:
        return False


def unpack_outputs(words: np.ndarray) -> np.ndarray:
    """int32 [rows, n / 8] -> uint8 [rows, n], integers of 4 bits in AWQ's order."""
    rows, count = words.shape
    return unpack_integers(words, 4, 8 * count).reshape(rows, count, 8)[..., _PLACES].reshape(rows, -1)
