"""Keeps cached prefixes of requests on disk, so that they outlast their memory and the process.

A prefix is written when memory fills, before it is likely to be evicted, or at the end. It belongs to the
requests of one cache salt, as in memory.
"""

import hashlib
import logging
import threading
import time
from pathlib import Path

import numpy as np

from ..cache.page_tree import CacheRoot
from ..cache.prefix_file import file_size
from ..errors import NoMemory, PromptFileError, StorageError
from ..requests.cache_salts import is_of_salt
from .folder import Entry, PromptFolder
from .prompts import Prompts

LOGGER = logging.getLogger(__name__)
MIN_TOKENS = 64  # shorter prefixes are sooner computed than read
_INTERVAL_S = 1.0
_CLOSE_LIMIT_S = 30.0  # of writing at the end


class PrefixDisk:
    """The prefixes of one model in a folder. Its methods may be called from any thread."""

    def __init__(self, folder: Path, max_bytes: int, expiry_s: float = 0) -> None:
        """Find the prefixes in a folder. Those that were not used for `expiry_s` are deleted; 0: never."""
        self._files, self._expiry_s = PromptFolder(folder, max_bytes, "--prefix-cache-disk"), expiry_s
        self._spilling = threading.Lock()

    def open(self, prompts: Prompts) -> None:
        """Let the requests of a model that has just been loaded find these prefixes, and keep its own."""
        for entry in self._files.entries():
            if entry.file.fingerprint != prompts.fingerprint:
                self._drop(entry, PromptFileError("another model has computed it."))
        prompts.add_recall(lambda tokens, root: self._files.recall(prompts, tokens, root, self._drop))
        threading.Thread(target=self._run, args=[prompts], name="prefix-disk", daemon=True).start()

    def close(self, prompts: Prompts) -> None:
        """Write all prefixes of a model whose engine has ended, as far as they are not on disk."""
        end = time.monotonic() + _CLOSE_LIMIT_S
        while time.monotonic() < end and self._spill_one(prompts):
            pass

    def forget(self, prompts: Prompts | None, salt: str) -> None:
        """Delete all prefixes of a cache salt, on disk and, if the model is loaded, in memory.

        So are those of salts that go on after it with a slash. Requests that run keep theirs. Raises
        StorageError.
        """
        with self._spilling:
            if prompts is not None:
                prompts.pages.forget(salt)
            for entry in self._files.entries():
                if entry.file.owner is not None and is_of_salt(salt, entry.file.owner):
                    self._files.remove(entry)

    def _run(self, prompts: Prompts) -> None:
        """Write prefixes while memory is nearly full, until the engine ends."""
        while not prompts.wait_for_end(_INTERVAL_S):
            try:
                self._expire()
                while prompts.pages.is_nearly_full() and self._spill_one(prompts):
                    pass
            except Exception:
                LOGGER.exception("The prefix cache on disk has failed")

    def _spill_one(self, prompts: Prompts) -> bool:
        """Write the least recently used prefix that is not on disk. False if there is none, or no room."""
        with self._spilling:
            found = prompts.pages.take_unsaved()
            if found is None:
                return False
            tokens, root = found
            if len(tokens) > MIN_TOKENS:
                try:
                    self._write(prompts, tokens, root)
                except NoMemory:
                    pass  # it was evicted just now
                except StorageError as error:
                    LOGGER.warning("A prefix is not kept on disk: %s", error)
                    return False
        return True

    def _write(self, prompts: Prompts, tokens: list[int], root: CacheRoot) -> None:
        pages, owner = prompts.pages, root[1]
        beginning = np.array(tokens, np.int32)[:-1].tobytes()
        name = hashlib.sha256(hashlib.sha256(owner.encode()).digest() + beginning).hexdigest()
        if (entry := self._files.find(name)) is not None:
            return entry.touch()
        facts = {"fingerprint": prompts.fingerprint, "owner": owner, "source": ""}
        size = file_size(len(tokens), pages.layout, "")
        self._files.add(name, size, lambda path: pages.write(path, tokens, root, **facts))
        for entry in self._files.entries():  # this one has the pages of shorter ones, too
            is_part = beginning.startswith(entry.file.beginning.tobytes())
            if is_part and entry.file.owner == owner and entry.name != name:
                self._files.remove(entry)

    def _expire(self) -> None:
        oldest = time.time() - self._expiry_s
        for entry in self._files.entries() if self._expiry_s else ():
            if entry.last_used < oldest:
                self._files.remove(entry)

    def _drop(self, entry: Entry, error: PromptFileError) -> None:
        LOGGER.warning("A prefix on disk is deleted: %s", error)
        self._files.remove(entry)
