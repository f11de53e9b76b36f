"""From a model folder to a Transformer: tensors found, checked, and packed for the kernels.

A folder in Hugging Face layout is packed as it is loaded. One that `save` wrote holds packed matrices, which
are used where they lie in the file.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from .checkpoint import Checkpoint, write_safetensors
from .config import ModelConfig, read_config, write_json
from .errors import ModelError
from .kernels.emit import INT4, INT8
from .kernels.linear import STRIP
from .models import architecture
from .quantize import Int4
from .transformer import Layer, Transformer
from .weights import KINDS, Matrix, aligned_zeros, empty, pack, padded

# --weights: what matrices are held as; auto: as the checkpoint stores them
WEIGHTS = ("auto", *KINDS)
METHOD = "tritonchat"  # what quantization_config says in a folder that `save` wrote
FORMAT = 1  # of packed matrices; another number is another layout
_COPIED = (".json", ".jinja", ".model", ".txt", ".md")  # what goes with the weights
_EMBEDDING = "model.embed_tokens.weight"


def load_model(folder: Path, weights: str = "auto", chosen: Mapping[str, Int4] | None = None) -> Transformer:
    """The model in a folder, its matrices as stored or as `weights` says.

    `chosen` has codes for some of its tensors, by Hugging Face name, that take the place of rounding.
    Raises ModelError where the family is unknown, or a file is missing, damaged or not what it should be.
    """
    if weights not in WEIGHTS:
        raise ModelError(f"weights '{weights}' are not known; {', '.join(WEIGHTS)} are.")
    raw = read_config(folder)
    config, checkpoint = architecture(folder, raw), Checkpoint(folder)
    quantised = raw.get("quantization_config")
    if not quantised:
        take = _packing(checkpoint, weights, chosen or {})
    elif isinstance(quantised, dict) and quantised.get("quant_method") == METHOD:
        take = _packed(checkpoint, folder, weights, quantised)
    else:
        raise ModelError(
            f"{folder} holds weights quantised by another program, which are not supported; take the "
            "original model, and --weights int8 or int4."
        )
    numbers = tqdm(range(config.layers), "Loading weights", unit="layer", delay=2)
    layers = [_layer(config, checkpoint, take, i) for i in numbers]
    norm = _norm(checkpoint, "model.norm.weight", config.hidden_size)
    name, embedding = "lm_head", None
    if not config.tie_word_embeddings:
        # Of an embedding that stands alone a token needs one row: it stays in the file.
        embedding = _tensor(checkpoint, _EMBEDDING, (config.vocab_size, config.hidden_size))
    elif _EMBEDDING in checkpoint:  # some files keep tied weights under the other name
        name = _EMBEDDING.removesuffix(".weight")
    head = take("head", {name: config.vocab_size}, config.hidden_size, False)
    return Transformer(config, layers, norm, head, embedding)


def save(model: Transformer, source: Path, folder: Path) -> None:
    """Write a model with its packed matrices, and what else its source folder has, to a new folder.

    Raises ModelError where the folder is there and not empty, or cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise ModelError(f"{folder} is not empty; give a new folder.")
        for path in source.iterdir():
            if path.is_file() and path.suffix in _COPIED and "safetensors" not in path.name:
                shutil.copy(path, folder)
        method = {"quant_method": METHOD, "weights": model.weights, "format": FORMAT}
        write_json(folder / "config.json", read_config(source) | {"quantization_config": method})
        write_safetensors(folder / "model.safetensors", dict(_tensors(model)))
    except OSError as error:
        raise ModelError(f"{folder} cannot be written: {error.strerror}.") from error


def _tensors(model: Transformer) -> Iterator[tuple[str, np.ndarray]]:
    """All that `save` writes, by the names that `_Packed` reads."""
    size = model.config.hidden_size
    for i, layer in enumerate(model.layers):
        yield f"model.layers.{i}.input_layernorm.weight", layer.attention_norm[:size]
        yield f"model.layers.{i}.post_attention_layernorm.weight", layer.mlp_norm[:size]
        for name in ("qkv", "output", "gate_up", "down"):
            for part, array in getattr(layer, name).arrays().items():
                yield f"layers.{i}.{name}.{part}", array
    yield "model.norm.weight", model.norm[:size]
    for part, array in model.head.arrays().items():
        yield f"head.{part}", array
    if model.embedding is not None:
        yield _EMBEDDING, model.embedding


