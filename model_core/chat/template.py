"""Chat templates: messages -> the prompt, rendered by Jinja2 in a process with limits."""

import json
import logging
import math
import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..checks.file_values import read_json, shorten
from ..errors import InvalidRequest, ModelError, PromptTooLong
from ..families.vision.parts import ImageSpan
from ..requests.messages import ChatFields, Message
from ..text.special_tokens import read_tokenizer_config
from .conventions import PROBE_TOOL, find_conventions, shape_tool
from .render_program import REFUSED, TOO_LONG
from .renderer import LIMIT_EXCEEDED, RenderError, TemplateRenderer

LOGGER = logging.getLogger(__name__)
# Both are appended to a last message that is to be continued. The end mark is half of a surrogate pair, which
# no valid text contains. The trim mark is an em space: if it is missing, the template has trimmed the text.
_END_MARK = "\udc01"
_TRIM_MARK = "\u2003"
# Text has about four characters a token. A text with more characters than this is too long for the model.
MAX_CHARACTERS_PER_POSITION = 32
_JSON_FILE = "chat_template.json"  # of models that also see
_DEFAULT, _TOOL_USE = "default", "tool_use"  # names of templates
_PROBES_S = 5.0  # for what is tried with a template of a request: mostly some milliseconds
_PROMPT_END = 256  # characters of `ChatPrompt.end`
_MAX_VARIABLES, _MAX_VARIABLE_BYTES = 32, 2**14
NO_TEMPLATE = (
    "this model has no chat template; give it one with --chat-template FILE, or let it continue texts: "
    "/v1/completions."
)
CLOCK = "strftime_now"  # with this, templates write the date
# What the service sets itself, and what templates call.
_RESERVED = re.compile(
    r"messages|tools|documents|add_generation_prompt|continue_final_message|raise_exception|strftime_now"
    r"|range|dict|lipsum|cycler|joiner|namespace|\w+_token"
)


@dataclass(frozen=True)
class ChatPrompt:
    """The prompt for an answer to a conversation.

    Attributes:
        token_ids: its tokens.
        text: what the chat template has written, names of control tokens included.
        truncated_messages: how many messages were left out because the conversation was too long.
        images: where the rows of images are in the tokens.
    """

    token_ids: list[int]
    text: str
    truncated_messages: int = 0
    images: tuple[ImageSpan, ...] = ()

    @property
    def end(self) -> str:
        """Its last characters. They may begin the answer's reasoning."""
        return self.text[-_PROMPT_END:]


def make_variables(fields: ChatFields) -> dict[str, Any]:
    """The variables that a request sets for the chat template: its own, and those for the reasoning.

    Templates call the switch of the reasoning `enable_thinking` or `thinking`, and its effort
    `reasoning_effort` or `reasoning_strength` (Muse Glimmer). The effort "none" turns it off. Raises
    InvalidRequest for variables that are reserved, too large, or neither scalars nor lists of these.
    """
    variables = dict(fields.chat_template_kwargs or {})
    if len(variables) > _MAX_VARIABLES or len(json.dumps(variables)) > _MAX_VARIABLE_BYTES:
        raise InvalidRequest(
            f"chat_template_kwargs may have {_MAX_VARIABLES} names and {_MAX_VARIABLE_BYTES} bytes at most.",
            "chat_template_kwargs",
        )
    for name, value in variables.items():
        param = f"chat_template_kwargs.{name[:40]}"
        if not name.isidentifier() or _RESERVED.fullmatch(name):
            raise InvalidRequest(f"{param} is no variable that a request may set.", param)
        members = value if isinstance(value, list) else [value]
        if any(isinstance(member, list | dict) for member in members):
            raise InvalidRequest(
                f"{param} must be a string, a number, true, false, null or a list of these.", param
            )
    enable_thinking = fields.enable_thinking
    if fields.reasoning_effort == "none":
        enable_thinking = False if enable_thinking is None else enable_thinking
    elif fields.reasoning_effort is not None:
        effort = fields.reasoning_effort
        variables = {"reasoning_effort": effort, "reasoning_strength": effort, **variables}
    if enable_thinking is not None:
        variables = {"enable_thinking": enable_thinking, "thinking": enable_thinking, **variables}
    return variables


