"""The inputs of embeddings and scores as tokens: texts, pairs of texts, token ids, and conversations."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..chat.chat_tokenizer import ChatTokenizer
from ..checks.request_values import shorten
from ..errors import InvalidRequest, PromptTooLong
from ..images.data_url import TYPES, find_type, write_data_url
from ..requests.embedding import EmbeddingParams
from ..requests.messages import Message, parse_messages
from .conversations import ConversationEncoder, EncodedConversation, check_text_fields
from .settings import EmbeddingSettings

Conversation = Sequence[Mapping[str, Any] | Message]
Input = str | bytes | Path | Sequence[int] | Conversation  # bytes, Path: of the file of an image


class InputEncoder:
    """Makes tokens of inputs. Any thread may call it.

    `max_tokens`: of an input.
    """

    def __init__(
        self,
        tokenizer: ChatTokenizer | None,
        settings: EmbeddingSettings,
        conversations: ConversationEncoder,
        vocab_size: int,
        max_tokens: int,
    ) -> None:
        self.max_tokens, self._vocab_size = max_tokens, vocab_size
        self._tokenizer, self._settings, self._conversations = tokenizer, settings, conversations

    def encode_late(self, text: str, room: int, truncate: bool, name: str) -> list[int]:
        """The tokens of a query or a document, at most `room`. Raises InvalidRequest or PromptTooLong."""
        tokenizer = self.require_tokenizer().tokenizer
        tokens, _ = tokenizer.encode_text(self._prepare(text), None, room if truncate else None)
        self.check_tokens(tokens, name, room)
        return tokens

    def choose_prompt(self, params: EmbeddingParams) -> str:
        """The text to put before inputs. Raises InvalidRequest for an unknown name."""
        prompts = self._settings.prompts
        if params.prompt is not None:
            if params.prompt_name is not None:
                raise InvalidRequest("prompt and prompt_name exclude each other; send one of them.", "prompt")
            return params.prompt
        name = self._settings.default_prompt if params.prompt_name is None else params.prompt_name
        if name is None:
            return ""
        if name not in prompts:
            known = f"it has {', '.join(prompts)}" if prompts else "it has none"
            raise InvalidRequest(f"the model has no prompt {shorten(name)}; {known}.", "prompt_name")
        return prompts[name]

    def encode(
        self, item: Input, prompt: str, params: EmbeddingParams, name: str, salt: str
    ) -> EncodedConversation:
        """The tokens of an input, special ones included. Raises InvalidRequest or PromptTooLong."""
        if isinstance(item, bytes | Path):
            item = [_show_image(item, name)]
        if is_conversation(item):
            messages = parse_messages(list(item))
            return self._encode_conversation(messages, prompt, params, name, salt)
        if isinstance(item, str):
            if not item:
                raise InvalidRequest(f"{name} is an empty text.", name)
            if self._conversations.takes_texts:
                message = Message(role="user", content=item)
                return self._encode_conversation([message], prompt, params, name, salt)
            room = self.room(bool(params.truncate))
            tokens, _ = self.require_tokenizer().tokenizer.encode_text(
                self._prepare(prompt + item), None, room
            )
        else:
            tokens = self._take_ids(item, bool(params.truncate), name)
        check_text_fields(params)
        self.check_tokens(tokens, name)
        return EncodedConversation(tokens)

    def _encode_conversation(
        self, messages: Sequence[Message], prompt: str, params: EmbeddingParams, name: str, salt: str
    ) -> EncodedConversation:
        found = self._conversations.encode(messages, prompt, params, salt)
        self.check_tokens(found.tokens, name, is_cut=False)
        return found

    def _take_ids(self, item: Any, truncate: bool, name: str) -> list[int]:
        """An input that is a list of token ids."""
        if not isinstance(item, Sequence | np.ndarray):
            raise InvalidRequest(f"{name} should be a text, token ids or a conversation.", name)
        tokens = list(item[: self.max_tokens] if truncate else item)
        if not all(isinstance(token, int | np.integer) for token in tokens):
            raise InvalidRequest(f"{name} should be a text, token ids or a conversation.", name)
        return tokens

    def encode_pair(
        self, query: str, document: str, truncate: bool, name: str
    ) -> tuple[list[int], list[int]]:
        """The tokens of a query with a document, and the types of the tokens. Raises as `encode`."""
        check_texts(query, document, name)
        tokenizer = self.require_tokenizer().tokenizer
        texts = self._prepare(query), self._prepare(document)
        tokens, types = tokenizer.encode_text(*texts, self.room(truncate))
        self.check_tokens(tokens, name)
        return tokens, types

    def _prepare(self, text: str) -> str:
        """A text as sentence-transformers gives it to the tokenizer."""
        return text.lower() if self._settings.lowers_case else text

    def room(self, truncate: bool) -> int | None:
        """To how many tokens an input is cut; None: it is not."""
        return self.max_tokens if truncate else None

    def check_tokens(
        self, tokens: Sequence[int], name: str, limit: int | None = None, is_cut: bool = True
    ) -> None:
        """Raises InvalidRequest, or PromptTooLong for more than `limit`; None: the limit of the model.

        `is_cut`: whether `truncate` would help.
        """
        limit = limit or self.max_tokens
        if not tokens:
            raise InvalidRequest(f"{name} has no tokens.", name)
        if len(tokens) > limit:
            raise PromptTooLong(
                f"{name} has {len(tokens)} tokens, but the model takes at most {limit}; shorten it"
                f"{', or send truncate' if is_cut else ''}.",
                name,
            )
        if not all(0 <= token < self._vocab_size for token in tokens):
            raise InvalidRequest(
                f"{name} has a token outside the model's vocabulary of {self._vocab_size}.", name
            )

    def require_tokenizer(self) -> ChatTokenizer:
        """The tokenizer. Raises InvalidRequest if there is none."""
        if self._tokenizer is None:
            raise InvalidRequest("this model has no tokenizer; send token ids.")
        return self._tokenizer


def is_conversation(item: Any) -> bool:
    """Whether an input is a conversation."""
    return isinstance(item, Sequence) and len(item) > 0 and isinstance(item[0], Mapping | Message)


def _show_image(file: bytes | Path, name: str) -> dict[str, Any]:
    """The message of a user who shows an image. Raises InvalidRequest for a file that cannot be read."""
    try:
        data = file if isinstance(file, bytes) else file.read_bytes()
    except OSError as error:
        raise InvalidRequest(f"{name} cannot be read: {error.strerror}.", name) from None
    url = write_data_url(find_type(data) or TYPES[0], data)
    return {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}


def check_texts(query: str, document: str, name: str) -> None:
    """Raises InvalidRequest unless both are texts, and not empty."""
    if not isinstance(query, str) or not query:
        raise InvalidRequest("the query should be a text, and not empty.", "query")
    if not isinstance(document, str) or not document:
        raise InvalidRequest(f"{name} should be a text, and not empty.", name)
