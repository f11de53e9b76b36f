"""Chat templates: messages -> the text the model was trained on, by Jinja2 in its sandbox.

A template is data from a model folder, so it gets the functions that Hugging Face templates call and
nothing else.
"""

import datetime
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.parser
import jinja2.sandbox

from .config import read_json
from .errors import InvalidRequest, ModelError


class _GenerationBlock(jinja2.ext.Extension):
    """`{% generation %}...{% endgeneration %}` marks the answer for training; here it is only its content."""

    tags = {"generation"}  # noqa: RUF012 - Jinja2 reads a plain set

    def parse(self, parser: jinja2.parser.Parser) -> list[jinja2.nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _refuse(message: str) -> None:
    raise InvalidRequest(f"the model's chat template refuses these messages: {message}")


def _to_json(value: Any, ensure_ascii: bool = False, indent: int | None = None, **options: Any) -> str:
    # Jinja's own filter escapes HTML, which no template expects.
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, **options)


def _environment() -> jinja2.sandbox.ImmutableSandboxedEnvironment:
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_GenerationBlock, jinja2.ext.loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = lambda form: datetime.datetime.now().strftime(form)
    return environment


class ChatTemplate:
    """A compiled chat template with the special tokens it may mention."""

    def __init__(self, source: str, special_tokens: Mapping[str, str]) -> None:
        """Raises ModelError if `source` is not a template."""
        try:
            self._template = _environment().from_string(source)
        except jinja2.TemplateError as error:
            raise ModelError(f"The model's chat template is damaged: {error}.") from error
        self._special_tokens = dict(special_tokens)

    def render(self, messages: Sequence[Mapping[str, str]]) -> str:
        """The prompt for an answer to `messages`. Raises InvalidRequest if the template refuses them."""
        try:
            return self._template.render(
                messages=list(messages),
                tools=None,  # templates tell "none" from "undefined"
                documents=None,
                add_generation_prompt=True,
                **self._special_tokens,
            )
        except InvalidRequest:
            raise
        except Exception as error:  # a template is a stranger's program: it may fail in any way
            raise InvalidRequest(f"the model's chat template fails on these messages: {error}.") from error


def read_tokenizer_config(folder: Path) -> dict[str, Any]:
    """tokenizer_config.json with what older models keep in special_tokens_map.json. Raises ModelError."""
    paths = (folder / "special_tokens_map.json", folder / "tokenizer_config.json")
    merged: dict[str, Any] = {}
    for path in paths:
        merged.update(read_json(path) if path.is_file() else {})
    return merged


def read_chat_template(folder: Path) -> ChatTemplate | None:
    """The template of a model folder: `chat_template.jinja`, or `chat_template` in tokenizer_config.json.

    None if the model has none. Raises ModelError if it is damaged.
    """
    raw = read_tokenizer_config(folder)
    special_tokens = {}
    for name in ("bos_token", "eos_token", "unk_token", "pad_token"):
        token = raw.get(name)
        token = token.get("content") if isinstance(token, dict) else token
        if isinstance(token, str):
            special_tokens[name] = token
    separate = folder / "chat_template.jinja"
    source = separate.read_text("utf-8", errors="replace") if separate.is_file() else raw.get("chat_template")
    if isinstance(source, list):  # several named ones; "default" is for chat
        named = {t.get("name"): t.get("template") for t in source if isinstance(t, dict)}
        source = named.get("default")
    return ChatTemplate(source, special_tokens) if isinstance(source, str) else None
