"""Where the time of steps went."""

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np


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
