"""The tokenizer and the chat template in the metadata of GGUF files."""

import logging
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

from ...chat.chat_tokenizer import ChatTokenizer
from ...chat.template import ChatTemplate, NoTemplate, open_chat_template
from ...checks.file_values import shorten
from ...errors import ModelError
from ...text.infill import ROLES
from ...text.rwkv_tokenizer import RwkvTokenizer
from ...text.tokenizer import Tokenizer, raise_failures_as
from .pre_tokenizers import is_known, make_pre_tokenizer, takes_whole_words

LOGGER = logging.getLogger(__name__)
_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED, _UNUSED, _BYTE = range(1, 7)  # types of tokens
_MAX_TOKENS = 2**21
_SPACE = "▁"  # SentencePiece writes it for a space
_RWKV = "rwkv"  # tokenizer.ggml.model
# Files of RWKV have the name of a template that llama.cpp knows instead of a template.
_RWKV_TEMPLATE_NAME = "rwkv-world"
_RWKV_TEMPLATE = (
    "{% for m in messages %}{{ m.role | title }}: {{ m.content | trim }}\n\n{% endfor %}"
    "{% if add_generation_prompt %}Assistant:{% endif %}"
)
_ENDS = (("bos", "cls"), ("eos", "seperator"))  # roles of the tokens around a text
_TEMPLATE = "tokenizer.chat_template"  # that of other templates ends with their names, as in .tool_use
_DAMAGED = "its tokenizer is damaged"
_SPECIAL = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"}


class _Vocabulary:
    """The tokens of a file, by id. Raises ModelError without the name of the file."""

    def __init__(self, metadata: Mapping[str, Any]) -> None:
        self._metadata = metadata
        tokens = self.get("tokens", list)
        if not tokens or len(tokens) > _MAX_TOKENS or not isinstance(tokens[0], str):
            raise ModelError("tokenizer.ggml.tokens should be a list of texts.")
        self.tokens = [token or f"[EMPTY_{i}]" for i, token in enumerate(tokens)]
        self.ids = {token: i for i, token in enumerate(self.tokens)}
        if len(self.ids) < len(self.tokens):
            twice = next(token for i, token in enumerate(self.tokens) if self.ids[token] != i)
            raise ModelError(f"tokenizer.ggml.tokens has {shorten(twice)} twice.")
        self.types = self.numbers("token_type", _NORMAL)

    def get(self, name: str, kind: type | tuple[type, ...], default: Any = None) -> Any:
        """A field, of a certain type."""
        value = self._metadata.get(f"tokenizer.ggml.{name}", default)
        if not isinstance(value, kind) and value is not default:
            raise ModelError(f"tokenizer.ggml.{name} cannot be {shorten(value)}.")
        return value

    def numbers(self, name: str, default: float) -> list[float]:
        """A number for each token."""
        array = self.get(name, np.ndarray)
        if array is None:
            return [default] * len(self.tokens)
        if len(array) != len(self.tokens) or not np.isfinite(array).all():
            raise ModelError(
                f"tokenizer.ggml.{name} should have a number for each of {len(self.tokens)} tokens."
            )
        return array.tolist()

    def special(self, name: str, default: str | None = None) -> str | None:
        """The text of a special token, such as "bos"."""
        token_id = self.get(f"{name}_token_id", int)
        if token_id is None:
            return default if default in self.ids else None
        # Some files name tokens that they lack.
        return self.tokens[token_id] if 0 <= token_id < len(self.tokens) else None

    def of_type(self, *types: int) -> list[str]:
        """The tokens of these types."""
        return [token for token, kind in zip(self.tokens, self.types, strict=True) if kind in types]


