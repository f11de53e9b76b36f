"""Moves the cached pages of a prompt between the prefix cache and files (cache/prefix_file.py)."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import NoMemory
from ..requests.cache_salts import is_of_salt
from .memory import PAGE, KVCache
from .page_pool import PagePool
from .page_tree import OWN_ROOT, CacheRoot, SequencePages, shared_root
from .prefix_file import Layout, PromptFile, saved_length, write_prompt_file

_MAX_TOKEN = 2**31 - 1


class PromptPages:
    """Writes and reads the pages of prompts. Its methods may be called from any thread.

    Pages are written and read without the engine's lock: nobody changes pages that are in use.
    """

    def __init__(self, cache: KVCache, pool: PagePool, lock: AbstractContextManager) -> None:
        """`lock` is the engine's, which guards the pool."""
        self._cache, self._pool, self._lock = cache, pool, lock
        windows = tuple(None if window is None else -(-(window - 1) // PAGE) for window in cache.windows)
        state_size = 0 if cache.states is None else cache.states.slot_bytes // 4
        self.held: set[SequencePages] = set()  # the pages that are being written or read
        self.layout = Layout(cache.page_bytes, windows, state_size)

    def cached_length(self, tokens: list[int], root: CacheRoot) -> int:
        """How many first tokens of a prompt a request would find in whole pages of the prefix cache."""
        with self._lock:
            return self._pool.cached_length(self._new_pages(0, root), tokens)

    def write(self, path: Path, tokens: list[int], root: CacheRoot, **metadata: Any) -> PromptFile:
        """Write the pages of a prompt from the prefix cache to a file. metadata: see `write_prompt_file`.

        Raises NoMemory if they are not in the cache any more, and StorageError.
        """
        with self._held(tokens, root) as (pages, state):
            firsts = self.layout.first_pages(len(tokens))
            arrays = [
                self._cache.memory[page]
                for group, first in enumerate(firsts)
                for page in pages.table[group, first : pages.count].tolist()
            ]
            arrays += [] if state is None else [state]
            return write_prompt_file(path, tokens, arrays, self.layout, **metadata)

    def read(self, file: PromptFile, root: CacheRoot, pin: str | None = None) -> bool:
        """Read a file into the prefix cache, and pin it by this name. False if there is no room for it.

        Raises PromptFileError if the file is damaged.
        """
        tokens = file.tokens.tolist()
        length = saved_length(len(tokens))
        pages = self._new_pages(length, root)
        with self._lock:
            self.held.add(pages)
            computed, _ = self._pool.acquire_prefix(pages, tokens[: length + 1], 0)
            self._pool.leave_behind(pages, length)
            if not self._pool.allocate(pages, length):
                self._release(pages)
                return False
        try:
            if computed < length:
                self._read_missing(file, tokens, pages)
            if pin is not None:
                with self._lock:
                    self.held.remove(pages)
                    self._pool.pins.add(pin, pages)
                    pages = self._new_pages(0, root)  # the others are the pin's now
        finally:
            with self._lock:
                self._release(pages)
        return True

    def take_unsaved(self) -> tuple[list[int], CacheRoot] | None:
        """The tokens and the root of the least recently used prefix of a request that is not on disk.

        None if there is none. From now on it counts as saved. The last one of the tokens is any.
        """
        with self._lock:
            for leaf in self._pool.evictable:
                assert isinstance(leaf.salt, tuple)
                kind, _, adapter = leaf.salt
                if not leaf.is_saved and kind == OWN_ROOT and not adapter:
                    leaf.is_saved = True
                    path = leaf.path()
                    tokens = [token for node in path for token in node.tokens]
                    if max(tokens) > _MAX_TOKEN:
                        continue  # what stands for an image is no token, and fits into no file
                    usable = self._pool.count_usable([node for node in path if len(node.tokens) == PAGE])
                    return [*tokens, 0][: usable * PAGE + 1], leaf.salt
        return None

    def is_nearly_full(self) -> bool:
        """Whether few pages are free, so that cached ones will soon be evicted."""
        with self._lock:
            return self._pool.free_pages < self._pool.total_pages // 4

    def forget(self, salt: str) -> None:
        """Evict all pages of requests with this cache salt, without an adapter, that are not in use.

        So are those of salts that go on after it with a slash.
        """
        with self._lock:
            pool = self._pool
            while leaves := [leaf for leaf in pool.evictable if _is_of(salt, leaf.salt)]:
                for leaf in leaves:
                    pool.evict(leaf)

    def use_pin(self, name: str) -> bool:
        """Note that a pin is used. False if there is none of this name."""
        with self._lock:
            return self._pool.pins.use(name)

    def unpin(self, name: str) -> None:
        """Let a prefix be evicted. Does nothing if there is no pin of this name."""
        with self._lock:
            self._pool.pins.remove(name)

    def _read_missing(self, file: PromptFile, tokens: list[int], pages: SequencePages) -> None:
        """Fill the pages that are not in the tree, and insert them there, with the states at their end."""
        length, layout = saved_length(len(tokens)), self.layout
        ignored = np.empty(layout.page_bytes, np.uint8)
        targets = [
            ignored if index < len(pages.nodes) else self._cache.memory[pages.table[group, index]]
            for group, first in enumerate(layout.first_pages(len(tokens)))
            for index in range(first, length // PAGE)
        ]
        state = np.empty(layout.state_size, np.float32)
        file.read([*targets, state] if layout.state_size else targets)
        with self._lock:
            self._pool.insert(pages, tokens, length)
            if layout.state_size:
                self._pool.write_state(pages, state, length)

    @contextmanager
    def _held(self, tokens: list[int], root: CacheRoot) -> Iterator[tuple[SequencePages, np.ndarray | None]]:
        """The cached pages of a prompt, which stay as they are within the block, and the state after them."""
        length = saved_length(len(tokens))
        pages = self._new_pages(length, root)
        try:
            with self._lock:
                self.held.add(pages)
                computed, _ = self._pool.acquire_prefix(pages, tokens[: length + 1], 0)
                state = self._pool.read_state(pages) if computed == length else None
            if computed < length:
                raise NoMemory(
                    "the prompt left the prefix cache before it was saved; try again with fewer requests "
                    "beside it, or start with a larger --kv-cache-memory."
                )
            yield pages, state
        finally:
            with self._lock:
                self._release(pages)

    def _new_pages(self, length: int, root: CacheRoot) -> SequencePages:
        table = np.zeros((self._pool.groups, length // PAGE), np.int32)
        return SequencePages(table, root, shared_root(root[2]))

    def _release(self, pages: SequencePages) -> None:
        self._pool.release(pages, [], len(pages.nodes) * PAGE)
        self.held.discard(pages)


def _is_of(salt: str, root: object) -> bool:
    """Whether a root is that of requests with this cache salt, without an adapter."""
    return isinstance(root, tuple) and root[0] == OWN_ROOT and not root[2] and is_of_salt(salt, root[1])
