"""Where files lie in the hub's cache.

https://huggingface.co/docs/huggingface_hub/guides/manage-cache describes the cache.
"""

import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from huggingface_hub import constants
from tqdm import tqdm

from .names import HubName

PREFIX = "models--"  # of the folders of repositories


def cache_folder() -> Path:
    """The hub's cache."""
    return Path(constants.HF_HUB_CACHE).resolve()


def repository_folder(name: HubName) -> Path:
    """The folder of a repository."""
    return cache_folder() / f"{PREFIX}{name.repository.replace('/', '--')}"


def blob_path(name: HubName, sha256: str | None) -> Path:
    """The place of a large file."""
    return repository_folder(name) / "blobs" / str(sha256)


def part_path(name: HubName, sha256: str | None) -> Path:
    """The place of the beginning of a large file that is not complete."""
    return repository_folder(name) / "blobs" / f"{sha256}.incomplete"


@contextmanager
def locked(name: HubName, sha256: str | None) -> Iterator[None]:
    """Wait until no other process downloads a large file. The client of the hub has the same locks."""
    folder = cache_folder() / ".locks" / repository_folder(name).name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{sha256}.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tqdm.write(f"Another process downloads {name}; waiting for it.", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