def open_tokenizer(
    metadata: Mapping[str, Any], path: Path, max_context: int, template_file: Path | None = None
) -> ChatTokenizer | None:
    """The tokenizer of a file, None if it has none. `path`: of the file, for errors.

    max_context: positions that a conversation may have. template_file: of another chat template. Raises
    ModelError.
    """
    kind = metadata.get("tokenizer.ggml.model")
    if kind is None or (isinstance(kind, str) and kind in ("none", "no_vocab")):
        return None
    if not isinstance(kind, str) or kind not in (*_MAKERS, _RWKV):
        known = ", ".join((*_MAKERS, _RWKV))
        raise ModelError(f"{path} has a tokenizer of the type {shorten(kind)}; {known} are supported.")
    try:
        if kind == _RWKV:
            vocabulary = _Vocabulary(metadata)
            special_tokens = _find_special_tokens(vocabulary)
            template = _read_template(metadata, special_tokens, path, max_context, template_file)
            return ChatTokenizer(RwkvTokenizer(_read_byte_strings(vocabulary)), template)
        tokenizer, special_tokens = make_tokenizer(metadata)
        template = _read_template(metadata, special_tokens, path, max_context, template_file)
        with raise_failures_as(ModelError, _DAMAGED):
            return ChatTokenizer(Tokenizer(tokenizer, special_tokens, template.sample_text), template)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error


def make_tokenizer(metadata: Mapping[str, Any]) -> tuple[tokenizers.Tokenizer, dict[str, str]]:
    """The tokenizer that the fields "tokenizer.ggml.*" describe, and its special tokens by their roles.

    Raises ModelError without the name of the file.
    """
    vocabulary, kind = _Vocabulary(metadata), metadata["tokenizer.ggml.model"]
    with raise_failures_as(ModelError, _DAMAGED):
        tokenizer = _MAKERS[kind](vocabulary, metadata)
        _add_tokens(tokenizer, vocabulary, is_phi3=_is_phi3(metadata, kind))
    return tokenizer, _find_special_tokens(vocabulary)


def _find_special_tokens(vocabulary: _Vocabulary) -> dict[str, str]:
    """Roles such as "eos_token" -> texts."""
    roles = {**_SPECIAL, **{role: role for role in ROLES}}
    return {name: token for name, key in roles.items() if (token := vocabulary.special(key)) is not None}


def _read_template(
    metadata: Mapping[str, Any],
    special_tokens: Mapping[str, str],
    path: Path,
    max_context: int,
    template_file: Path | None,
) -> ChatTemplate | NoTemplate:
    names = {
        key.removeprefix(_TEMPLATE).lstrip(".") or "default": key
        for key in metadata
        if key.startswith(_TEMPLATE)
    }
    sources = {name: metadata[key] for name, key in names.items() if isinstance(metadata[key], str)}
    if sources.get("default") == _RWKV_TEMPLATE_NAME:
        sources["default"] = _RWKV_TEMPLATE
    return open_chat_template(sources, special_tokens, path, max_context, template_file)


def _read_byte_strings(vocabulary: _Vocabulary) -> dict[int, bytes]:
    """The bytes of RWKV's tokens. Files have them as Python's repr() writes them, and token 0 for the end."""
    tokens = {}
    for token_id, (text, kind) in enumerate(zip(vocabulary.tokens, vocabulary.types, strict=True)):
        if kind == _NORMAL:
            try:
                tokens[token_id] = text.encode().decode("unicode_escape").encode("latin-1")
            except UnicodeError as error:
                raise ModelError(f"tokenizer.ggml.tokens has {shorten(text)}, which is no token.") from error
    return tokens


def _make_byte_level(vocabulary: _Vocabulary, metadata: Mapping[str, Any]) -> tokenizers.Tokenizer:
    """BPE of bytes with merges, as GPT-2's."""
    split = vocabulary.get("pre", str, "default")
    if not is_known(split):
        LOGGER.warning(
            "The way %s to split texts (tokenizer.ggml.pre) is not known; GPT-2's is taken, which may make "
            "other tokens than the model learnt.",
            shorten(split),
        )
    model = models.BPE(
        vocab=vocabulary.ids,
        merges=_read_merges(vocabulary),
        ignore_merges=takes_whole_words(split),
    )
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = make_pre_tokenizer(split)
    tokenizer.decoder = decoders.ByteLevel()
    _set_ends(tokenizer, vocabulary, adds_beginning=takes_whole_words(split))
    return tokenizer


