"""Writes adapters in PEFT's layout, with random factors."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from model_core import LLM
from model_core.safetensors import write_safetensors


def write_adapter(
    llm: LLM, folder: Path, rank: int = 4, seed: int = 0, target: str = "", std: float = 0.1
) -> Path:
    """An adapter of a loaded model that changes all layers but the head whose names end with `target`."""
    random, tensors = np.random.default_rng(seed), {}
    for tensor in llm.model.adapters.tensors:
        module = tensor.name.removesuffix(".weight")
        if module.endswith(target) and not tensor.is_head:
            for factor, shape in (("A", (rank, tensor.k)), ("B", (tensor.n, rank))):
                values = std * random.standard_normal(shape)
                tensors[f"base_model.model.{module}.lora_{factor}.weight"] = values
    return save_adapter(folder, tensors, r=rank, lora_alpha=8)


def save_adapter(folder: Path, tensors: Mapping[str, np.ndarray], **config: Any) -> Path:
    """An adapter of these tensors, stored in float32, with these fields of adapter_config.json."""
    folder.mkdir(exist_ok=True)
    floats = {name: np.float32(values) for name, values in tensors.items()}
    write_safetensors(folder / "adapter_model.safetensors", floats)
    (folder / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", **config}))
    return folder
