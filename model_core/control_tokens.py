"""Control tokens: only the chat template writes them. Their names in a message are encoded as text.

`<|im_end|>` in the content of a message would end the message, and `<|im_start|>system` would start a system
message. So a name of a control token in a message gets a mark inside before the template is rendered. If the
rendered prompt has marks, the names without a mark come from the template and are replaced by secret names,
and the marks are removed. A second tokenizer knows the control tokens by their secret names only. The text
between them passes through the same normalizer, pre-tokenizer and model. A prompt without marks is encoded by
the model's own tokenizer.

Control tokens are: the added tokens that are special; the tokens that the tokenizer's configuration names,
such as the end token; and the tokens that the template writes around messages, which are not special in some
models. Other added tokens, such as `</think>` and `<tool_call>`, are no control tokens: they are part of
answers, come back in messages, and templates look for them. But in what others than the user and the model
write (results of tools, arguments of calls, descriptions of tools, variables), their names are text, too.

A mark survives what templates do with text, changes of case too. But a template that removes a part of a
content could still make a control token of the rest. So messages with the first character of a control token
are rendered a second time, with a mark behind each such character. If the control tokens of this second
prompt differ, it is encoded; otherwise the first prompt is, in which templates find what they look for.
"""

import re
import secrets
from collections.abc import Callable, Collection, Mapping
from typing import Any

import tokenizers

from .errors import InvalidRequest

_MARK = "\udc00"  # half of a surrogate pair, which no valid text has


class ControlTokens:
    """Marks messages, and encodes prompts made of marked messages."""

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

    def mark_names(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        """The variables of a template with a mark in each name of a control token.

        Raises InvalidRequest for text that is not valid Unicode.
        """
        messages = [self._mark_names_in_message(message) for message in variables["messages"]]
        return {**_map_texts(self._all_names.mark, variables), "messages": messages}

    def _mark_names_in_message(self, message: Mapping[str, Any]) -> dict[str, Any]:
        names = self._all_names if message["role"] == "tool" else self._control_names
        marked = _map_texts(names.mark, message)
        if "tool_calls" in message:
            marked["tool_calls"] = _map_texts(self._all_names.mark, message["tool_calls"])
        return marked

    def mark_first_characters(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        """The variables with a mark behind each character that is the first of a control token's name.

        Keys that are words have none, because templates look for them. Raises InvalidRequest for text that is
        not valid Unicode.
        """

        def mark(text: str) -> str:
            return self._first_characters.sub(rf"\g<0>{_MARK}", text)

        return _map_texts(mark, variables, lambda key: key if key.isidentifier() else mark(key))

    def find_unmarked(self, prompt: str) -> list[str]:
        """The names of control tokens in a rendered prompt that have no mark."""
        return self._control_names.pattern.findall(prompt)

    def encode(self, prompt: str) -> list[int]:
        """The ids of a rendered prompt.

        Raises InvalidRequest for text that is not valid Unicode, and where a name in a message cannot be
        encoded as text.
        """
        check_unicode(remove_marks(prompt))  # a template may write what no message has
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
                ids = (self._original_ids.get(token_id, token_id) for token_id in encoded)
                return [token_id for token_id in ids if token_id is not None]
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
        """A text with a mark in each of the names, in upper and lower case: a template may change it."""
        lower = text.lower()
        if not any(prefix in lower for prefix in self._prefixes):
            return text
        contained = [name for name in self.names if len(name) > 1 and name.lower() in lower]
        return re.sub(f"(?={_match_any(contained).pattern})(.)", rf"\1{_MARK}", text, flags=re.I | re.S)


def _map_texts(
    function: Callable[[str], str], value: Any, map_key: Callable[[str], str] | None = None
) -> Any:
    """JSON with `function` applied to each text, and `map_key` to each key, by default `function`, too.

    Raises InvalidRequest for text that is not valid Unicode.
    """
    map_key = map_key or function
    if isinstance(value, str):
        check_unicode(value)
        return function(value)
    if isinstance(value, Mapping):
        for key in value:
            check_unicode(key)
        return {map_key(key): _map_texts(function, part, map_key) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_map_texts(function, part, map_key) for part in value]
    return value


def remove_marks(prompt: str) -> str:
    """A rendered prompt as text."""
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
    """A text that no message contains and no normalizer changes."""
    return f"\ue000{secrets.token_hex(16)}\ue001"


def _rename_token(token: tokenizers.AddedToken, name: str) -> tokenizers.AddedToken:
    return tokenizers.AddedToken(
        name, single_word=token.single_word, lstrip=token.lstrip, rstrip=token.rstrip, normalized=False
    )
