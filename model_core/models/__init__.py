"""Model families. A new one is a small file with an `architecture` function, and a line in FAMILIES."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..config import ModelConfig
from ..errors import ModelError
from . import llama, mistral, qwen2

# model_type in config.json -> what that file says about the architecture
FAMILIES: dict[str, Callable[[dict[str, Any]], ModelConfig]] = {
    "llama": llama.architecture,
    "mistral": mistral.architecture,
    "qwen2": qwen2.architecture,
}


def architecture(folder: Path, raw: dict[str, Any]) -> ModelConfig:
    """What a model computes, by its config.json. Raises ModelError where the family or a field is unknown."""
    family = raw.get("model_type")
    if not isinstance(family, str) or family not in FAMILIES:
        raise ModelError(
            f"{folder} is a model of the family '{family}'; {', '.join(sorted(FAMILIES))} are supported."
        )
    try:
        return FAMILIES[family](raw)
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise ModelError(f"{folder / 'config.json'} cannot be understood: {error}.") from error
