"""Loads a model folder: reads its tensors, checks them, and packs them for the kernels.

A folder in Hugging Face layout is packed during loading. A folder that `save_model` wrote is packed already.
All weights are copied into memory, so that later changes of the files do not harm a running model.
"""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from .checkpoint import Checkpoint, write_safetensors
from .choices import WEIGHTS
from .config import ModelConfig, read_config, write_json
from .errors import ModelError
from .fields import shorten
from .kernels.emit import INT8
from .kernels.linear import STRIP
from .memory import aligned_zeros, round_up
from .models import read_model_config, write_tape
from .passes import fuse, products, vector_refs
from .quantize import Int4
from .records import Linear, WeightRef
from .tape import Tape
from .transformer import Transformer
from .weights import KINDS, Matrix, allocate, pack

QUANT_METHOD = "tritonchat"  # in quantization_config of a folder that `save_model` wrote
FORMAT_VERSION = 2  # of packed matrices; it changes with their layout
_COPIED_SUFFIXES = (".json", ".jinja", ".model", ".txt", ".md")  # files that `save_model` copies
_EMBEDDING_NAME = "model.embed_tokens.weight"


def load_model(folder: Path, weights: str = "auto", codes: Mapping[str, Int4] | None = None) -> Transformer:
    """Load the model in a folder, with matrices of the type `weights`; "auto" is the stored type.

    `codes` has int4 codes for some tensors, by Hugging Face name, instead of rounded ones. Raises ModelError
    if the family is unknown, or a file is missing, damaged or wrong.
    """
    if weights not in WEIGHTS:
        raise ModelError(f"weights '{weights}' are not known; {', '.join(WEIGHTS)} are.")
    raw = read_config(folder)
    config, checkpoint = read_model_config(folder, raw), Checkpoint(folder)
    quantized = raw.get("quantization_config")
    if not quantized:
        read_matrix = _make_tensor_reader(checkpoint, weights, codes or {})
    elif isinstance(quantized, dict) and quantized.get("quant_method") == QUANT_METHOD:
        read_matrix = _make_packed_reader(checkpoint, folder, weights, quantized)
    else:
        raise ModelError(
            f"{folder} holds weights quantized by another program, which are not supported; take the "
            "original model, and --weights int8 or int4."
        )
    tape = write_tape(config)
    records = fuse(tape.records)
    matrices, vectors = {}, {}
    linears = list(products(records))
    for record in tqdm(linears, "Loading weights", unit="matrix", delay=2):
        matrices[record.weights] = read_matrix(record)
        checkpoint.drop_file_pages()  # the packed matrix replaces it
    for weight in vector_refs(records):
        vectors[weight] = _read_vector(checkpoint, weight)
    tied = any(tape.embedding in record.weights for record in linears)
    embeddings = {
        buffer: _copy(_read_tensor(checkpoint, table))
        for buffer, table in tape.embeddings.items()
        if not (tied and table == tape.embedding)
    }
    _check_all_read(
        checkpoint, config, tape, is_tied=tied, has_more_layers=bool(raw.get("num_nextn_predict_layers"))
    )
    return Transformer(config, tape, matrices, vectors, embeddings)


