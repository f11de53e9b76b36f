"""Weights as bitsandbytes stores them: NF4 and FP4 (Dettmers et al., 2023, arXiv:2305.14314), and LLM.int8.

In 4 bits, a module has `weight` uint8, two numbers a byte, the higher half first. Beside it are `.absmax`, a
scale for each block of consecutive weights, `.quant_map` float32 [16], what the numbers stand for, and
`.quant_state.bitsandbytes__nf4`, JSON as bytes: the shape and the size of blocks. The scales may be numbers
of 8 bits themselves, with `.nested_absmax`, `.nested_quant_map` and an offset in the JSON.

Kernels know integers of 8 bits, so the numbers of NF4 are rounded to such: by at most 0.4 % of the largest
weight of a block. The squared error that NF4 has already grows by 0.3 % on average.

In 8 bits, a module has `weight` int8 [out, in] and `SCB` float32 [out]: 127 times the scales of the rows.
"""

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ...checks.file_values import expect, read_number, read_size, shorten
from ...errors import ModelError
from ...weights.codes import Codes
from ..safetensors import SafetensorsFolder
from .arrays import FLOAT_TYPES, read_array, split_groups

_STATES = ("quant_state.bitsandbytes__nf4", "quant_state.bitsandbytes__fp4")
_NESTED = ("nested_absmax", "nested_quant_map")


class BitsAndBytes:
    """See `Format`."""

    def __init__(self, settings: Mapping[str, Any], stored: SafetensorsFolder) -> None:
        self._stored = stored
        expect(settings, llm_int8_has_fp16_weight=False)

    def parts(self, name: str) -> list[str]:
        module = name.removesuffix(".weight")
        if f"{module}.SCB" in self._stored:
            return [name, f"{module}.SCB"]
        names = [f"{name}.{part}" for part in ("absmax", "quant_map", *_STATES, *_NESTED)]
        found = [part for part in names if part in self._stored]
        return [name, *found] if any(part.endswith(_STATES) for part in found) else []

    def shape(self, name: str) -> tuple[int, ...]:
        state = self._read_state(name)
        return self._stored.shape(name) if state is None else _read_shape(state, self._stored.place(name))

    def codes(self, name: str, expert: int | None) -> Codes:
        state = self._read_state(name)
        codes = self._read_int8(name) if state is None else self._read_4bit(name, state)
        return codes if expert is None else codes[expert]

    def order(self, name: str) -> None:
        return None

    def is_unused(self, name: str) -> bool:
        return name.endswith(".weight_format")  # 0: rows, as everywhere since 2024

    def _read_int8(self, name: str) -> Codes:
        numbers = read_array(self._stored, name, ["int8"], (None, None))
        scale_name, (n, k) = f"{name.removesuffix('.weight')}.SCB", numbers.shape
        scales = read_array(self._stored, scale_name, ["float32"], (n,)) / np.float32(127)
        group, columns = split_groups(k, k, self._stored.place(name))
        return Codes(numbers, group, np.repeat(scales[:, None], len(columns), axis=1))

    def _read_4bit(self, name: str, state: Mapping[str, Any]) -> Codes:
        where, shape = self._stored.place(name), _read_shape(state, self._stored.place(name))
        block, count, k = read_size(state, "blocksize"), math.prod(shape), shape[-1]
        octets = np.ascontiguousarray(self._stored[name]).reshape(-1).view(np.uint8)
        if len(octets) != (count + 1) // 2:
            raise ModelError(
                f"{where} has {len(octets)} bytes, which do not hold {count} integers of 4 bits."
            )
        numbers = np.stack([octets >> np.uint8(4), octets & np.uint8(15)], axis=-1).reshape(-1)[:count]
        table, factor = _round_table(self._read_map(f"{name}.quant_map", 16))
        group, _ = split_groups(math.gcd(block, k), k, where)
        first = np.arange(count // k)[:, None] * k + np.arange(0, k, group)  # columns of each group
        scales = (self._read_scales(name, state, -(-count // block)) * np.float32(factor))[first // block]
        return Codes(numbers.reshape(shape), group, scales.reshape(*shape[:-1], -1), np.array(table, np.int8))

    def _read_scales(self, name: str, state: Mapping[str, Any], blocks: int) -> np.ndarray:
        """The largest number of each block: float32 [blocks]."""
        peaks = read_array(self._stored, f"{name}.absmax", ["float32", "uint8"], (blocks,))
        if peaks.dtype != np.uint8:
            return peaks
        size, offset = (
            read_size(state, "nested_blocksize"),
            read_number(state, "nested_offset", None, 0, 1e30),
        )
        nested = read_array(self._stored, f"{name}.nested_absmax", ["float32"], (-(-blocks // size),))
        values = np.array(self._read_map(f"{name}.nested_quant_map", 256), np.float32)
        return values[peaks] * nested[np.arange(blocks) // size] + np.float32(offset)

    def _read_map(self, name: str, count: int) -> tuple[float, ...]:
        return tuple(read_array(self._stored, name, FLOAT_TYPES, (count,)).astype(np.float32).tolist())

    def _read_state(self, name: str) -> Mapping[str, Any] | None:
        """The JSON of weights of 4 bits; None for those of 8 bits. Raises ModelError."""
        found = next((f"{name}.{part}" for part in _STATES if f"{name}.{part}" in self._stored), None)
        if found is None:
            return None
        text = read_array(self._stored, found, ["uint8"], (None,)).tobytes()
        try:
            state = json.loads(text)
        except ValueError:
            state = None
        if not isinstance(state, dict):
            raise ModelError(f"{self._stored.place(found)} is {shorten(text)}, but should be JSON.")
        return state


def _read_shape(state: Mapping[str, Any], where: str) -> tuple[int, ...]:
    shape = state.get("shape")
    if isinstance(shape, list) and len(shape) > 1 and all(type(n) is int and 0 < n < 2**31 for n in shape):
        return tuple(shape)
    raise ModelError(f"{where} has the shape {shorten(shape)}, but should have two positive numbers.")


@lru_cache
def _round_table(values: tuple[float, ...]) -> tuple[tuple[int, ...], float]:
    """Integers from -127 to 127, and the factor with which they are closest to the values."""
    exact, peak = np.array(values), max(map(abs, values))
    if not 0 < peak < math.inf or not np.isfinite(exact).all():
        raise ModelError(f"quant_map should have finite numbers, not {shorten(list(values))}.")
    tops = np.linspace(64, 127, 6301)[:, None]
    tables = np.rint(exact / peak * tops)
    best = int(((tables / tops - exact / peak) ** 2).sum(axis=1).argmin())
    return tuple(tables[best].astype(int).tolist()), float(peak / tops[best, 0])
