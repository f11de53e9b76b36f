"""Progress for a person, or for a log."""

import sys
from typing import Any

from tqdm import tqdm

_PAUSE_S = 0.5
_LOG_PAUSE_S = 30.0  # a log needs fewer words


class ProgressBar(tqdm):
    """A bar on a terminal; elsewhere a whole line now and then, as other processes write to the log, too."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        """As of tqdm, on standard error."""
        self._writes_lines = not sys.stderr.isatty()
        if self._writes_lines:
            settings = {"leave": False, "mininterval": _LOG_PAUSE_S} | settings
        super().__init__(*arguments, **settings)

    @property
    def pause_s(self) -> float:
        """How often one that has no steps is to be refreshed."""
        return _LOG_PAUSE_S if self._writes_lines else _PAUSE_S

    def display(self, msg: str | None = None, pos: int | None = None) -> bool:
        """Show it, or write a line."""
        if not self._writes_lines:
            return super().display(msg, pos)
        if msg is None:
            self.fp.write(f"{self}\n")
            self.fp.flush()
        return False

    def close(self) -> None:
        """End it, in a log with a last line."""
        is_shown = not self.disable and self.last_print_t >= self.start_t + self.delay
        if self._writes_lines and is_shown:
            self.display()
        super().close()
