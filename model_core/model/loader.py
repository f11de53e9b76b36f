"""Loads a model: reads its tensors, checks them, and packs them for the kernels.

All weights are copied into memory, so that later changes of the files do not harm a running model.
"""

import logging
import os
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..checks.file_values import shorten
from ..checks.flags import check_weights
from ..errors import ModelError
from ..families import read_model_config, write_tape
from ..families.config import ModelConfig, stretch
from ..files.model_files import ModelFiles
from ..files.source import TensorSource, find_name, read_tensor
from ..kernels.emit import HAS_BFLOAT16_TILES
from ..kernels.products.bfloat16 import HAS_PAIRS
from ..machine.memory import aligned_zeros
from ..machine.progress import ProgressBar
from ..tape.classifier import Classifier, Dense, LoadedClassifier
from ..tape.last_rows import take_rows_early
from ..tape.operations import Experts, HeadLinear, Linear
from ..tape.passes import (
    distinct_products,
    drop_head,
    fuse,
    hand_on_hidden_states,
    hand_on_layer_inputs,
    head_products,
    permute_inputs,
    products,
    split_products,
    tables,
    vector_refs,
)
from ..tape.references import WeightRef
from ..tape.tape import Tape
from ..weights.matrix import Matrix
from .balancing import fill_waiting
from .draft_heads import Eagle3Head, find_mtp_tape, open_eagle3_head
from .loaded_weights import LoadedWeights, MatrixKey
from .packer import Packer
from .tied_head import untie_stored_head
from .transformer import Transformer

LOGGER = logging.getLogger(__name__)


def load_model(
    files: ModelFiles,
    weights: str = "auto",
    on_progress: Callable[[float], None] | None = None,
    arithmetic: str = "auto",
    portable: bool = False,
    draft_head: bool | ModelFiles = False,
    max_context: int | None = None,
    given_layers: int = 0,
) -> Transformer:
    """Load a model, with matrices of the type `weights`; "auto" is the stored type.

    `on_progress` is called with the part of the matrices that is loaded. `arithmetic`, `portable`: see LLM.
    draft_head: load a head that drafts: True for the MTP head if the files have one, or the files of an
    EAGLE-3 head. max_context: positions that texts may have; None: the model's own. given_layers: see
    ModelConfig. Raises ModelError if the family is unknown, or a file is missing, damaged or wrong.
    """
    check_weights(weights)
    source, config, tape = read_tape(files, weights == "auto", max_context, given_layers)
    head_tape, head_weights, head = None, None, None
    eagle = open_eagle3_head(draft_head, config, tape) if isinstance(draft_head, ModelFiles) else None
    if eagle is not None:
        tape = hand_on_layer_inputs(tape, eagle.layers, config.hidden_size)
    elif draft_head and any(product.is_head for product in products(tape.records)):
        head_tape = find_mtp_tape(config, tape, source)
    if head_tape is not None:
        tape = hand_on_hidden_states(tape)
        head_tape = fit_tape(head_tape, source) if weights == "auto" else head_tape
    packer = Packer(files, source, weights)
    # A folder with weights of few bits has one head to round at most, and is to be loaded at once.
    loaded = read_weights(tape, source, packer, on_progress, may_wait=weights != "auto")
    if head_tape is not None:
        head_weights = read_weights(head_tape, source, packer, None, loaded)
    parts = choose_parts(arithmetic, portable, loaded.has_integers)
    if head_tape is not None and head_weights is not None:
        head = Transformer(config, head_tape, head_weights, arithmetic, parts)
    elif eagle is not None:
        head = _load_eagle3(eagle, loaded, weights, arithmetic, parts)
    if packer.waiting:  # with the same arithmetic whatever is asked for, and so with the same weights
        fill_waiting(Transformer(config, tape, loaded, "int8"), packer, source, on_progress)
    packer.report_loss()
    _check_all_read(source, config, tape, bool(files.config.get("num_nextn_predict_layers")))
    return Transformer(config, tape, loaded, arithmetic, parts, head)


def _load_eagle3(
    head: Eagle3Head, model: LoadedWeights, weights: str, arithmetic: str, parts: int
) -> Transformer:
    """An EAGLE-3 head. `model`: the weights of the model, whose embedding it may share."""
    tape, packer = head.tape, Packer(head.files, head.source, weights)
    if not head.has_embedding:
        shared = model.embeddings.get("x", model.head)
        assert shared is not None
        loaded = read_weights(replace(tape, embeddings={}), head.source, packer, None)
        loaded = replace(loaded, embeddings={"x": shared})
    else:
        loaded = read_weights(tape, head.source, packer, None)
    packer.report_loss()
    _check_all_read(head.source, head.config, tape, False)
    return Transformer(head.config, tape, loaded, arithmetic, parts, token_ids=head.token_ids)


