"""vocab.json and merges.txt: byte-level BPE as GPT-2's tokenizer was published."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...checks.file_values import expect, read_json, shorten
from ...errors import ModelError
from ...text.special_tokens import read_special_tokens, read_tokenizer_config


@dataclass(frozen=True)
class MergesClass:
    """A class of tokenizers with these files.

    Attributes:
        pre: how texts are split (gguf/pre_tokenizers.py).
        is_composed: whether texts are brought into the normal form NFC.
        is_roberta: whether a text stands between <s> and </s>, and a second one behind </s>.
        tokens: the special tokens where the folder names none.
    """

    pre: str
    is_composed: bool = False
    is_roberta: bool = False
    tokens: Mapping[str, str] = field(default_factory=dict)


_NORMAL, _CONTROL = 1, 3  # types of tokens in GGUF files
_ROLES = {"unknown": "unk_token", "bos": "bos_token", "eos": "eos_token", "padding": "pad_token"}
_ROBERTA_TOKENS = {
    **{"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"},
    "mask_token": "<mask>",
}
_GPT2_TOKENS = dict.fromkeys(("bos_token", "eos_token", "unk_token"), "<|endoftext|>")
_QWEN_TOKENS = dict.fromkeys(("eos_token", "pad_token"), "<|endoftext|>")
_COHERE_TOKENS = {"bos_token": "<BOS_TOKEN>", "eos_token": "<|END_OF_TURN_TOKEN|>", "pad_token": "<PAD>"}
_ROBERTA = MergesClass("gpt-2", is_roberta=True, tokens=_ROBERTA_TOKENS)
# tokenizer_class, without "Fast". Source: the classes of Transformers 5.24.
CLASSES = {
    "GPT2Tokenizer": MergesClass("gpt-2", tokens=_GPT2_TOKENS),
    "CodeGenTokenizer": MergesClass("gpt-2", tokens=_GPT2_TOKENS),
    "GPTNeoXTokenizer": MergesClass("gpt-2", is_composed=True, tokens=_GPT2_TOKENS),
    "Qwen2Tokenizer": MergesClass("qwen2", is_composed=True, tokens=_QWEN_TOKENS),
    "Qwen3_5Tokenizer": MergesClass("qwen35", is_composed=True, tokens=_QWEN_TOKENS),
    "CohereTokenizer": MergesClass("command-r", is_composed=True, tokens=_COHERE_TOKENS),
    "RobertaTokenizer": _ROBERTA,
    "BartTokenizer": _ROBERTA,
    "LongformerTokenizer": _ROBERTA,
}


def find_class(config: Mapping[str, Any]) -> str:
    """The tokenizer_class of tokenizer_config.json, without "Fast"."""
    return str(config.get("tokenizer_class") or "GPT2Tokenizer").removesuffix("Fast")


def read_merges(folder: Path) -> dict[str, Any]:
    """The fields of the two files of a folder. Raises ModelError, also for a class that is not known."""
    config, path = read_tokenizer_config(folder), folder / "vocab.json"
    name = find_class(config)
    if name not in CLASSES:
        raise ModelError(
            f"{folder} has vocab.json and merges.txt of a {shorten(name)}, of which {', '.join(CLASSES)} are "
            "supported without a tokenizer.json."
        )
    kind = CLASSES[name]
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
        "pre": kind.pre,
        "tokens": tokens,
        "merges": [line for line in lines if line and not line.startswith("#version")],
        "add_bos_token": bool(config.get("add_bos_token", False)),
        "add_eos_token": bool(config.get("add_eos_token", False)),
    }
    special = {**kind.tokens, **read_special_tokens(folder)}
    types = np.full(len(tokens), _NORMAL, np.int32)
    for role, key in _ROLES.items():
        if special.get(key) in ids:
            fields[f"{role}_token_id"] = ids[special[key]]
    types[[ids[token] for token in special.values() if token in ids]] = _CONTROL
    fields["token_type"] = types
    return {f"tokenizer.ggml.{name}": value for name, value in fields.items()}
