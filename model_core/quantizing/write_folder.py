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
from ..model.presets import choose_bits
from ..model.tied_head import untie_stored_head
from ..tape.passes import head_products, products, vector_refs
from ..tape.references import WeightRef
from ..tape.tape import Tape
from ..weights.codes import Codes, dequantize_codes
from ..weights.rounding import Stepped, round_int8, round_stepped, split_groups

# Of files that go with the weights; tokenizer.model.v3 is of Mistral's own layout.
_COPIED_SUFFIXES = (".json", ".jinja", ".model", ".txt", ".md", ".tiktoken", ".v1", ".v2", ".v3", ".v7")
_TEMPLATES = "additional_chat_templates"
_GROUP_SCHEME = {
    "type": "int",
    "symmetric": False,
    "strategy": "group",
    "group_size": NIBBLE_GROUP,
    "dynamic": False,
}
_ROW_SCHEME = {"num_bits": 8, "type": "int", "symmetric": True, "strategy": "channel", "dynamic": False}
# How activations are rounded elsewhere; here they have a scale for each 32 columns.
_TOKEN_SCHEME = {"num_bits": 8, "type": "int", "symmetric": True, "strategy": "token", "dynamic": True}


def check_is_folder(path: Path) -> None:
    """Raises ModelError for a model in one file, of which no folder can be written."""
    if not path.is_dir():
        raise ModelError(f"{path} is one file; only a folder in Hugging Face layout can be quantized.")


def write_quantized_folder(
    files: ModelFiles, folder: Path, weights: str, codes: Mapping[str, Stepped] | None = None
) -> None:
    """Write the text model of `files` with weights in int8, mixed or int4 to a new folder.

    The head and the routers of experts stay as they are. Other files are copied. codes: of some weights, by
    their labels, instead of rounded ones. Raises ModelError if the new folder is not empty or
    cannot be written, or a file of the model is wrong.
    """
    check_is_folder(files.path)
    stated, source = read_model_config(files.named("config.json"), files.config), files.open_tensors()
    config = untie_stored_head(stated, source)
    tape = write_tape(config)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise ModelError(f"{folder} is not empty; give a new folder.")
        for path in files.path.iterdir():
            if path.is_file() and path.suffix in _COPIED_SUFFIXES and not path.name.endswith(".index.json"):
                shutil.copy(path, folder)
        if (files.path / _TEMPLATES).is_dir():
            shutil.copytree(files.path / _TEMPLATES, folder / _TEMPLATES)
        quantized, kept = _split_tensors(tape)
        bits = {} if weights == "int8" else _find_bits(tape, weights)
        tensors = {name: read_tensor(source, ref) for name, ref in kept.items()}
        dtype = tensors[tape.embedding.name].dtype
        for refs in tqdm(quantized.values(), "Rounding", unit="tensor", delay=2):
            tensors |= _convert_scales(_quantize_tensor(source, refs, bits, codes or {}), dtype)
            source.drop_file_pages()
        fields = files.config | {"quantization_config": _describe(bits, tape)}
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
    kept |= {ref.name: ref for record in head_products(tape.records) for ref in record.weights}
    for product in products(tape.records):
        kept |= {ref.name: ref for ref in product.biases}
        for ref in product.weights:
            if product.is_head or product.is_router:
                kept[ref.name] = ref
            else:
                quantized[ref.name].append(ref)
    return {name: refs for name, refs in quantized.items() if name not in kept}, kept


def _find_bits(tape: Tape, weights: str) -> dict[str, int]:
    """The bits of each quantized tensor; the most, if products with different ones share it."""
    bits: dict[str, int] = defaultdict(int)
    for product in products(tape.records):
        for ref in product.weights:
            bits[ref.name] = max(bits[ref.name], choose_bits(product, weights))
    return dict(bits)


