"""Where a model comes from: a folder on this machine, or a name on the Hugging Face hub."""

import re
from pathlib import Path

import huggingface_hub
from huggingface_hub.errors import GatedRepoError, LocalEntryNotFoundError, RepositoryNotFoundError

from .errors import ModelError

# Everything the loader reads, and nothing that could run.
_FILES = ["*.json", "*.safetensors", "*.jinja"]
_DUPLICATES = ["consolidated*", "*/*"]  # the same weights once more, in the authors' own form
_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")


def find_model(model: str | Path) -> Path:
    """The folder of a model; one on the hub is downloaded once, with a progress bar, into the hub's cache.

    Raises ModelError where there is neither a folder nor a hub model of that name, or no way to the hub.
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        return folder
    name = str(model)
    if not _NAME.fullmatch(name):
        raise ModelError(f"{name} is neither a folder nor the name of a model on the hub (owner/name).")
    try:
        return Path(
            huggingface_hub.snapshot_download(name, allow_patterns=_FILES, ignore_patterns=_DUPLICATES)
        )
    except GatedRepoError as error:
        raise ModelError(
            f"{name} on the hub asks for its licence to be accepted first; then set HF_TOKEN."
        ) from error
    except RepositoryNotFoundError as error:
        raise ModelError(
            f"There is neither a folder nor a hub model called {name} (a private one needs HF_TOKEN)."
        ) from error
    except LocalEntryNotFoundError as error:
        raise ModelError(f"{name} is not on this machine, and the hub cannot be reached.") from error
    except Exception as error:
        raise ModelError(f"{name} could not be fetched from the hub: {error}") from error
