"""Experts that a folder keeps in one tensor for all of a layer, as if each had tensors of its own.

Most families have `experts.{e}.gate_proj.weight`, `up_proj` and `down_proj`. Qwen3.5 and Qwen3-VL are
published with `experts.gate_up_proj` [experts, 2 * inner, hidden], gates above ups, and `experts.down_proj`
[experts, hidden, inner]; in Qwen3-VL the last two axes are swapped.
"""

import re
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..weights.codes import Codes
from .source import TensorSource

_NAME = re.compile(r"(?P<stack>.*\bexperts)\.(?P<expert>\d{1,6})\.(?P<part>gate|up|down)_proj\.weight")


@dataclass(frozen=True)
class _Slice:
    """A matrix of an expert: the rows from `start` to `stop` of what the stack `name` has for it.

    is_transposed: the stack has it as [inputs, outputs].
    """

    name: str
    expert: int
    start: int
    stop: int
    columns: int
    is_transposed: bool


class StackedExperts:
    """A `TensorSource` (files/source.py) over another one. It has the names of both."""

    def __init__(self, source: TensorSource) -> None:
        self._source = source

    def __contains__(self, name: object) -> bool:
        return name in self._source or self._find(str(name)) is not None

    def __getitem__(self, name: str) -> np.ndarray:
        """The weights: a view of the stack. Raises ModelError."""
        part = self._find(name)
        if part is None:
            return self._source[name]
        matrix = self._source[part.name][part.expert]
        return (matrix.T if part.is_transposed else matrix)[part.start : part.stop]

    def codes(self, name: str, expert: int | None = None) -> Codes | None:
        """See TensorSource. Raises ModelError."""
        part = self._find(name)
        if part is None:
            return self._source.codes(name, expert)
        codes = self._source.codes(part.name, part.expert)
        return None if codes is None else codes[part.start : part.stop]

    def layout(self, name: str) -> Hashable:
        """See TensorSource. Raises ModelError."""
        return self._source.layout(self._stored(name))

    def order(self, name: str) -> np.ndarray | None:
        """See TensorSource. Raises ModelError."""
        return self._source.order(self._stored(name))

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of the weights. Raises ModelError."""
        part = self._find(name)
        return self._source.shape(name) if part is None else (part.stop - part.start, part.columns)

    def stored_bytes(self, name: str) -> int:
        """Bytes that a tensor takes in its file. Raises ModelError."""
        part = self._find(name)
        if part is None:
            return self._source.stored_bytes(name)
        share = 1 if part.name.endswith("down_proj") else 2
        return self._source.stored_bytes(part.name) // (share * self._source.shape(part.name)[0])

    def path_of(self, name: str) -> Path:
        """The file that holds a tensor. Raises ModelError."""
        return self._source.path_of(self._stored(name))

    def files(self) -> list[Path]:
        """See TensorSource."""
        return self._source.files()

    def places(self) -> dict[str, Path]:
        """See TensorSource."""
        return self._source.places()

    def unread(self) -> list[str]:
        """See TensorSource."""
        return self._source.unread()

    def drop_file_pages(self) -> None:
        """See TensorSource."""
        self._source.drop_file_pages()

    def _stored(self, name: str) -> str:
        part = self._find(name)
        return name if part is None else part.name

    def _find(self, name: str) -> _Slice | None:
        """Where the matrix of an expert is; None for a tensor that is stored by itself, or not at all."""
        match = _NAME.fullmatch(name)
        if match is None or name in self._source:
            return None
        gate_up, down = (f"{match['stack']}.{stack}" for stack in ("gate_up_proj", "down_proj"))
        if gate_up not in self._source or down not in self._source:
            return None
        shapes, expert = (self._source.shape(gate_up), self._source.shape(down)), int(match["expert"])
        if any(len(shape) != 3 or expert >= shape[0] for shape in shapes):
            return None
        (_, rows, columns), (_, outputs, inner) = shapes
        # No sizes fit both ways.
        is_transposed = rows == inner and columns == 2 * outputs
        if is_transposed:
            rows, columns, outputs, inner = columns, rows, inner, outputs
        if match["part"] == "down":
            return _Slice(down, expert, 0, outputs, inner, is_transposed)
        half = rows // 2
        start, stop = (0, half) if match["part"] == "gate" else (half, rows)
        return _Slice(gate_up, expert, start, stop, columns, is_transposed)