# Gives the matrix of a name, made of parts below each other: their names in a Hugging Face checkpoint with
# their rows, the columns of all, and whether they have biases.
Take = Callable[[str, dict[str, int], int, bool], Matrix]


def _packing(checkpoint: Checkpoint, weights: str, chosen: Mapping[str, Int4]) -> Take:
    """Matrices packed from the tensors of a Hugging Face checkpoint."""

    def take(name: str, parts: dict[str, int], k: int, bias: bool) -> Matrix:
        tensors = [_tensor(checkpoint, f"{part}.weight", (n, k)) for part, n in parts.items()]
        biases = [_tensor(checkpoint, f"{part}.bias", (n,)) for part, n in parts.items()] if bias else None
        kind = KINDS[tensors[0].dtype.name if weights == "auto" else weights]
        if kind == INT4 and name == "head":
            kind = INT8  # it decides which token is next: 4 bits would cost more there than they save
        codes = [chosen.get(f"{part}.weight", tensor) for part, tensor in zip(parts, tensors, strict=True)]
        try:
            return pack(codes, kind, biases, gated=len(parts) == 2)
        except ModelError as error:
            raise ModelError(f"{', '.join(parts)}: {error}") from error

    return take


def _packed(checkpoint: Checkpoint, folder: Path, weights: str, method: dict[str, Any]) -> Take:
    """Matrices as `save` wrote them."""
    stored = method.get("weights")
    if method.get("format") != FORMAT or stored not in KINDS:
        raise ModelError(
            f"{folder} was written by another version of tritonchat; run `tritonchat quantize` again."
        )
    if weights not in ("auto", stored):
        raise ModelError(f"{folder} holds {stored} weights, which cannot become {weights}.")

    def take(name: str, parts: dict[str, int], k: int, bias: bool) -> Matrix:
        kind = INT8 if KINDS[stored] == INT4 and name == "head" else KINDS[stored]
        strip = STRIP // 2 if len(parts) == 2 else STRIP  # of gates and what they let through, half each
        expected = empty(kind, sum(padded(n, strip) for n in parts.values()), k, bias)
        arrays = {}
        for part, wanted in expected.arrays().items():
            array = arrays[part] = _tensor(checkpoint, f"{name}.{part}", wanted.shape)
            if array.dtype != wanted.dtype:
                raise ModelError(f"The checkpoint is damaged: {name}.{part} is {array.dtype}.")
        return replace(expected, **arrays)

    return take


def _layer(config: ModelConfig, checkpoint: Checkpoint, take: Take, i: int) -> Layer:
    hidden, inner = config.hidden_size, config.intermediate_size
    q_size, kv_size = config.heads * config.head_dim, config.kv_heads * config.head_dim
    attention, mlp = f"model.layers.{i}.self_attn", f"model.layers.{i}.mlp"
    qkv = {f"{attention}.q_proj": q_size, f"{attention}.k_proj": kv_size, f"{attention}.v_proj": kv_size}
    gate_up = {f"{mlp}.gate_proj": inner, f"{mlp}.up_proj": inner}
    layer = Layer(
        attention_norm=_norm(checkpoint, f"model.layers.{i}.input_layernorm.weight", hidden),
        qkv=take(f"layers.{i}.qkv", qkv, hidden, config.qkv_bias),
        output=take(f"layers.{i}.output", {f"{attention}.o_proj": hidden}, q_size, config.output_bias),
        mlp_norm=_norm(checkpoint, f"model.layers.{i}.post_attention_layernorm.weight", hidden),
        gate_up=take(f"layers.{i}.gate_up", gate_up, hidden, config.mlp_bias),
        down=take(f"layers.{i}.down", {f"{mlp}.down_proj": hidden}, inner, config.mlp_bias),
    )
    checkpoint.forget()  # what is packed need not stay in memory as it was
    return layer


def _norm(checkpoint: Checkpoint, name: str, size: int) -> np.ndarray:
    weight = aligned_zeros((padded(size, STRIP),), np.float32)
    weight[:size] = _tensor(checkpoint, name, (size,))
    return weight


def _tensor(checkpoint: Checkpoint, name: str, shape: tuple[int, ...]) -> np.ndarray:
    array = checkpoint[name]
    if array.shape != shape:
        raise ModelError(
            f"The checkpoint does not fit its config.json: {name} is {list(array.shape)}, "
            f"but should be {list(shape)}."
        )
    return array
