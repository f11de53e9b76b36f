"""Control tokens: in a prompt, only their names without a mark are tokens. Names with a mark are text.

Whoever puts a text from elsewhere into a prompt marks it first. If the prompt has marks, the names of control
tokens without a mark are replaced by secret names, and the marks are removed. A second tokenizer knows the
control tokens by their secret names only. The text between them passes through the same normalizer,
pre-tokenizer and model. A prompt without marks is encoded by the model's own tokenizer.

Control tokens are: the added tokens that are special; the tokens that the tokenizer's configuration names,
such as the end token; and those of a sample prompt, which are not special in some models. Other added tokens,
such as `</think>` and `<tool_call>`, are no control tokens: they are part of answers. A text can be marked so
that their names are text, too.
"""

import re
import secrets
from collections.abc import Collection

import tokenizers

from ..errors import InvalidRequest

_MARK = "\udc00"  # half of a surrogate pair, which no valid text has


class ControlTokens:
    """Marks texts, and encodes prompts that are made of marked texts."""

    def __init__(
        self,
        tokenizer: tokenizers.Tokenizer,
        names: Collection[str],
        answer_names: Collection[str] = (),
        unknown: str | None = None,
    ) -> None:
        """`names`: of the control tokens. `answer_names`: of tokens that are a part of answers, such as
        `<tool_call>`. All are added tokens. `unknown`: the name of the token for unknown text.
        """
        self._tokenizer = tokenizer
        self._control_names, self._all_names = _Names(names), _Names({*names, *answer_names})
        first_characters = {
            letter for name in names if len(name) > 1 for letter in name[0].lower() + name[0].upper()
        }
        self._first_characters = re.compile(
            f"[{''.join(map(re.escape, sorted(first_characters)))}]" if first_characters else r"(?!)"
        )
        ids = {name: tokenizer.token_to_id(name) for name in names}
        # The model also gives this id to text that it does not know.
        unknowns = (unknown, getattr(tokenizer.model, "unk_token", None))
        self._control_ids = frozenset(token_id for name, token_id in ids.items() if name not in unknowns)
        self._break_token = _make_secret()
        self._secret_names = {name: _make_secret() for name in self._all_names.names}
        self._second_tokenizer = tokenizers.Tokenizer(tokenizer.model)  # shared, not a copy
        if tokenizer.normalizer is not None:
            self._second_tokenizer.normalizer = tokenizer.normalizer
        if tokenizer.pre_tokenizer is not None:
            self._second_tokenizer.pre_tokenizer = tokenizer.pre_tokenizer
        added = tokenizer.get_added_tokens_decoder()
        ordinary = [token for token in added.values() if token.content not in self._secret_names]
        renamed = [
            _rename_token(token, self._secret_names[token.content])
            for token in added.values()
            if token.content in self._secret_names
        ]
        self._second_tokenizer.add_tokens(
            [*ordinary, *renamed, tokenizers.AddedToken(self._break_token, normalized=False)]
        )
        ids_of_secrets = {secret: tokenizer.token_to_id(name) for name, secret in self._secret_names.items()}
        self._original_ids = {  # ids of the second tokenizer's added tokens -> ids of the first tokenizer
            token_id: ids_of_secrets.get(token.content, tokenizer.token_to_id(token.content))
            for token_id, token in self._second_tokenizer.get_added_tokens_decoder().items()
        }

    def mark(self, text: str, with_answer_names: bool) -> str:
        """A text with a mark in each name of a control token, and perhaps of a token of answers."""
        return (self._all_names if with_answer_names else self._control_names).mark(text)

    def mark_first_characters(self, text: str) -> str:
        """A text with a mark behind each character that is the first of a control token's name."""
        return self._first_characters.sub(rf"\g<0>{_MARK}", text)

    def find_unmarked(self, prompt: str) -> list[str]:
        """The names of control tokens in a prompt that have no mark."""
        return self._control_names.pattern.findall(prompt)

    def encode(self, prompt: str) -> list[int]:
        """The ids of a prompt.

        Raises InvalidRequest for text that is not valid Unicode, and where a name cannot be encoded as text.
        """
        check_unicode(remove_marks(prompt))  # what stands around marked texts was not checked
        if _MARK not in prompt:
            ids = self._tokenizer.encode(prompt, add_special_tokens=False).ids
            unmarked_count = len(self.find_unmarked(prompt))
            # A normalizer, or a model of whole words, may make more control tokens of text.
            if sum(token_id in self._control_ids for token_id in ids) <= unmarked_count:
                return ids
        renamed = self._all_names.pattern.sub(lambda match: self._secret_names[match[0]], prompt)
        for replacement in ("", self._break_token):
            text = renamed.replace(_MARK, replacement)
            encoded = self._second_tokenizer.encode(text, add_special_tokens=False).ids
            model_ids = (token_id for token_id in encoded if token_id not in self._original_ids)
            if not any(token_id in self._control_ids for token_id in model_ids):
                original = (self._original_ids.get(token_id, token_id) for token_id in encoded)
                return [token_id for token_id in original if token_id is not None]
        raise InvalidRequest(
            "a message spells a control token of the model, which its tokenizer cannot encode."
        )


class _Names:
    """Names of tokens, the longest first: the tokenizer prefers these, too."""

    def __init__(self, names: Collection[str]) -> None:
        self.names = sorted(names, key=len, reverse=True)
        self.pattern = _match_any(self.names)
        self._prefixes = {name[:2].lower() for name in names if len(name) > 1}

    def mark(self, text: str) -> str:
        """A text with a mark in each of the names, in upper and lower case: it may change later."""
        lower = text.lower()
        if not any(prefix in lower for prefix in self._prefixes):
            return text
        contained = [name for name in self.names if len(name) > 1 and name.lower() in lower]
        return re.sub(f"(?={_match_any(contained).pattern})(.)", rf"\1{_MARK}", text, flags=re.I | re.S)


def remove_marks(prompt: str) -> str:
    """A prompt without its marks."""
    return prompt.replace(_MARK, "")


def check_unicode(text: str) -> None:
    """Raises InvalidRequest for text that is not valid Unicode."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidRequest("the text has half of a surrogate pair, which is no character.") from error


def _match_any(names: Collection[str]) -> re.Pattern[str]:
    """A pattern that matches any of the names, the first ones preferred; without names it matches nothing."""
    return re.compile(f"(?:{'|'.join(map(re.escape, names))})" if names else r"(?!)")


def _make_secret() -> str:
    """A string that no text from elsewhere contains and no normalizer changes."""
    return f"\ue000{secrets.token_hex(16)}\ue001"


def _rename_token(token: tokenizers.AddedToken, name: str) -> tokenizers.AddedToken:
    return tokenizers.AddedToken(
        name, single_word=token.single_word, lstrip=token.lstrip, rstrip=token.rstrip, normalized=False
    )
