"""A loaded model: its parts, and prompts for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..chat.chat_tokenizer import ChatTokenizer
from ..chat.images import ImageReader
from ..chat.model import ChatModel, PreparedChat
from ..chat.request_templates import RequestTemplates
from ..chat.template import ChatPrompt, ChatTemplate, NoTemplate
from ..chat.truncation import prompt_limit
from ..embeddings.embedder import Embedder
from ..engine.draft_model import DraftModel
from ..engine.engine import Engine
from ..errors import InvalidRequest
from ..files.hashes import FileState
from ..model.transformer import Transformer
from ..prompts.prompts import Prompts
from ..requests.infill import InfillFields
from ..requests.messages import DEFAULT_FIELDS, ChatFields, Message, parse_messages
from ..requests.sampling import FilledParams, GenerationDefaults
from ..text.infill import InfillPrompt, InfillText, encode_infill
from ..text.tokenizer import AnyTokenizer, encode_prompt

Messages = Sequence[Mapping[str, Any] | Message]


@dataclass(frozen=True)
class Origin:
    """What a model is made from.

    Attributes:
        states: of the files with its weights, before they were read.
        tensors: the names of the tensors of the model and of its tower, with the number of the file in
            `states` from which each is read.
        config: the fields of config.json; empty where the files with weights have them.
        vision: of a model that sees, config.json and preprocessor_config.json as a whole; empty where the
            files with weights have them. None for one that sees none.
        weights, arithmetic, portable: see LLMSettings.
    """

    states: tuple[FileState, ...]
    tensors: tuple[tuple[str, int], ...]
    config: Mapping[str, Any]
    vision: Sequence[Mapping[str, Any]] | None
    weights: str
    arithmetic: str
    portable: bool


@dataclass(eq=False)
class LoadedModel:
    """The parts of a model that is ready to answer.

    Attributes:
        chat_tokenizer: None for a model without a tokenizer.
        defaults: of sampling parameters that a request does not set.
        draft_model: drafts tokens for it, if one was asked for.
        file_format: "gguf" or "safetensors".
        takes_templates: whether requests may bring chat templates of their own.
        vision: prepares images, None for a model that sees none.
        origin: what it was loaded from.
    """

    name: str
    model: Transformer
    chat_tokenizer: ChatTokenizer | None
    defaults: GenerationDefaults
    embedder: Embedder
    engine: Engine
    prompts: Prompts
    draft_model: DraftModel | None
    kv_cache_dtype: str
    file_format: str
    takes_templates: bool
    origin: Origin
    vision: ImageReader | None = None

    @property
    def tokenizer(self) -> AnyTokenizer | None:
        """Text to tokens and back; None for a model that takes token ids only."""
        return None if self.chat_tokenizer is None else self.chat_tokenizer.tokenizer

    def encode(self, prompt: str | Sequence[int]) -> list[int]:
        """The token ids of a raw prompt. Raises InvalidRequest for text if there is no tokenizer."""
        return encode_prompt(self.tokenizer, prompt)

    def encode_infill(
        self, prefix: str, fields: InfillFields, max_tokens: int, truncates: bool = False
    ) -> InfillPrompt:
        """The prompt to fill in between `prefix` and the suffix in `fields`. Raises InvalidRequest.

        `truncates`: leave out what is too long for the context with an answer of `max_tokens`.
        """
        self.model.check_makes_text()
        snippets = [(snippet.filename, snippet.text) for snippet in fields.input_extra or ()]
        room = prompt_limit(self.engine.limits.max_context, max_tokens) if truncates else None
        return encode_infill(self.tokenizer, InfillText(prefix, fields.suffix or "", snippets), room)

    def encode_chat(
        self, messages: Messages, fields: ChatFields = DEFAULT_FIELDS, max_tokens: int | None = None
    ) -> ChatPrompt:
        """The prompt for the next answer, of up to `max_tokens`, to a conversation. Raises InvalidRequest."""
        return self._find_chat_model(fields).encode(parse_messages(list(messages)), fields, max_tokens)

    def prepare_chat(self, messages: Messages, fields: ChatFields, params: FilledParams) -> PreparedChat:
        """The prompt for the next answer to a conversation, and how this answer is made and read.

        Raises InvalidRequest.
        """
        return self._find_chat_model(fields).prepare(parse_messages(list(messages)), fields, params)

    def _find_chat_model(self, fields: ChatFields) -> ChatModel:
        if fields.chat_template is None:
            return self._chat_model
        if not self.takes_templates:
            raise InvalidRequest(
                "chat_template is not allowed: this server takes no templates of requests; leave it out, or "
                "start the server with --allow-request-templates.",
                "chat_template",
            )
        return self._make_chat_model(self._request_templates.find(fields.chat_template))

    @cached_property
    def _chat_model(self) -> ChatModel:
        return self._make_chat_model(self._text_tokenizer.chat_template)

    @cached_property
    def _request_templates(self) -> RequestTemplates:
        special_tokens = self._text_tokenizer.chat_template.special_tokens
        return RequestTemplates(special_tokens, self.engine.limits.max_context)

    @property
    def _text_tokenizer(self) -> ChatTokenizer:
        """The tokenizer of a model that makes text. Raises InvalidRequest for others."""
        self.model.check_makes_text()
        if self.chat_tokenizer is None:
            raise InvalidRequest("this model has no tokenizer; send token ids.")
        return self.chat_tokenizer

    def _make_chat_model(self, template: ChatTemplate | NoTemplate) -> ChatModel:
        tokenizer = ChatTokenizer(self._text_tokenizer.tokenizer, template, self.vision)
        return ChatModel(tokenizer, self.engine.limits.max_context, self.engine.grammars.find_fault)
