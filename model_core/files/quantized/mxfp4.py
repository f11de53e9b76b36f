"""MXFP4 (OCP Microscaling Formats, 2023), as gpt-oss stores its experts (arXiv:2508.10925).

Experts have `<name>_blocks` uint8 [experts, out, in / 32, 16], two numbers in E2M1 a byte, the lower half
first, and `<name>_scales` uint8 [experts, out, in / 32]: the powers of 2 of 32 weights, plus 127. As floats
they are [experts, in, out].
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...weights.codes import Codes
from ..safetensors import SafetensorsFolder
from .arrays import power_scales, read_array, unpack_integers

# Twice the numbers of E2M1: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives.
DOUBLED_E2M1 = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], np.int8)
GROUP = 32


class Mxfp4:
    """See `Format`."""

    def __init__(self, settings: Mapping[str, Any], stored: SafetensorsFolder) -> None:
        self._stored = stored

    def parts(self, name: str) -> list[str]:
        blocks = f"{name}_blocks"
        return [blocks, f"{name}_scales"] if blocks in self._stored else []

    def shape(self, name: str) -> tuple[int, ...]:
        experts, n, groups, _ = self._read_blocks(name).shape
        return experts, groups * GROUP, n

    def codes(self, name: str, expert: int | None) -> Codes:
        blocks = self._read_blocks(name)
        exponents = read_array(self._stored, f"{name}_scales", ["uint8"], blocks.shape[:3])
        if expert is not None:
            blocks, exponents = blocks[expert], exponents[expert]
        octets = blocks.reshape(*blocks.shape[:-2], -1)
        codes = unpack_integers(octets, 4, 2 * octets.shape[-1])
        return Codes(codes, GROUP, power_scales(exponents, offset=-1), table=DOUBLED_E2M1)

    def order(self, name: str) -> None:
        return None

    def is_unused(self, name: str) -> bool:
        return False

    def _read_blocks(self, name: str) -> np.ndarray:
        return read_array(self._stored, f"{name}_blocks", ["uint8"], (None, None, None, GROUP // 2))
