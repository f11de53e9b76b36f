"""SHA-256 of the files of a model.

Those of large files are kept in the user's cache folder, by what tells a changed file: its place, its size
and its times. Nobody but the system sets the time of a file's last change of any kind (`st_ctime`).
"""

import contextlib
import hashlib
import os
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from ..errors import ModelError

_SMALL = 2**20  # bytes; hashing them takes less time than looking for a kept hash
_PIECE = 2**22
_THREADS = 4
# The clock of a file system may stand still for so long: a file may change twice, with the same times.
_SETTLED_NS = 2 * 10**9


@dataclass(frozen=True)
class FileState:
    """A file as it was at some time.

    Attributes:
        path: without links, so that a link to another file is another state.
        size: in bytes. modified_ns, changed_ns: when its content, and when anything of it, was changed.
    """

    path: Path
    size: int
    modified_ns: int
    changed_ns: int
    inode: int

    @classmethod
    def of(cls, path: Path) -> "FileState":
        """The state of a file now. Raises ModelError if it cannot be read."""
        try:
            found = path.resolve()
            state = found.stat()
        except OSError as error:
            raise ModelError(f"{path} cannot be read: {error.strerror}.") from error
        return cls(found, state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino)

    @property
    def key(self) -> str:
        """A name for the hash of the file in this state."""
        return hashlib.sha256(repr(self).encode("utf-8", "surrogateescape")).hexdigest()


def hash_files(states: Iterable[FileState]) -> list[str]:
    """The SHA-256 of each file, in hexadecimal digits.

    Raises ModelError for one that is not in its state any more.
    """
    with ThreadPoolExecutor(_THREADS) as threads:  # hashing releases the interpreter's lock
        return list(threads.map(_hash_file, states))


def _hash_file(state: FileState) -> str:
    folder = _find_folder() if state.size > _SMALL else None
    _check_unchanged(state)
    if folder is not None and (kept := _read(folder / state.key)) is not None:
        return kept
    total = hashlib.sha256()
    try:
        with state.path.open("rb", buffering=0) as file:
            while piece := file.read(_PIECE):
                total.update(piece)
    except OSError as error:
        raise ModelError(f"{state.path} cannot be read: {error.strerror}.") from error
    _check_unchanged(state)
    is_settled = time.time_ns() - max(state.modified_ns, state.changed_ns) > _SETTLED_NS
    if folder is not None and is_settled:
        _write(folder / state.key, total.hexdigest())
    return total.hexdigest()


def _find_folder() -> Path | None:
    """Where hashes are kept; None if there is no such place, or if it is another user's, who may lie."""
    try:
        folder = platformdirs.user_cache_path("tritonchat", appauthor=False) / "hashes"
        folder.mkdir(parents=True, exist_ok=True)
        return folder if os.access(folder, os.W_OK) and folder.stat().st_uid == os.getuid() else None
    except (OSError, RuntimeError):  # no home, or one that cannot be written
        return None


def _check_unchanged(state: FileState) -> None:
    if FileState.of(state.path) != state:
        raise ModelError(f"{state.path} has changed since the model was opened, so nobody knows its hash.")


def _read(path: Path) -> str | None:
    with contextlib.suppress(OSError, ValueError):
        kept = path.read_text("ascii")
        if len(kept) == 64 and len(bytes.fromhex(kept)) == 32:
            return kept
    return None  # there is none, or it is damaged


def _write(path: Path, value: str) -> None:
    with contextlib.suppress(OSError):  # then it is computed again
        part = path.with_name(f"{path.name}.{os.getpid()}")
        part.write_text(value, "ascii")
        part.replace(path)
