"""What of the hub is on this machine: which models, and what they are."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from huggingface_hub import scan_cache_dir, snapshot_download
from huggingface_hub.errors import CacheNotFound, LocalEntryNotFoundError
from huggingface_hub.utils import CachedRepoInfo, CachedRevisionInfo

from ..errors import ModelError
from ..files.gguf.selection import list_models as list_quantizations
from .choice import choose_model_files, is_gguf, locate
from .description import Description, describe
from .names import HubName
from .places import PREFIX, cache_folder


@dataclass(frozen=True)
class CachedModel:
    """A model in the hub's cache.

    Attributes:
        name: as a server takes it; its revision is None for the branch main.
        size: bytes on the disk.
        description: what it is; None if its files are not complete.
    """

    name: HubName
    size: int
    description: Description | None


def find_cached(name: HubName) -> Path | None:
    """The path of a model in the hub's cache, None if it is not there."""
    try:
        folder = Path(
            snapshot_download(
                name.repository, revision=name.revision, local_files_only=True, allow_patterns=[]
            )
        )
        return locate(folder, choose_model_files(_paths(folder), name))
    except (LocalEntryNotFoundError, ModelError):
        return None


def scan_repositories() -> dict[Path, CachedRepoInfo]:
    """The repositories in the hub's cache that are in order, by their folders."""
    try:
        return {repository.repo_path: repository for repository in scan_cache_dir().repos}
    except CacheNotFound:
        return {}


def list_models() -> list[CachedModel]:
    """The models in the hub's cache, in order of their names."""
    repositories, models = scan_repositories(), []
    for folder in sorted(cache_folder().glob(f"{PREFIX}*--*")):
        name = HubName(folder.name.removeprefix(PREFIX).replace("--", "/", 1))
        repository = repositories.get(folder)
        complete = [] if repository is None else list(_list_repository(name, repository))
        parts = [file.stat().st_size for file in folder.glob("blobs/*.incomplete")]
        models += complete
        if parts or not complete:
            models.append(CachedModel(name, sum(parts), None))
    return models


def revision_name(revision: CachedRevisionInfo) -> str | None:
    """A name of a revision, None for the branch main."""
    return None if "main" in revision.refs else min(revision.refs, default=revision.commit_hash)


def model_files(revision: CachedRevisionInfo) -> dict[str | None, list[str]]:
    """The models of a revision: quantization -> .gguf files, and None -> the other files, if they are one.

    The files are paths from the folder of the revision.
    """
    paths = _paths(revision.snapshot_path)
    gguf = list(filter(is_gguf, paths))
    models: dict[str | None, list[str]] = dict(list_quantizations(gguf).items())
    if any(path.endswith((".safetensors", ".bin")) for path in paths):
        models[None] = [path for path in paths if path not in gguf]
    return models


def _list_repository(name: HubName, repository: CachedRepoInfo) -> Iterator[CachedModel]:
    for revision in sorted(repository.revisions, key=lambda revision: revision_name(revision) or ""):
        folder = revision.snapshot_path
        for quantization, paths in model_files(revision).items():
            of_revision = replace(name, quantization=quantization, revision=revision_name(revision))
            size = sum((folder / path).stat().st_size for path in paths)
            yield CachedModel(of_revision, size, describe(locate(folder, paths)))


def _paths(folder: Path) -> list[str]:
    """The files in a folder, as paths from there."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
