"""The special tokens of a model folder."""

import os
from pathlib import Path
from typing import Any

from ..checks.file_values import read_json
from ..errors import ModelError


def read_tokenizer_config(folder: Path) -> dict[str, Any]:
    """tokenizer_config.json, with special_tokens_map.json of older models. Raises ModelError."""
    paths = (folder / "special_tokens_map.json", folder / "tokenizer_config.json")
    merged: dict[str, Any] = {}
    for path in paths:
        merged.update(read_json(path) if os.path.isfile(path) else {})
    return merged


def read_special_tokens(folder: Path) -> dict[str, str]:
    """The special tokens that have a role, such as "eos_token" -> its text. Raises ModelError."""
    raw = read_tokenizer_config(folder)
    tokens = {}
    for name in ("bos_token", "eos_token", "unk_token", "pad_token"):
        token = raw.get(name)
        token = token.get("content") if isinstance(token, dict) else token
        if isinstance(token, str):
            tokens[name] = token
            try:
                token.encode()
            except UnicodeEncodeError as error:
                raise ModelError(
                    f"{folder / 'tokenizer_config.json'}, or special_tokens_map.json beside it, is damaged: "
                    f"{name} has half of a surrogate pair."
                ) from error
    return tokens
