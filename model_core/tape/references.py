"""What records refer to: columns of a buffer, and parts of tensors."""

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from ..machine.exact_math import exp
from ..weights.codes import Codes


@final
@dataclass(frozen=True)
class Span:
    """Columns `start` to `start + width` of a buffer, with `heads` heads side by side."""

    buffer: str
    start: int
    width: int
    heads: int = 1

    @property
    def size(self) -> int:
        """Columns of one head."""
        return self.width // self.heads

    @property
    def columns(self) -> slice:
        """Its columns of the buffer."""
        return slice(self.start, self.start + self.width)


@final
@dataclass(frozen=True)
class WeightRef:
    """A tensor of the checkpoint, or its part from `start` to `stop` on the first axis.

    Attributes:
        shape: that of the whole tensor.
        offset: added to it; some norms are stored as w - 1.
        expert: of a tensor with the weights of all experts, take those of this one.
        is_transposed: the tensor (of an expert) is stored as [k, n].
        step: take every `step`-th row from `start` on.
        groups: the first axis consists of so many groups of equal size; take the part of each.
        is_log: the tensor holds the logarithms of the weights.
        has_unit_rows: the weights are the rows of the tensor divided by their length.
    """

    name: str
    shape: tuple[int, ...]
    start: int = 0
    stop: int | None = None
    offset: float = 0.0
    expert: int | None = None
    is_transposed: bool = False
    step: int = 1
    groups: int = 1
    is_log: bool = False
    has_unit_rows: bool = False

    @property
    def rows(self) -> int:
        """The length of the part's first axis."""
        shape = self.shape if self.expert is None else self.shape[1:]
        rows = shape[-1 if self.is_transposed else 0] // self.groups
        return self.groups * len(range(rows)[self.start : self.stop : self.step])

    @property
    def label(self) -> str:
        """A name for the part."""
        expert = "" if self.expert is None else f"[{self.expert}]"
        if self.step > 1:
            return f"{self.name}{expert}[{self.start}::{self.step}]"
        return f"{self.name}{expert}" + ("" if self.stop is None else f"[{self.start}:{self.stop}]")

    @property
    def bias(self) -> "WeightRef":
        """The bias that belongs to the weight of a product."""
        shape = self.shape[-1:] if self.is_transposed else self.shape[:1]
        name = self.name.removesuffix("weight") + "bias"
        return replace(self, name=name, shape=shape, is_transposed=False)

    def select(self, tensor: np.ndarray) -> np.ndarray:
        """The part of the whole tensor, in its own type."""
        if self.has_unit_rows:
            tensor = _divide_by_length(tensor)
        if not self.shape:
            return tensor  # one number
        tensor = tensor if self.expert is None else tensor[self.expert]
        tensor = tensor.T if self.is_transposed else tensor
        if self.groups == 1:
            return tensor[self.start : self.stop : self.step]
        rest = tensor.shape[1:]
        grouped = tensor.reshape(self.groups, -1, *rest)[:, self.start : self.stop : self.step]
        return grouped.reshape(-1, *rest)

    @property
    def row_numbers(self) -> slice | np.ndarray:
        """The rows of the tensor, or of its expert, that are the part."""
        if self.groups == 1:
            return slice(self.start, self.stop, self.step)
        shape = self.shape if self.expert is None else self.shape[1:]
        rows = np.arange(shape[-1 if self.is_transposed else 0]).reshape(self.groups, -1)
        return rows[:, self.start : self.stop : self.step].reshape(-1)

    def select_codes(self, codes: Codes) -> Codes:
        """The part of the codes [n, k] of the whole tensor, or of its expert."""
        return codes[self.row_numbers]

    def read(self, tensor: np.ndarray) -> np.ndarray:
        """The weight in float32, from the whole stored tensor."""
        return self.finish(self.select(tensor))

    def finish(self, part: np.ndarray) -> np.ndarray:
        """The weight in float32, from its part of the stored tensor."""
        part = exp(part) if self.is_log else part
        return part.astype(np.float32, copy=False) + np.float32(self.offset)


def _divide_by_length(rows: np.ndarray) -> np.ndarray:
    """Each row [n, k] divided by its length, in the type of the rows."""
    floats = rows.astype(np.float32, copy=False)
    lengths = np.sqrt(np.sum(floats * floats, axis=-1, keepdims=True))
    return (floats / np.maximum(lengths, np.float32(1e-12))).astype(rows.dtype)
