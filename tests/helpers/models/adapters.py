"""Writes adapters in PEFT's layout, with random factors."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from model_core import LLM
from model_core.adapters.peft import read_adapter
from model_core.families import read_model_config, write_tape
from model_core.families.config import write_json
from model_core.files.model_files import open_model_files
from model_core.files.safetensors import write_safetensors
from model_core.files.source import read_tensor
from model_core.tape.passes import products, vector_refs
from model_core.tape.references import WeightRef
from model_core.tape.tape import Tape


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


def write_merged(base: Path, adapter: Path, folder: Path) -> Path:
    """A model, whatever its format, with the products of an adapter added to its weights in float32."""
    files, low_ranks = open_model_files(base), read_adapter(adapter).products
    source, tensors = files.open_tensors(), {}
    for ref in _list_tensors(write_tape(read_model_config(base, files.config))):
        weights, low = np.float32(read_tensor(source, ref)), low_ranks.get(ref.name)
        weights = weights if low is None else weights + np.float32(low.scale) * (low.b @ low.a)
        tensors[ref.name] = np.ascontiguousarray(weights)
    folder.mkdir()
    write_safetensors(folder / "model.safetensors", tensors)
    settings = {name: value for name, value in files.config.items() if name != "quantization_config"}
    write_json(folder / "config.json", settings)
    return folder


def _list_tensors(tape: Tape) -> list[WeightRef]:
    refs = [ref for product in products(tape.records) for ref in (*product.weights, *product.biases)]
    return [*refs, *vector_refs(tape.records), *tape.embeddings.values()]
