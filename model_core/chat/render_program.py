"""The program that compiles and renders a chat template, in its own process with limits.

A template is a program from a model folder. Jinja's sandbox keeps it away from the machine, but does not stop
endless loops or limit memory, and Jinja computes constants while it compiles. So this process ends when a
request takes too long, and has no more memory than `MEMORY`.

`chat/renderer.py` starts it. Requests and replies (limited_program.py) are JSON objects. The first
request is {"sources", "special_tokens"}, with templates by their names; its reply is {} or an error. Each
further request is {"template", "variables", "max_characters"}, with the name of a template and its variables;
its reply is {"text"} or an error. An error is {"error": kind, "message"}.
"""

import json
import sys

if __name__ == "__main__":
    sys.path[:] = sys.argv[2:]

import datetime
import re
from collections.abc import Iterable
from typing import Any

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.parser
import jinja2.sandbox

from model_core.machine.limited_program import serve

MEMORY = 256 * 2**20  # bytes of address space
# Seconds of processor time. Rendering takes a tenth of a millisecond, a long conversation a few milliseconds.
# On a busy virtual machine, time in which the process did not run may count too. While one request loops, the
# others wait until it is ended.
_COMPILE_S, _RENDER_S, _RENDER_S_PER_MIB = 3.0, 1.0, 1.0
_MAX_MESSAGE = 500  # characters of an error message

# Why a request failed: the template refused it, or failed, or needed too much memory, or wrote too much text.
REFUSED, FAILED, MEMORY_EXCEEDED, TOO_LONG = "refused", "failed", "memory", "length"


class _Refusal(Exception):
    """A template called `raise_exception`."""


class _TooLong(Exception):
    """A text has more than `max_characters`."""


class _GenerationBlock(jinja2.ext.Extension):
    """`{% generation %}...{% endgeneration %}`, which marks answers for training. Here it has no effect."""

    tags = {"generation"}  # noqa: RUF012 - Jinja2 reads a plain set

    def parse(self, parser: jinja2.parser.Parser) -> list[jinja2.nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _raise_exception(message: str) -> None:
    raise _Refusal(message)


def _to_json(value: Any, ensure_ascii: bool = False, indent: int | None = None, **options: Any) -> str:
    # Jinja's own filter escapes HTML, which no template expects. Halves of surrogate pairs are the parent's
    # marks (see marking.py) and must stay as they are.
    options = {"default": _list_items, **options}
    text = json.dumps(value, ensure_ascii=False, indent=indent, **options)
    if ensure_ascii:
        text = re.sub(r"[^\x00-\x7f\ud800-\udfff]", lambda match: json.dumps(match[0])[1:-1], text)
    return text


def _list_items(value: Any) -> list[Any]:
    """What `map`, `select`, `items` and other filters return, as the list that JSON has for it."""
    if isinstance(value, jinja2.Undefined) or not isinstance(value, Iterable):
        raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")
    return list(value)


def make_environment() -> jinja2.sandbox.ImmutableSandboxedEnvironment:
    """Jinja's sandbox with the functions that Hugging Face templates call, and none that draws at random."""
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_GenerationBlock, jinja2.ext.loopcontrols]
    )
    del environment.filters["random"], environment.globals["lipsum"]
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _raise_exception
    environment.globals["strftime_now"] = lambda form: datetime.datetime.now().strftime(form)
    return environment


def _render(template: jinja2.Template, special_tokens: dict[str, str], request: dict[str, Any]) -> str:
    parts, remaining = [], request["max_characters"]
    # Templates tell "none" from "undefined".
    variables = {"tools": None, "documents": None, **request["variables"], **special_tokens}
    for part in template.generate(**variables):
        remaining -= len(part)
        if remaining < 0:
            raise _TooLong
        parts.append(part)
    return "".join(parts)


def _describe_error(error: Exception) -> dict[str, str]:
    if isinstance(error, _TooLong):
        return {"error": TOO_LONG, "message": ""}
    if isinstance(error, MemoryError):
        return {"error": MEMORY_EXCEEDED, "message": ""}
    kind = REFUSED if isinstance(error, _Refusal) else FAILED
    message = str(error)[:_MAX_MESSAGE].rstrip(".") or type(error).__name__  # ends a sentence of others
    return {"error": kind, "message": " ".join(message.split())}


def time_limit(size: int, is_compilation: bool = False) -> float:
    """Seconds of processor time that a request of `size` bytes may take."""
    return _COMPILE_S if is_compilation else _RENDER_S + size / 2**20 * _RENDER_S_PER_MIB


def _encode(reply: dict[str, str]) -> bytes:
    return json.dumps(reply, ensure_ascii=False).encode("utf-8", "surrogatepass")


class _Templates:
    """The templates of a model, from the first request on."""

    def __init__(self) -> None:
        self._templates: dict[str, jinja2.Template] = {}
        self._special_tokens: dict[str, str] = {}

    def time_limit(self, request: bytes) -> float:
        """Seconds of processor time for a request."""
        return time_limit(len(request), is_compilation=not self._templates)

    def answer(self, data: bytes) -> bytes:
        """The reply to a request."""
        try:
            request = json.loads(data.decode("utf-8", "surrogatepass"))
            if self._templates:
                template = self._templates[request["template"]]
                return _encode({"text": _render(template, self._special_tokens, request)})
            self._special_tokens, environment = request["special_tokens"], make_environment()
            sources = request["sources"].items()
            self._templates = {name: environment.from_string(source) for name, source in sources}
            return _encode({})
        except Exception as error:  # a template may fail in any way
            return _encode(_describe_error(error))


if __name__ == "__main__":
    templates = _Templates()
    serve(templates.answer, MEMORY, templates.time_limit)
