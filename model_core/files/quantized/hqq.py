"""HQQ (Badri and Shaji, 2023, mobiusml.github.io/hqq_blog) as Transformers saves it: 1 to 8 bits.

A module has `W_q`, integers of groups of consecutive weights [groups, size], of which the first part of the
groups lies in the highest bits of each uint8, the next part below, and so on; of 3 bits, ten parts lie in an
int32. `scale` and `zero` [groups, 1] are floats: a weight is (integer - zero) * scale. Beside them are
settings as tensors: `packing`, `shape`, `group_size`, `axis` and others. Source: hqq, core/quantize.py and
core/bitpack.py.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...checks.file_values import ignore, shorten
from ...errors import ModelError
from ...weights.codes import Codes
from ..safetensors import SafetensorsFolder
from .arrays import FLOAT_TYPES, read_array, split_groups

# packing -> bits, and integers of a number that holds them
_PACKINGS = {"8bit_u8": (8, 1), "4bit_u8": (4, 2), "3bit_32": (3, 10), "2bit_u8": (2, 4), "1bit_u8": (1, 8)}
_INTEGERS = ("uint8", "int32", "int64")
# How the integers were found, and how HQQ computes with them.
_UNUSED = frozenset(
    (
        *("nbits", "channel_wise", "optimize", "round_zero", "unpack_view_dtype", "compute_dtype"),
        *("offload_meta", "encoded_state_dict", "stores_quant_config", "quant_scale", "quant_zero"),
    )
)


class Hqq:
    """See `Format`."""

    def __init__(self, settings: Mapping[str, Any], stored: SafetensorsFolder) -> None:
        self._stored = stored
        ignore(settings, "quant_config", "skip_modules")  # each module has its own

    def parts(self, name: str) -> list[str]:
        names = [f"{name.removesuffix('.weight')}.{part}" for part in ("W_q", "scale", "zero")]
        return names if names[0] in self._stored else []

    def shape(self, name: str) -> tuple[int, ...]:
        part = f"{name.removesuffix('.weight')}.shape"
        n, k = map(int, read_array(self._stored, part, ["int64", "int32"], (2,)))
        if not (0 < n < 2**31 and 0 < k < 2**31):
            raise ModelError(f"{self._stored.place(part)} is {[n, k]}, but should be two positive numbers.")
        return n, k

    def codes(self, name: str, expert: int | None) -> Codes:
        (n, k), module = self.shape(name), name.removesuffix(".weight")
        where = self._stored.place(f"{module}.W_q")
        self._check_settings(module)
        size = self._read_number(f"{module}.group_size", k)
        if size < 1 or n * k % size:
            raise ModelError(f"{where} has groups of {size}, which do not divide {n} * {k} weights.")
        count = n * k // size
        bits, numbers = self._unpack(module, count, size)
        scales, zeros = (
            read_array(self._stored, f"{module}.{part}", FLOAT_TYPES, (count, 1)).astype(np.float32)[:, 0]
            for part in ("scale", "zero")
        )
        middle = 128 if bits == 8 else 0
        group, _ = split_groups(math.gcd(size, k), k, where)
        first = np.arange(n)[:, None] * k + np.arange(0, k, group)  # columns of each group
        codes = numbers.reshape(n, k)
        return Codes(
            (codes - np.uint8(128)).view(np.int8) if bits == 8 else codes,  # modulo 256
            group,
            scales[first // size],
            table=None if bits == 8 else np.arange(16, dtype=np.int8),
            offsets=(scales * (middle - zeros))[first // size],
        )

    def order(self, name: str) -> None:
        return None

    def is_unused(self, name: str) -> bool:
        module, _, part = name.rpartition(".")
        return part in _UNUSED and f"{module}.W_q" in self._stored

    def _check_settings(self, module: str) -> None:
        """Raises ModelError for groups along outputs, and for integers that are stored as floats."""
        place = self._stored.place(f"{module}.W_q")
        if self._read_number(f"{module}.axis", 0) != 1:
            raise ModelError(f"{place}: HQQ with axis 0 is not supported, only with 1; take another copy.")
        if self._read_number(f"{module}.view_as_float", 0):
            raise ModelError(f"{place}: HQQ with view_as_float is not supported; take another copy.")
        if f"{module}.scale" not in self._stored:
            raise ModelError(f"{place}: HQQ with quantized scales is not supported; take another copy.")

    def _unpack(self, module: str, count: int, size: int) -> tuple[int, np.ndarray]:
        """The bits of integers, and uint8 [count, size]."""
        name = f"{module}.packing"
        packing = read_array(self._stored, name, ["uint8"], (None,)).tobytes().decode(errors="replace")
        if packing not in _PACKINGS:
            raise ModelError(
                f"{self._stored.place(name)} is {shorten(packing)}, but should be {' or '.join(_PACKINGS)}."
            )
        bits, parts = _PACKINGS[packing]
        kind = "int32" if bits == 3 else "uint8"
        packed = read_array(self._stored, f"{module}.W_q", [kind], (-(-count // parts), size))
        shifts = [packed.dtype.type(bits * i) for i in reversed(range(parts))]
        mask = packed.dtype.type(2**bits - 1)
        unpacked = np.concatenate([(packed >> shift & mask).astype(np.uint8) for shift in shifts])
        return bits, unpacked[:count]

    def _read_number(self, name: str, default: int) -> int:
        return int(read_array(self._stored, name, _INTEGERS, ())) if name in self._stored else default
