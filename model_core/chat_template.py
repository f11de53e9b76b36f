"""Chat templates: messages -> the prompt, rendered by Jinja2 in a process with limits."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .config import read_json
from .errors import InvalidRequest, ModelError, PromptTooLong
from .template_process import REFUSED, TOO_LONG
from .template_renderer import LIMIT_EXCEEDED, RenderError, TemplateRenderer

# Both are appended to a last message that is to be continued. The end mark is half of a surrogate pair, which
# no valid text contains. The trim mark is an em space: if it is missing, the template has trimmed the text.
_END_MARK = "\udc01"
_TRIM_MARK = "\u2003"
# Text has about four characters a token. A text with more characters than this is too long for the model.
MAX_CHARACTERS_PER_POSITION = 32


class ChatTemplate:
    """A compiled chat template. `close` ends the process that renders it.

    `sample_text` is the text that it renders for a short conversation.
    """

    def __init__(
        self, source: str, special_tokens: Mapping[str, str], folder: Path, max_context: int
    ) -> None:
        """`max_context`: tokens, which limit the length of the text.

        Raises ModelError if `source` is not a template, or exceeds a limit with the simplest conversation.
        """
        self._name, self._max_context = folder.name, max_context
        self._max_characters = max_context * MAX_CHARACTERS_PER_POSITION
        try:
            self._renderer = TemplateRenderer(source, special_tokens)
            self.sample_text = self._render_sample()
        except RenderError as error:
            fault = f" {error}" if error.kind == LIMIT_EXCEEDED else f" is damaged: {error}"
            raise ModelError(f"The chat template of {folder}{fault}.") from error

    def _render_sample(self) -> str:
        """The text of the first of a few conversations that the template accepts, or an empty one."""
        conversation = [{"role": role, "content": "a"} for role in ("system", "user", "assistant", "user")]
        for messages in (conversation, conversation[1:], conversation[1:2]):
            try:
                return self._renderer.render(messages, False, self._max_characters)
            except RenderError as error:
                if error.kind == LIMIT_EXCEEDED:
                    raise
        return ""

    def close(self) -> None:
        """End the process that renders the template."""
        self._renderer.close()

    def render(self, messages: Sequence[Mapping[str, Any]], continue_final_message: bool = False) -> str:
        """The prompt for an answer to `messages`, or for the rest of the last one.

        Raises InvalidRequest if the template refuses them, or changes the text that is to be continued.
        """
        if not continue_final_message:
            return self._render(messages, add_generation_prompt=True)
        *previous, last = messages or [{}]
        content = last.get("content")
        if not isinstance(content, str):
            raise InvalidRequest("continue_final_message needs a last message with a text to continue.")
        marked = {**last, "content": content + _END_MARK + _TRIM_MARK}
        text = self._render([*previous, marked], add_generation_prompt=False)
        text, mark, rest = text.rpartition(_END_MARK)
        content = content.lstrip()  # as some templates do
        if not rest.startswith(_TRIM_MARK):
            text, content = text.rstrip(), content.rstrip()
        if not mark or not text.endswith(content):
            raise InvalidRequest(
                "the model's chat template does not keep the last message as it is, so that it cannot be "
                "continued; leave out continue_final_message."
            )
        return text.replace(_END_MARK + _TRIM_MARK, "").replace(_END_MARK, "")

    def _render(self, messages: Sequence[Mapping[str, Any]], add_generation_prompt: bool) -> str:
        try:
            return self._renderer.render(messages, add_generation_prompt, self._max_characters)
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidRequest(f"messages are not JSON: {error}.") from error
        except RenderError as error:
            if error.kind == TOO_LONG:
                raise PromptTooLong(
                    f"This model's maximum context length is {self._max_context} tokens (--max-context), for "
                    f"which {self._max_characters} characters are read at most; the chat template makes more "
                    "of these."
                ) from error
            if error.kind == LIMIT_EXCEEDED:
                raise InvalidRequest(
                    f"the chat template of {self._name} {error} with these messages."
                ) from error
            fault = "refuses" if error.kind == REFUSED else "fails on"
            raise InvalidRequest(f"the model's chat template {fault} these messages: {error}.") from error


def read_tokenizer_config(folder: Path) -> dict[str, Any]:
    """tokenizer_config.json, with special_tokens_map.json of older models. Raises ModelError."""
    paths = (folder / "special_tokens_map.json", folder / "tokenizer_config.json")
    merged: dict[str, Any] = {}
    for path in paths:
        merged.update(read_json(path) if os.path.isfile(path) else {})
    return merged


def read_special_tokens(folder: Path) -> dict[str, str]:
    """The special tokens that a template may use: name -> text. Raises ModelError."""
    raw = read_tokenizer_config(folder)
    tokens = {}
    for name in ("bos_token", "eos_token", "unk_token", "pad_token"):
        token = raw.get(name)
        token = token.get("content") if isinstance(token, dict) else token
        if isinstance(token, str):
            tokens[name] = token
            try:
                token.encode()
            except UnicodeEncodeError as error:
                raise ModelError(
                    f"{folder / 'tokenizer_config.json'}, or special_tokens_map.json beside it, is damaged: "
                    f"{name} has half of a surrogate pair."
                ) from error
    return tokens


def read_chat_template(folder: Path, max_context: int) -> ChatTemplate | None:
    """The template of a model folder: `chat_template.jinja`, or `chat_template` in tokenizer_config.json.

    None if the model has none. Raises ModelError if it is damaged.
    """
    separate = folder / "chat_template.jinja"
    if os.path.isfile(separate):
        try:
            source: Any = separate.read_text("utf-8", errors="replace")
        except OSError as error:
            raise ModelError(f"{separate} cannot be read: {error.strerror}.") from error
    else:
        source = read_tokenizer_config(folder).get("chat_template")
    if isinstance(source, list):  # several templates with names; "default" is for chat
        templates = (t for t in source if isinstance(t, dict) and t.get("name") == "default")
        source = next(templates, {}).get("template")
    if not isinstance(source, str):
        return None
    return ChatTemplate(source, read_special_tokens(folder), folder, max_context)
