"""Writes model folders with quantized weights in the layout of compressed-tensors.

vLLM reads them too, and Transformers those in int8. files/quantized/compressed_tensors.py has the layout.
Weights are not rotated: the layout has a transform_config for that, but Transformers 5.24 ignores it without
a word.
"""

import shutil
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from ..errors import ModelError
from ..families import read_model_config, write_tape
from ..families.config import write_json
from ..files.model_files import ModelFiles
from ..files.safetensors import write_safetensors
from ..files.source import TensorSource, read_tensor, read_weights
from ..kernels.layout import NIBBLE_GROUP
from ..model.packer import HEAD_FIELD
from ..model.tied_head import untie_stored_head
from ..tape.passes import products, vector_refs
from ..tape.references import WeightRef
from ..tape.tape import Tape
from ..weights.codes import Codes, dequantize_codes
from ..weights.rounding import Stepped, round_int8, round_stepped

_COPIED_SUFFIXES = (".json", ".jinja", ".model", ".txt", ".md")  # of files that go with the weights
_GROUP_SCHEME = {"num_bits": 4, "type": "int", "symmetric": False, "strategy": "group", "dynamic": False}
_ROW_SCHEME = {"num_bits": 8, "type": "int", "symmetric": True, "strategy": "channel", "dynamic": False}
# How activations are rounded elsewhere; here they have a scale for each 32 columns.
_TOKEN_SCHEME = {"num_bits": 8, "type": "int", "symmetric": True, "strategy": "token", "dynamic": True}


def write_quantized_folder(
    files: ModelFiles, folder: Path, weights: str, codes: Mapping[str, Stepped] | None = None
) -> None:
    """Write the text model of `files` with weights in int8 or int4 to a new folder, with its other files.

    The head and the routers of experts stay as they are. `codes` has int4 codes for some weights, by their
    labels, instead of rounded ones. Raises ModelError if the new folder is not empty or cannot be written, or
    a file of the model is wrong.
    """
    if not files.path.is_dir():
        raise ModelError(f"{files.path} is one file; only a folder in Hugging Face layout can be quantized.")
    stated, source = read_model_config(files.named("config.json"), files.config), files.open_tensors()
    config = untie_stored_head(stated, source)
    tape = write_tape(config)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise ModelError(f"{folder} is not empty; give a new folder.")
        for path in files.path.iterdir():
            if path.is_file() and path.suffix in _COPIED_SUFFIXES and "safetensors" not in path.name:
                shutil.copy(path, folder)
        quantized, kept = _split_tensors(tape)
        tensors = {name: read_tensor(source, ref) for name, ref in kept.items()}
        dtype = tensors[tape.embedding.name].dtype
        for refs in tqdm(quantized.values(), "Rounding", unit="tensor", delay=2):
            tensors |= _convert_scales(_quantize_tensor(source, refs, weights, codes or {}), dtype)
            source.drop_file_pages()
        fields = files.config | {"quantization_config": _describe(weights, tape)}
        if config != stated:  # other programs believe the field
            fields["tie_word_embeddings"] = False
        write_json(folder / "config.json", fields)
        write_safetensors(folder / "model.safetensors", tensors)
    except OSError as error:
        raise ModelError(f"{folder} cannot be written: {error.strerror}.") from error


def _split_tensors(tape: Tape) -> tuple[dict[str, list[WeightRef]], dict[str, WeightRef]]:
    """The tensors of a model by name: those to quantize with all parts that products use, and the others."""
    quantized: dict[str, list[WeightRef]] = defaultdict(list)
    kept = {ref.name: ref for ref in (*vector_refs(tape.records), *tape.embeddings.values())}
    for product in products(tape.records):
        kept |= {ref.name: ref for ref in product.biases}
        for ref in product.weights:
            if product.is_head or product.is_router:
                kept[ref.name] = ref
            else:
                quantized[ref.name].append(ref)
    return {name: refs for name, refs in quantized.items() if name not in kept}, kept


