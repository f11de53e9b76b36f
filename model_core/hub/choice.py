"""Which files of a repository are a model."""

import fnmatch
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from ..errors import ModelError
from ..files.gguf.selection import choose_files
from ..text.rwkv_tokenizer import VOCABULARY_NAME
from .names import HubName

# The files of a model folder that are read. None of them is a program.
_PATTERNS = (
    *("*.json", "*.safetensors", "*.jinja", "tokenizer.model*", "merges.txt", VOCABULARY_NAME),
    *("*.tiktoken", "tiktoken.model"),
)
# Those in folders of it, such as 1_Pooling of a model for embeddings.
_INNER_FILE = re.compile(
    r"\d+_\w+/(config\.json|model\.safetensors|pytorch_model\.bin)|additional_chat_templates/[\w.-]+\.jinja"
)
_SINGLE, _CONFIG = "model.safetensors", "config.json"
# Weights of torch.save, which are read (files/torch_file.py) where there are no others.
_PICKLED = re.compile(r"pytorch_model(-\d+-of-\d+)?\.bin")
_SINGLE_PICKLED = "pytorch_model.bin"
_MISTRAL = "consolidated*"  # weights in Mistral's own layout


def choose_model_files(
    paths: Sequence[str], name: HubName, fits: Callable[[list[str]], bool] | None = None
) -> list[str]:
    """The files to read, by their paths inside the repository. Raises ModelError if there is no model.

    Without a quantization, .safetensors files are preferred to .gguf files, of which one that `fits` is
    chosen (see choose_files), and these to pytorch_model.bin. Of a model in two layouts, that of Hugging
    Face is taken.
    """
    folder = [path for path in paths if _is_in_model_folder(path)]
    if _CONFIG in folder and any(_is_hugging_face(path) for path in folder):
        folder = [path for path in folder if not fnmatch.fnmatchcase(path, _MISTRAL)]
    if _SINGLE in folder:  # others are the same weights in another type
        folder = [path for path in folder if path == _SINGLE or not path.endswith(".safetensors")]
    inner = [path for path in paths if _INNER_FILE.fullmatch(path)]
    inner = [path for path in inner if not _has_better(path, inner)]
    if name.quantization is None and any(path.endswith(".safetensors") for path in folder):
        return folder + inner
    if any(is_gguf(path) for path in paths):
        try:
            return choose_files(paths, name.quantization, fits)
        except ModelError as error:
            raise ModelError(f"{name.repository}: {error}") from error
    if name.quantization is not None:
        raise ModelError(f"{name.repository} has no .gguf files, of which :{name.quantization} could be one.")
    if pickled := [path for path in paths if _PICKLED.fullmatch(path)]:
        single = [path for path in pickled if path == _SINGLE_PICKLED]
        return folder + (single or pickled) + inner
    raise ModelError(f"{name} has no weights: neither .safetensors nor .gguf files, nor {_SINGLE_PICKLED}.")


def locate(folder: Path, files: Sequence[str]) -> Path:
    """The path of a model that consists of these files of a folder: the folder, or the first .gguf file."""
    return next((folder / file for file in files if is_gguf(file)), folder)


def is_weights(path: str) -> bool:
    """Whether a file holds weights."""
    return is_gguf(path) or path.endswith(".safetensors") or is_pickled(path)


def is_pickled(path: str) -> bool:
    """Whether a file is named as one of torch.save that is read."""
    return _PICKLED.fullmatch(path.rpartition("/")[2]) is not None


def is_gguf(path: str) -> bool:
    """Whether a file is named as a GGUF file."""
    return path.lower().endswith(".gguf")


def _is_in_model_folder(path: str) -> bool:
    """Whether a file of a repository is read when the model is loaded from its folder."""
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in _PATTERNS) and "/" not in path


def _has_better(path: str, paths: Sequence[str]) -> bool:
    """Whether a file of torch.save has the same weights beside it as safetensors."""
    folder, _, name = path.rpartition("/")
    return name == _SINGLE_PICKLED and f"{folder}/{_SINGLE}" in paths


def _is_hugging_face(path: str) -> bool:
    """Whether a file of a model folder has weights in Hugging Face layout."""
    return path.endswith(".safetensors") and not fnmatch.fnmatchcase(path, _MISTRAL)
