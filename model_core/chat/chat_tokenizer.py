"""Conversations to tokens: a model's tokenizer with its chat template."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..requests.messages import DEFAULT_FIELDS, ChatFields, Message
from ..text.control_tokens import remove_marks
from ..text.tokenizer import AnyTokenizer
from .marking import render_marked
from .template import ChatPrompt, ChatTemplate, NoTemplate, require_template


@dataclass(frozen=True)
class ChatTokenizer:
    """A tokenizer, and the chat template of the same model. `close` ends its process."""

    tokenizer: AnyTokenizer
    chat_template: ChatTemplate | NoTemplate

    def encode_chat(self, messages: Sequence[Message], fields: ChatFields = DEFAULT_FIELDS) -> ChatPrompt:
        """The prompt for the next answer to a conversation, or for the rest of its last message.

        Only the template writes control tokens. Their names in messages, tools and variables are text.
        Raises InvalidRequest if the model has no chat template, or if the template refuses the messages.
        """
        template = require_template(self.chat_template)
        variables = template.prepare(messages, fields)
        render = partial(template.render, fields=fields)
        control = self.tokenizer.control_tokens
        prompt = render(variables) if control is None else render_marked(control, variables, render)
        return ChatPrompt(self.tokenizer.encode_marked(prompt), remove_marks(prompt))

    def definition(self) -> list[Any]:
        """All that the tokens of prompts depend on, as plain values for a fingerprint."""
        return [*self.tokenizer.definition(), self.chat_template.sources]

    def close(self) -> None:
        """End the process that renders the chat template."""
        self.chat_template.close()
