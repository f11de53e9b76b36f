"""The families that see: from the files of a model to the configuration of its tower."""

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from ...checks.file_values import shorten
from ...errors import ModelError
from . import gemma3, gemma4, gemma4_unified, idefics3, lfm2_vl, qwen2_5_vl, qwen3_vl
from .parts import Tower, VisionConfig

# model_type in config.json -> the module with `read_config`, `prepare`, `count_tokens` and `write_tower`
TOWERS: dict[str, ModuleType] = {
    "gemma3": gemma3,
    "gemma4": gemma4,
    "gemma4_unified": gemma4_unified,
    "idefics3": idefics3,
    "lfm2_vl": lfm2_vl,
    "qwen2_5_vl": qwen2_5_vl,
    "qwen3_5": qwen3_vl,
    "qwen3_5_moe": qwen3_vl,
    "qwen3_vl": qwen3_vl,
    "qwen3_vl_moe": qwen3_vl,
    "smolvlm": idefics3,
}


def read_vision_config(raw: Mapping[str, Any], processor: Mapping[str, Any]) -> VisionConfig | None:
    """The configuration of a model's tower; None if it has none, or its family is not known to see.

    raw: config.json. processor: preprocessor_config.json, or what takes its place; empty if there is none.
    Raises ModelError if the tower is not supported.
    """
    family = TOWERS.get(str(raw.get("model_type")))
    if family is None or not isinstance(raw.get("vision_config"), Mapping):
        return None
    try:
        config: VisionConfig = family.read_config(raw, processor)
    except (TypeError, ValueError, AttributeError, LookupError) as error:
        raise ModelError(f"vision_config cannot be understood: {shorten(str(error))}.") from error
    return config


def write_tower(config: VisionConfig) -> Tower:
    """The tower as stages."""
    tower: Tower = TOWERS[config.family].write_tower(config)
    return tower