def _read_merges(vocabulary: _Vocabulary) -> list[tuple[str, str]]:
    """The pairs in tokenizer.ggml.merges, without those of which no token comes."""
    merges, ids = [], vocabulary.ids
    for merge in vocabulary.get("merges", list, []):
        first, _, second = (merge[:1], "", merge[1:]) if " " not in merge[1:] else _split_merge(merge)
        if first in ids and second in ids and first + second in ids:
            merges.append((first, second))
    return merges


def _split_merge(merge: str) -> tuple[str, str, str]:
    """The first part may begin with a space, but has none inside."""
    first, space, second = merge[1:].partition(" ")
    return merge[0] + first, space, second


def _make_by_scores(vocabulary: _Vocabulary, metadata: Mapping[str, Any]) -> tokenizers.Tokenizer:
    """SentencePiece's BPE: of two tokens that can be made, the one with the higher score is."""
    merges = _read_merges(vocabulary) or _find_merges(vocabulary)
    return _make_sentencepiece(vocabulary, merges, vocabulary.get("add_space_prefix", bool, True))


def _make_gemma4(vocabulary: _Vocabulary, metadata: Mapping[str, Any]) -> tokenizers.Tokenizer:
    """The same with merges, as in Gemma 4."""
    return _make_sentencepiece(vocabulary, _read_merges(vocabulary), has_prefix=False)


def _make_sentencepiece(
    vocabulary: _Vocabulary, merges: Sequence[tuple[str, str]], has_prefix: bool
) -> tokenizers.Tokenizer:
    has_bytes = _BYTE in vocabulary.types or "<0x0A>" in vocabulary.ids
    unknown = vocabulary.special("unknown", "<unk>")
    model = models.BPE(
        vocab=vocabulary.ids, merges=merges, unk_token=unknown, fuse_unk=True, byte_fallback=has_bytes
    )
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = _make_normalizer(vocabulary, has_prefix)
    tokenizer.decoder = _make_decoder(has_prefix)
    _set_ends(tokenizer, vocabulary, adds_beginning=True)
    return tokenizer


def _make_normalizer(vocabulary: _Vocabulary, has_prefix: bool) -> normalizers.Normalizer:
    """What SentencePiece does to a text first."""
    charsmap = vocabulary.get("precompiled_charsmap", np.ndarray)
    steps: list[normalizers.Normalizer] = []
    steps += [] if charsmap is None else [normalizers.Precompiled(charsmap.astype(np.uint8).tobytes())]
    if vocabulary.get("remove_extra_whitespaces", bool, False):
        steps.append(normalizers.Replace(tokenizers.Regex(r"\A +| +\z"), ""))
        steps.append(normalizers.Replace(tokenizers.Regex(" {2,}"), " "))
    steps += [normalizers.Prepend(_SPACE)] if has_prefix else []
    return normalizers.Sequence([*steps, normalizers.Replace(" ", _SPACE)])


def _find_merges(vocabulary: _Vocabulary) -> list[tuple[str, str]]:
    """All pairs of tokens that make a token: those of the highest scores first."""
    ids, scores = vocabulary.ids, vocabulary.numbers("scores", 0.0)
    ranked = []
    for token, kind, score in zip(vocabulary.tokens, vocabulary.types, scores, strict=True):
        if kind in (_NORMAL, _UNUSED):
            for i in range(1, len(token)):
                first, second = token[:i], token[i:]
                if first in ids and second in ids:
                    ranked.append((score, i, len(second), first, second))
    ranked.sort(key=lambda item: item[:3], reverse=True)
    return [(first, second) for *_, first, second in ranked]


