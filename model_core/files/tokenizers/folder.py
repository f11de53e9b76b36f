"""The tokenizer of a model folder: tokenizer.json, or what else publishers have in its place."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
from tokenizers import normalizers, pre_tokenizers, processors

from ...chat.chat_tokenizer import ChatTokenizer
from ...chat.template import open_chat_template, read_template_sources
from ...checks.file_values import read_json, shorten
from ...errors import ModelError
from ...text.rwkv_tokenizer import VOCABULARY_NAME, RwkvTokenizer
from ...text.special_tokens import read_special_tokens, read_tokenizer_config
from ...text.tokenizer import Tokenizer, raise_failures_as
from ..gguf.tokenizer import make_tokenizer
from .merges import CLASSES as MERGES_CLASSES
from .merges import MergesClass, find_class, read_merges
from .sentencepiece import read_sentencepiece
from .tekken import read_tekken
from .tiktoken import find_tiktoken, is_tiktoken, read_tiktoken

_OWN, _TEKKEN, _SENTENCEPIECE, _MERGES = "tokenizer.json", "tekken.json", "tokenizer.model", "merges.txt"
# tokenizer_class of models of SentencePiece, without "Fast" -> whether prompts get a begin and an end token.
# Others give the tokens other numbers.
_CLASSES = {
    "LlamaTokenizer": (True, False),
    "CodeLlamaTokenizer": (True, False),
    "GemmaTokenizer": (True, False),
    "BaichuanTokenizer": (True, False),
    "InternLM2Tokenizer": (True, False),
}
_NORMAL = 1  # a type of tokens


def open_folder_tokenizer(
    folder: Path, max_context: int = 2**17, template_file: Path | None = None
) -> ChatTokenizer | None:
    """The tokenizer and the chat template of a model folder; None if it has no tokenizer.

    max_context: positions that a conversation may have. template_file: of another chat template. Raises
    ModelError if a file is damaged.
    """
    name = _find_file(folder)
    if name is None:
        return None
    sources = read_template_sources(folder)
    template = open_chat_template(sources, read_special_tokens(folder), folder, max_context, template_file)
    if name == _OWN:
        return ChatTokenizer(Tokenizer.from_folder(folder, template.sample_text), template)
    if name == VOCABULARY_NAME:
        return ChatTokenizer(RwkvTokenizer.from_folder(folder), template)
    fields = _read_fields(folder, name)
    added = _find_added_tokens(folder)
    _extend(fields, added)
    try:
        tokenizer, special_tokens = make_tokenizer(fields)
        with raise_failures_as(ModelError, "its added tokens are damaged"):
            tokenizer.add_tokens(list(added.values()))
            _follow_settings(tokenizer, fields, folder, name)
        special_tokens |= read_special_tokens(folder)
        return ChatTokenizer(Tokenizer(tokenizer, special_tokens, template.sample_text), template)
    except ModelError as error:
        raise ModelError(f"{folder / name}: {error}") from error


def _is_in(folder: Path, name: str) -> bool:
    return os.path.isfile(folder / name)


def _find_file(folder: Path) -> str | None:
    """The name of the file that a folder's tokenizer is read from, None without one."""
    names = (_OWN, VOCABULARY_NAME, _TEKKEN, _SENTENCEPIECE)
    versions = sorted(path.name for path in folder.glob(f"{_SENTENCEPIECE}.v*"))  # of Mistral's own layout
    others = [*versions, find_tiktoken(folder)]
    found = next((name for name in (*names, *others) if name is not None and _is_in(folder, name)), None)
    has_merges = _is_in(folder, _MERGES) and _is_in(folder, "vocab.json")
    return _MERGES if found is None and has_merges else found


def _read_fields(folder: Path, name: str) -> dict[str, Any]:
    """The fields of the file `name`. Raises ModelError."""
    if name == _TEKKEN:
        return read_tekken(folder / name)
    if name == _MERGES:
        return read_merges(folder)
    if is_tiktoken(folder / name) or not name.startswith(_SENTENCEPIECE):
        return read_tiktoken(folder, name)
    return _read_sentencepiece(folder, name)


