"""Files in the form of OpenAI's tiktoken: a line for each token, its bytes in base64 and its rank.

They have neither the expression that splits texts nor the control tokens, which belong to a class of
tokenizers. Sources: llama-models (tokenizer.py), Qwen (tokenization_qwen.py), Kimi-K2 and Moonlight
(tokenization_kimi.py, tokenization_moonshot.py), GLM-4 (tokenization_chatglm.py).
"""

import base64
import binascii
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...checks.file_values import shorten
from ...errors import ModelError
from ...text.byte_level import BYTE_CHARACTERS
from ...text.special_tokens import read_special_tokens, read_tokenizer_config
from .tekken import find_merges

_LINE = re.compile(rb"([A-Za-z0-9+/]+={0,2}) (\d{1,7})")
_NORMAL, _CONTROL = 1, 3  # types of tokens in GGUF files
_ROLES = {"bos": "bos_token", "eos": "eos_token", "padding": "pad_token"}


@dataclass(frozen=True)
class _Kind:
    """What a class of tokenizers adds to the ranks.

    Attributes:
        pre: how texts are split (gguf/pre_tokenizers.py).
        control: the control tokens behind the ranks; first id -> names.
        roles: special tokens, which the folder's settings replace.
        adds_beginning: whether prompts begin with a token.
        max_ranks: a file with more is of another model.
    """

    pre: str
    control: Callable[[int], list[str]]
    roles: dict[str, str]
    adds_beginning: bool = False
    max_ranks: int = 2**20


def _llama3_control(first: int) -> list[str]:
    names = [
        *("<|begin_of_text|>", "<|end_of_text|>", "<|reserved_special_token_0|>"),
        *("<|reserved_special_token_1|>", "<|finetune_right_pad_id|>", "<|reserved_special_token_2|>"),
        *("<|start_header_id|>", "<|end_header_id|>", "<|eom_id|>", "<|eot_id|>", "<|python_tag|>"),
    ]
    return names + [f"<|reserved_special_token_{i - 8}|>" for i in range(len(names), 256)]


def _qwen_control(first: int) -> list[str]:
    return ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *(f"<|extra_{i}|>" for i in range(205))]


def _kimi_control(first: int) -> list[str]:
    return [f"<|reserved_token_{first + i}|>" for i in range(256)]


_LLAMA3 = _Kind(
    "llama-bpe",
    _llama3_control,
    {"bos_token": "<|begin_of_text|>", "eos_token": "<|end_of_text|>"},
    adds_beginning=True,
    max_ranks=128_000,  # Llama 4 has 200,000, and splits texts in another way
)
_QWEN = _Kind("qwen2", _qwen_control, {"eos_token": "<|endoftext|>"})
_KIMI = _Kind("kimi-k2", _kimi_control, {})
_GLM4 = _Kind("glm4", lambda first: [], {})  # tokenizer_config.json lists its control tokens
# tokenizer_class, without "Fast" -> kind
_CLASSES = {
    "LlamaTokenizer": _LLAMA3,
    "PreTrainedTokenizer": _LLAMA3,
    "TokenizersBackend": _LLAMA3,
    "QWenTokenizer": _QWEN,
    "TikTokenTokenizer": _KIMI,
    "ChatGLM4Tokenizer": _GLM4,
}
# Name of the file -> the class in a folder that names none.
_USUAL = {"qwen.tiktoken": "QWenTokenizer", "tiktoken.model": "TikTokenTokenizer"}


def is_tiktoken(path: Path) -> bool:
    """Whether a file begins with a line of this form."""
    try:
        with path.open("rb") as file:
            return _LINE.fullmatch(file.readline(4096).rstrip(b"\r\n")) is not None
    except OSError:
        return False


def find_tiktoken(folder: Path) -> str | None:
    """The name of the file in a folder that has one: tiktoken.model or, for example, qwen.tiktoken."""
    names = sorted(
        name for name in os.listdir(folder) if name == "tiktoken.model" or name.endswith(".tiktoken")
    )
    return names[0] if names else None


def read_tiktoken(folder: Path, name: str) -> dict[str, Any]:
    """The fields of a file of a folder. Raises ModelError, also for a class that is not known."""
    config, path = read_tokenizer_config(folder), folder / name
    class_name = str(config.get("tokenizer_class") or _USUAL.get(name, "LlamaTokenizer")).removesuffix("Fast")
    kind = _CLASSES.get(class_name)
    if kind is None:
        raise ModelError(
            f"{path} has the ranks of a {shorten(class_name)}, of which {', '.join(_CLASSES)} are supported "
            "without a tokenizer.json."
        )
    words = _read_words(path)
    if len(words) > kind.max_ranks:
        raise ModelError(
            f"{path} has {len(words)} ranks, but a {class_name} has {kind.max_ranks} at most; take a folder "
            "with a tokenizer.json."
        )
    names = ["".join(map(BYTE_CHARACTERS.__getitem__, word)) for word in words]
    control = kind.control(len(names))
    tokens = names + control
    fields: dict[str, Any] = {
        "model": "gpt2",
        "pre": kind.pre,
        "tokens": tokens,
        "token_type": np.array([_NORMAL] * len(names) + [_CONTROL] * len(control), np.int32),
        "merges": find_merges(names),
        "add_bos_token": bool(config.get("add_bos_token", kind.adds_beginning)),
        "add_eos_token": bool(config.get("add_eos_token", False)),
    }
    roles = kind.roles | read_special_tokens(folder)
    for role, key in _ROLES.items():
        if roles.get(key) in control:
            fields[f"{role}_token_id"] = len(names) + control.index(roles[key])
    return {f"tokenizer.ggml.{name}": value for name, value in fields.items()}


def _read_words(path: Path) -> list[bytes]:
    """The tokens in the order of their ranks. Raises ModelError."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.") from error
    words: dict[int, bytes] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        match = _LINE.fullmatch(line.rstrip(b"\r"))
        try:
            if match is None or int(match[2]) in words:
                raise ValueError
            words[int(match[2])] = base64.b64decode(match[1], validate=True)
        except (ValueError, binascii.Error) as error:
            raise ModelError(f"{path} is damaged: line {number} has no token and rank of its own.") from error
    ranked = [words[rank] for rank in sorted(words)]
    known = set(ranked)
    if sorted(words) != list(range(len(words))) or len(known) < len(ranked):
        raise ModelError(
            f"{path} is damaged: its {len(words)} ranks are not 0 to {len(words) - 1}, once each."
        )
    if not all(bytes([byte]) in known for byte in range(256)):
        raise ModelError(f"{path} is damaged: it has no tokens for some bytes.")
    return ranked
