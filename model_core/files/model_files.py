"""The files of a model on the disk, whatever their format: configuration, tensors and tokenizer."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..chat.chat_tokenizer import ChatTokenizer
from ..chat.template import has_default_template
from ..checks.file_values import read_json, shorten
from ..errors import ModelError
from ..families.config import WORD_LOGITS, has_word_logits, read_config
from ..tape.classifier import Dense
from .checkpoint import Checkpoint
from .gguf.model import GGUFModel
from .gguf.selection import find_only_model
from .mistral import PARAMS, MistralCheckpoint, has_mistral_layout, read_params
from .source import TensorSource
from .stacked_experts import StackedExperts
from .tokenizers.folder import open_folder_tokenizer

CONFIG = "config.json"


@dataclass(frozen=True)
class VisionFiles:
    """The files of a model's tower.

    Attributes:
        config: the fields of config.json, with vision_config.
        read_processor: reads those of preprocessor_config.json. Raises ModelError.
        open_tensors: opens the weights. Raises ModelError.
    """

    config: dict[str, Any]
    read_processor: Callable[[], dict[str, Any]]
    open_tensors: Callable[[], TensorSource]


@dataclass(frozen=True)
class ModelFiles:
    """The files of a model. Nothing large is read before a function is called.

    Attributes:
        path: a folder, or the one file of a model.
        config: the fields of config.json; those of the text model, if the model also sees or hears.
        generation_config: the fields of generation_config.json.
        open_tensors: opens the weights. Raises ModelError.
        open_tokenizer: max_context, and the file or the name of another chat template or None -> the
            tokenizer with the chat template; None if there is no tokenizer. Raises ModelError.
        has_chat_template: whether the model was made for conversations. Raises ModelError.
        pooling: how hidden states become a vector, if the one file of a model says so: a name in
            pooling.POOLINGS, or "none".
        asks: whether documents are scored by a question, which is answered with yes or no (Qwen3-Reranker).
        read_dense: the layers behind pooling that the one file of a model has. Raises ModelError.
        config_name: the file of a folder that `config` was read from.
        main_type: the type of most weights of a GGUF file, such as "Q4_K".
        vision: the files of its tower, None if it has none.
    """

    path: Path
    config: dict[str, Any]
    generation_config: dict[str, Any]
    open_tensors: Callable[[], TensorSource]
    open_tokenizer: Callable[[int, Path | None], ChatTokenizer | None]
    has_chat_template: Callable[[], bool]
    pooling: str | None = None
    asks: bool = False
    read_dense: Callable[[], tuple[Dense, ...]] = tuple
    config_name: str = CONFIG
    main_type: str = ""
    vision: VisionFiles | None = None

    def named(self, name: str) -> Path:
        """The file to name in errors about what a folder has in the file `name`."""
        name = self.config_name if name == CONFIG else name
        return self.path / name if self.path.is_dir() else self.path


def open_model_files(path: Path, mmproj: Path | None = None) -> ModelFiles:
    """The files of the model at `path`: a .gguf file, a folder with one, or in the layout of Hugging Face or
    Mistral.

    mmproj: the file of the tower of a model in a .gguf file; by default one beside it, if there is one.
    Raises ModelError if there is no model, or if its fields are damaged.
    """
    if os.path.isfile(path):
        return _open_gguf(path, mmproj)
    file = find_only_model(path) if os.path.isdir(path) else None
    if file is not None:
        return _open_gguf(file, mmproj)
    if mmproj is not None:
        raise ModelError(f"{path} is no GGUF file, whose tower {mmproj} could be.")
    return _open_mistral(path) if has_mistral_layout(path) else _open_folder(path)


def _open_folder(folder: Path) -> ModelFiles:
    """The files of a folder in Hugging Face layout."""
    config, generation = read_config(folder), folder / "generation_config.json"
    old_settings = folder / "quantize_config.json"  # of GPTQ, before Transformers read it
    if "quantization_config" not in config and os.path.isfile(old_settings):
        config["quantization_config"] = {"quant_method": "gptq"} | read_json(old_settings)
    own_settings = folder / "hf_quant_config.json"  # of ModelOpt, which also wrote no others
    if "quantization_config" not in config and os.path.isfile(own_settings):
        settings = read_json(own_settings).get("quantization")
        if not isinstance(settings, dict):
            raise ModelError(f"{own_settings} should have an object named quantization.")
        config["quantization_config"] = {"quant_method": "modelopt"} | settings
    if isinstance(config.get("quantization"), dict):  # of MLX, which writes it twice, and names no method
        config["quantization_config"] = {"quant_method": "mlx"} | config.pop("quantization")
    if has_word_logits(folder):
        config[WORD_LOGITS] = True
    return ModelFiles(
        folder,
        config,
        read_json(generation) if os.path.isfile(generation) else {},
        lambda: StackedExperts(Checkpoint(folder, config.get("quantization_config"))),
        partial(open_folder_tokenizer, folder),
        lambda: has_default_template(folder),
        vision=_find_vision_files(folder, config.get("quantization_config")),
    )


def _find_vision_files(folder: Path, quantization: Any) -> VisionFiles | None:
    """Those of a folder whose config.json describes a tower."""
    config = read_json(folder / CONFIG)
    if not isinstance(config.get("vision_config"), dict):
        return None
    return VisionFiles(config, partial(_read_processor, folder), lambda: Checkpoint(folder, quantization))


def _read_processor(folder: Path) -> dict[str, Any]:
    """How images are prepared; no fields if no file says it. Raises ModelError.

    Newer files have it within processor_config.json, which Transformers prefers where there are both.
    """
    joined, own = folder / "processor_config.json", folder / "preprocessor_config.json"
    fields = read_json(joined).get("image_processor") if os.path.isfile(joined) else None
    if fields is None:
        return read_json(own) if os.path.isfile(own) else {}
    if not isinstance(fields, dict):
        raise ModelError(f"image_processor of {joined} should be an object, not {shorten(fields)}.")
    return fields


def _open_mistral(folder: Path) -> ModelFiles:
    """The files of a folder in Mistral's own layout."""
    config = read_params(folder)
    return ModelFiles(
        folder,
        config,
        {},
        lambda: MistralCheckpoint(folder, config),
        partial(open_folder_tokenizer, folder),
        lambda: has_default_template(folder),
        config_name=PARAMS,
    )


def _open_gguf(path: Path, mmproj: Path | None) -> ModelFiles:
    """A GGUF file, or all files of a split one, with the file of its tower."""
    model = GGUFModel(path)
    tower, vision = model.find_tower(mmproj), None
    if tower is not None:
        processor = tower.processor
        vision = VisionFiles(tower.config, lambda: processor, tower.open_tensors)
    return ModelFiles(
        model.path,
        model.config,
        model.generation_config,
        model.open_tensors,
        model.open_tokenizer,
        model.has_chat_template,
        model.pooling,
        model.asks,
        model.read_dense,
        main_type=model.main_type,
        vision=vision,
    )