def _read_sentencepiece(folder: Path, file_name: str) -> dict[str, Any]:
    """The fields of tokenizer.model, and what the folder's settings say of the ends of prompts."""
    config = read_tokenizer_config(folder)
    name = str(config.get("tokenizer_class") or "LlamaTokenizer").removesuffix("Fast")
    if name not in _CLASSES:
        raise ModelError(
            f"{folder} has the {file_name} of a {shorten(name)}, of which {', '.join(_CLASSES)} are "
            "supported without a tokenizer.json."
        )
    fields = read_sentencepiece(folder / file_name)
    for key, default in zip(("add_bos_token", "add_eos_token"), _CLASSES[name], strict=True):
        fields[f"tokenizer.ggml.{key}"] = bool(config.get(key, default))
    if config.get("add_prefix_space") is False:
        fields["tokenizer.ggml.add_space_prefix"] = False
    return fields


def _find_added_tokens(folder: Path) -> dict[int, tokenizers.AddedToken]:
    """The tokens that the folder's settings add to the vocabulary, by id. Raises ModelError."""
    path, added = folder / "tokenizer_config.json", dict[int, tokenizers.AddedToken]()
    for token_id, token in _read_added_tokens(folder):
        try:
            number, values = int(token_id), dict(token)
            flags = {
                name: bool(values.get(name, False)) for name in ("lstrip", "rstrip", "single_word", "special")
            }
            content = values["content"]
            normalized = bool(values.get("normalized", not flags["special"]))
            added[number] = tokenizers.AddedToken(content, normalized=normalized, **flags)
            if not content or not 0 <= number < 2**21:
                raise ValueError(token_id)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise ModelError(f"{path}: {shorten(token_id)} is not an added token.") from error
    return dict(sorted(added.items()))


def _read_added_tokens(folder: Path) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Ids and descriptions: of added_tokens.json, and of tokenizer_config.json, which knows more."""
    if _is_in(folder, "added_tokens.json"):
        for content, token_id in read_json(folder / "added_tokens.json").items():
            yield token_id, {"content": content}
    decoder = read_tokenizer_config(folder).get("added_tokens_decoder")
    if isinstance(decoder, Mapping):
        yield from decoder.items()


def _extend(fields: dict[str, Any], added: Mapping[int, tokenizers.AddedToken]) -> None:
    """Give the added tokens their places in the vocabulary."""
    tokens = fields["tokenizer.ggml.tokens"]
    count = max([len(tokens), *(number + 1 for number in added)])
    missing = count - len(tokens)
    tokens += [""] * missing
    for number, token in added.items():
        tokens[number] = token.content
    for name, value in (("token_type", _NORMAL), ("scores", 0)):
        if (array := fields.get(f"tokenizer.ggml.{name}")) is not None:
            fields[f"tokenizer.ggml.{name}"] = np.append(array, np.full(missing, value, array.dtype))


def _find_end(tokenizer: tokenizers.Tokenizer, folder: Path, kind: MergesClass, role: str) -> tuple[str, int]:
    """A token at the end of RoBERTa's texts, and its id. Raises ModelError if it is none."""
    token = {**kind.tokens, **read_special_tokens(folder)}[role]
    token_id = tokenizer.token_to_id(token)
    if token_id is None:
        raise ModelError(f"there is no token for {role}, {shorten(token)}.")
    return token, token_id


def _follow_settings(
    tokenizer: tokenizers.Tokenizer, fields: Mapping[str, Any], folder: Path, name: str
) -> None:
    """Change what GGUF files do not say: how a text is written before it is split."""
    config = read_tokenizer_config(folder)
    if name == _MERGES:
        kind = MERGES_CLASSES[find_class(config)]
        if kind.is_composed:
            tokenizer.normalizer = normalizers.NFC()
        if kind.is_roberta:
            last, first = (_find_end(tokenizer, folder, kind, f"{end}_token") for end in ("eos", "bos"))
            tokenizer.post_processor = processors.RobertaProcessing(last, first, add_prefix_space=False)
    elif fields["tokenizer.ggml.model"] == "gpt2":
        tokenizer.model.ignore_merges = True  # tiktoken takes a word that is a token as it is
        if fields["tokenizer.ggml.pre"] == "qwen2":
            tokenizer.normalizer = normalizers.NFC()
    elif fields["tokenizer.ggml.add_space_prefix"] and config.get("legacy") is False:
        # A space stands before a text's beginning alone, and not behind each special token.
        steps = [step for step in tokenizer.normalizer if not isinstance(step, normalizers.Prepend)]
        tokenizer.normalizer = normalizers.Sequence(steps[:-1])
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