def _make_wordpiece(vocabulary: _Vocabulary, metadata: Mapping[str, Any]) -> tokenizers.Tokenizer:
    """BERT's WordPiece. In files, a token that begins a word has a space in front, not the others "##"."""
    names, marked = {}, set(vocabulary.of_type(_CONTROL, _UNKNOWN))
    for token, token_id in vocabulary.ids.items():
        if token not in marked and not (token.startswith("[") and token.endswith("]")):
            token = token.removeprefix(_SPACE) if token.startswith(_SPACE) else f"##{token}"
        names[token] = token_id
    unknown = vocabulary.special("unknown", "[UNK]")
    tokenizer = tokenizers.Tokenizer(models.WordPiece(names, unk_token=unknown or "[UNK]"))
    # Files do not say whether case counts. It does where a token has upper case.
    has_case = any(token != token.lower() for token in names if not token.startswith("["))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=not has_case)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    first, last = vocabulary.special("cls", "[CLS]"), vocabulary.special("seperator", "[SEP]")
    if first is not None and last is not None:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{first}:0 $A:0 {last}:0",
            pair=f"{first}:0 $A:0 {last}:0 $B:1 {last}:1",
            special_tokens=[(token, vocabulary.ids[token]) for token in (first, last)],
        )
    return tokenizer


def _make_unigram(vocabulary: _Vocabulary, metadata: Mapping[str, Any]) -> tokenizers.Tokenizer:
    """SentencePiece's unigram model: the tokens with the greatest sum of scores."""
    unknown = vocabulary.get("unknown_token_id", int, 0)
    scores = vocabulary.numbers("scores", 0.0)
    pieces = list(zip(vocabulary.tokens, map(float, scores), strict=True))
    tokenizer = tokenizers.Tokenizer(models.Unigram(pieces, unknown, _BYTE in vocabulary.types))
    has_prefix = vocabulary.get("add_space_prefix", bool, True)
    tokenizer.normalizer = _make_normalizer(vocabulary, has_prefix)
    tokenizer.decoder = _make_decoder(has_prefix)
    _set_ends(tokenizer, vocabulary, adds_beginning=False, separates_twice=True)
    return tokenizer


def _make_decoder(has_prefix: bool) -> decoders.Decoder:
    steps = [decoders.Replace(_SPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
    return decoders.Sequence([*steps, *([decoders.Strip(" ", 1, 0)] if has_prefix else [])])


def _set_ends(
    tokenizer: tokenizers.Tokenizer,
    vocabulary: _Vocabulary,
    adds_beginning: bool,
    separates_twice: bool = False,
) -> None:
    """Add the begin token and the end token to prompts, if the file says so.

    Encoders have names of their own for these tokens. separates_twice: two end tokens are between the texts
    of a pair, as in RoBERTa.
    """
    first, last = (vocabulary.special(name) or vocabulary.special(other) for name, other in _ENDS)
    first = first if vocabulary.get("add_bos_token", bool, adds_beginning) else None
    last = last if vocabulary.get("add_eos_token", bool, False) else None
    used = [token for token in (first, last) if token is not None]
    if used:
        begin, end = ([f"{token}:0"] * (token is not None) for token in (first, last))
        tokenizer.post_processor = processors.TemplateProcessing(
            single=[*begin, "$A:0", *end],
            pair=[*begin, "$A:0", *end, *end * separates_twice, "$B:0", *end],
            special_tokens=[(token, vocabulary.ids[token]) for token in used],
        )


def _add_tokens(tokenizer: tokenizers.Tokenizer, vocabulary: _Vocabulary, is_phi3: bool) -> None:
    """Make control tokens, and those that users define, tokens wherever they stand in a text."""

    def added(tokens: Collection[str], special: bool) -> list[tokenizers.AddedToken]:
        # The tokens of Phi-3 take the white space behind them.
        stripped = set(tokens) - {"<s>", "<unk>", "<|endoftext|>"} if is_phi3 else set()
        return [
            tokenizers.AddedToken(token, special=special, normalized=False, rstrip=token in stripped)
            for token in tokens
        ]

    tokenizer.add_special_tokens(added(vocabulary.of_type(_CONTROL, _UNKNOWN), special=True))
    tokenizer.add_tokens(added(vocabulary.of_type(_USER_DEFINED), special=False))


def _is_phi3(metadata: Mapping[str, Any], kind: str) -> bool:
    return kind == "llama" and metadata.get("general.architecture") == "phi3"


# tokenizer.ggml.model -> what makes such a tokenizer
_MAKERS = {
    "gpt2": _make_byte_level,
    "bert": _make_wordpiece,
    "llama": _make_by_scores,
    "gemma4": _make_gemma4,
    "t5": _make_unigram,
}
