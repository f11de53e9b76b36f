"""Reads the sampling defaults of a model: `generation_config.json`."""

import logging
from pathlib import Path
from typing import Any

from ..checks.file_values import Fields, read_number, shorten
from ..checks.known_fields import GENERATION
from ..errors import ModelError
from ..files.model_files import ModelFiles
from ..requests.sampling import GenerationDefaults

LOGGER = logging.getLogger(__name__)


def read_generation_defaults(files: ModelFiles) -> GenerationDefaults:
    """The defaults in generation_config.json, with the end tokens of config.json too.

    Fields that would change which tokens are sampled, and are not supported, are logged.
    Raises ModelError if a field has a wrong value.
    """
    path, generation = files.named("generation_config.json"), files.generation_config
    eos = _read_eos_token_ids(files.config, files.named("config.json"))
    eos |= _read_eos_token_ids(generation, path)
    fields = Fields(generation, GENERATION)
    try:
        defaults = _parse_generation_defaults(fields, eos)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error
    for name, value in fields.unread().items():
        LOGGER.warning(
            "%s: %s is %s, which is not supported; answers are sampled without it.",
            path,
            shorten(name),
            shorten(value),
        )
    return defaults


def _read_eos_token_ids(source: dict[str, Any], path: Path) -> frozenset[int]:
    ids = source.get("eos_token_id")
    ids = ids if isinstance(ids, list) else [] if ids is None else [ids]
    if not all(type(i) is int for i in ids):
        raise ModelError(f"{path}: eos_token_id should be a token id or a list of them, not {shorten(ids)}.")
    return frozenset(ids)


def _parse_generation_defaults(generation: dict[str, Any], eos: frozenset[int]) -> GenerationDefaults:
    does_sample = bool(generation.get("do_sample", False))
    top_k = int(read_number(generation, "top_k", 50 if does_sample else 0))
    return GenerationDefaults(
        eos_token_ids=eos,
        temperature=read_number(generation, "temperature", 1.0) if does_sample else 0.0,
        top_p=read_number(generation, "top_p", 1.0),
        top_k=max(0, top_k),  # some files have -1 for all tokens
        min_p=read_number(generation, "min_p", 0.0),
        repetition_penalty=read_number(generation, "repetition_penalty", 1.0),
    )
