"""Loads a model: reads its tensors, checks them, and packs them for the kernels.

All weights are copied into memory, so that later changes of the files do not harm a running model.
"""

import os
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from tqdm import tqdm

from .choices import check_weights
from .config import ModelConfig
from .dense import Classifier, Dense, LoadedClassifier
from .errors import ModelError
from .fields import shorten
from .kernels.bfloat16 import HAS_PAIRS
from .kernels.emit import HAS_AMX
from .memory import aligned_zeros
from .model_files import ModelFiles
from .models import read_model_config, write_tape
from .packer import Packer
from .passes import drop_head, fuse, permute_inputs, products, split_products, vector_refs
from .records import WeightRef
from .tape import Tape
from .tensors import TensorSource, find_name, read_tensor
from .transformer import Transformer


def load_model(
    files: ModelFiles,
    weights: str = "auto",
    on_progress: Callable[[float], None] | None = None,
    arithmetic: str = "int8",
    portable: bool = False,
) -> Transformer:
    """Load a model, with matrices of the type `weights`; "auto" is the stored type.

    `on_progress` is called with the part of the matrices that is loaded. `arithmetic`, `portable`: see LLM.
    Raises ModelError if the family is unknown, or a file is missing, damaged or wrong.
    """
    check_weights(weights)
    parts = _choose_parts(arithmetic, portable)
    config, source = read_model_config(files.named("config.json"), files.config), files.open_tensors()
    tape = write_tape(config)
    if not _has_head(files, source, tape):
        tape = replace(tape, records=drop_head(tape.records))
    if weights == "auto":
        tape = _fit_tape(tape, source)
    records = fuse(tape.records)
    packer = Packer(files, source, weights)
    matrices, vectors = {}, {}
    linears = list(products(records))
    for record in tqdm(linears, "Loading weights", unit="matrix", delay=2):
        matrices[record.weights] = packer.pack(record)
        source.drop_file_pages()  # the packed matrix replaces it
        if on_progress is not None:
            on_progress(len(matrices) / len(linears))
    packer.report_loss()
    for weight in vector_refs(records):
        vectors[weight] = _read_vector(source, weight)
    tied = any(tape.embedding in record.weights for record in linears)
    embeddings = {
        buffer: packer.pack_table(table)
        for buffer, table in tape.embeddings.items()
        if not (tied and table == tape.embedding)
    }
    classifier = _read_classifier(source, tape.classifier)
    has_more_layers = bool(files.config.get("num_nextn_predict_layers"))
    _check_all_read(source, config, tape, is_tied=tied, has_more_layers=has_more_layers)
    return Transformer(config, tape, matrices, vectors, embeddings, arithmetic, classifier, parts)


def _choose_parts(arithmetic: str, is_portable: bool) -> int:
    """The bfloat16 parts of activations that bfloat16 weights multiply; 0: they multiply float32.

    Raises ModelError if `arithmetic` is not possible here.
    """
    if arithmetic != "bfloat16":
        return 2 if HAS_AMX and not is_portable else 0
    if not HAS_PAIRS:
        raise ModelError(
            "arithmetic 'bfloat16' needs a processor with AVX-512 BF16, or with AMX and TRITONCHAT_AMX=1 "
            "(see docs/speed.md)."
        )
    if is_portable:
        raise ModelError("arithmetic 'bfloat16' is not portable: give one of the two.")
    return 1


def _has_head(files: ModelFiles, source: TensorSource, tape: Tape) -> bool:
    """Whether the files have the matrix that gives logits, or should have it.

    Models for embeddings are stored without it, and say so in one of two ways.
    """
    head = next((product for product in products(tape.records) if product.is_head), None)
    if head is None or find_name(source, head.weights[0]) in source:
        return head is not None
    architectures = files.config.get("architectures") or [""]
    return not (str(architectures[0]).endswith("Model") or os.path.isfile(files.path / "modules.json"))


def _read_classifier(source: TensorSource, classifier: Classifier | None) -> LoadedClassifier | None:
    """The layers behind the pooled hidden states."""
    if classifier is None:
        return None

    def read(weight: WeightRef | None) -> np.ndarray | None:
        return None if weight is None else weight.read(read_tensor(source, weight)).copy()

    layers = (
        Dense(read(layer.weight), read(layer.bias), layer.activation, read(layer.norm), layer.eps)
        for layer in classifier.layers
    )
    return LoadedClassifier(classifier.pooling, tuple(layers))


def _fit_tape(tape: Tape, source: TensorSource) -> Tape:
    """The tape with products whose matrices can be packed as they are stored."""
    records = split_products(tape.records, lambda weight: source.layout(find_name(source, weight)))
    return replace(
        tape, records=permute_inputs(records, lambda weight: source.order(find_name(source, weight)))
    )


# Tensors that text models have no use for: buffers that older files hold, other modalities, and layers that
# predict several tokens at once.
_UNUSED_TENSORS = re.compile(
    r"(.*\.)?(rotary_emb\..*|(attn|attention)\.(masked_)?bias"
    r"|blocks\.0\.att\.v[012]"  # RWKV-7 has them in all layers, and uses them in the later ones
    r"|(vision|visual|audio|image|video|multi_modal|mm|mtp|embed_vision|embed_audio)(_\w+)?\..*|image_newline)"
)


def _check_all_read(
    source: TensorSource, config: ModelConfig, tape: Tape, is_tied: bool, has_more_layers: bool
) -> None:
    """Raises ModelError if the files have weights of the text model that nobody has read.

    is_tied: the head's matrix is that of the embedding. has_more_layers: after the model's layers there are
    others that predict several tokens at once.
    """
    layer = re.compile(r"(?:.*\.)?(?:layers|blk)\.(\d+)\.")  # GGUF files have the latter

    def is_unused(name: str) -> bool:
        match = layer.match(name)
        return bool(
            _UNUSED_TENSORS.fullmatch(name)
            or name in tape.unused
            or (is_tied and name == "lm_head.weight")
            or (has_more_layers and match and int(match[1]) >= config.layers)
        )

    names = [name for name in source.unread() if not is_unused(name)]
    if names:
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        raise ModelError(
            f"{source.path_of(names[0])} has tensors that a {config.family} model of this configuration does "
            f"not use: {', '.join(map(shorten, names[:3]))}{more}."
        )


def _read_vector(source: TensorSource, weight: WeightRef) -> np.ndarray:
    """The whole tensor that a weight is a part of, in float32."""
    vector = aligned_zeros(weight.shape, np.float32)
    vector[...] = read_tensor(source, weight)
    return vector