class ChatTemplate:
    """The compiled chat templates of a model: one, or one more for conversations with tools.

    Attributes:
        sources: the texts of the templates, by name: "default", and perhaps "tool_use".
        source: the text of the template, of the one for tools if there are two.
        sample_text: what the template renders for a short conversation.
        conventions: what it expects of messages.
        special_tokens: the variables with the texts of special tokens, by name.
        enable_thinking: whether the model reasons if a request does not say; None if that cannot be chosen.

    `close` ends the process that renders them.
    """

    def __init__(
        self,
        sources: Mapping[str, str],
        special_tokens: Mapping[str, str],
        origin: Path | None,
        max_context: int,
    ) -> None:
        """`sources`: "default", and perhaps "tool_use". `origin`: a file or folder; None for a request.

        `max_context`: tokens, which limit a text's length. Raises ModelError if a source is not a template,
        or exceeds a limit with the simplest conversations.
        """
        self._max_context, self.special_tokens = max_context, dict(special_tokens)
        if origin is None:
            self._title, self._param = "chat_template", "chat_template"
            self._probes_end = time.monotonic() + _PROBES_S
        else:
            self._title, self._param = f"the chat template of {origin.name}", "messages"
            self._probes_end = math.inf
        self._max_characters = max_context * MAX_CHARACTERS_PER_POSITION
        self.sources = dict(sources)
        self.source = sources.get(_TOOL_USE, sources[_DEFAULT])
        try:
            self._renderer = TemplateRenderer(sources, special_tokens)
            self.sample_text = self._render_sample()
            self.conventions = find_conventions(self.source, self._try)
            self.enable_thinking = self._find_thinking_default()
        except RenderError as error:
            fault = f" {error}" if error.kind == LIMIT_EXCEEDED else f" is damaged: {error}"
            title = "chat_template" if origin is None else f"The chat template of {origin}"
            raise ModelError(f"{title}{fault}.") from error

    def _render_sample(self) -> str:
        """The text of the first of a few conversations that the template accepts, or an empty one."""
        conversation = [{"role": role, "content": "a"} for role in ("system", "user", "assistant", "user")]
        for messages in (conversation, conversation[1:], conversation[1:2]):
            text = self._try(messages, _DEFAULT)
            if text is not None:
                return text
        return ""

    def _find_thinking_default(self) -> bool | None:
        """The value of `enable_thinking` without which the prompt is the same; None if it never matters."""
        messages = self.conventions.split_contents([{"role": "user", "content": "a"}])

        def render(enable_thinking: bool | None) -> str | None:
            variables = make_variables(ChatFields(enable_thinking=enable_thinking))
            return self._try(messages, _DEFAULT, add_generation_prompt=True, **variables)

        thinking = render(True)
        return None if thinking == render(False) else thinking == render(None)

    def _try(self, messages: list[dict[str, Any]], name: str = _TOOL_USE, **others: Any) -> str | None:
        """The text for shaped messages; None if the template refuses them. Raises RenderError at a limit.

        `others` are further variables.
        """
        variables: dict[str, Any] = {"messages": messages, "add_generation_prompt": False, **others}
        if name == _TOOL_USE:
            variables["tools"] = [shape_tool(PROBE_TOOL)]
        if time.monotonic() > self._probes_end:
            raise RenderError(LIMIT_EXCEEDED, f"takes longer than {_PROBES_S:g} s for short conversations")
        try:
            return self._renderer.render(self._find_name(name), variables, self._max_characters)
        except RenderError as error:
            if error.kind == LIMIT_EXCEEDED:
                raise
            return None

    def _find_name(self, name: str) -> str:
        return name if name in self.sources else _DEFAULT

    def close(self) -> None:
        """End the process that renders the template."""
        self._renderer.close()

    def prepare(self, messages: Sequence[Message], fields: ChatFields) -> dict[str, Any]:
        """The variables for `render`, JSON: messages and tools as the template expects them, and more.

        Raises InvalidRequest for variables that a request may not set.
        """
        tools = [shape_tool(tool) for tool in fields.tools or () if fields.tool_choice != "none"]
        shaped = self.conventions.shape(messages)
        return {**make_variables(fields), "messages": shaped, "tools": tools or None}

    def render(self, variables: Mapping[str, Any], fields: ChatFields) -> str:
        """The prompt for an answer, or for the rest of the last message.

        Raises InvalidRequest if the template refuses the messages, or changes the text to be continued.
        """
        if not fields.continue_final_message:
            return self._render(variables, add_generation_prompt=fields.add_generation_prompt is not False)
        *previous, last = variables["messages"] or [{}]
        content = last.get("content")
        if content is None or "tool_calls" in last:
            raise InvalidRequest(
                "continue_final_message needs a last message with a text to continue.", "messages"
            )
        marked = {**last, "content": content + _END_MARK + _TRIM_MARK}
        text = self._render({**variables, "messages": [*previous, marked]}, add_generation_prompt=False)
        text, mark, rest = text.rpartition(_END_MARK)
        content = content.lstrip()  # as some templates do
        if not rest.startswith(_TRIM_MARK):
            text, content = text.rstrip(), content.rstrip()
        if not mark or not text.endswith(content):
            raise InvalidRequest(
                "the model's chat template does not keep the last message as it is, so that it cannot be "
                "continued; leave out continue_final_message.",
                "continue_final_message",
            )
        return text.replace(_END_MARK + _TRIM_MARK, "").replace(_END_MARK, "")

    def _render(self, variables: Mapping[str, Any], add_generation_prompt: bool) -> str:
        messages = self.conventions.split_contents(variables["messages"])
        variables = {**variables, "messages": messages, "add_generation_prompt": add_generation_prompt}
        name = self._find_name(_TOOL_USE if variables.get("tools") else _DEFAULT)
        try:
            return self._renderer.render(name, variables, self._max_characters)
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
                raise InvalidRequest(f"{self._title} {error} with these messages.", self._param) from error
            fault = "refuses" if error.kind == REFUSED else "fails on"
            title = "chat_template" if self._param == "chat_template" else "the model's chat template"
            raise InvalidRequest(f"{title} {fault} these messages: {error}.", self._param) from error


