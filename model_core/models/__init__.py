"""Model families. A new one is a small file with an `architecture` function, and a line in FAMILIES."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..checkpoint import Checkpoint
from ..config import ModelConfig, read_config
from ..errors import ModelError
from . import llama, mistral, qwen2
from .llama import Transformer

# model_type in config.json -> what that file says about the architecture
FAMILIES: dict[str, Callable[[dict[str, Any]], ModelConfig]] = {
    "llama": llama.architecture,
    "mistral": mistral.architecture,
    "qwen2": qwen2.architecture,
}


def load_model(folder: Path, weights: str = "auto") -> Transformer:
    """The model in a folder of Hugging Face layout, its weights as stored or as `weights` says.

    Raises ModelError where the family is unknown or a file is missing or damaged.
    """
    raw = read_config(folder)
    family = raw.get("model_type")
    if not isinstance(family, str) or family not in FAMILIES:
        raise ModelError(
            f"{folder} is a model of the family '{family}'; {', '.join(sorted(FAMILIES))} are supported."
        )
    if raw.get("quantization_config"):
        raise ModelError(
            f"{folder} holds quantised weights, which are not supported; take the original model."
        )
    try:
        config = FAMILIES[family](raw)
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise ModelError(f"{folder / 'config.json'} cannot be understood: {error}.") from error
    return Transformer(config, Checkpoint(folder), weights)
