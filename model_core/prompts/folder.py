"""A folder of prompt files by name, with a bound on their size. They come back when a request begins so."""

import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..cache.page_tree import CacheRoot, shared_root
from ..cache.prefix_file import SUFFIX, Layout, PromptFile, open_prompt_file, remove_parts
from ..errors import PromptFileError, PromptReplaced, StorageError
from ..kernels.layout import PAGE
from .prompts import Prompts

LOGGER = logging.getLogger(__name__)


@dataclass(eq=False)
class Entry:
    """A file in the folder."""

    name: str
    file: PromptFile
    lock: threading.Lock = field(default_factory=threading.Lock)  # of who reads it

    @property
    def last_used(self) -> float:
        """Seconds since 1970. It is the time of the file, so that it outlasts the process."""
        with suppress(OSError):
            return self.file.path.stat().st_mtime
        return 0.0

    def usable_length(self, tokens: np.ndarray, layout: Layout) -> int:
        """How many first tokens of a request the file has pages for, 0 if too few to read it.

        To read pages takes less than a tenth of the time to compute them.
        """
        beginning = self.file.beginning
        count = min(len(beginning), len(tokens) - 1)
        if count < PAGE or not np.array_equal(beginning[:PAGE], tokens[:PAGE]):
            return 0
        same = beginning[:count] == tokens[:count]
        common = (count if same.all() else int(same.argmin())) // PAGE * PAGE
        least = len(beginning) // 8 if layout.is_divisible else len(beginning)
        return common if common >= least else 0

    def touch(self) -> None:
        """Note that it is used."""
        with suppress(OSError):
            os.utime(self.file.path)


class PromptFolder:
    """The files of one model. Its methods may be called from any thread.

    Those that were not used for the longest time are deleted when there is no room for a new one.
    """

    def __init__(self, folder: Path, max_bytes: int, flag: str) -> None:
        """Find the files in a folder. `flag` sets `max_bytes`.

        Files that are damaged are left alone, with a warning.
        """
        self._folder, self._max_bytes, self._flag = folder, max_bytes, flag
        self._writing = threading.Lock()  # one file is written at a time
        self._lock = threading.Lock()  # guards the entries
        self._entries: dict[str, Entry] = {}
        remove_parts(folder)
        for path in sorted(folder.glob(f"*{SUFFIX}")):
            try:
                self._insert(path.name.removesuffix(SUFFIX), open_prompt_file(path))
            except PromptFileError as error:
                LOGGER.warning("%s", error)

    def entries(self) -> list[Entry]:
        """All files."""
        with self._lock:
            return list(self._entries.values())

    def find(self, name: str) -> Entry | None:
        """The file of this name, if there is one."""
        with self._lock:
            return self._entries.get(name)

    def add(self, name: str, size: int, write: Callable[[Path], PromptFile]) -> Entry:
        """Let `write` write a file of about `size` bytes, in place of another one of this name.

        Raises StorageError if there is no room for it, and what `write` raises.
        """
        if size > self._max_bytes:
            raise StorageError(
                f"the prompt takes {_mebibytes(size)} on disk, and {self._flag} allows "
                f"{_mebibytes(self._max_bytes)} for all; save a shorter one, or raise {self._flag}."
            )
        with self._writing:
            try:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise StorageError(f"{self._folder} cannot be created: {error.strerror}.") from error
            self._make_room(name, size)
            return self._insert(name, write(self._folder / f"{name}{SUFFIX}"))

    def remove(self, entry: Entry) -> bool:
        """Delete a file. False if it was deleted or replaced before. Raises StorageError."""
        with self._lock:
            if self._entries.get(entry.name) is not entry:
                return False
            try:
                entry.file.path.unlink(missing_ok=True)
            except OSError as error:
                raise StorageError(f"{entry.file.path} cannot be deleted: {error.strerror}.") from error
            del self._entries[entry.name]
            return True

    def recall(
        self,
        prompts: Prompts,
        tokens: list[int],
        root: CacheRoot,
        on_damaged: Callable[[Entry, PromptFileError], None],
    ) -> None:
        """Bring the longest prefix back with which a request of this root begins, if memory has lost it.

        A file that is damaged is deleted, and `on_damaged` called. The request computes its prompt.
        """
        ids, layout = np.array(tokens, np.int32), prompts.pages.layout
        own = (entry for entry in self.entries() if entry.file.owner in (None, root[1]))
        found = [(length, entry) for entry in own if (length := entry.usable_length(ids, layout))]
        for length, entry in sorted(found, key=lambda item: -item[0]):
            if entry.file.fingerprint != prompts.fingerprint:
                continue
            try:
                if self.read(prompts, entry, root, length):
                    return
            except PromptReplaced:
                continue  # just now, by `add`
            except PromptFileError as error:
                if self.remove(entry):
                    on_damaged(entry, error)

    def read(self, prompts: Prompts, entry: Entry, root: CacheRoot, length: int) -> bool:
        """Read a file if its first `length` tokens are not in memory. False if memory has no room for it.

        Prefixes for everybody are pinned. Raises PromptFileError.
        """
        pages, file = prompts.pages, entry.file
        with entry.lock:  # others that begin so wait until it is there
            file.check(prompts.fingerprint, pages.layout)
            is_pinned = file.owner is not None or pages.use_pin(entry.name)
            wanted = file.tokens[: length + 1].tolist()
            if not is_pinned or pages.cached_length(wanted, root) < length:
                target = (root, None) if file.owner is not None else (shared_root(), entry.name)
                if not pages.read(file, *target):
                    return False
        entry.touch()
        if self.find(entry.name) is not entry:  # it was deleted meanwhile
            pages.unpin(entry.name)
        return True

    def _insert(self, name: str, file: PromptFile) -> Entry:
        entry = Entry(name, file)
        with self._lock:
            self._entries[name] = entry
        return entry

    def _make_room(self, name: str, size: int) -> None:
        """Delete files until there are `size` bytes for one of this name. Raises StorageError."""
        others = [entry for entry in self.entries() if entry.name != name]
        used = sum(entry.file.size for entry in others)
        for entry in sorted(others, key=lambda entry: entry.last_used):
            if used + size <= self._max_bytes:
                return
            LOGGER.info("%s is deleted, because another prompt needs its room.", entry.file.path)
            self.remove(entry)
            used -= entry.file.size


def _mebibytes(size: int) -> str:
    return f"{size / 2**20:.3g} MiB"
