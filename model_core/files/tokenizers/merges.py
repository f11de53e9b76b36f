"""vocab.json and merges.txt: byte-level BPE as GPT-2's tokenizer was published."""

from pathlib import Path
from typing import Any

from ...checks.file_values import expect, read_json, shorten
from ...errors import ModelError
from ...text.special_tokens import read_special_tokens, read_tokenizer_config

# tokenizer_class, without "Fast" -> how texts are split (gguf/pre_tokenizers.py)
SPLITS = {"GPT2Tokenizer": "gpt-2", "CodeGenTokenizer": "gpt-2", "Qwen2Tokenizer": "qwen2"}
_ROLES = {"unknown": "unk_token", "bos": "bos_token", "eos": "eos_token", "padding": "pad_token"}


def read_merges(folder: Path) -> dict[str, Any]:
    """The fields of the two files of a folder. Raises ModelError, also for a class that is not known."""
    config, path = read_tokenizer_config(folder), folder / "vocab.json"
    name = str(config.get("tokenizer_class") or "GPT2Tokenizer").removesuffix("Fast")
    if name not in SPLITS:
        raise ModelError(
            f"{folder} has vocab.json and merges.txt of a {shorten(name)}, of which {', '.join(SPLITS)} are "
            "supported without a tokenizer.json."
        )
    expect(config, add_prefix_space=False)
    ids = read_json(path)
    numbers = list(ids.values())
    if not numbers or any(type(number) is not int or not 0 <= number < 2**21 for number in numbers):
        raise ModelError(f"{path} should give each token a number.")
    tokens = [""] * (max(numbers) + 1)
    for token, number in ids.items():
        tokens[number] = token
    try:
        lines = (folder / "merges.txt").read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{folder / 'merges.txt'} cannot be read: {error}.") from error
    fields: dict[str, Any] = {
        "model": "gpt2",
        "pre": SPLITS[name],
        "tokens": tokens,
        "merges": [line for line in lines if line and not line.startswith("#version")],
        "add_bos_token": bool(config.get("add_bos_token", False)),
        "add_eos_token": bool(config.get("add_eos_token", False)),
    }
    special = read_special_tokens(folder)
    for role, key in _ROLES.items():
        if special.get(key) in ids:
            fields[f"{role}_token_id"] = ids[special[key]]
    return {f"tokenizer.ggml.{name}": value for name, value in fields.items()}
