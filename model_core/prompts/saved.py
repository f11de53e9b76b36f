"""The saved prompts of a model, by name. Everybody may use them, also after a restart."""

import logging
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..cache.page_tree import shared_root
from ..cache.prefix_file import file_size
from ..checks.file_values import shorten
from ..errors import InvalidRequest, PromptFileError, PromptNotFound
from .folder import Entry, PromptFolder
from .prompts import Prompts

LOGGER = logging.getLogger(__name__)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class SavedPrompts:
    """Prompts in a folder. Its methods may be called from any thread."""

    def __init__(self, folder: Path, max_bytes: int) -> None:
        """Find the prompts in a folder, see PromptFolder."""
        self._files = PromptFolder(folder, max_bytes, "--saved-prompts-disk")
        self._save_again: Callable[[str, str], None] = lambda name, source: None

    def open(self, prompts: Prompts, save_again: Callable[[str, str], None]) -> None:
        """Let the requests of a model that has just been loaded find these prompts.

        `save_again` is called with the name and the source of each prompt whose file is of another model, or
        is found to be damaged. It computes the prompt again, in another thread.
        """
        self._save_again = save_again
        for entry in self._files.entries():
            try:
                entry.file.check(prompts.fingerprint, prompts.pages.layout)
            except PromptFileError as error:
                self._recover(entry, error)
        prompts.add_recall(lambda tokens, root: self._files.recall(prompts, tokens, root, self._recover))

    def list(self) -> list[dict[str, Any]]:
        """All prompts, the most recently used first: `name`, `tokens`, `bytes`, `created`, `last_used`."""
        descriptions = map(_describe, self._files.entries())
        return sorted(descriptions, key=lambda description: -description["last_used"])

    def show(self, name: str) -> dict[str, Any]:
        """One of them, with its `source`, as it was given to `save`. Raises PromptNotFound."""
        entry = self._find(name)
        return _describe(entry) | {"source": entry.file.source}

    def save(self, prompts: Prompts, name: str, prompt: str | Sequence[int], source: str) -> dict[str, Any]:
        """Compute a prompt and keep it, in place of another one of this name. Returns what `list` says of it.

        Raises InvalidRequest for a wrong name, StorageError without room, and what `Prompts.save` raises.
        """
        check_name(name)
        tokens = prompts.encode(prompt)
        size = file_size(len(tokens), prompts.pages.layout, source)
        entry = self._files.add(name, size, lambda path: prompts.save(path, tokens, source))
        with suppress(PromptFileError):  # another one was saved by this name just now
            self._files.read(prompts, entry, shared_root(), len(entry.file.beginning))
        return _describe(entry)

    def delete(self, prompts: Prompts | None, name: str) -> None:
        """Delete a prompt and its file; requests that use it go on.

        Raises PromptNotFound if there is none, and StorageError.
        """
        self._files.remove(self._find(name))
        if prompts is not None:
            prompts.pages.unpin(name)

    def _recover(self, entry: Entry, error: PromptFileError) -> None:
        LOGGER.warning("The saved prompt %s is computed again: %s", entry.name, error)
        self._save_again(entry.name, entry.file.source)

    def _find(self, name: str) -> Entry:
        entry = self._files.find(name)
        if entry is None:
            raise PromptNotFound(f"there is no saved prompt {shorten(name)}.", "name")
        return entry


def _describe(entry: Entry) -> dict[str, Any]:
    file = entry.file
    return {
        "name": entry.name,
        "tokens": len(file.tokens),
        "bytes": file.size,
        "created": file.created,
        "last_used": entry.last_used,
    }


def check_name(name: str) -> None:
    """Raises InvalidRequest for a name that cannot be that of a file."""
    if not _NAME.fullmatch(name):
        raise InvalidRequest(
            f"{shorten(name)} cannot be the name of a saved prompt: a name has 1 to 100 letters, digits, "
            "dots, - and _, and begins with a letter or digit.",
            "name",
        )
