"""Loads adapters into a model that may be running."""

import re
from pathlib import Path

from ..adapters.packing import pack_adapter
from ..adapters.peft import read_adapter
from ..checks.file_values import shorten
from ..errors import InvalidRequest, ModelError, NoMemory
from ..machine.digest import digest
from .transformer import Transformer

_NAME = re.compile(r"[^\x00-\x20\x7f]{1,200}")


def load_adapter(model: Transformer, name: str, folder: str | Path) -> None:
    """Read the adapter in a folder, and let requests use it by this name.

    Raises InvalidRequest for a name that is taken or has spaces, ModelError if the folder is damaged or for
    another model, and NoMemory.
    """
    if not _NAME.fullmatch(name):
        raise InvalidRequest(f"{shorten(name)} cannot be the name of an adapter; give one without spaces.")
    if name in model.adapters.names:
        raise InvalidRequest(f"an adapter with the name {name!r} is loaded already.")
    try:
        adapter = read_adapter(Path(folder))
        packed = pack_adapter(adapter, model.adapters.tensors, model.tape.embeddings)
        packed.digest = digest(adapter)
    except ModelError as error:
        raise ModelError(f"The adapter {name!r} cannot be loaded: {error}") from error
    except MemoryError as error:
        raise NoMemory(f"the machine has no memory for the adapter {name!r}.") from error
    model.adapters.load(name, packed)
