"""Conversations to embed, whose messages may have images: their tokens, as the chat template has them.

A folder of sentence-transformers says in sentence_bert_config.json whether texts are conversations, too, and
how they end; other folders are read as vLLM does.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..chat.chat_tokenizer import ChatTokenizer
from ..chat.images import ImageReader
from ..checks.file_values import read_flag, read_json, shorten
from ..engine.request_images import RequestImages
from ..errors import InvalidRequest, ModelError
from ..families.vision.parts import count_rows
from ..requests.embedding import ConversationFields, EmbeddingParams
from ..requests.messages import ChatFields, ImageUrlPart, Message
from ..vision.encoder import ImageEncoder

_FILE = "sentence_bert_config.json"
_ENDS = "add_generation_prompt"


@dataclass(frozen=True)
class ConversationForm:
    """How a checkpoint wants conversations.

    Attributes:
        adds_generation_prompt: whether they end where an answer begins.
    """

    adds_generation_prompt: bool = False


@dataclass(frozen=True)
class VisionInput:
    """What takes images in: `reader` prepares them, `encoder` computes their rows."""

    reader: ImageReader
    encoder: ImageEncoder


@dataclass(frozen=True)
class EncodedConversation:
    """The tokens of a conversation, its images, and how many of the tokens are rows of images."""

    tokens: list[int]
    images: RequestImages | None = None
    image_tokens: int = 0


def read_conversation_form(folder: Path) -> ConversationForm | None:
    """The form of the texts of a model that takes them as conversations; None if it takes them as they are.

    Raises ModelError.
    """
    path = folder / _FILE
    raw = read_json(path) if os.path.isfile(path) else {}
    kinds, options = raw.get("modality_config"), raw.get("processing_kwargs") or {}
    if not isinstance(kinds, dict) or "message" not in kinds:
        return None
    own = options.get("chat_template", {}) if isinstance(options, dict) else None
    if not isinstance(own, dict) or own.keys() - {_ENDS}:
        raise ModelError(
            f"{path}: of chat_template in processing_kwargs, only {_ENDS} is supported, not {shorten(own)}."
        )
    try:
        return ConversationForm(read_flag(own, _ENDS, False))
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error


class ConversationEncoder:
    """Makes tokens of conversations. Any thread may call it."""

    def __init__(
        self, tokenizer: ChatTokenizer | None, form: ConversationForm | None, vision: VisionInput | None
    ) -> None:
        """`vision`: of a model that takes images."""
        self._form, self._vision = form, vision
        if tokenizer is not None and vision is not None:
            tokenizer = ChatTokenizer(tokenizer.tokenizer, tokenizer.chat_template, vision.reader)
        self._tokenizer = tokenizer

    @property
    def takes_texts(self) -> bool:
        """Whether a text is a conversation, with one message of a user."""
        return self._form is not None

    def encode(
        self, messages: Sequence[Message], prompt: str, params: EmbeddingParams, salt: str = ""
    ) -> EncodedConversation:
        """The tokens of a conversation, which begins with `prompt` as a message of the system.

        A conversation with such a message of its own has none of the checkpoint. Raises InvalidRequest or
        PromptTooLong.
        """
        self._check_images(messages)
        if self._tokenizer is None:
            raise InvalidRequest("this model has no tokenizer; send token ids.", "messages")
        if messages[0].role in ("system", "developer"):
            for name in ("prompt", "prompt_name"):
                if getattr(params, name) is not None:
                    raise InvalidRequest(
                        f"{name} is a message of the system, and the conversation has its own; send one.",
                        name,
                    )
        elif prompt:
            messages = [Message(role="system", content=prompt), *messages]
        fields = self._find_fields(params)
        found = self._tokenizer.encode_chat(messages, fields)
        adds_ends = self._adds_ends(params, found.text)
        begin, end = self._tokenizer.tokenizer.find_ends() if adds_ends else ([], [])
        tokens = [*begin, *found.token_ids, *end]
        if not found.images or self._vision is None:
            return EncodedConversation(tokens)
        spans = [replace(span, start=span.start + len(begin)) for span in found.images]
        images = RequestImages(spans, tokens, self._vision.encoder, salt)
        return EncodedConversation(tokens, images, count_rows(spans))

    def _check_images(self, messages: Sequence[Message]) -> None:
        """Raises InvalidRequest for an image that the model does not see."""
        for part in (part for message in messages for part in message.images):
            if self._vision is None:
                place = part.place if isinstance(part, ImageUrlPart) else "messages"
                raise InvalidRequest(
                    "this model makes embeddings of texts, and sees no images; load one that does, such as "
                    "Qwen3-VL-Embedding, or send text alone.",
                    place,
                )

    def _find_fields(self, params: EmbeddingParams) -> ChatFields:
        """What the chat template is told."""
        is_open = bool(params.continue_final_message)
        ends = params.add_generation_prompt
        if ends is None:
            ends = self._form is not None and self._form.adds_generation_prompt and not is_open
        if ends and is_open:
            raise InvalidRequest(
                "continue_final_message and add_generation_prompt cannot both be true.",
                "continue_final_message",
            )
        return ChatFields(
            add_generation_prompt=ends,
            continue_final_message=is_open,
            chat_template_kwargs=params.chat_template_kwargs,
        )

    def _adds_ends(self, params: EmbeddingParams, text: str) -> bool:
        """Whether the tokenizer adds its tokens in front and behind.

        Transformers' processors of models that see add them to a rendered conversation, unless it has the
        first of them already (ProcessorMixin.apply_chat_template).
        """
        if params.add_special_tokens is not None:
            return params.add_special_tokens
        if self._form is None or self._vision is None or self._tokenizer is None:
            return False
        begin = self._tokenizer.tokenizer.special_tokens.get("bos_token")
        return begin is None or not text.startswith(begin)


def check_text_fields(params: EmbeddingParams) -> None:
    """Raises InvalidRequest for what is wanted of a conversation, and not to be had for texts."""
    neutral: dict[str, Any] = {name: (None, False) for name in ConversationFields.model_fields}
    neutral |= {"add_special_tokens": (None, True), "chat_template_kwargs": (None, {})}
    for name, values in neutral.items():
        if getattr(params, name) not in values:
            raise InvalidRequest(f"{name} is for conversations (messages); leave it out for texts.", name)
