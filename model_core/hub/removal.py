"""Removes models from the hub's cache."""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import scan_cache_dir
from huggingface_hub.utils import CachedFileInfo, CachedRepoInfo, CachedRevisionInfo

from ..errors import ModelError
from .cached import model_files, scan_repositories
from .names import HubName
from .places import cache_folder, repository_folder

_WEIGHTS = (".safetensors", ".gguf", ".bin")


@dataclass(frozen=True)
class Removal:
    """What belongs to a model alone: paths of files and folders, and their size in bytes."""

    paths: tuple[Path, ...]
    size: int


def plan_removal(name: HubName) -> Removal:
    """What to remove of a repository: everything, or only one revision or quantization, if `name` has one.

    Raises ModelError if it is not in the hub's cache.
    """
    folder, cache = repository_folder(name), cache_folder()
    if not folder.is_dir() or folder.is_symlink():
        raise ModelError(f"{name.repository} is not in {cache}; `tritonchat list` lists what is.")
    if name.revision is None and name.quantization is None:
        return _whole(folder)
    repository = scan_repositories().get(folder)
    if repository is None:
        raise ModelError(f"{name} is not complete; `tritonchat rm {name.repository}` removes what is there.")
    revisions = [revision for revision in repository.revisions if _is_named(revision, name.revision)]
    if not revisions:
        raise ModelError(f"{name.repository} has no revision {name.revision} in {cache}.")
    if name.quantization is None:
        plan = scan_cache_dir().delete_revisions(*(revision.commit_hash for revision in revisions))
        return Removal((*plan.repos, *plan.snapshots, *plan.refs, *plan.blobs), plan.expected_freed_size)
    chosen = {file for revision in revisions for file in _files_of(revision, name.quantization)}
    if not chosen:
        raise ModelError(f"{name} is not in {cache}.")
    return _plan_files(folder, repository, chosen)


def remove(removal: Removal) -> None:
    """Remove files and folders of the hub's cache. Raises ModelError."""
    cache = cache_folder()
    try:
        for path in removal.paths:
            if cache not in path.parents:
                raise ModelError(f"{path} is not in {cache}.")
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
    except OSError as error:
        raise ModelError(f"{error.filename} cannot be removed: {error.strerror}.") from error


def _whole(folder: Path) -> Removal:
    return Removal((folder,), _size(path for path in folder.rglob("*") if not path.is_symlink()))


def _is_named(revision: CachedRevisionInfo, name: str | None) -> bool:
    return name is None or name in revision.refs or name == revision.commit_hash


def _files_of(revision: CachedRevisionInfo, quantization: str) -> list[CachedFileInfo]:
    """The .gguf files of a quantization."""
    models = {str(key).upper(): paths for key, paths in model_files(revision).items() if key is not None}
    paths = {revision.snapshot_path / path for path in models.get(quantization.upper(), ())}
    return [file for file in revision.files if file.file_path in paths]


def _plan_files(folder: Path, repository: CachedRepoInfo, chosen: set[CachedFileInfo]) -> Removal:
    """Remove some files of a repository; all of it, if it has no other weights."""
    others = {file for revision in repository.revisions for file in revision.files} - chosen
    if not any(file.file_name.endswith(_WEIGHTS) for file in others):
        return _whole(folder)
    blobs = {file.blob_path for file in chosen} - {file.blob_path for file in others}
    links = {file.file_path for file in chosen}
    return Removal((*sorted(links), *sorted(blobs)), _size(blobs))


def _size(paths: Iterable[Path]) -> int:
    return sum(path.stat().st_size for path in paths if path.is_file())
