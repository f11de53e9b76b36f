"""Finds a model: the embedded one, a folder on this machine, or a name on the Hugging Face hub."""

import os
import re
from importlib import resources
from pathlib import Path

import huggingface_hub
from huggingface_hub.errors import GatedRepoError, LocalEntryNotFoundError, RepositoryNotFoundError

from .errors import ModelError
from .fields import shorten

# The files that the loader reads. None of them is a program.
_FILES = ["*.json", "*.safetensors", "*.jinja"]
_DUPLICATES = ["consolidated*", "*/*.json", "*/*.safetensors"]  # the same weights in another format
_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")


def embedded_model() -> Path:
    """The folder of the model that is a part of the package."""
    return Path(str(resources.files(__package__) / "embedded"))


def fetch_model(model: str | Path) -> Path:
    """The folder of a model. A model on the hub is downloaded to the hub's cache, with a progress bar.

    Raises ModelError if there is no such folder or model, or if the hub cannot be reached.
    """
    folder = os.path.expanduser(model)
    if os.path.isdir(folder):
        return Path(folder)
    name = str(model)
    if not _NAME.fullmatch(name):
        raise ModelError(
            f"{shorten(name)} is neither a folder nor the name of a model on the hub (owner/name)."
        )
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
        message = " ".join(str(error).split())[:300]
        raise ModelError(f"{shorten(name)} could not be fetched from the hub: {message}") from error
