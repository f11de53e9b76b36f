"""Encodes text that continues a text: without a begin token, a space in front, and control tokens."""

import json
from collections.abc import Collection
from typing import Any

import tokenizers
from tokenizers import models


class InnerEncoder:
    """Encodes as a tokenizer encodes text inside a text. Names of control tokens are encoded as text."""

    def __init__(self, tokenizer: tokenizers.Tokenizer, control: Collection[str]) -> None:
        """`control`: the names of the control tokens."""
        shell = tokenizers.Tokenizer(models.BPE())  # an empty model, so that its JSON is short
        if tokenizer.normalizer is not None:
            shell.normalizer = tokenizer.normalizer
        if tokenizer.pre_tokenizer is not None:
            shell.pre_tokenizer = tokenizer.pre_tokenizer
        state = json.loads(shell.to_str())
        state["normalizer"] = _drop_prepended_space(state["normalizer"])
        state["pre_tokenizer"] = _drop_prepended_space(state["pre_tokenizer"])
        self._tokenizer = tokenizers.Tokenizer.from_str(json.dumps(state))
        self._tokenizer.model = tokenizer.model  # shared, not a copy
        added = tokenizer.get_added_tokens_decoder()
        self._tokenizer.add_tokens([token for token in added.values() if token.content not in control])
        original_ids = {token.content: token_id for token_id, token in added.items()}
        self._original_ids = {
            token_id: original_ids[token.content]
            for token_id, token in self._tokenizer.get_added_tokens_decoder().items()
        }

    def encode(self, text: str) -> list[int]:
        """The ids of a text."""
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        return [self._original_ids.get(token_id, token_id) for token_id in ids]


def _drop_prepended_space(part: dict[str, Any] | None) -> dict[str, Any] | None:
    """A normalizer or pre-tokenizer, as JSON, that puts no space in front of the text."""
    if part is None or part["type"] == "Prepend":
        return None
    for name in ("normalizers", "pretokenizers"):
        if name in part:
            kept = [_drop_prepended_space(member) for member in part[name]]
            return {**part, name: [member for member in kept if member is not None]}
    changes: dict[str, Any] = {"prepend_scheme": "never", "add_prefix_space": False}
    return {**part, **{name: value for name, value in changes.items() if name in part}}
