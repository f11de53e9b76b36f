"""Decodes an answer token by token into text of whole characters, up to a stop string."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from .overlap import overlap_length
from .tokenizer import REPLACEMENT, AnyTokenizer

# Tokens of the prompt that are decoded with the answer, so that its first token gets the text that it has
# inside a text. More are needed where these would start inside a character.
_CONTEXT_TOKENS, _MAX_CONTEXT_TOKENS = 6, 64
_NO_TOKENS: Mapping[int, str] = MappingProxyType({})


class TextStream:
    """Decodes the tokens of one answer as they come.

    The texts that `push` and `finish` return make up the answer. They have whole characters only, and end
    before the first stop string, or with it. `stop_string` is that string, from its end on.
    """

    def __init__(
        self,
        tokenizer: AnyTokenizer,
        prompt: Sequence[int],
        stop: Sequence[str] = (),
        kept_tokens: Mapping[int, str] = _NO_TOKENS,
        *,
        min_tokens: int = 0,
        keeps_stop_string: bool = False,
    ) -> None:
        """
        Args:
            kept_tokens: special tokens that are part of the text, with their names. Others have no text.
            min_tokens: stop strings in the text of so many tokens do not end it.
            keeps_stop_string: the stop string is part of the text.
        """
        self._tokenizer, self._kept_tokens = tokenizer, kept_tokens
        self._stop_strings, self._keeps_stop_string = tuple(stop), keeps_stop_string
        self._tokens_before_stop = min_tokens
        context, max_context = _CONTEXT_TOKENS, min(_MAX_CONTEXT_TOKENS, len(prompt))
        while context < max_context and self._starts_inside_character(prompt[-context:]):
            context += 1
        self._ids = list(prompt[-context:])
        self._decode_start = 0  # of `_ids`, from where they are decoded
        self._delivered_end = len(self._ids)  # of `_ids`, up to where their text was returned
        self._pending_text = ""  # may be the start of a stop string
        self.stop_string: str | None = None

    @property
    def has_stopped(self) -> bool:
        """Whether a stop string has ended the text."""
        return self.stop_string is not None

    def push(self, token_id: int) -> str:
        """Add the next token. Returns the new text, without what may belong to a stop string."""
        self._tokens_before_stop -= 1
        if token_id in self._kept_tokens:
            return self._push_kept(token_id)
        if self._tokenizer.joins_texts and self._delivered_end == len(self._ids):
            text = self._tokenizer.decode_token(token_id)
            if text and REPLACEMENT not in text:  # as it is inside any text
                self._ids.append(token_id)
                self._decode_start, self._delivered_end = self._delivered_end, len(self._ids)
                return self._cut_at_stop(text)
        self._ids.append(token_id)
        # Decode from a few tokens back: spaces and characters of several bytes depend on the tokens before.
        delivered = self._decode_delivered()
        text = self._tokenizer.decode(self._ids[self._decode_start :])
        if text == delivered:  # a special token
            self._delivered_end = len(self._ids)
            return ""
        # A character has at most four bytes, so four tokens that are not valid UTF-8 will never be.
        if text.endswith(REPLACEMENT) and len(self._ids) - self._delivered_end < 4:
            return ""
        self._decode_start, self._delivered_end = self._delivered_end, len(self._ids)
        return self._cut_at_stop(text[len(delivered) :])

    def finish(self) -> str:
        """The pending text at the end of the answer, without a last character that is not whole."""
        if self.has_stopped:
            return ""
        text = self._cut_at_stop(self._decode_rest())
        if not self.has_stopped:
            text, self._pending_text = text + self._pending_text, ""
        return text

    def _push_kept(self, token_id: int) -> str:
        text = self._decode_rest() + self._kept_tokens[token_id]
        self._ids.append(token_id)
        self._decode_start, self._delivered_end = len(self._ids) - 1, len(self._ids)
        return self._cut_at_stop(text)

    def _decode_rest(self) -> str:
        """The text that was not returned because its last character was not whole, without this character."""
        text = self._tokenizer.decode(self._ids[self._decode_start :])[len(self._decode_delivered()) :]
        return text.rstrip(REPLACEMENT)

    def _starts_inside_character(self, ids: Sequence[int]) -> bool:
        # Some decoders then decode no byte up to the next letter, not even whole characters.
        return self._tokenizer.decode(ids).startswith(REPLACEMENT)

    def _decode_delivered(self) -> str:
        ids = self._ids[self._decode_start : self._delivered_end]
        return self._tokenizer.decode_token(ids[0]) if len(ids) == 1 else self._tokenizer.decode(ids)

    def _cut_at_stop(self, text: str) -> str:
        """The pending text and `text`, up to a stop string. What may be the start of one stays pending."""
        if self._tokens_before_stop >= 0:
            return text
        if not self._stop_strings:
            return text
        text = self._pending_text + text
        found = [(start, stop) for stop in self._stop_strings if (start := text.find(stop)) >= 0]
        if found:
            start, self.stop_string = min(found)
            self._pending_text = ""
            return text[: start + len(self.stop_string) * self._keeps_stop_string]
        overlap = max((overlap_length(text, stop) for stop in self._stop_strings), default=0)
        self._pending_text = text[len(text) - overlap :]
        return text[: len(text) - overlap]
