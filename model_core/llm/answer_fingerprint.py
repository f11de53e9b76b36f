"""Fingerprints of all that answers depend on but the request.

Two models with the same fingerprint give the same bytes. It is made of the content of files and of settings,
not of weights as they are in memory, so that it can be told without loading them, and is the same on every
processor that computes the same bytes.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import llvmlite.binding as llvm

from ..chat.chat_tokenizer import ChatTokenizer
from ..chat.template import CLOCK
from ..embeddings.settings import EmbeddingSettings
from ..files.hashes import FileState, hash_files
from ..files.model_files import ModelFiles
from ..images.decoder import name_versions
from ..kernels.emit import HAS_BFLOAT16_TILES, INSTRUCTION_SET
from ..machine.digest import digest
from ..machine.semantics import SEMANTICS
from ..model.loader import choose_parts
from ..requests.sampling import GenerationDefaults
from .loaded import LoadedModel, Origin
from .settings import LLMSettings

# What makes tokens of texts, texts of templates, and masks of forms. Their answers are their own, so that
# another version may have others.
_PACKAGES = ("tokenizers", "jinja2", "llguidance")
_SAYS_NOTHING = ("_name_or_path", "transformers_version")  # fields of config.json that many programs change
_EVERY_PROCESSOR = "x86-64 with AVX2 and FMA"
_FLOATS_ALONE = ("float32", "float16")  # --weights that leave no bfloat16 weights


@dataclass(frozen=True)
class Loading:
    """What loading decides, beside the files and settings.

    Attributes:
        has_integers: whether there are weights of integers.
        tower_integers: the same of each stage of the tower; empty if there is none.
        max_context, kv_cache_dtype: see LLMSettings; as they are used.
        chat_tokenizer, defaults, embedding: see LoadedModel and Embedder.
    """

    has_integers: bool
    tower_integers: tuple[bool, ...]
    max_context: int
    kv_cache_dtype: str
    chat_tokenizer: ChatTokenizer | None
    defaults: GenerationDefaults
    embedding: EmbeddingSettings


def make_origin(files: ModelFiles, settings: LLMSettings, sees: bool) -> Origin:
    """What `describe_origin` needs of files, as they are now. `sees`: with its tower. Raises ModelError."""
    vision = files.vision if sees else None
    sources = [files.open_tensors(), *(() if vision is None else (vision.open_tensors(),))]
    found = {path: FileState.of(path) for source in sources for path in source.files()}
    states = tuple(dict.fromkeys(found.values()))  # one file may hold the tower, too
    numbers = {path: states.index(state) for path, state in found.items()}
    tensors = [(name, numbers[path]) for source in sources for name, path in source.places().items()]
    is_folder = files.path.is_dir()  # else the files of the weights have all fields
    config = files.config if is_folder else {}
    fields = None if vision is None else [vision.config, vision.read_processor()] if is_folder else []
    settled = settings.weights, settings.arithmetic, settings.portable
    return Origin(states, tuple(tensors), config, fields, *settled)


def describe_loaded(llm: LoadedModel) -> dict[str, Any]:
    """What `LLM.made_of` returns for no adapter."""
    encoder = llm.engine.encoder
    return describe_origin(
        llm.origin,
        Loading(
            llm.model.weights.has_integers,
            () if encoder is None else encoder.tower.has_integers,
            llm.engine.limits.max_context,
            llm.kv_cache_dtype,
            llm.chat_tokenizer,
            llm.defaults,
            llm.embedder.settings,
        ),
    )


def describe_origin(origin: Origin, loading: Loading) -> dict[str, Any]:
    """All that answers depend on, as JSON: short values as they are, others as hashes.

    Raises ModelError if a file has changed since `make_origin`.
    """
    tokenizer, hashes = loading.chat_tokenizer, hash_files(origin.states)
    flags = (loading.has_integers, *loading.tower_integers)
    arithmetic, *of_tower = (_name_arithmetic(origin, flag) for flag in flags)
    vision = {
        "config": digest(_sort(_leave_out(origin.vision))),
        "arithmetic": of_tower,
        "decoders": name_versions(),
    }
    return {
        "semantics": SEMANTICS,
        "files": sorted(hashes),
        # An index may choose from which file a tensor comes, and whether it comes at all.
        "tensors": digest(sorted((name, hashes[number]) for name, number in origin.tensors)),
        "config": digest(_sort({k: v for k, v in origin.config.items() if k not in _SAYS_NOTHING})),
        "weights": origin.weights,
        "arithmetic": arithmetic,
        "processor": _name_processor(any(_find_parts(origin, flag) for flag in flags)),
        "kv_cache_dtype": loading.kv_cache_dtype,
        "max_context": loading.max_context,
        "tokenizer": None if tokenizer is None else digest(tokenizer.tokenizer.definition()),
        "template": None if tokenizer is None else digest(tokenizer.chat_template.sources),
        "end_token": None if tokenizer is None else tokenizer.tokenizer.eos_token_id,
        "defaults": {**vars(loading.defaults), "eos_token_ids": sorted(loading.defaults.eos_token_ids)},
        "embeddings": digest({k: v for k, v in vars(loading.embedding).items() if v is not None}),
        **({} if origin.vision is None else {"vision": vision}),
        **({"clock": True} if tokenizer is not None and _reads_clock(tokenizer) else {}),
        "packages": {package: version(package) for package in _PACKAGES},
    }


def _find_parts(origin: Origin, has_integers: bool) -> int:
    """See `choose_parts`; 0 where no weights are bfloat16."""
    parts = choose_parts(origin.arithmetic, origin.portable, has_integers)
    return 0 if origin.weights in _FLOATS_ALONE else parts


def _name_arithmetic(origin: Origin, has_integers: bool) -> str:
    """How products are computed."""
    rounds = has_integers and origin.arithmetic != "float32"
    others = {0: "float32", 1: "bfloat16", 2: "two bfloat16"}[_find_parts(origin, has_integers)]
    return f"int8, {others}" if rounds else others


def _name_processor(has_parts: bool) -> str:
    """Which processors compute the same bytes. `has_parts`: bfloat16 weights multiply bfloat16."""
    if INSTRUCTION_SET == "generic":  # it rounds floats otherwise, if it has no fused multiply-add
        return llvm.get_host_cpu_name()
    if has_parts:  # tiles round otherwise than vectors
        return "x86-64 with AMX" if HAS_BFLOAT16_TILES else "x86-64 with AVX-512 BF16"
    return _EVERY_PROCESSOR


def _leave_out(value: Any) -> Any:
    """The value without the fields that say nothing, however deep."""
    if isinstance(value, Mapping):
        return {name: _leave_out(each) for name, each in value.items() if name not in _SAYS_NOTHING}
    return list(map(_leave_out, value)) if isinstance(value, list) else value


def _reads_clock(tokenizer: ChatTokenizer) -> bool:
    """Whether the chat template may write the date, so that prompts are other ones tomorrow."""
    return CLOCK in json.dumps(tokenizer.chat_template.sources, default=repr)


def _sort(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=repr)
