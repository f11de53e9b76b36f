"""The store of Ollama: manifests name the blobs that a model is made of. It is read, and never changed.

    manifests/<host>/<namespace>/<name>/<tag>    JSON with a list of layers: their kind and their digest
    blobs/sha256-<digest>                        the content of a layer

Source: Ollama, docs/import.md and server/images.go. Of a model's layers, only the weights are read: a .gguf
file with a tokenizer and a chat template of its own.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..checks.file_values import read_json, shorten
from ..errors import ModelError
from .stored_model import OLLAMA, StoredModel

_LAYER = "application/vnd.ollama.image."  # the beginning of a kind
_MODEL, _ADAPTER = "model", "adapter"
# Kinds of layers that change how Ollama answers, but not what the weights compute.
_IGNORED = {
    "template": "the chat template (conversations need one in its .gguf file)",
    "system": "the system message",
    "params": "the parameters of sampling",
    "messages": "the first messages",
    "projector": "the encoder of images",
}
_SILENT = frozenset(["license"])
_DIGEST = re.compile(r"sha256[:-]([0-9a-f]{64})")
_DEFAULTS = ("registry.ollama.ai", "library")  # host and namespace, which names leave out
_LATEST = "latest"


def store_folders() -> list[Path]:
    """Where Ollama keeps models: OLLAMA_MODELS, or the folders of a user and of the service of Linux."""
    named = os.environ.get("OLLAMA_MODELS")
    if named:
        return [Path(named).expanduser()]
    return [Path.home() / ".ollama" / "models", Path("/usr/share/ollama/.ollama/models")]


def list_ollama() -> list[StoredModel]:
    """The models of the store, in order of their names."""
    models = [model for store in store_folders() for model in _list_store(store)]
    return sorted(models, key=lambda model: model.name)


def complete_name(text: str) -> str:
    """The whole name of what a user calls a model: with its tag, without the usual host and namespace."""
    *owners, last = text.split("/")
    name, _, tag = last.partition(":")
    if len(owners) == 2 and owners[0] == _DEFAULTS[0]:
        owners = owners[1:]
    if owners == [_DEFAULTS[1]]:
        owners = []
    return "/".join([*owners, f"{name}:{tag or _LATEST}"])


def _list_store(store: Path) -> Iterator[StoredModel]:
    manifests = store / "manifests"
    try:
        paths = sorted(path for path in manifests.glob("*/*/*/*") if os.path.isfile(path))
    except OSError:  # the folder of the service is not open to everybody
        return
    for path in paths:
        host, namespace, name, tag = path.relative_to(manifests).parts
        full_name = OLLAMA + complete_name(f"{host}/{namespace}/{name}:{tag}")
        try:
            yield _read_manifest(full_name, path, store / "blobs")
        except ModelError as error:
            yield StoredModel(full_name, None, 0, problem=str(error))


def _read_manifest(name: str, path: Path, blobs: Path) -> StoredModel:
    """The model of a manifest. Raises ModelError if it has not one file of weights, or has an adapter."""
    layers = read_json(path).get("layers")
    if not isinstance(layers, list) or not all(isinstance(layer, Mapping) for layer in layers):
        raise ModelError(f"{path} is damaged: it has no list of layers.")
    kinds = [(str(layer.get("mediaType")).removeprefix(_LAYER), layer) for layer in layers]
    files = [_blob(path, layer, blobs) for kind, layer in kinds if kind == _MODEL]
    unknown = {kind for kind, _ in kinds} - {_MODEL, _ADAPTER, *_IGNORED, *_SILENT}
    if len(files) != 1 or unknown:
        what = f"layers of the kind {shorten(min(unknown))}" if unknown else f"{len(files)} files of weights"
        raise ModelError(f"{name} of Ollama has {what}; models with one .gguf file are supported.")
    if any(kind == _ADAPTER for kind, _ in kinds):
        raise ModelError(
            f"{name} of Ollama has an adapter, which is not supported; {files[0]} is the model without it."
        )
    ignored = tuple(text for kind, text in _IGNORED.items() if any(kind == found for found, _ in kinds))
    return StoredModel(name, files[0], files[0].stat().st_size, ignored)


def _blob(manifest: Path, layer: Mapping[str, Any], blobs: Path) -> Path:
    """The file of a layer. Raises ModelError if it is not there."""
    digest = _DIGEST.fullmatch(str(layer.get("digest")))
    if digest is None:
        raise ModelError(f"{manifest} is damaged: {shorten(layer.get('digest'))} is no digest.")
    names = (f"sha256-{digest[1]}", f"sha256:{digest[1]}")  # the second in stores of 2023
    found = next((blobs / name for name in names if os.path.isfile(blobs / name)), None)
    if found is None:
        raise ModelError(
            f"{blobs / names[0]}, which {manifest} names, is missing; pull it again with Ollama."
        )
    return found
