"""When parts of the service were restarted: a file for each part, with a line for each restart."""

import time
from dataclasses import dataclass
from pathlib import Path

PARTS = ("page", "api", "engine", "triton", "vllm")
MAX_RESTARTS, RESTART_WINDOW_S = 5, 60.0  # a part that ends more often in this time is given up
_FIRST_DELAY_S, MAX_DELAY_S = 0.2, 5.0  # each delay is twice the one before


@dataclass(frozen=True)
class Restarts:
    """The restarts of one service, in a folder that all its processes read and write."""

    folder: Path

    def add(self, part: str) -> float | None:
        """Add a restart. Returns the seconds to wait before it, or None if there were too many."""
        with self._file(part).open("a") as file:
            file.write(f"{time.monotonic()}\n")  # one clock for all processes of a machine
        recent = sum(restarted > time.monotonic() - RESTART_WINDOW_S for restarted in self._times(part))
        return None if recent > MAX_RESTARTS else min(_FIRST_DELAY_S * 2 ** (recent - 1), MAX_DELAY_S)

    def count(self, part: str) -> int:
        """The number of restarts since the service began."""
        return len(self._times(part))

    def _times(self, part: str) -> list[float]:
        try:
            return [float(line) for line in self._file(part).read_text().splitlines()]
        except FileNotFoundError:
            return []

    def _file(self, part: str) -> Path:
        return self.folder / f"restarts-{part}"