def _quantize_tensor(
    source: TensorSource, refs: list[WeightRef], weights: str, codes: Mapping[str, Stepped]
) -> dict[str, np.ndarray]:
    """The arrays of a quantized tensor. If it has all experts of a mixture, they have a leading axis."""
    by_expert: dict[int | None, list[WeightRef]] = defaultdict(list)
    for ref in refs:
        by_expert[ref.expert].append(ref)
    write = _write_int4 if weights == "int4" else _write_int8
    experts = [write(source, parts, codes) for parts in by_expert.values()]
    arrays = experts[0]
    if None not in by_expert:
        arrays = {name: np.stack([expert[name] for expert in experts]) for name in arrays}
        if "weight_shape" in arrays:
            arrays["weight_shape"] = np.array([len(experts), *arrays["weight_shape"][0]])
    module = refs[0].name.removesuffix(".weight")
    return {f"{module}.{name}": array for name, array in arrays.items()}


def _write_int8(
    source: TensorSource, refs: list[WeightRef], codes: Mapping[str, Stepped]
) -> dict[str, np.ndarray]:
    """The arrays of a matrix in int8: numbers, and a scale for each row."""
    parts = {ref: round_int8(_read_floats(source, ref)) for ref in refs}
    return {
        "weight": _join_rows({ref: part.codes for ref, part in parts.items()}),
        "weight_scale": _join_rows({ref: part.scales[:, None] for ref, part in parts.items()}),
    }


def _write_int4(
    source: TensorSource, refs: list[WeightRef], codes: Mapping[str, Stepped]
) -> dict[str, np.ndarray]:
    """The arrays of a matrix in int4: packed numbers, and a scale and a zero for each 32 columns."""
    parts = {ref: codes.get(ref.label) or round_stepped(_read_floats(source, ref)) for ref in refs}
    numbers = _join_rows({ref: part.codes for ref, part in parts.items()})
    groups = _join_rows({ref: part.groups for ref, part in parts.items()})
    scales = _join_rows({ref: part.scales[:, None] for ref, part in parts.items()})
    return {
        "weight_packed": _pack_nibbles(numbers),
        "weight_scale": scales * (groups & 15),
        "weight_zero_point": np.ascontiguousarray(_pack_nibbles((groups >> 4).T).T),
        "weight_shape": np.array(numbers.shape),
    }


def _convert_scales(arrays: dict[str, np.ndarray], dtype: np.dtype) -> dict[str, np.ndarray]:
    """The same arrays with scales in the type of the model's floats, where it holds them exactly."""

    def convert(array: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            converted = array.astype(dtype)
        return converted if np.array_equal(converted.astype(np.float32), array) else array

    return {name: convert(a) if a.dtype == np.float32 else a for name, a in arrays.items()}


def _read_floats(source: TensorSource, ref: WeightRef) -> np.ndarray:
    weights = read_weights(source, ref)
    return dequantize_codes(weights) if isinstance(weights, Codes) else weights.astype(np.float32)


def _join_rows(parts: Mapping[WeightRef, np.ndarray]) -> np.ndarray:
    """The rows of a matrix, from those of its parts."""
    first = next(iter(parts.values()))
    joined = np.zeros((sum(map(len, parts.values())), first.shape[1]), first.dtype)
    for ref, rows in parts.items():
        joined[ref.row_numbers] = rows
    return joined


def _pack_nibbles(numbers: np.ndarray) -> np.ndarray:
    """uint8 [rows, n] from 0 to 15 -> int32 [rows, ceil(n / 8)], the first number in the lowest bits."""
    padded = np.pad(numbers, ((0, 0), (0, -numbers.shape[1] % 8)))
    return np.ascontiguousarray(padded[:, ::2] | padded[:, 1::2] << 4).view(np.int32)


def _describe(weights: str, tape: Tape) -> dict[str, Any]:
    """The `quantization_config` of a folder. `ignore` names products that are not quantized."""
    is_int4 = weights == "int4"
    scheme = {
        "targets": ["Linear"],
        "weights": _GROUP_SCHEME | {"group_size": NIBBLE_GROUP} if is_int4 else _ROW_SCHEME,
        "input_activations": None if is_int4 else _TOKEN_SCHEME,
        "output_activations": None,
    }
    _, kept = _split_tensors(tape)
    refs = {ref.name for product in products(tape.records) for ref in product.weights}
    ignored = {name.removesuffix(".weight") for name in refs & kept.keys() - {tape.embedding.name}}
    return {
        "quant_method": "compressed-tensors",
        "format": "pack-quantized" if is_int4 else "int-quantized",
        "quantization_status": "compressed",
        "config_groups": {"group_0": scheme},
        "ignore": sorted({"lm_head", *ignored}),
        HEAD_FIELD: "int8",
    }
