"""tekken.json: the tokenizer of Mistral's models, byte-level BPE by ranks as tiktoken has it."""

import base64
import binascii
from pathlib import Path
from typing import Any

import numpy as np

from ...checks.file_values import read_json, shorten
from ...errors import ModelError
from ...text.byte_level import BYTE_CHARACTERS
from ..gguf.pre_tokenizers import TEKKEN

_NORMAL, _CONTROL = 1, 3  # types of tokens in GGUF files
_MAX_TOKENS = 2**21
# Of files that do not list their own. Numbered ones follow.
_OLD_SPECIAL = [
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
    *("[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]"),
    *("[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]"),
]
_ROLES = {"unknown": "<unk>", "bos": "<s>", "eos": "</s>", "padding": "<pad>"}


def read_tekken(path: Path) -> dict[str, Any]:
    """The fields of a tekken.json. Raises ModelError."""
    raw = read_json(path)
    try:
        config = raw["config"]
        count, whole = config["default_num_special_tokens"], config["default_vocab_size"]
        if not (type(count) is type(whole) is int and 0 <= count <= whole <= _MAX_TOKENS):
            raise ValueError(f"{shorten(count)} of {shorten(whole)} tokens are special")
        special, size = _read_special(raw.get("special_tokens"), count), whole - count
        ranked = sorted(raw["vocab"], key=lambda token: token["rank"])[:size]
        if [token["rank"] for token in ranked] != list(range(size)):
            raise ValueError(f"its ranks are not 0 to {size - 1}")
        words = [base64.b64decode(token["token_bytes"], validate=True) for token in ranked]
        pattern = config["pattern"]
    except (KeyError, TypeError, ValueError, AttributeError, binascii.Error) as error:
        raise ModelError(f"{path} is damaged: {error!r:.200}.") from error
    if pattern != TEKKEN:
        raise ModelError(f"{path} splits texts by {shorten(pattern)}, which is not known.")
    tokens = special + ["".join(map(BYTE_CHARACTERS.__getitem__, word)) for word in words]
    fields: dict[str, Any] = {
        "model": "gpt2",
        "pre": "tekken",
        "tokens": tokens,
        "token_type": np.array([_CONTROL] * count + [_NORMAL] * size, np.int32),
        "merges": find_merges(tokens[count:]),
        "add_bos_token": True,
    }
    for role, token in _ROLES.items():
        if token in special:
            fields[f"{role}_token_id"] = special.index(token)
    return {f"tokenizer.ggml.{name}": value for name, value in fields.items()}


def _read_special(stated: Any, count: int) -> list[str]:
    """The special tokens, by id."""
    names = list(_OLD_SPECIAL)
    if stated is not None:
        names = [token["token_str"] for token in sorted(stated, key=lambda token: token["rank"])]
    if len(names) > count or not all(isinstance(name, str) for name in names):
        raise ValueError(f"it has {len(names)} special tokens, of {count}")
    return names + [f"<SPECIAL_{i}>" for i in range(len(names), count)]


def find_merges(words: list[str]) -> list[str]:
    """The merges of byte-level BPE by ranks, of tokens in the order of their ranks.

    Of all pairs of neighbours, the one that makes the token of the lowest rank is merged, whatever its parts.
    """
    known, merges = set(words), []
    lengths = {len(word) for word in words}
    for word in words:
        # A damaged file may have a word of a million bytes, of which not all prefixes can be looked up.
        for i in sorted(i for i in lengths if 0 < i < len(word) and len(word) - i in lengths):
            if word[:i] in known and word[i:] in known:
                merges.append(f"{word[:i]} {word[i:]}")
    return merges