def save_model(model: Transformer, source: Path, folder: Path) -> None:
    """Write a model with packed matrices to a new folder, with the other files of its source folder.

    Raises ModelError if the new folder is not empty or cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise ModelError(f"{folder} is not empty; give a new folder.")
        for path in source.iterdir():
            if path.is_file() and path.suffix in _COPIED_SUFFIXES and "safetensors" not in path.name:
                shutil.copy(path, folder)
        method = {"quant_method": QUANT_METHOD, "weights": model.weight_dtype, "format": FORMAT_VERSION}
        write_json(folder / "config.json", read_config(source) | {"quantization_config": method})
        write_safetensors(folder / "model.safetensors", dict(_collect_arrays(model)))
    except OSError as error:
        raise ModelError(f"{folder} cannot be written: {error.strerror}.") from error


def _collect_arrays(model: Transformer) -> Iterator[tuple[str, np.ndarray]]:
    """All arrays that `save_model` writes, with their names."""
    for weight, vector in model.vectors.items():
        yield weight.name, vector
    for weights, matrix in model.matrices.items():
        for part, array in matrix.arrays().items():
            yield f"{_packed_name(weights)}.{part}", array
    for buffer, array in model.embeddings.items():
        yield model.tape.embeddings[buffer].name, array


def _packed_name(weights: tuple[WeightRef, ...]) -> str:
    """The name of a packed matrix, from its first tensor."""
    return f"packed.{weights[0].name.removesuffix('.weight')}"


# Reads the matrix of a product.
MatrixReader = Callable[[Linear], Matrix]


def _make_tensor_reader(checkpoint: Checkpoint, weights: str, codes: Mapping[str, Int4]) -> MatrixReader:
    """A reader of the tensors of a Hugging Face checkpoint, which it packs."""

    def read(record: Linear) -> Matrix:
        tensors = [weight.select(_read_tensor(checkpoint, weight)) for weight in record.weights]
        biases = [bias.select(_read_tensor(checkpoint, bias)) for bias in record.biases] or None
        kind = _matrix_kind(record, weights, tensors[0].dtype)
        names = [weight.label for weight in record.weights]
        parts = [codes.get(name, tensor) for name, tensor in zip(names, tensors, strict=True)]
        try:
            return pack(parts, kind, biases, gated=record.gate is not None)
        except ModelError as error:
            raise ModelError(f"{', '.join(names)}: {error}") from error

    return read


def _matrix_kind(record: Linear, weights: str, stored: np.dtype) -> int:
    """The kind of a matrix in a model with these `weights`. stored: the type of its tensors."""
    if weights == "auto" or (record.is_router and weights in ("int8", "int4")):
        return KINDS[stored.name]
    if weights == "int4" and record.is_head:
        return INT8  # 4 bits of the head would cost more quality than their memory is worth
    return KINDS[weights]


def _make_packed_reader(
    checkpoint: Checkpoint, folder: Path, weights: str, method: dict[str, Any]
) -> MatrixReader:
    """A reader of the matrices that `save_model` wrote."""
    stored = method.get("weights")
    if method.get("format") != FORMAT_VERSION or not isinstance(stored, str) or stored not in KINDS:
        raise ModelError(
            f"{folder} was written by another version of tritonchat; run `tritonchat quantize` again."
        )
    if weights not in ("auto", stored):
        raise ModelError(f"{folder} holds {stored} weights, which cannot become {weights}.")

    def read(record: Linear) -> Matrix:
        name = _packed_name(record.weights)
        data_type = checkpoint[f"{name}.data"].dtype
        if record.is_router and data_type.name not in KINDS:
            raise ModelError(f"The checkpoint is damaged: {name}.data is {data_type}.")
        kind = _matrix_kind(record, stored, data_type)
        strip = STRIP // 2 if record.gate else STRIP  # half for the gate, half for the up projection
        rows = sum(round_up(weight.rows, strip) for weight in record.weights)
        matrix = allocate(kind, rows, record.x.width, bool(record.biases))
        for part, target in matrix.arrays().items():
            array = checkpoint[f"{name}.{part}"]
            _check_shape(array, f"{name}.{part}", target.shape)
            if array.dtype != target.dtype:
                raise ModelError(f"The checkpoint is damaged: {name}.{part} is {array.dtype}.")
            if array.dtype != np.uint8:
                checkpoint.check_finite(f"{name}.{part}")
            target[...] = array
        return matrix

    return read


# Tensors that text models have no use for: buffers that older files hold, other modalities, and layers that
# predict several tokens at once.
_UNUSED_TENSORS = re.compile(
    r"(.*\.)?(rotary_emb\..*|(attn|attention)\.(masked_)?bias"
    r"|blocks\.0\.att\.v[012]"  # RWKV-7 has them in all layers, and uses them in the later ones
    r"|(vision|visual|audio|image|video|multi_modal|mm|mtp|embed_vision|embed_audio)(_\w+)?\..*|image_newline)"
)


def _check_all_read(
    checkpoint: Checkpoint, config: ModelConfig, tape: Tape, is_tied: bool, has_more_layers: bool
) -> None:
    """Raises ModelError if the checkpoint has weights of the text model that nobody has read.

    is_tied: the head's matrix is that of the embedding. has_more_layers: after the model's layers there are
    others that predict several tokens at once.
    """
    layer = re.compile(r"(?:.*\.)?layers\.(\d+)\.")

    def is_unused(name: str) -> bool:
        match = layer.match(name)
        return bool(
            _UNUSED_TENSORS.fullmatch(name)
            or name in tape.unused
            or (is_tied and name == "lm_head.weight")
            or (has_more_layers and match and int(match[1]) >= config.layers)
        )

    names = [name for name in checkpoint.unread() if not is_unused(name)]
    if names:
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        raise ModelError(
            f"The checkpoint has tensors that a {config.family} model with this config.json does not use: "
            f"{', '.join(map(shorten, names[:3]))}{more}."
        )


def _copy(array: np.ndarray) -> np.ndarray:
    """A copy in memory. A mapped file that is truncated ends the process that reads it (SIGBUS)."""
    copy = aligned_zeros(array.shape, array.dtype)
    copy[...] = array
    return copy


def _read_vector(checkpoint: Checkpoint, weight: WeightRef) -> np.ndarray:
    """The whole tensor that a weight is a part of, in float32."""
    vector = aligned_zeros(weight.shape, np.float32)
    vector[...] = _read_tensor(checkpoint, weight)
    return vector


def _read_tensor(checkpoint: Checkpoint, weight: WeightRef) -> np.ndarray:
    """The whole tensor of a weight, with the right shape.

    Some files have tied weights under the name of the head.
    """
    name = weight.name
    if name == _EMBEDDING_NAME and name not in checkpoint:
        name = "lm_head.weight"
    array = checkpoint[name]
    _check_shape(array, name, weight.shape)
    checkpoint.check_finite(name)
    return array


def _check_shape(array: np.ndarray, name: str, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise ModelError(
            f"The checkpoint does not fit its config.json: {name} is {shorten(list(array.shape))}, "
            f"but should be {list(shape)}."
        )
