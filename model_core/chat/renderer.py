"""Renders chat templates in their own process, with a time limit. The process is restarted if it ended."""

import json
import threading
from collections.abc import Mapping
from typing import Any

from ..machine.limited_process import WALL_TIME_LIMIT_S, LimitedProcess, ProcessEnded, TooSlow
from . import render_program
from .render_program import MEMORY, MEMORY_EXCEEDED, time_limit

LIMIT_EXCEEDED = "limit"


class RenderError(Exception):
    """A template that could not be compiled or rendered.

    `kind` is REFUSED, FAILED or TOO_LONG of render_program; then the message is the template's. Or it is
    LIMIT_EXCEEDED; then the message continues a sentence that starts with "the chat template".
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class TemplateRenderer:
    """Renders one template at a time. May be called from any thread. `close` ends the process."""

    def __init__(self, sources: Mapping[str, str], special_tokens: Mapping[str, str]) -> None:
        """Start the process and compile the templates in it. `sources`: name -> text. Raises RenderError."""
        self._compilation = _encode({"sources": dict(sources), "special_tokens": dict(special_tokens)})
        self._lock = threading.Lock()
        self._child = self._start()

    def render(self, template: str, variables: Mapping[str, Any], max_characters: int) -> str:
        """The text that a template makes of its variables, which are JSON.

        Raises RenderError, also if it has more than `max_characters`.
        """
        request = _encode(
            {"template": template, "variables": dict(variables), "max_characters": max_characters}
        )
        if not self._lock.acquire(timeout=WALL_TIME_LIMIT_S):
            raise RenderError(LIMIT_EXCEEDED, "is busy with other requests")
        try:
            if not self._child.is_alive():
                self._child = self._start()
            return _request(self._child, request)["text"]
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._child.end()

    def _start(self) -> LimitedProcess:
        try:
            child = LimitedProcess(render_program.__file__)
        except OSError as error:
            raise RenderError(
                LIMIT_EXCEEDED, f"needs a process, which cannot be started ({error.strerror})"
            ) from error
        try:
            _request(child, self._compilation, is_compilation=True)
        except RenderError:
            child.end()
            raise
        return child


def _request(child: LimitedProcess, request: bytes, is_compilation: bool = False) -> dict[str, str]:
    """The reply to a request. Raises RenderError; a process that exceeded a limit has ended then."""
    try:
        reply = json.loads(child.request(request).decode("utf-8", "surrogatepass"))
    except TooSlow:
        seconds = time_limit(len(request), is_compilation)
        raise RenderError(LIMIT_EXCEEDED, f"takes longer than {seconds:.2g} s") from None
    except ProcessEnded as error:
        ended_itself = f"ends the process that renders it (exit status {error.exit_code})"
        raise RenderError(LIMIT_EXCEEDED, ended_itself) from None
    kind = reply.get("error")
    if kind == MEMORY_EXCEEDED:
        child.end()
        raise RenderError(LIMIT_EXCEEDED, f"needs more than {MEMORY >> 20} MiB of memory")
    if kind is not None:
        # The message may contain a part of the conversation, with marks: halves of surrogate pairs.
        raise RenderError(kind, reply["message"].encode("utf-8", "ignore").decode())
    return reply


def _encode(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
