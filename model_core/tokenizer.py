"""Text to token ids and back. `TextStream` turns tokens into text piece by piece, never a broken one."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import tokenizers

from .chat_template import ChatTemplate, read_chat_template, read_tokenizer_config
from .errors import InvalidRequest, ModelError

# Enough tokens before an answer for its first token to decode as it would inside the text, and more
# where these would begin inside a character.
_CONTEXT_TOKENS, _MAX_CONTEXT = 6, 64
_BROKEN = "\ufffd"  # what a decoder shows for bytes that are no UTF-8 (yet)


class Tokenizer:
    """A model's `tokenizer.json` with its chat template, if it has one."""

    def __init__(self, folder: Path) -> None:
        """Raises ModelError if a file is damaged."""
        path = folder / "tokenizer.json"
        try:
            self._tokenizer = tokenizers.Tokenizer.from_file(str(path))
        except Exception as error:  # the package raises no narrower type
            raise ModelError(f"{path} is damaged: {error}.") from error
        # A file may carry the settings it was trained with; requests are never padded or cut.
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        # Left out by id: the package's own skip_special_tokens misses those that it normalizes.
        added = self._tokenizer.get_added_tokens_decoder()
        self._special = frozenset(token_id for token_id, token in added.items() if token.special)
        self._pieces: dict[int, str] = {}  # texts of single tokens, as they came up
        self._anchor = self._tokenizer.encode("a", add_special_tokens=False).ids[-1:]
        self._template: ChatTemplate | None = read_chat_template(folder)
        self.eos_token_id = self._eos(folder)

    @property
    def has_chat_template(self) -> bool:
        """Whether the model knows about turns of a conversation."""
        return self._template is not None

    def encode(self, text: str) -> list[int]:
        """The ids of a raw prompt, with the begin token if the model wants one."""
        return self._tokenizer.encode(text).ids

    def encode_chat(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        """The ids of a conversation that waits for its next answer.

        Raises InvalidRequest if the model has no chat template, or its template refuses the messages.
        """
        if self._template is None:
            raise InvalidRequest(
                "this model has no chat template; send a string to continue instead of messages."
            )
        # The template writes the begin token itself.
        return self._tokenizer.encode(self._template.render(messages), add_special_tokens=False).ids

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids, special tokens left out."""
        return self._tokenizer.decode([i for i in ids if i not in self._special], skip_special_tokens=False)

    def piece(self, token_id: int) -> str:
        """The text of one token on its own, empty for a special one."""
        text = self._pieces.get(token_id)
        if text is None:
            text = self._pieces[token_id] = self.decode([token_id])
        return text

    def token_text(self, token_id: int) -> str:
        """One token as it stands inside a text, special ones included: alone, many lose their space."""
        before = self._tokenizer.decode(self._anchor)
        return self._tokenizer.decode([*self._anchor, token_id], skip_special_tokens=False).removeprefix(
            before
        )

    def _eos(self, folder: Path) -> int | None:
        token = read_tokenizer_config(folder).get("eos_token")
        token = token.get("content") if isinstance(token, dict) else token
        return self._tokenizer.token_to_id(token) if isinstance(token, str) else None


class TextStream:
    """The text of one answer as its tokens come.

    What `push` and `finish` return adds up to the answer: whole UTF-8 characters only, nothing from a stop
    string on. `stopped` becomes true when a stop string is complete.
    """

    def __init__(self, tokenizer: Tokenizer, prompt: Sequence[int], stop: Sequence[str] = ()) -> None:
        self._tokenizer = tokenizer
        self._stop = tuple(stop)
        context = _CONTEXT_TOKENS
        while context < min(_MAX_CONTEXT, len(prompt)) and self._begins_broken(prompt[-context:]):
            context += 1
        self._ids = list(prompt[-context:])
        self._begin = 0  # where decoding begins ...
        self._decoded = len(self._ids)  # ... and up to where its text has been taken
        self._held = ""  # may be the beginning of a stop string
        self.stopped = False

    def push(self, token_id: int) -> str:
        """Take the next token; returns the text that is safe to show."""
        self._ids.append(token_id)
        # Decode from a few tokens back: spaces and multi-byte characters depend on what stands before.
        known = self._decode_known()
        text = self._tokenizer.decode(self._ids[self._begin :])
        if text == known:  # a special token
            self._decoded = len(self._ids)
            return ""
        # A character takes four bytes at most, so after four tokens broken text stays broken.
        if text.endswith(_BROKEN) and len(self._ids) - self._decoded < 4:
            return ""
        self._begin, self._decoded = self._decoded, len(self._ids)
        return self._release(text[len(known) :])

    def finish(self) -> str:
        """The text still held back when the answer ends, less a last character that never became whole."""
        if self.stopped:
            return ""
        rest = self._tokenizer.decode(self._ids[self._begin :])[len(self._decode_known()) :].rstrip(_BROKEN)
        shown = self._release(rest)
        if not self.stopped:
            shown, self._held = shown + self._held, ""
        return shown

    def _begins_broken(self, ids: Sequence[int]) -> bool:
        # Some decoders then take all bytes up to the next letter for broken, whole characters too.
        return self._tokenizer.decode(ids).startswith(_BROKEN)

    def _decode_known(self) -> str:
        known = self._ids[self._begin : self._decoded]
        return self._tokenizer.piece(known[0]) if len(known) == 1 else self._tokenizer.decode(known)

    def _release(self, text: str) -> str:
        text = self._held + text
        found = [at for at in (text.find(stop) for stop in self._stop) if at >= 0]
        if found:
            self.stopped, self._held = True, ""
            return text[: min(found)]
        keep = max((_overlap(text, stop) for stop in self._stop), default=0)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]


def _overlap(text: str, stop: str) -> int:
    """How many characters at the end of `text` could begin `stop`."""
    for size in range(min(len(text), len(stop) - 1), 0, -1):
        if text.endswith(stop[:size]):
            return size
    return 0
