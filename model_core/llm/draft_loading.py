"""Loads a small model that drafts for a large one."""

from dataclasses import dataclass, replace
from pathlib import Path

from ..cache.memory import KVCache
from ..cache.reserve import Limits, create_kv_cache
from ..engine.draft_model import DraftModel
from ..errors import ModelError, NoMemory
from ..families.eagle3 import is_eagle3
from ..files.model_files import ModelFiles, open_model_files
from ..hub import fetch_model, model_name
from ..machine.resources import available_memory
from ..model.estimate import MemoryFlags, check_memory, gibibytes
from ..model.loader import load_model
from ..model.transformer import Transformer
from ..model.whole_texts import TextInput, compute_texts
from ..text.tokenizer import AnyTokenizer


@dataclass(frozen=True)
class DraftSettings:
    """A model to draft with, and its flags, which are those of the large model."""

    name: str
    files: ModelFiles
    weights: str
    arithmetic: str
    kv_cache_dtype: str


def open_draft_files(model: str | Path, flags: MemoryFlags) -> ModelFiles:
    """The files of what drafts: a small model, or an EAGLE-3 head. It is downloaded if it must be.

    Raises ModelError, or NoMemory.
    """
    name = model_name(model)

    def check(files: ModelFiles) -> None:
        free = available_memory()
        if not is_eagle3(files.config):
            check_memory(name, files, flags, free)
        elif (size := sum(path.stat().st_size for path in files.open_tensors().files())) > free:
            raise NoMemory(f"{name} needs {gibibytes(size)} of memory, but there are only {gibibytes(free)}.")

    files = open_model_files(fetch_model(model, None, check))
    check(files)
    return files


def load_draft_model(
    settings: DraftSettings, large: Transformer, tokenizer: AnyTokenizer | None, limits: Limits
) -> tuple[DraftModel, Limits]:
    """The small model, and the limits of the large one, whose KV memory is smaller now.

    Each gets memory for the same number of positions. Raises ModelError or NoMemory.
    """
    name, files = settings.name, settings.files
    model = load_model(files, settings.weights, arithmetic=settings.arithmetic)
    if model.tape.states or not model.has_head:
        what = "has recurrent layers, whose states cannot go back" if model.tape.states else "makes no text"
        raise ModelError(f"{name} {what}, so it cannot draft; choose another draft model (--draft-model).")
    small = files.open_tokenizer(model.config.max_context, None)
    try:
        check_vocabulary(name, model, None if small is None else small.tokenizer, large, tokenizer)
    finally:
        if small is not None:
            small.close()
    model.set_threads(large.threads)
    own, others = (
        len(m.kv_groups) * KVCache.bytes_per_page(m.kv_groups, settings.kv_cache_dtype)
        for m in (model, large)
    )
    memory = limits.kv_cache_memory * own // (own + others)
    cache = create_kv_cache(model.kv_groups, memory, settings.kv_cache_dtype)
    list(compute_texts(model, [TextInput([0], range(1))], model.forward, memory))  # compiles its kernels
    rest = replace(limits, kv_cache_memory=limits.kv_cache_memory - memory)
    return DraftModel(model, cache, large.config.vocab_size), rest


def check_vocabulary(
    name: str,
    small: Transformer,
    small_tokenizer: AnyTokenizer | None,
    large: Transformer,
    large_tokenizer: AnyTokenizer | None,
) -> None:
    """Raises ModelError if the tokens of two models differ. Only one may have unused ones at the end."""
    advice = "choose a draft model of the same family (--draft-model)."
    sizes = small.config.vocab_size, large.config.vocab_size
    if small_tokenizer is None or large_tokenizer is None:
        if small_tokenizer is not large_tokenizer or sizes[0] != sizes[1]:
            raise ModelError(
                f"{name} has a vocabulary of {sizes[0]}, and the large model one of {sizes[1]}, and not both "
                f"have a tokenizer; {advice}"
            )
        return
    for token in range(min(sizes)):
        names = small_tokenizer.token_name(token), large_tokenizer.token_name(token)
        if names[0] != names[1]:
            raise ModelError(
                f"{name} has another vocabulary: its token {token} is {names[0]!r}, and that of the large "
                f"model is {names[1]!r}; {advice}"
            )
