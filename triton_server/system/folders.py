"""Folders: for the user's data (the database of sessions, the terminal's history), and for working files."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import platformdirs

from model_core import TritonchatError


def data_folder() -> Path:
    """Return the user's data folder for this program, on Linux in $XDG_DATA_HOME. It may not exist yet.

    Raises TritonchatError if the user has no home folder.
    """
    try:
        return platformdirs.user_data_path("tritonchat", appauthor=False)
    except RuntimeError as error:
        raise TritonchatError(
            "this user has no home folder; set HOME, or name a folder for data with XDG_DATA_HOME."
        ) from error


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder for logs and working files; it remains only if an error is raised and a log has text."""
    # Sockets lie in it, and the path of a socket has at most 108 bytes (unix(7)).
    short = len(tempfile.gettempdir()) <= 40
    path = Path(tempfile.mkdtemp(prefix="tritonchat-", dir=None if short else "/tmp"))
    try:
        with suppress(KeyboardInterrupt):
            yield path
    except Exception:
        if not any(log.stat().st_size for log in path.glob("*.log")):
            shutil.rmtree(path, ignore_errors=True)
        raise
    shutil.rmtree(path, ignore_errors=True)