def read_tape(
    files: ModelFiles, as_stored: bool, max_context: int | None, given_layers: int
) -> tuple[TensorSource, ModelConfig, Tape]:
    """The tensors of a model, its configuration, and its tape, as it fits the tensors.

    as_stored: matrices are packed as they are stored.
    """
    own, source = read_model_config(files.named("config.json"), files.config), files.open_tensors()
    stated = stretch(own, max_context)
    if stated != own:
        LOGGER.warning(
            "Contexts of more than %d tokens need LongRoPE's factors for long texts, which are used for all "
            "texts now, with other answers to short ones.",
            own.max_context,
        )
    config = untie_stored_head(stated, source)
    if config != stated:
        LOGGER.warning(
            "%s has a head that differs from its embedding, though tie_word_embeddings is true; the stored "
            "head is used.",
            files.path,
        )
    config = replace(config, given_layers=given_layers)
    tape = write_tape(config)
    if not (config.is_causal and _has_head(files, source, tape)):
        tape.unused |= {ref.name for head in products(tape.records) if head.is_head for ref in head.weights}
        tape = replace(tape, records=drop_head(tape.records))
    return source, config, fit_tape(tape, source) if as_stored else tape


def read_weights(
    tape: Tape,
    source: TensorSource,
    packer: Packer,
    on_progress: Callable[[float], None] | None,
    shared: LoadedWeights | None = None,
    may_wait: bool = False,
) -> LoadedWeights:
    """The weights of a tape, packed. An MTP head shares embedding and head with those of its model.

    may_wait: weights to be rounded wait for the inputs of their products (Packer.waiting), but for the second
    products of experts, of which each has inputs of its own.
    """
    records = take_rows_early(fuse(tape.records), tape.handed_on)
    alone = {record.down.weights for record in records if isinstance(record, Experts)}
    linears: list[Linear | HeadLinear] = [*distinct_products(records), *head_products(records)]
    matrices: dict[MatrixKey, Matrix] = {}
    embeddings: dict[str, np.ndarray | Matrix] = {}
    if shared is not None:
        heads = [record for record in linears if isinstance(record, Linear) and record.is_head]
        matrices = {record.weights: shared.matrices[record.weights] for record in heads}
        embeddings = {name: shared.embeddings[name] for name in tables(tape)}
        linears = [record for record in linears if record not in heads]
    for record in ProgressBar(linears, "Loading weights", unit="matrix", delay=2):
        if isinstance(record, HeadLinear):
            matrices[record.weight,] = packer.pack_heads(record)
        else:
            matrices[record.weights] = packer.pack(record, may_wait and record.weights not in alone)
        source.drop_file_pages()  # the packed matrix replaces it
        if on_progress is not None:
            on_progress((len(matrices) - len(packer.waiting)) / len(linears))
    embeddings = embeddings or {name: packer.pack_table(table) for name, table in tables(tape).items()}
    return LoadedWeights(
        records,
        matrices,
        {weight: _read_vector(source, weight) for weight in vector_refs(records)},
        embeddings,
        _read_classifier(source, tape.classifier),
    )


def choose_parts(arithmetic: str, is_portable: bool, has_integers: bool) -> int:
    """The bfloat16 parts of activations that bfloat16 weights multiply; 0: they multiply float32.

    has_integers: other weights are integers. Then the same request gives the same bytes on every processor.
    Raises ModelError if `arithmetic` is not possible here.
    """
    if arithmetic != "bfloat16":
        if is_portable or has_integers or arithmetic == "float32":
            return 0
        if arithmetic == "auto" and HAS_PAIRS:
            return 1
        return 2 if HAS_BFLOAT16_TILES else 0
    if not HAS_PAIRS:
        raise ModelError(
            "arithmetic 'bfloat16' needs a processor with AVX-512 BF16, or with AMX that is used "
            "(`tritonchat doctor` says why it is not)."
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

    def read(weight: WeightRef) -> np.ndarray:
        return weight.read(read_tensor(source, weight)).copy()

    layers = (
        Dense(
            read(layer.weight),
            layer.bias and read(layer.bias),
            layer.activation,
            layer.norm and read(layer.norm),
            layer.eps,
        )
        for layer in classifier.layers
    )
    return LoadedClassifier(classifier.pooling, tuple(layers))


def fit_tape(tape: Tape, source: TensorSource) -> Tape:
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
    r"|model\.(aligner|connector|merger|projector)\..*"  # of images, in DeepSeek-VL, Idefics3, MiniCPM-V
    r"|(vision|visual|vit|audio|image|video|multi_modal|mm|mtp|embed_vision|embed_audio)(_\w+)?\..*"
    r"|patch_merge_mlp\..*|image_newline)"
)


def _check_all_read(source: TensorSource, config: ModelConfig, tape: Tape, has_more_layers: bool) -> None:
    """Raises ModelError if the files have weights of the text model that nobody has read.

    has_more_layers: after the model's layers there are others that predict several tokens at once.
    """
    layer = re.compile(r"(?:.*\.)?(?:layers|blk)\.(\d+)\.")  # GGUF files have the latter

    def is_unused(name: str) -> bool:
        match = layer.match(name)
        return bool(
            _UNUSED_TENSORS.fullmatch(name)
            or name in tape.unused
            or f"{name.rpartition('.')[0]}.weight" in tape.unused  # what a format has beside or instead of it
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
