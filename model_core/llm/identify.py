"""What a model is made of, from its files alone: without loading its weights."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

from ..adapters.peft import read_adapter
from ..checks.flags import choose_kv_cache_dtype
from ..embeddings.settings import read_embedding_settings
from ..families.vision.parts import VisionConfig
from ..families.vision.registry import write_tower
from ..files.model_files import ModelFiles, open_model_files
from ..files.source import TensorSource, find_name, read_weights
from ..files.vision import PatchSource, find_vision
from ..hub import embedded_model, fetch_model
from ..machine.digest import digest
from ..model.loader import fit_tape, read_tape
from ..model.packer import choose_matrix_kind
from ..tape.operations import Linear
from ..tape.passes import find_hidden_states, fuse, products
from ..tape.references import WeightRef
from ..tape.tape import Tape
from ..weights.codes import FLOAT8, Codes
from ..weights.matrix import INTEGERS
from .answer_fingerprint import Loading, describe_origin, make_origin
from .build import find_max_context, read_defaults
from .settings import LLMSettings


def identify_model(path: str | Path | None, settings: LLMSettings) -> dict[str, Any]:
    """What `LLM.made_of` of the model at `path` would be with these settings. Raises ModelError.

    `path`: a folder, a name on the hub, or None for the embedded model.
    """
    folder = fetch_model(embedded_model() if path is None else path, settings.revision)
    files = open_model_files(folder, settings.mmproj)
    vision = find_vision(files)
    origin = make_origin(files, settings, vision is not None)
    given_layers = 0 if vision is None else vision.parts - 1
    source, config, tape = read_tape(files, settings.weights == "auto", settings.max_context, given_layers)
    records = fuse(tape.records)
    max_context = find_max_context(settings, config.max_context)
    chat_tokenizer = files.open_tokenizer(max_context, settings.chat_template)
    try:
        tokenizer = None if chat_tokenizer is None else chat_tokenizer.tokenizer
        width = find_hidden_states(records).width
        embedding = read_embedding_settings(files, tokenizer, tape.is_causal, width)
        if not any(product.is_head for product in products(records)):
            max_context = min(max_context, embedding.max_tokens or max_context)
        loading = Loading(
            _has_integers(tape, source, settings.weights, files),
            () if vision is None else _find_tower_integers(vision, settings.weights, files),
            max_context,
            choose_kv_cache_dtype(settings.kv_cache_dtype, settings.arithmetic),
            chat_tokenizer,
            read_defaults(files),
            embedding,
        )
        return describe_origin(origin, loading)
    finally:
        if chat_tokenizer is not None:
            chat_tokenizer.close()


def identify_adapter(folder: Path) -> str:
    """The part "adapter" of `LLM.made_of` for the adapter in a folder. Raises ModelError."""
    return digest(read_adapter(folder))


def _find_tower_integers(vision: VisionConfig, weights: str, files: ModelFiles) -> tuple[bool, ...]:
    """The same of each stage of the tower."""
    assert files.vision is not None
    source = PatchSource(files.vision.open_tensors())
    tapes = [stage.tape for stage in write_tower(vision).stages]
    tapes = [fit_tape(tape, source) if weights == "auto" else tape for tape in tapes]
    return tuple(_has_integers(tape, source, weights, files) for tape in tapes)


def _has_integers(tape: Tape, source: TensorSource, weights: str, files: ModelFiles) -> bool:
    """Whether a matrix becomes one of integers (see Packer.pack)."""

    layouts: dict[Hashable, bool] = {}

    def holds_integers(weight: WeightRef) -> bool:
        """Whether stored weights are integers. One tensor of each layout is read to know it."""
        layout = source.layout(find_name(source, weight))
        if layout is None:
            return False
        if layout not in layouts:
            codes = read_weights(source, weight)
            layouts[layout] = isinstance(codes, Codes) and codes.codes.dtype != FLOAT8
        return layouts[layout]

    def is_integer(product: Linear) -> bool:
        kind = choose_matrix_kind(product, weights, files)
        return kind in INTEGERS if kind is not None else all(map(holds_integers, product.weights))

    return any(map(is_integer, products(fuse(tape.records))))
