"""The files of a model on the disk, whatever their format: configuration, tensors and tokenizer."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..chat.chat_tokenizer import ChatTokenizer
from ..chat.template import read_chat_template, read_template_sources
from ..checks.file_values import read_json
from ..families.config import read_config
from ..text.rwkv_tokenizer import VOCABULARY_NAME, RwkvTokenizer
from ..text.tokenizer import Tokenizer
from .checkpoint import Checkpoint
from .gguf.model import GGUFModel
from .source import TensorSource


@dataclass(frozen=True)
class ModelFiles:
    """The files of a model. Nothing large is read before a function is called.

    Attributes:
        path: a folder, or the one file of a model.
        config: the fields of config.json; those of the text model, if the model also sees or hears.
        generation_config: the fields of generation_config.json.
        open_tensors: opens the weights. Raises ModelError.
        open_tokenizer: max_context -> the tokenizer with the chat template; None if there is no tokenizer.
            Raises ModelError.
        has_chat_template: whether the model was made for conversations. Raises ModelError.
        pooling: how hidden states become a vector, if the one file of a model says so: a name in
            pooling.POOLINGS, or "none".
    """

    path: Path
    config: dict[str, Any]
    generation_config: dict[str, Any]
    open_tensors: Callable[[], TensorSource]
    open_tokenizer: Callable[[int], ChatTokenizer | None]
    has_chat_template: Callable[[], bool]
    pooling: str | None = None

    def named(self, name: str) -> Path:
        """The file to name in errors about what a folder has in the file `name`."""
        return self.path / name if self.path.is_dir() else self.path


def open_model_files(path: Path) -> ModelFiles:
    """The files of the model at `path`: a folder, or a .gguf file. Raises ModelError.

    It is raised if there is no model, or if its fields are damaged.
    """
    return _open_gguf(path) if os.path.isfile(path) else _open_folder(path)


def _open_folder(folder: Path) -> ModelFiles:
    """The files of a folder in Hugging Face layout."""
    config, generation = read_config(folder), folder / "generation_config.json"
    old_settings = folder / "quantize_config.json"  # of GPTQ, before Transformers read it
    if "quantization_config" not in config and os.path.isfile(old_settings):
        config["quantization_config"] = {"quant_method": "gptq"} | read_json(old_settings)
    if isinstance(config.get("quantization"), dict):  # of MLX, which writes it twice, and names no method
        config["quantization_config"] = {"quant_method": "mlx"} | config.pop("quantization")
    return ModelFiles(
        folder,
        config,
        read_json(generation) if os.path.isfile(generation) else {},
        lambda: Checkpoint(folder, config.get("quantization_config")),
        lambda max_context: open_folder_tokenizer(folder, max_context),
        lambda: bool(read_template_sources(folder)),
    )


def _open_gguf(path: Path) -> ModelFiles:
    """A GGUF file, or all files of a split one."""
    model = GGUFModel(path)
    return ModelFiles(
        model.path,
        model.config,
        model.generation_config,
        model.open_tensors,
        model.open_tokenizer,
        model.has_chat_template,
        model.pooling,
    )


def open_folder_tokenizer(folder: Path, max_context: int = 2**17) -> ChatTokenizer | None:
    """The tokenizer and the chat template of a model folder; None if it has no tokenizer.

    `max_context`: positions that a conversation may have. Raises ModelError if a file is damaged.
    """
    is_rwkv = not os.path.isfile(folder / "tokenizer.json")
    if is_rwkv and not os.path.isfile(folder / VOCABULARY_NAME):
        return None
    template = read_chat_template(folder, max_context)
    if is_rwkv:
        return ChatTokenizer(RwkvTokenizer.from_folder(folder), template)
    return ChatTokenizer(
        Tokenizer.from_folder(folder, "" if template is None else template.sample_text), template
    )
