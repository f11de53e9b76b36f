"""The tokenizer of RWKV "World" models: a list of byte strings, matched greedily, the longest first.

In a folder, the file `rwkv_vocab_v20230424.txt` (github.com/BlinkDL/RWKV-LM) has a token on each line: its
id, a Python literal of its text or bytes, and its length in bytes.
"""

import ast
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..errors import InvalidRequest, ModelError
from .control_tokens import check_unicode
from .tokenizer import REPLACEMENT

VOCABULARY_NAME = "rwkv_vocab_v20230424.txt"
_END_OF_TEXT = 0  # stands in no vocabulary


class RwkvTokenizer:
    """See `AnyTokenizer`. No text can spell a control token."""

    joins_texts = True
    control_tokens = None
    special_tokens: Mapping[str, str] = MappingProxyType({})
    eos_token_id: int | None = _END_OF_TEXT
    control_token_ids = frozenset({_END_OF_TEXT})

    def __init__(self, tokens: Mapping[int, bytes]) -> None:
        """`tokens`: their bytes by id. Raises ModelError, without the name of the file, if a byte lacks."""
        if missing := 256 - len({token for token in tokens.values() if len(token) == 1}):
            raise ModelError(f"the vocabulary lacks {missing} of the 256 bytes.")
        self._tokens = tokens
        self._ids = {token: token_id for token_id, token in self._tokens.items()}
        lengths: defaultdict[bytes, set[int]] = defaultdict(set)
        for token in self._ids:
            lengths[token[:2]].add(len(token))
        # The first two bytes -> the lengths of tokens that begin with them, the longest first.
        self._lengths = {start: sorted(sizes, reverse=True) for start, sizes in lengths.items()}

    @classmethod
    def from_folder(cls, folder: Path) -> "RwkvTokenizer":
        """The vocabulary of a model folder. Raises ModelError if the file is damaged."""
        path = folder / VOCABULARY_NAME
        try:
            return cls(_read_vocabulary(path))
        except ModelError as error:
            raise ModelError(f"{path} is damaged: {error}") from error

    def definition(self) -> list[Any]:
        """See AnyTokenizer."""
        return [self._tokens]

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """The ids of a text, which gets no special tokens. Raises InvalidRequest for invalid Unicode."""
        check_unicode(text)
        data, ids, start = text.encode(), [], 0
        while start < len(data):
            for length in (*self._lengths.get(data[start : start + 2], ()), 1):
                token_id = self._ids.get(data[start : start + length])
                if token_id is not None:
                    break
            assert token_id is not None  # each byte is a token
            ids.append(token_id)
            start += len(self._tokens[token_id])
        return ids

    def encode_literally(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """The same: no text can spell a special token."""
        return self.encode(text)

    def encode_text(
        self, text: str, pair: str | None = None, max_tokens: int | None = None
    ) -> tuple[list[int], list[int]]:
        """The ids of a text, cut to `max_tokens`, and their types. Raises InvalidRequest for a pair."""
        if pair is not None:
            raise InvalidRequest("this model's tokenizer takes one text at a time.")
        ids = self.encode(text)[:max_tokens]
        return ids, [0] * len(ids)

    def find_ends(self) -> tuple[list[int], list[int]]:
        """See AnyTokenizer: there are none."""
        return [], []

    def encode_inside(self, text: str, literally: bool = False) -> list[int]:
        """The ids of a text inside an answer."""
        return self.encode(text)

    def encode_marked(self, prompt: str) -> list[int]:
        """The ids of a prompt, which has no marks."""
        return self.encode(prompt)

    def find_control_tokens(self, names: Collection[str]) -> dict[str, int]:
        """The ids of those of the names that are control tokens: none is."""
        return {}

    def decode(self, ids: Sequence[int], keep_special: bool = False) -> str:
        """The text of ids; the end of the text has none."""
        return b"".join(map(self.token_bytes, ids)).decode(errors="replace")

    def decode_token(self, token_id: int) -> str:
        """The text of a single token; that of a part of a character is a replacement character."""
        text = self.token_bytes(token_id).decode(errors="replace")
        return REPLACEMENT if REPLACEMENT in text else text

    def token_text(self, token_id: int) -> str:
        """The text of a token inside a text."""
        return self.decode_token(token_id)

    def token_name(self, token_id: int) -> str | None:
        """The text of a token, as its name; None for an id without a token."""
        return self.decode_token(token_id) if token_id in self._tokens else None

    def token_id(self, name: str) -> int | None:
        """The id of a token by its text; None if there is none."""
        return self._ids.get(name.encode())

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes of a token; none for the end of the text."""
        return self._tokens.get(token_id, b"")

    def all_token_bytes(self, count: int) -> list[bytes]:
        """The bytes of the first `count` tokens."""
        return [self.token_bytes(token_id) for token_id in range(count)]


def _read_vocabulary(path: Path) -> dict[int, bytes]:
    """The bytes of each token. Raises ModelError, without the name of the file, if it is damaged."""
    tokens: dict[int, bytes] = {}
    try:
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            if not line.strip():
                continue
            first, last = line.index(" "), line.rindex(" ")
            token_id, token = int(line[:first]), ast.literal_eval(line[first:last].strip())
            token = token.encode() if isinstance(token, str) else token
            if not isinstance(token, bytes) or len(token) != int(line[last:]) or not token or token_id < 1:
                raise ValueError(f"line {number} is no token")
            tokens[token_id] = token
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise ModelError(f"{' '.join(str(error).split())[:200]}.") from error
    return tokens