class NoTemplate:
    """In the place of the chat template of a model that has none, or a damaged one: `reason` is a sentence.

    `sample_text`: as that of a template. `sources`: those of a damaged one.
    """

    sample_text = ""

    def __init__(
        self,
        special_tokens: Mapping[str, str],
        reason: str = NO_TEMPLATE,
        sources: Mapping[str, str] | None = None,
    ) -> None:
        self.special_tokens = dict(special_tokens)
        self.reason, self.sources = reason, None if sources is None else dict(sources)

    def close(self) -> None:
        """There is no process to end."""


def open_chat_template(
    sources: Mapping[str, str],
    special_tokens: Mapping[str, str],
    path: Path,
    max_context: int,
    replacement: Path | None = None,
) -> ChatTemplate | NoTemplate:
    """The chat template of a model. A damaged one is a warning: the model still continues texts.

    sources: of the model at `path`, by name: "default", "tool_use" for conversations with tools, and others;
    none if it has no template. replacement: the name of one of them, or else a file, whose template is taken
    for all conversations. Raises ModelError if that one is damaged or cannot be read.
    """
    if replacement is not None:
        text = sources.get(str(replacement))
        text = _read_replacement(replacement, sources) if text is None else text
        return ChatTemplate({_DEFAULT: text}, special_tokens, replacement, max_context)
    if not sources:
        return NoTemplate(special_tokens)
    if _DEFAULT not in sources:
        names = ", ".join(map(shorten, sources))
        return NoTemplate(
            special_tokens,
            f"This model has no default chat template, but others: --chat-template takes {names}.",
        )
    sources = {name: sources[name] for name in (_DEFAULT, _TOOL_USE) if name in sources}
    try:
        return ChatTemplate(sources, special_tokens, path, max_context)
    except ModelError as error:
        LOGGER.warning("%s There are no conversations; --chat-template FILE replaces it.", error)
        return NoTemplate(special_tokens, str(error), sources)


def require_template(template: ChatTemplate | NoTemplate) -> ChatTemplate:
    """The template of a model that has one. Raises InvalidRequest."""
    if isinstance(template, NoTemplate):
        raise InvalidRequest(f"{template.reason} Send a string to continue instead of messages.", "messages")
    return template


def read_template_sources(folder: Path) -> dict[str, str]:
    """The sources of a model folder's templates, by name; none if there is no chat template.

    They are `chat_template.jinja` with those in `additional_chat_templates`, such as `tool_use.jinja`; or
    `chat_template` in tokenizer_config.json, or else in chat_template.json: one, or a list of several with
    names. Raises ModelError if a file is damaged.
    """
    main, others = folder / "chat_template.jinja", sorted(folder.glob("additional_chat_templates/*.jinja"))
    separate = ({_DEFAULT: main} if os.path.isfile(main) else {}) | {path.stem: path for path in others}
    sources: Any = {name: _read_text(path) for name, path in separate.items()}
    if _DEFAULT not in sources:
        sources, separate_json = read_tokenizer_config(folder).get("chat_template"), folder / _JSON_FILE
        if sources is None and os.path.isfile(separate_json):
            sources = read_json(separate_json).get("chat_template")
        if isinstance(sources, list):
            named = [t for t in sources if isinstance(t, dict) and isinstance(t.get("name"), str)]
            sources = {template["name"]: template.get("template") for template in named}
        sources = sources if isinstance(sources, dict) else {_DEFAULT: sources}
    return {name: text for name, text in sources.items() if isinstance(text, str)}


def has_default_template(folder: Path) -> bool:
    """Whether conversations with a model folder need no other template. Raises ModelError."""
    return _DEFAULT in read_template_sources(folder)


def _read_replacement(path: Path, sources: Mapping[str, str]) -> str:
    """The template in a file. Raises ModelError, which names the model's own ones."""
    if not os.path.isfile(path) and sources:
        names = ", ".join(map(shorten, sources))
        raise ModelError(f"{path} is neither a file, nor a chat template of the model, which has {names}.")
    return _read_text(path)


def _read_text(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.") from error
