"""Renders chat templates in their own process, with a time limit. The process is restarted if it ended."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Mapping
from typing import Any

from . import template_process
from .template_process import MEMORY, MEMORY_EXCEEDED, time_limit

# Seconds until a request fails. The process ends itself after `time_limit` of processor time, which is a
# longer time on a busy machine.
_WALL_TIME_LIMIT_S = 60.0
LIMIT_EXCEEDED = "limit"
_END_TIMEOUT_S = 1.0  # for the process to end
_MAX_REPLY_BYTES = 2**28


class RenderError(Exception):
    """A template that could not be compiled or rendered.

    `kind` is REFUSED, FAILED or TOO_LONG of template_process; then the message is the template's. Or it is
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
        if not self._lock.acquire(timeout=_WALL_TIME_LIMIT_S):
            raise RenderError(LIMIT_EXCEEDED, "is busy with other requests")
        try:
            if not self._child.is_alive():
                self._child = self._start()
            return self._child.request_reply(request)["text"]
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._child.end()

    def _start(self) -> "_TemplateProcess":
        child = _TemplateProcess()
        try:
            child.request_reply(self._compilation, is_compilation=True)
        except RenderError:
            child.end()
            raise
        return child


class _TemplateProcess:
    """A process that runs template_process.py, and the socket to it. `end` kills it."""

    def __init__(self) -> None:
        self._socket, child_socket = socket.socketpair()
        # -I: the program imports nothing from the working folder or from its own folder.
        program = [sys.executable, "-I", template_process.__file__]
        try:
            with child_socket:
                self._process = subprocess.Popen(
                    [*program, str(os.getpid()), *filter(None, sys.path)],
                    stdin=child_socket,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl-C must reach only the parent, which finishes its answers
                )
        except OSError as error:
            self._socket.close()
            raise RenderError(
                LIMIT_EXCEEDED, f"needs a process, which cannot be started ({error.strerror})"
            ) from error
        self.end = weakref.finalize(self, _end_process, self._process, self._socket)

    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self.end.alive and self._process.poll() is None

    def request_reply(self, request: bytes, is_compilation: bool = False) -> dict[str, str]:
        """The reply to a request. Raises RenderError; a process that exceeded a limit has ended then."""
        deadline = time.monotonic() + _WALL_TIME_LIMIT_S
        too_slow = f"takes longer than {time_limit(len(request), is_compilation):.2g} s"
        try:
            self._socket.settimeout(_WALL_TIME_LIMIT_S)
            self._socket.sendall(len(request).to_bytes(4, "little") + request)
            size = int.from_bytes(self._read(4, deadline), "little")
            if size > _MAX_REPLY_BYTES:
                raise OSError
            reply = json.loads(self._read(size, deadline).decode("utf-8", "surrogatepass"))
        except TimeoutError:
            self.end()
            raise RenderError(LIMIT_EXCEEDED, too_slow) from None
        except OSError:  # the process has ended, or ends now
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=_END_TIMEOUT_S)
            self.end()
            code = self._process.returncode
            ended_itself = f"ends the process that renders it (exit status {code})"
            raise RenderError(LIMIT_EXCEEDED, too_slow if code == -signal.SIGPROF else ended_itself) from None
        except BaseException:  # Ctrl-C: nobody would read the reply
            self.end()
            raise
        kind = reply.get("error")
        if kind == MEMORY_EXCEEDED:
            self.end()
            raise RenderError(LIMIT_EXCEEDED, f"needs more than {MEMORY >> 20} MiB of memory")
        if kind is not None:
            # The message may contain a part of the conversation, with marks: halves of surrogate pairs.
            raise RenderError(kind, reply["message"].encode("utf-8", "ignore").decode())
        return reply

    def _read(self, size: int, deadline: float) -> bytes:
        data = bytearray()
        while len(data) < size:
            self._socket.settimeout(max(deadline - time.monotonic(), 0.001))
            part = self._socket.recv(min(size - len(data), 2**20))
            if not part:
                raise ConnectionError
            data += part
        return bytes(data)


def _end_process(process: subprocess.Popen, connection: socket.socket) -> None:
    connection.close()
    process.kill()
    process.wait()


def _encode(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
