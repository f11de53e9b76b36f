"""Prompts to fill in the middle of a text, for models whose tokenizer has the tokens for that.

Such a model was trained with texts of which a part was moved to the end: `PREFIX before SUFFIX after MIDDLE`,
and then the part itself. Some were trained with the suffix first, and of these one kind has no token for the
middle. Models of code may also know tokens for files of a repository.

Sources: Bavarian et al., 2022, arXiv:2207.14255; arXiv:2409.12186 (Qwen2.5-Coder); arXiv:2402.19173
(StarCoder 2); arXiv:2308.12950 (Code Llama); mistral-common, tokens/tokenizers (Codestral); llama.cpp,
tools/server/server-common.cpp, whose names of the repository and of the file these prompts have.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from ..errors import InvalidRequest
from .tokenizer import AnyTokenizer

_MAX_CHARACTERS_PER_TOKEN = 32  # on average; longer texts are cut before tokens are made of them
_SUFFIX_SHARE = 4  # of the room, the suffix has a quarter if the prefix needs the rest
_REPOSITORY_NAME, _FILE_NAME, _SNIPPET_NAME = "myproject", "filename", "tmp"
_SNIPPET_BEGIN = "\n\n--- snippet ---\n\n"


@dataclass(frozen=True)
class _Names:
    """The names of the tokens of one kind of models."""

    prefix: str
    suffix: str
    middle: str
    suffix_first: bool = False
    lacks_middle: bool = False


_KINDS = (
    _Names("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"),  # Qwen, CodeGemma, Granite 4
    _Names("<fim_prefix>", "<fim_suffix>", "<fim_middle>"),  # StarCoder, Granite, StableCode
    _Names("<fim-prefix>", "<fim-suffix>", "<fim-middle>"),  # SantaCoder
    _Names("▁<PRE>", "▁<SUF>", "▁<MID>"),  # Code Llama
    _Names("<PRE>", "<SUF>", "<MID>"),
    _Names("<\uff5cfim▁begin\uff5c>", "<\uff5cfim▁hole\uff5c>", "<\uff5cfim▁end\uff5c>"),  # DeepSeek
    _Names("<|code_prefix|>", "<|code_suffix|>", "<|code_middle|>"),  # GLM
    _Names("<|prefix|>", "<|suffix|>", "<|middle|>"),  # Falcon-H1 Coder
    _Names("<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>", suffix_first=True),  # Seed-Coder
    _Names("[PREFIX]", "[SUFFIX]", "", suffix_first=True, lacks_middle=True),  # Codestral
)
# The tokens before the names of a repository and of each file, and the name of the file to fill in.
_REPOSITORIES = (
    ("<|repo_name|>", "<|file_sep|>", _FILE_NAME + "\n"),  # Qwen
    ("<repo_name>", "<file_sep>", ""),  # StarCoder 2 has the name behind the token for the prefix
)
# Where models stop, beside their end token.
_ENDS = (
    *("<|fim_pad|>", "<fim_pad>", "<fim-pad>", "▁<EOT>", "<EOT>", "<|endoftext|>", "<|end_of_text|>"),
    *("<|file_separator|>", "<|repo_name|>", "<|file_sep|>", "<repo_name>", "<file_sep>"),
    *("<reponame>", "<filename>"),
)
# The roles of tokens in the metadata of GGUF files, where they have them.
ROLES = ("fim_pre", "fim_suf", "fim_mid", "fim_rep", "fim_sep", "fim_pad")


@dataclass(frozen=True)
class InfillFormat:
    """The ids of the tokens with which a model fills in, and their order.

    Attributes:
        prefix, suffix, middle: stand before these parts. Without `middle`, the prefix comes last.
        repository, file: stand before the names of the repository and of each file. `own_name`: what stands
            between the last `file` and the first part.
        suffix_first: whether the suffix precedes the prefix.
        ends: tokens at which an answer ends.
    """

    prefix: int
    suffix: int
    middle: int | None = None
    repository: int | None = None
    file: int | None = None
    own_name: str = ""
    suffix_first: bool = False
    ends: tuple[int, ...] = ()

    @property
    def control(self) -> frozenset[int]:
        """The tokens that no text may have."""
        ids = (self.prefix, self.suffix, self.middle, self.repository, self.file)
        return frozenset(token for token in ids if token is not None)


@dataclass(frozen=True)
class InfillText:
    """What to fill in between. `snippets`: the names and the texts of parts of other files."""

    prefix: str
    suffix: str
    snippets: Sequence[tuple[str | None, str]] = ()


@dataclass(frozen=True)
class InfillPrompt:
    """The tokens of a prompt, and those at which its answer ends.

    `cut`: how many of the snippets, the prefix and the suffix are not whole in it.
    """

    token_ids: list[int]
    ends: tuple[int, ...]
    cut: int = 0


def find_format(tokenizer: AnyTokenizer) -> InfillFormat | None:
    """The tokens to fill in with; None if a tokenizer does not have them."""
    roles = {role: tokenizer.special_tokens.get(role, "") for role in ROLES}
    stored = _Names(roles["fim_pre"], roles["fim_suf"], roles["fim_mid"])

    def find(name: str) -> int | None:
        return tokenizer.token_id(name) if name else None

    known = [kind for kind in _KINDS if kind.prefix == stored.prefix]  # which knows the order, too
    for kind in (*(known or [stored]), *_KINDS):
        prefix, suffix, middle = map(find, (kind.prefix, kind.suffix, kind.middle))
        if prefix is None or suffix is None or (middle is None and not kind.lacks_middle):
            continue
        repository, file, own_name = None, None, ""
        for names in ((roles["fim_rep"], roles["fim_sep"], f"{_FILE_NAME}\n"), *_REPOSITORIES):
            if (ids := (find(names[0]), find(names[1]))) and None not in ids:
                (repository, file), own_name = ids, names[2]
                break
        ends = (prefix, suffix, middle, *map(find, (*_ENDS, roles["fim_pad"])))
        return InfillFormat(
            *(prefix, suffix, middle, repository, file, own_name, kind.suffix_first),
            ends=tuple(dict.fromkeys(token for token in ends if token is not None)),
        )
    return None


def require_format(tokenizer: AnyTokenizer | None) -> InfillFormat:
    """The tokens to fill in with. Raises InvalidRequest if a model does not have them."""
    found = None if tokenizer is None else find_format(tokenizer)
    if found is None:
        raise InvalidRequest(
            "suffix is not possible with this model: its tokenizer has no tokens to fill in the middle of a "
            "text; choose a model of code.",
            "suffix",
        )
    return found


def encode_infill(tokenizer: AnyTokenizer | None, text: InfillText, room: int | None = None) -> InfillPrompt:
    """The prompt to fill in a text.

    `room`: if it has more tokens, the first snippets are left out, and then the prefix loses its beginning
    and the suffix its end; None: it may have any number. Names of special tokens in the texts are text.
    Raises InvalidRequest for a tokenizer without the tokens, and for a text that it cannot encode.
    """
    form = require_format(tokenizer)
    assert tokenizer is not None  # it has a format
    begin, _ = tokenizer.find_ends()
    longest = None if room is None else room * _MAX_CHARACTERS_PER_TOKEN
    prefix_text, suffix_text = text.prefix[-longest:] if longest else text.prefix, text.suffix[:longest]
    prefix, suffix = (
        tokenizer.encode_literally(prefix_text, False),
        tokenizer.encode_inside(suffix_text, True),
    )
    _check(prefix + suffix, form)
    sizes = len(prefix), len(suffix)
    left: int | None = None
    if room is not None:
        left = max(0, room - len(begin) - 2 - (form.middle is not None))
        kept_suffix = min(len(suffix), max(left // _SUFFIX_SHARE, left - len(prefix)))
        prefix, suffix = prefix[max(0, len(prefix) + kept_suffix - left) :], suffix[:kept_suffix]
        left -= len(prefix) + len(suffix)
    is_whole = (
        len(prefix_text) == len(text.prefix) and len(prefix) == sizes[0],
        len(suffix_text) == len(text.suffix) and len(suffix) == sizes[1],
    )
    context, left_out = _encode_snippets(text.snippets, tokenizer, form, left)
    parts = [[form.prefix, *prefix], [form.suffix, *suffix]]
    if form.suffix_first:
        parts.reverse()
    middle = [] if form.middle is None else [form.middle]
    ids = [*begin, *context, *parts[0], *parts[1], *middle]
    return InfillPrompt(ids, form.ends, is_whole.count(False) + left_out)


def _encode_snippets(
    snippets: Sequence[tuple[str | None, str]], tokenizer: AnyTokenizer, form: InfillFormat, room: int | None
) -> tuple[list[int], int]:
    """The tokens of the last snippets that `room` has place for, and the number of the others."""
    if not snippets:
        return [], 0
    first, last = list[int](), list[int]()
    if form.repository is not None and form.file is not None:
        first = [form.repository, *tokenizer.encode_inside(f"{_REPOSITORY_NAME}\n", True)]
        last = [form.file, *tokenizer.encode_inside(form.own_name, True)]
    kept: list[list[int]] = []
    size = len(first) + len(last)
    for name, text in reversed(snippets):
        if form.file is None:
            ids = tokenizer.encode_inside(_SNIPPET_BEGIN + text, True)
        else:
            ids = [form.file, *tokenizer.encode_inside(f"{name or _SNIPPET_NAME}\n{text}", True)]
        _check(ids[form.file is not None :], form)
        size += len(ids)
        if room is not None and size > room:
            break
        kept.append(ids)
    if not kept:
        return [], len(snippets)
    return [*first, *chain.from_iterable(reversed(kept)), *last], len(snippets) - len(kept)


def _check(ids: Sequence[int], form: InfillFormat) -> None:
    """Raises InvalidRequest if tokens of a text are control tokens."""
    if not form.control.isdisjoint(ids):
        raise InvalidRequest(
            "a text spells a token with which the model fills in, which its tokenizer cannot encode as text.",
            "suffix",
        )
