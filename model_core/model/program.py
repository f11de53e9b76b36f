"""A tape that is bound to its weights (bind.py), as the compiled interpreter runs it, and where time goes."""

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from ..adapters.packing import AdaptedTensor
from ..cache.memory import KVGroup
from ..weights.matrix import Matrix
from .rope_table import RopeTable


@dataclass
class Buffer:
    """A buffer of rows. `width`: floats of a row, a multiple of STRIP."""

    width: int = 0
    rows_per_token: int = 1
    is_input: bool = False  # of a product
    is_quantized: bool = False
    parts: int = 0  # in bfloat16 that its rows are split into


@dataclass(frozen=True)
class Program:
    """A bound tape. `weights` keeps alive the weights whose addresses it has.

    Attributes:
        instructions: INSTRUCTION [n]; x and y are indices of `buffers`.
        buffers: by name, in the order of their indices.
        ropes: the tables of RoPE that instructions point into.
        kv_groups: the groups of KV layers that instructions name.
        tensors: those that adapters can change, in the order in which instructions name them.
        experts: the largest number of experts of a mixture, 0 if there is none.
        experts_per_token: how many of them a token chooses at most.
        head: how many instructions come before the product that gives logits.
        sources: for each instruction, which of the records it belongs to.
    """

    instructions: np.ndarray
    buffers: dict[str, Buffer]
    ropes: list[RopeTable]
    kv_groups: list[KVGroup]
    weights: list[np.ndarray | Matrix]
    tensors: list[AdaptedTensor]
    experts: int
    experts_per_token: int
    head: int
    sources: list[int]


@dataclass
class Profile:
    """Where the time of steps went.

    Attributes:
        cycles: int64 [instructions], of the first thread in each instruction, until all threads are done.
        operations: what each instruction does.
        seconds: of all steps together. steps: how many there were.
    """

    cycles: np.ndarray
    operations: list[str] = field(default_factory=list)
    seconds: float = 0.0
    steps: int = 0

    def seconds_by_operation(self) -> dict[str, float]:
        """The seconds of each operation, the longest first. Together they are `seconds`."""
        totals: dict[str, float] = defaultdict(float)
        scale = self.seconds / max(1, int(self.cycles.sum()))
        for name, cycles in zip(self.operations, self.cycles, strict=True):
            totals[name] += int(cycles) * scale
        return dict(sorted(totals.items(), key=lambda item: -item[1]))
