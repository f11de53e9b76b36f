"""Downloads models to the hub's cache. An interrupted download is continued.

The client of the hub begins each file anew (https://github.com/huggingface/huggingface_hub/issues/4196). So
large files are downloaded here: to the place where the client looks for them, `blobs/<SHA-256>`. The client
then gets the small files, and links all of them to `snapshots/<commit>`.
"""

import glob
import hashlib
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from huggingface_hub import constants, hf_hub_url, snapshot_download
from huggingface_hub.file_download import http_get
from huggingface_hub.utils import build_hf_headers
from tqdm import tqdm

from ..errors import ModelError
from ..machine.progress import ProgressBar
from .bars import SilentBar, forward_to
from .check import Check, check_before_download
from .choice import locate
from .names import HubName
from .places import blob_path, cache_folder, locked, part_path, repository_folder
from .remote import RemoteFile, RemoteModel, explained_errors

_CHUNK = 2**20  # bytes hashed at a time


def download(remote: RemoteModel, check: Check | None = None, bar_type: type[tqdm] = ProgressBar) -> Path:
    """Download what is missing of a model, and return its path.

    If something is missing, `check` is called first with a preview of the model: configuration and headers
    are there. `bar_type`: how the progress is shown. Raises ModelError, and what `check` raises.
    """
    name, folder = remote.name, snapshot_folder(remote)
    missing = [file for file in remote.files if not (folder / file.path).exists()]
    if missing:
        if check is not None:
            check_before_download(remote, check)
        total = sum(file.size for file in missing)
        present = sum(_size_on_disk(name, file) for file in missing)
        _check_disk_space(name, total - present)
        tqdm.write(
            f"Downloading {name} to {constants.HF_HUB_CACHE}; if interrupted, the same command continues it.",
            file=sys.stderr,
        )
        bar = bar_type(
            desc=f"Downloading {name}",
            total=total,
            initial=present,
            unit="B",
            unit_scale=True,
            unit_divisor=1024,
            mininterval=0.1 if sys.stderr.isatty() else 10,  # a log needs fewer lines
        )
        with bar, explained_errors(name), _interruption_explained(name):
            for file in missing:
                if file.sha256 is not None and file.size <= constants.MAX_HTTP_DOWNLOAD_SIZE:
                    _download_large(remote, file, bar)
            _finish(remote)
            bar.update(total - bar.n)
    return locate(folder, [file.path for file in remote.files])


def snapshot_folder(remote: RemoteModel) -> Path:
    """The folder of a commit in the hub's cache."""
    return repository_folder(remote.name) / "snapshots" / remote.commit


def _finish(remote: RemoteModel) -> None:
    """Let the client of the hub download what is not there yet, and make its links."""
    snapshot_download(
        remote.name.repository,
        revision=remote.name.revision,
        allow_patterns=[glob.escape(file.path) for file in remote.files],
        tqdm_class=SilentBar,
    )


def _download_large(remote: RemoteModel, file: RemoteFile, bar: tqdm) -> None:
    """Download a file of the large storage, from where an earlier download of it ended."""
    blob, part = blob_path(remote.name, file.sha256), part_path(remote.name, file.sha256)
    blob.parent.mkdir(parents=True, exist_ok=True)
    with locked(remote.name, file.sha256):
        if blob.exists():  # another process has downloaded it
            return
        with part.open("ab") as target:
            present = target.tell()
            if present > file.size:
                target.truncate(0)
                present = 0
            http_get(
                hf_hub_url(remote.name.repository, file.path, revision=remote.commit),
                target,
                resume_size=present,
                headers=build_hf_headers(),
                expected_size=file.size,
                tqdm_class=forward_to(bar),
            )
        bar.set_description(f"Checking {file.path}")
        if _sha256(part) != file.sha256:
            part.unlink()
            raise ModelError(f"{file.path} of {remote.name} was damaged on its way; download it again.")
        part.rename(blob)
        bar.set_description(f"Downloading {remote.name}")


def _size_on_disk(name: HubName, file: RemoteFile) -> int:
    """Bytes of a file that need not be downloaded."""
    if file.sha256 is None:
        return 0
    if blob_path(name, file.sha256).exists():
        return file.size
    part = part_path(name, file.sha256)
    return min(part.stat().st_size, file.size) if part.exists() else 0


def _check_disk_space(name: HubName, needed: int) -> None:
    """Raises ModelError if the disk of the cache has no room for so many bytes."""
    cache = cache_folder()
    existing = next(folder for folder in (cache, *cache.parents) if folder.exists())
    free = shutil.disk_usage(existing).free
    if needed > free:
        raise ModelError(
            f"{name} needs {needed / 2**30:.1f} GiB on the disk, but {cache} has {free / 2**30:.1f} GiB; "
            "remove other models (tritonchat rm), or name a folder on another disk with HF_HOME."
        )


@contextmanager
def _interruption_explained(name: HubName) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        tqdm.write(f"Interrupted; `tritonchat pull {name}` continues the download.", file=sys.stderr)
        raise


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