def _quantize_tensor(
    source: TensorSource, refs: list[WeightRef], bits: Mapping[str, int], codes: Mapping[str, Stepped]
) -> dict[str, np.ndarray]:
    """The arrays of a quantized tensor. If it has all experts of a mixture, they have a leading axis.

    bits: of each tensor; none for int8.
    """
    by_expert: dict[int | None, list[WeightRef]] = defaultdict(list)
    for ref in refs:
        by_expert[ref.expert].append(ref)
    experts = [
        _write_stepped(source, parts, bits[refs[0].name], codes) if bits else _write_int8(source, parts)
        for parts in by_expert.values()
    ]
    arrays = experts[0]
    if None not in by_expert:
        arrays = {name: np.stack([expert[name] for expert in experts]) for name in arrays}
        if "weight_shape" in arrays:
            arrays["weight_shape"] = np.array([len(experts), *arrays["weight_shape"][0]])
    module = refs[0].name.removesuffix(".weight")
    return {f"{module}.{name}": array for name, array in arrays.items()}


def _write_int8(source: TensorSource, refs: list[WeightRef]) -> dict[str, np.ndarray]:
    """The arrays of a matrix in int8: numbers, and a scale for each row."""
    parts = {ref: round_int8(_read_floats(source, ref)) for ref in refs}
    return {
        "weight": _join_rows({ref: part.codes for ref, part in parts.items()}),
        "weight_scale": _join_rows({ref: part.scales[:, None] for ref, part in parts.items()}),
    }


def _write_stepped(
    source: TensorSource, refs: list[WeightRef], bits: int, codes: Mapping[str, Stepped]
) -> dict[str, np.ndarray]:
    """The arrays of a matrix in 4 to 6 bits: packed numbers, a scale and a zero for each 32 columns."""
    parts = {ref: codes.get(ref.label) or round_stepped(_read_floats(source, ref), bits) for ref in refs}
    numbers = _join_rows({ref: part.codes for ref, part in parts.items()})
    groups = _join_rows({ref: part.groups for ref, part in parts.items()})
    scales = _join_rows({ref: part.scales[:, None] for ref, part in parts.items()})
    steps, zeros = split_groups(groups, bits)
    return {
        "weight_packed": _pack_integers(numbers, bits),
        "weight_scale": scales * steps,
        "weight_zero_point": np.ascontiguousarray(_pack_integers(zeros.T, bits).T),
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


def _pack_integers(numbers: np.ndarray, bits: int) -> np.ndarray:
    """uint8 [rows, n] -> int32 [rows, ceil(n * bits / 32)]: a stream of bits, the first number lowest."""
    rows, n = numbers.shape
    stream = np.unpackbits(numbers[..., None], axis=-1, bitorder="little")[..., :bits].reshape(rows, -1)
    stream = np.pad(stream, ((0, 0), (0, -n * bits % 32)))
    return np.ascontiguousarray(np.packbits(stream, axis=-1, bitorder="little")).view(np.int32)


def _describe(bits: Mapping[str, int], tape: Tape) -> dict[str, Any]:
    """The `quantization_config` of a folder. `ignore` names products that are not quantized."""
    _, kept = _split_tensors(tape)
    refs = {ref.name for product in products(tape.records) for ref in product.weights}
    refs |= {ref.name for record in head_products(tape.records) for ref in record.weights}
    ignored = {name.removesuffix(".weight") for name in refs & kept.keys() - {tape.embedding.name}}
    modules: dict[int, list[str]] = defaultdict(list)
    for name in sorted(bits.keys() - kept.keys()):
        modules[bits[name]].append(name.removesuffix(".weight"))
    if len(modules) <= 1:  # the most usual way to name them all
        modules = {number: ["Linear"] for number in modules or [8]}
    schemes = [
        {
            "targets": targets,
            "weights": _GROUP_SCHEME | {"num_bits": number} if bits else _ROW_SCHEME,
            "input_activations": None if bits else _TOKEN_SCHEME,
            "output_activations": None,
        }
        for number, targets in sorted(modules.items())
    ]
    return {
        "quant_method": "compressed-tensors",
        "format": "pack-quantized" if bits else "int-quantized",
        "quantization_status": "compressed",
        "config_groups": {f"group_{number}": scheme for number, scheme in enumerate(schemes)},
        "ignore": sorted({"lm_head", *ignored}),
        HEAD_FIELD: "int8",
    }
