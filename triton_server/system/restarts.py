"""When parts of the service were restarted: a file for each part, with a line for each restart."""

import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

PARTS = ("page", "api", "engine", "triton", "vllm")
MAX_RESTARTS, RESTART_WINDOW_S = 5, 60.0  # a part that ends more often in this time is given up
_FIRST_DELAY_S, MAX_DELAY_S = 0.2, 5.0  # each delay is twice the one before


@dataclass(frozen=True)
class Restarts:
    """The restarts of one service, in a folder that its processes read. One at a time adds to a part."""

    folder: Path
    _times: dict[str, list[float]] = field(default_factory=dict)  # in seconds of the monotonic clock
    _unwritten: dict[str, str] = field(default_factory=dict)

    def add(self, part: str) -> float | None:
        """Add a restart. Returns the seconds to wait before it, or None if there were too many.

        A full disk ends no service: the file gets the line with a later one.
        """
        now = time.monotonic()
        times = self._times.setdefault(part, self._read(part))  # of a process before this one, too
        times.append(now)
        self._unwritten[part] = self._unwritten.get(part, "") + f"{now}\n"
        with suppress(OSError):
            _append(self._file(part), self._unwritten[part].encode())
            del self._unwritten[part]
        recent = sum(restarted > now - RESTART_WINDOW_S for restarted in times)
        return None if recent > MAX_RESTARTS else min(_FIRST_DELAY_S * 2 ** (recent - 1), MAX_DELAY_S)

    def count(self, part: str) -> int:
        """The number of restarts since the service began, as far as they could be written."""
        return len(self._read(part))

    def _read(self, part: str) -> list[float]:
        try:
            return [float(line) for line in self._file(part).read_text().splitlines()]
        except FileNotFoundError:
            return []

    def _file(self, part: str) -> Path:
        return self.folder / f"restarts-{part}"


def _append(file: Path, data: bytes) -> None:
    """Append all or nothing. Raises OSError."""
    with file.open("ab", buffering=0) as out:
        size = out.tell()
        if (out.write(data) or 0) < len(data):  # the disk is full
            os.truncate(out.fileno(), size)
            raise OSError(f"{file} could not be written")
