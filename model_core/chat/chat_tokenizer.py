"""Conversations to tokens: a model's tokenizer with its chat template."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..errors import InvalidRequest
from ..families.vision.parts import PreparedImage
from ..requests.messages import DEFAULT_FIELDS, ChatFields, ImageUrlPart, Message
from ..text.control_tokens import remove_marks
from ..text.tokenizer import AnyTokenizer
from .images import ImageReader
from .marking import render_marked
from .template import ChatPrompt, ChatTemplate, NoTemplate, require_template


@dataclass(frozen=True)
class ChatTokenizer:
    """A tokenizer, and the chat template of the same model. `close` ends its process.

    `reader` prepares images, None for a model that sees none.
    """

    tokenizer: AnyTokenizer
    chat_template: ChatTemplate | NoTemplate
    reader: ImageReader | None = None

    def encode_chat(self, messages: Sequence[Message], fields: ChatFields = DEFAULT_FIELDS) -> ChatPrompt:
        """The prompt for the next answer to a conversation, or for the rest of its last message.

        Only the template writes control tokens. Their names in messages, tools and variables are text.
        Raises InvalidRequest if the model has no chat template, or if the template refuses the messages.
        """
        template, images = require_template(self.chat_template), self._prepare_images(messages)
        variables = template.prepare(messages, fields)
        render = partial(template.render, fields=fields)
        control = self.tokenizer.control_tokens
        prompt = render(variables) if control is None else render_marked(control, variables, render)
        if self.reader is None or not images:
            return ChatPrompt(self.tokenizer.encode_marked(prompt), remove_marks(prompt))
        ids = self.tokenizer.encode_marked(self.reader.expand(prompt, images))
        return ChatPrompt(ids, remove_marks(prompt), images=self.reader.find_spans(ids, images))

    def _prepare_images(self, messages: Sequence[Message]) -> list[PreparedImage]:
        if self.reader is not None:
            return self.reader.prepare_all(messages)
        for part in (part for message in messages for part in message.images):
            place = part.place if isinstance(part, ImageUrlPart) else "messages"
            raise InvalidRequest("this model sees no images; load one that does, or send text alone.", place)
        return []

    def definition(self) -> list[Any]:
        """All that the tokens of prompts depend on, as plain values for a fingerprint."""
        return [*self.tokenizer.definition(), self.chat_template.sources]

    def close(self) -> None:
        """End the process that renders the chat template."""
        self.chat_template.close()
