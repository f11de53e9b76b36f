"""The stores of LM Studio and llama.cpp: model files under the names that they have on the hub.

They are read, and never changed.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ..errors import ModelError
from ..files.gguf.selection import choose_files, list_models
from .choice import is_gguf
from .stored_model import LLAMA_CPP, LM_STUDIO, StoredModel

_MANIFEST = re.compile(r"manifest=(?P<owner>[^=/]+)=(?P<name>[^=/]+)=[^=/]+\.json")


def list_lm_studio() -> list[StoredModel]:
    """The models of LM Studio, in folders owner/name, each with .gguf files or in Hugging Face layout."""
    return [model for name, folder, files in _walk_lm_studio() for model in _list(name, folder, files)]


def list_llama_cpp() -> list[StoredModel]:
    """The models that llama.cpp has downloaded to its own cache (its newer versions use the hub's)."""
    return [model for name, folder, files in _walk_llama_cpp() for model in _list(name, folder, files)]


def choose_lm_studio(text: str) -> StoredModel | None:
    """The model that a user calls `text`: owner/name, or owner/name:Q4_K_M. Raises ModelError."""
    return _choose(text, LM_STUDIO, _walk_lm_studio())


def choose_llama_cpp(text: str) -> StoredModel | None:
    """The same in the cache of llama.cpp."""
    return _choose(text, LLAMA_CPP, _walk_llama_cpp())


def _walk_lm_studio() -> Iterator[tuple[str, Path, list[str]]]:
    """Name, folder, and the files of each model folder."""
    home = Path.home()
    for root in (home / ".lmstudio" / "models", home / ".cache" / "lm-studio" / "models"):
        for folder in sorted(root.glob("*/*")):
            if os.path.isdir(folder):
                yield LM_STUDIO + folder.relative_to(root).as_posix(), folder, _names(folder)


def _walk_llama_cpp() -> Iterator[tuple[str, Path, list[str]]]:
    """The same. The names of manifests say which repositories the .gguf files are of."""
    named = os.environ.get("LLAMA_CACHE")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = Path(named).expanduser() if named else cache / "llama.cpp"
    names = _names(folder)
    manifests = {(match["owner"], match["name"]) for name in names if (match := _MANIFEST.fullmatch(name))}
    rest = set(filter(is_gguf, names))
    for owner, name in sorted(manifests, key=lambda found: (-len("".join(found)), found)):
        files = {file for file in rest if file.startswith(f"{owner}_{name}_")}
        rest -= files
        if files:
            yield f"{LLAMA_CPP}{owner}/{name}", folder, sorted(files)
    for file in sorted(rest):
        yield LLAMA_CPP + file, folder, [file]


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _list(name: str, folder: Path, files: list[str]) -> Iterator[StoredModel]:
    """The models of a folder: one for each quantization, or the folder itself."""
    if _is_whole_folder(files):
        yield _stored(name, folder, files, folder)
        return
    for quantization, parts in list_models(files).items():
        full_name = name if is_gguf(name) else f"{name}:{quantization}"
        yield _stored(full_name, folder, parts, folder / parts[0])


def _choose(text: str, prefix: str, stores: Iterator[tuple[str, Path, list[str]]]) -> StoredModel | None:
    base, _, quantization = text.partition(":")
    wanted = (prefix + base).casefold()
    for name, folder, files in stores:
        if name.casefold() != wanted:
            continue
        if _is_whole_folder(files) and not quantization:
            return _stored(name, folder, files, folder)
        try:
            parts = choose_files(files, quantization)
        except ModelError as error:
            raise ModelError(f"{name}: {error}") from error
        return _stored(prefix + text, folder, parts, folder / parts[0])
    return None


def _is_whole_folder(files: list[str]) -> bool:
    return any(name.endswith(".safetensors") for name in files)


def _stored(name: str, folder: Path, files: list[str], path: Path) -> StoredModel:
    sizes = [(folder / file).stat().st_size for file in files if os.path.isfile(folder / file)]
    return StoredModel(name, path, sum(sizes))
