"""Reads adapters as Hugging Face PEFT writes them: adapter_config.json, adapter_model.safetensors or .bin."""

import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..checks.file_values import Fields, expect, read_json, read_number, read_size, shorten
from ..checks.known_fields import ADAPTER
from ..errors import ModelError
from ..files.checkpoint import Checkpoint
from ..files.safetensors import text_model_name
from ..tape.low_rank import Adapter, LowRank

MAX_RANK = 256
CONFIG_NAME, WEIGHTS_NAME = "adapter_config.json", "adapter_model.safetensors"
_PREFIX = "base_model.model."
# Of what PEFT calls a layer's parameters, those that are LoRA.
_LOW_RANK = re.compile(r"(?P<module>.+)\.lora_(?P<embedding>embedding_)?(?P<factor>[AB])(\.weight)?")
# The way of initialization, if it leaves the weights of the model as they are.
_PLAIN_STARTS = (None, True, False, "gaussian", "eva", "orthogonal")
# Keys of `rank_pattern` and `alpha_pattern`: names of modules, or the simplest of regular expressions. Others
# could take forever.
_PATTERN = re.compile(r"\^?(\.\*|\\\.)?[\w.\\]+(\|[\w.\\]+)*\$?")


def read_adapter(folder: Path) -> Adapter:
    """The adapter in a folder. Its arrays are views of the file.

    Raises ModelError if a file is missing or damaged, or if the adapter is not LoRA.
    """
    path = folder / CONFIG_NAME
    if not os.path.isfile(path):
        raise ModelError(f"{folder} has no {CONFIG_NAME}; an adapter is a folder in the layout of PEFT.")
    raw = Fields(read_json(path), ADAPTER)
    try:
        rank, scales = _read_config(raw)
        raw.check_all_read()
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error
    source = Checkpoint(folder, file_name=WEIGHTS_NAME)
    return _read_tensors(source, next(iter(source.files()), folder), rank, scales)


class _Scales:
    """The factors of products, from `lora_alpha`, `alpha_pattern` and `use_rslora`."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self._alpha = read_number(raw, "lora_alpha", 8.0)
        self._has_root = bool(raw.get("use_rslora"))  # rank-stabilized, Kalajdzievski, 2023, arXiv:2312.03732
        self._patterns = _read_patterns(raw, "alpha_pattern")

    def of(self, module: str, rank: int) -> float:
        """The factor of a module's product."""
        alpha = next((a for pattern, a in self._patterns if pattern.fullmatch(module)), self._alpha)
        return alpha / (math.sqrt(rank) if self._has_root else rank)


def _read_config(raw: Fields) -> tuple[int | None, _Scales]:
    """The rank of all products, None if they differ, and their scales."""
    kind = raw.get("peft_type")
    if kind != "LORA":
        raise ModelError(f"peft_type is {shorten(kind)}, but only LORA is supported.")
    for name, title in (
        ("use_dora", "DoRA"),
        ("use_qalora", "QA-LoRA"),
        ("alora_invocation_tokens", "aLoRA"),
    ):
        if raw.get(name):
            raise ModelError(f"{name} is set, but {title} is not supported, only LoRA.")
    if names := raw.get("target_parameters"):
        raise ModelError(f"target_parameters {shorten(names)} are experts, which adapters cannot change.")
    expect(raw, bias="none", lora_bias=False)
    start = raw.get("init_lora_weights")
    if start not in _PLAIN_STARTS:
        raise ModelError(
            f"init_lora_weights is {shorten(start)}, which changes the weights of the model too; convert the "
            "adapter to plain LoRA with PEFT's path_initial_model_for_weight_conversion."
        )
    scales = _Scales(raw)
    rank = read_size(raw, "r", 8, MAX_RANK)
    return None if _read_patterns(raw, "rank_pattern") else rank, scales


def _read_patterns(raw: Mapping[str, Any], name: str) -> list[tuple[re.Pattern[str], float]]:
    """The numbers of modules whose names match a pattern, as PEFT matches them."""
    patterns = raw.get(name) or {}
    if not isinstance(patterns, dict):
        raise ModelError(f"{name} should be an object, not {shorten(patterns)}.")
    read = []
    for key in patterns:
        if not _PATTERN.fullmatch(key):
            raise ModelError(f"{name} has {shorten(key)}, which is no name of a module.")
        try:
            read.append((re.compile(rf"(.*\.)?({key})"), read_number(patterns, key, None)))
        except re.error as error:
            raise ModelError(f"{name} has {shorten(key)}, which is no name of a module.") from error
    return read


def _read_tensors(source: Checkpoint, path: Path, rank: int | None, scales: _Scales) -> Adapter:
    """The tensors of an adapter whose products have this rank; None: any."""
    adapter = Adapter()
    for name in source.stored:
        if not name.startswith(_PREFIX):
            raise ModelError(
                f"{path}: {shorten(name)} is no tensor of an adapter; PEFT names them {_PREFIX}..."
            )
        plain = name.removeprefix(_PREFIX)
        match = _LOW_RANK.fullmatch(plain)
        if match is None:
            if ".lora_" in plain:
                raise ModelError(f"{path}: {shorten(name)} is not supported, only lora_A and lora_B are.")
            adapter.replaced[text_model_name(plain)] = source[name]
        elif match["factor"] == "B":
            module, other = match["module"], re.sub(r"B(\.weight)?$", r"A\1", name)
            _check_pair(source, path, other, name)
            is_embedding = bool(match["embedding"])
            a, b = source[other], source[name]
            if rank is not None and len(a) != rank:
                raise ModelError(
                    f"{path}: {shorten(other)} has rank {len(a)}, but r in {CONFIG_NAME} is {rank}."
                )
            changes = adapter.embeddings if is_embedding else adapter.products
            low_rank = LowRank(a.T if is_embedding else a, b, scales.of(module, len(a)))
            changes[text_model_name(f"{module}.weight")] = low_rank
    if left := source.unread():
        raise ModelError(f"{path}: {shorten(left[0])} has no other factor, lora_B.")
    return adapter


def _check_pair(source: Checkpoint, path: Path, a_name: str, b_name: str) -> None:
    """Raises ModelError unless two factors fit each other."""
    if a_name not in source:
        raise ModelError(f"{path}: {shorten(b_name)} has no other factor, lora_A.")
    a, b = source.shape(a_name), source.shape(b_name)
    if len(a) != 2 or len(b) != 2 or a[0] != b[1]:
        raise ModelError(f"{path}: {shorten(a_name)} is {list(a)} and lora_B is {list(b)}; they do not fit.")
    if not 0 < a[0] <= MAX_RANK:
        raise ModelError(f"{path}: {shorten(a_name)} has rank {a[0]}, but the rank may be 1 to {MAX_RANK}.")
