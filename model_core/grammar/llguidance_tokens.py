"""A model's tokens as llguidance needs them: their bytes, and how text becomes tokens."""

from collections.abc import Sequence

from llguidance import LLTokenizer, TokenizerWrapper

from ..text.tokenizer import AnyTokenizer

_SPECIAL_MARK = b"\xff"  # llguidance's, in front of the names of tokens that are no text


def make_ll_tokenizer(
    tokenizer: AnyTokenizer, vocab_size: int, end_tokens: Sequence[int]
) -> tuple[LLTokenizer, dict[int, bytes]]:
    """The tokens of a model, and the names of those that are no text, as llguidance has them.

    `vocab_size` may be larger than the tokenizer's, or smaller. If no token ends an answer, there is one
    more, which no model can choose.
    """
    tokens = tokenizer.all_token_bytes(vocab_size)
    if not end_tokens:
        end_tokens = [len(tokens)]
        tokens.append(b"")
    special = {*end_tokens, *(token for token in tokenizer.control_token_ids if token < vocab_size)}
    for token in special:
        tokens[token] = _SPECIAL_MARK + tokens[token]
    vocabulary = _Vocabulary(tokenizer, tokens, end_tokens[0])
    vocabulary.ll_tokenizer = LLTokenizer(TokenizerWrapper(vocabulary), eos_token=list(end_tokens))
    return vocabulary.ll_tokenizer, {token: tokens[token] for token in special}


class _Vocabulary:
    """What `TokenizerWrapper` wraps."""

    bos_token_id = None
    ll_tokenizer: LLTokenizer  # made of this, and then set

    def __init__(self, tokenizer: AnyTokenizer, tokens: list[bytes], end_token: int) -> None:
        self.tokens, self.eos_token_id = tokens, end_token
        self._tokenizer = tokenizer

    def __call__(self, text: str) -> list[int]:
        """The tokens of a text inside an answer. Their bytes are those of the text."""
        ids = self._tokenizer.encode_inside(text)
        size = len(self.tokens)
        if b"".join(self.tokens[token] for token in ids if token < size) == text.encode():
            return ids
        # A normalizer has changed the text, or there is no token for a part of it.
        return self.ll_tokenizer.greedy_tokenize(text)
