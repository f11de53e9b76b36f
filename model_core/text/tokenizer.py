"""Text to token ids and back."""

import contextlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import tokenizers

from ..errors import InvalidRequest, ModelError, TritonchatError
from .byte_level import CHARACTER_BYTES
from .control_tokens import ControlTokens, check_unicode
from .inside_text import InnerEncoder
from .special_tokens import read_special_tokens

_ENCODING_FAILED = "the model's tokenizer fails on this text"
# What a decoder writes for bytes that are not valid UTF-8, or not yet.
REPLACEMENT = "\ufffd"
_BYTE_TOKEN = re.compile("<0x([0-9A-Fa-f]{2})>")  # the name of a byte in vocabularies with a byte fallback


class AnyTokenizer(Protocol):
    """What the engine and its users need of a tokenizer: `Tokenizer`, or `RwkvTokenizer`.

    `control_token_ids`: of the tokens that are no text. `control_tokens` marks their names
    (control_tokens.py); None: no text can spell one. `special_tokens`: such as "eos_token" -> its text.
    `joins_texts`: whether the text of tokens that are whole characters is that of each of them, joined.
    """

    joins_texts: bool
    eos_token_id: int | None
    control_token_ids: frozenset[int]
    special_tokens: Mapping[str, str]

    @property
    def control_tokens(self) -> ControlTokens | None:
        """See above."""

    def definition(self) -> list[Any]:
        """All that tokens depend on, as plain values for a fingerprint."""

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """The ids of a raw prompt. Raises InvalidRequest."""

    def encode_literally(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """As `encode`, but names of special tokens, and of tokens such as `<tool_call>`, are text."""

    def encode_text(
        self, text: str, pair: str | None = None, max_tokens: int | None = None
    ) -> tuple[list[int], list[int]]:
        """The ids of a text, or of a pair of texts, with special tokens, and their types.

        With more than `max_tokens`, the texts are cut, the longer first. Raises InvalidRequest.
        """

    def find_ends(self) -> tuple[list[int], list[int]]:
        """The tokens that `encode` adds in front of a text and behind it."""

    def encode_inside(self, text: str, literally: bool = False) -> list[int]:
        """The ids of a text inside an answer. Names of control tokens are encoded as text.

        `literally`: and so are those of the other added tokens.
        """

    def encode_marked(self, prompt: str) -> list[int]:
        """The ids of a prompt in which names of control tokens are text where `control_tokens` marked them.

        Raises InvalidRequest.
        """

    def find_control_tokens(self, names: Collection[str]) -> dict[str, int]:
        """The ids of those of the names that are control tokens, by name."""

    def decode(self, ids: Sequence[int], keep_special: bool = False) -> str:
        """The text of ids, without special tokens unless these are to be kept."""

    def decode_token(self, token_id: int) -> str:
        """The text of a single token."""

    def token_text(self, token_id: int) -> str:
        """The text of a token inside a text."""

    def token_name(self, token_id: int) -> str | None:
        """The token as the vocabulary writes it; None for an id without a token."""

    def token_id(self, name: str) -> int | None:
        """The id of a token as the vocabulary writes it; None if there is none."""

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes of `token_text`. For a part of a character they are the bytes of this part."""

    def all_token_bytes(self, count: int) -> list[bytes]:
        """The `token_bytes` of the first `count` ids; none for ids without a token. Takes up to a second."""


class Tokenizer:
    """A tokenizer of the tokenizers package."""

    def __init__(
        self, tokenizer: tokenizers.Tokenizer, special_tokens: Mapping[str, str], sample_text: str = ""
    ) -> None:
        """`special_tokens`: such as "eos_token" -> its text. A damaged tokenizer can raise anything.

        `sample_text`: of a prompt. Added tokens in it are control tokens if they look like some.
        """
        self._tokenizer = tokenizer
        self.special_tokens: Mapping[str, str] = dict(special_tokens)
        # A file may have padding or truncation from training; requests have neither.
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        # `decode` skips them by id: the package's skip_special_tokens misses the normalized ones.
        added = self._tokenizer.get_added_tokens_decoder()
        self._special_ids = frozenset(token_id for token_id, token in added.items() if token.special)
        self.joins_texts = isinstance(tokenizer.decoder, tokenizers.decoders.ByteLevel)
        self._token_texts: dict[int, str] = {}  # of single tokens, cached
        self._inner_token_texts: dict[int, str] = {}  # of tokens inside a text, cached
        self._anchor = self._tokenizer.encode("a", add_special_tokens=False).ids[-1:]
        self._anchor_text = self._tokenizer.decode(self._anchor)
        eos_token = special_tokens.get("eos_token")
        self.eos_token_id = None if eos_token is None else self._tokenizer.token_to_id(eos_token)
        marks = {token.content for token in added.values() if _is_control_like(token.content)}
        control = {
            token.content
            for token in added.values()
            if token.content
            and (
                token.special
                or token.content in special_tokens.values()
                or (token.content in sample_text and token.content in marks)
            )
        }
        self._control_names = frozenset(control)
        unknown = special_tokens.get("unk_token")
        self.control_tokens = ControlTokens(self._tokenizer, control, marks - control, unknown)
        self.control_token_ids = frozenset(
            token_id for token_id, token in added.items() if token.content in control
        )
        self._inner_encoder = InnerEncoder(self._tokenizer, control)

    @classmethod
    def from_folder(cls, folder: Path, sample_text: str = "") -> "Tokenizer":
        """The `tokenizer.json` of a model folder. Raises ModelError if a file is damaged."""
        special_tokens, path = read_special_tokens(folder), folder / "tokenizer.json"
        with raise_failures_as(ModelError, f"{path} is damaged"):
            return cls(tokenizers.Tokenizer.from_file(str(path)), special_tokens, sample_text)

    def definition(self) -> list[Any]:
        """See AnyTokenizer."""
        return [self._tokenizer.to_str(), self.special_tokens]

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """The ids of a raw prompt, with the begin token if the tokenizer adds one. Raises InvalidRequest."""
        check_unicode(text)
        with raise_failures_as(InvalidRequest, _ENCODING_FAILED):
            return self._tokenizer.encode(text, add_special_tokens=add_special_tokens).ids

    def encode_literally(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """See AnyTokenizer. Raises InvalidRequest where a name cannot be encoded as text."""
        check_unicode(text)
        ids = self.encode_marked(self.control_tokens.mark(text, with_answer_names=True))
        if not add_special_tokens:
            return ids
        begin, end = self.find_ends()
        return [*begin, *ids, *end]

    def find_ends(self) -> tuple[list[int], list[int]]:
        """See AnyTokenizer."""
        whole, inner = (self._tokenizer.encode("a", add_special_tokens=added).ids for added in (True, False))
        start = next(i for i in range(len(whole)) if whole[i : i + len(inner)] == inner)
        return whole[:start], whole[start + len(inner) :]

    def encode_text(
        self, text: str, pair: str | None = None, max_tokens: int | None = None
    ) -> tuple[list[int], list[int]]:
        """The ids of a text, or of a pair of texts, with special tokens, and their types (see Batch.types).

        With more than `max_tokens`, the texts are cut, the longer first. Raises InvalidRequest.
        """
        check_unicode(text + (pair or ""))
        with raise_failures_as(InvalidRequest, _ENCODING_FAILED):
            encoding = self._tokenizer.encode(text, pair)
            if max_tokens is not None and len(encoding.ids) > max_tokens:
                texts = [text] if pair is None else [text, pair]
                parts = [self._tokenizer.encode(part, add_special_tokens=False) for part in texts]
                room = max(0, max_tokens - self._tokenizer.num_special_tokens_to_add(pair is not None))
                for part, length in zip(parts, share_room([len(part) for part in parts], room), strict=True):
                    part.truncate(length)
                encoding = self._tokenizer.post_process(parts[0], None if pair is None else parts[1])
            return encoding.ids, encoding.type_ids

    def encode_inside(self, text: str, literally: bool = False) -> list[int]:
        """See AnyTokenizer."""
        return (self._literal_encoder if literally else self._inner_encoder).encode(text)

    @cached_property
    def _literal_encoder(self) -> InnerEncoder:
        return InnerEncoder(
            self._tokenizer, {token.content for token in self._tokenizer.get_added_tokens_decoder().values()}
        )

    def encode_marked(self, prompt: str) -> list[int]:
        """See AnyTokenizer."""
        with raise_failures_as(InvalidRequest, _ENCODING_FAILED):
            return self.control_tokens.encode(prompt)

    def find_control_tokens(self, names: Collection[str]) -> dict[str, int]:
        """The ids of those of the names that are control tokens, by name."""
        ids = {name: self._tokenizer.token_to_id(name) for name in names if name in self._control_names}
        return {name: token_id for name, token_id in ids.items() if token_id is not None}

    def decode(self, ids: Sequence[int], keep_special: bool = False) -> str:
        """The text of ids, without special tokens unless these are to be kept."""
        if not keep_special:
            ids = [token_id for token_id in ids if token_id not in self._special_ids]
        return self._tokenizer.decode(ids, skip_special_tokens=False)

    def decode_token(self, token_id: int) -> str:
        """The text of a single token; empty for a special token."""
        text = self._token_texts.get(token_id)
        if text is None:
            text = self._token_texts[token_id] = self.decode([token_id])
        return text

    def token_text(self, token_id: int) -> str:
        """The text of a token inside a text, special tokens included. Alone, many tokens lose their space."""
        text = self._inner_token_texts.get(token_id)
        if text is None:
            text = self._inner_token_texts[token_id] = self._decode_inside(token_id)
        return text

    def _decode_inside(self, token_id: int) -> str:
        text = self._tokenizer.decode([*self._anchor, token_id], skip_special_tokens=False)
        return text.removeprefix(self._anchor_text)

    def token_name(self, token_id: int) -> str | None:
        """The token as the vocabulary writes it, such as `Ġthe`; None for an id without a token."""
        return self._tokenizer.id_to_token(token_id)

    def token_id(self, name: str) -> int | None:
        """The id of a token as the vocabulary writes it; None if there is none."""
        return self._tokenizer.token_to_id(name)

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes of `token_text`. For a part of a character they are the bytes of this part."""
        return self._to_bytes(token_id, self.token_text(token_id))

    def all_token_bytes(self, count: int) -> list[bytes]:
        """The `token_bytes` of the first `count` ids; none for ids without a token. Takes up to a second."""
        return [self._to_bytes(token_id, self._decode_inside(token_id)) for token_id in range(count)]

    def _to_bytes(self, token_id: int, text: str) -> bytes:
        token = self._tokenizer.id_to_token(token_id)
        if REPLACEMENT not in text or token is None:
            return text.encode()
        if fallback := _BYTE_TOKEN.fullmatch(token):
            return bytes.fromhex(fallback[1])
        if all(character in CHARACTER_BYTES for character in token):
            return bytes(CHARACTER_BYTES[character] for character in token)
        return text.encode()


@contextlib.contextmanager
def raise_failures_as(kind: type[TritonchatError], message: str) -> Iterator[None]:
    """Turn any failure of the tokenizers package into `kind`. Its panics are no Exception."""
    try:
        yield
    except (TritonchatError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise kind(f"{message}: {' '.join(str(error).split())[:300]}.") from error


def encode_prompt(tokenizer: AnyTokenizer | None, prompt: str | Sequence[int]) -> list[int]:
    """The token ids of a raw prompt. Raises InvalidRequest for text if there is no tokenizer."""
    if not isinstance(prompt, str):
        return list(prompt)
    if tokenizer is None:
        raise InvalidRequest("this model has no tokenizer; send token ids.")
    return tokenizer.encode(prompt)


def share_room(lengths: Sequence[int], room: int) -> list[int]:
    """How much of each text, one or two, is kept if they have `room` tokens together.

    The longer one is cut first.
    """
    if len(lengths) == 1:
        return [min(lengths[0], room)]
    first, second = lengths
    shorter = min(first, second, room // 2)
    return (
        [shorter, min(second, room - shorter)] if first <= second else [min(first, room - shorter), shorter]
    )


def _is_control_like(text: str) -> bool:
    """Whether a token is neither a word nor white space, which ordinary texts have."""
    return not all(character.isalnum() or character.isspace() or character in "_▁" for character in text)
