"""Structured logs: a line of JSON for each request. Prompts and answers are logged by --log-content only."""

import logging
import queue
import re
import sys
import threading
import time
import traceback
import uuid
from contextlib import suppress
from typing import Any, TextIO

import structlog
from fastapi import FastAPI
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.types import EventDict, Processor

from ...contract.api_keys import short_owner
from ...tracing.spans import DISCONNECTED, QUIET_PATHS, fail_running
from ..errors import response_of
from ..ignored import HEADERS as IGNORED_HEADERS
from ..ignored import list_ignored
from ..settings import ServiceSettings
from .metrics import ServiceMetrics, metrics_of

REQUEST_ID_HEADER = "X-Request-Id"
ANSWER_CACHE_HEADER = "X-Answer-Cache"  # of an answer that was not computed
MODEL_DIGEST_HEADER = "X-Model-Digest"  # the fingerprint of an answer
VALID_ID = re.compile(r"[\x20-\x7e]{1,128}")
_NO_ROUTE = "none"  # the route of a request that was refused, or whose path does not exist
_CLIENT_DISCONNECTED = 499  # nginx's status for a client that disconnects before the response begins
_USAGE_FIELDS = ("prompt_tokens", "completion_tokens", "cached_tokens")
_MAX_WAITING_LINES = 4096  # for a reader of standard error that is slow, or reads no more
_LAST_LINES_S = 1.0  # for them at the end of the process
# Images, which no log has. Some clients write a backslash before each slash.
_BASE64 = re.compile(rb"(?<=base64,)[A-Za-z0-9+/=\\]+|(?<![A-Za-z0-9+/=\\])[A-Za-z0-9+/=\\]{128,}")
_MAX_CONTENT_BYTES = 64 * 1024  # of a body or a response that --log-content writes


def install(app: FastAPI, settings: ServiceSettings) -> None:
    """Log every request. Call this after `access.install`, so that refused requests are logged too."""
    app.add_middleware(LogMiddleware, metrics=metrics_of(app), with_content=settings.log_content)


def configure(settings: ServiceSettings) -> None:
    """Write all logs of this process to standard error as lines of JSON."""
    shared_processors: list[Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
    ]
    if not settings.log_content:
        shared_processors.append(_drop_error_message)
    final_processors: list[Processor] = [
        structlog.processors.format_exc_info,
        structlog.processors.JSONRenderer(),
    ]
    structlog.configure(
        processors=[*shared_processors, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = BackgroundHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared_processors,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *final_processors],
        )
    )
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
    # httpx logs every request again, with the path, and for an MCP server the whole URL; `mcp` logs ids of
    # sessions; Alembic, at each start, what it has loaded.
    for library in ("httpx", "httpx2", "mcp", "alembic"):
        logging.getLogger(library).setLevel(logging.WARNING)


def flush() -> None:
    """Wait a moment until the lines of this process are written. The signal that stops it does not."""
    for handler in logging.getLogger().handlers:
        handler.flush()


class BackgroundHandler(logging.Handler):
    """Writes lines in a thread of its own. The service must not wait for whoever reads its log.

    Lines are dropped while too many wait.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream
        # Lines, and events to set when the lines before them are written.
        self._lines: queue.Queue[str | threading.Event] = queue.Queue(_MAX_WAITING_LINES)
        threading.Thread(target=self._write_lines, name="log", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """Let a line be written."""
        try:
            line = self.format(record)
        except Exception:
            return self.handleError(record)
        with suppress(queue.Full):
            self._lines.put_nowait(line)

    def flush(self) -> None:
        """Wait a moment for the lines that were not written yet."""
        with suppress(queue.Full):
            self._lines.put_nowait(are_written := threading.Event())
            are_written.wait(_LAST_LINES_S)

    def _write_lines(self) -> None:
        while True:
            line = self._lines.get()
            if isinstance(line, threading.Event):
                line.set()
                continue
            with suppress(OSError, ValueError):  # the reader is gone, or the stream is closed
                self._stream.write(f"{line}\n")
                self._stream.flush()


class LogMiddleware:
    """Gives each request an id, and writes a line to the log for it. Unexpected errors get status 500."""

    def __init__(self, app: ASGIApp, metrics: ServiceMetrics, with_content: bool) -> None:
        self._app, self._metrics, self._with_content = app, metrics, with_content
        self._log = structlog.get_logger("tritonchat.api")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        exchange = _LoggedExchange(scope, receive, send, _MAX_CONTENT_BYTES if self._with_content else 0)
        self._metrics.requests_open.inc()
        failure: Exception | None = None
        try:
            await self._app(scope, exchange.receive, exchange.send)
        except Exception as error:
            failure = error
            if exchange.status is None:
                await response_of(error, scope)(scope, exchange.receive, exchange.send)
        finally:
            self._metrics.requests_open.dec()
            self._write(scope, exchange, failure)

    def _write(self, scope: Scope, exchange: "_LoggedExchange", failure: Exception | None) -> None:
        route = getattr(scope.get("route"), "path", _NO_ROUTE)
        status = exchange.status or _CLIENT_DISCONNECTED
        if not exchange.is_complete:
            is_fault = failure is not None and not exchange.is_disconnected
            fail_running(type(failure).__name__ if is_fault else DISCONNECTED)
        seconds = time.monotonic() - exchange.start_time
        self._metrics.count_request(route, scope["method"], status, seconds)
        if route in QUIET_PATHS and status < 400:
            return
        state = scope["state"]
        line: dict[str, Any] = {
            "id": state["request_id"],
            "method": scope["method"],
            "route": route,
            "status": status,
            "seconds": round(seconds, 4),
            "client": (scope.get("client") or ("",))[0],
        }
        if not exchange.is_complete:
            line["complete"] = False  # the connection was closed before the end of the response
        if state.get("owner"):
            line["key"] = short_owner(state["owner"])
        usage = state.get("usage", {})
        line |= {name: usage[name] for name in _USAGE_FIELDS if name in usage}
        line |= {f"ignored_{kind}": names for kind, names in list_ignored(scope).items()}
        if self._with_content:
            line |= {"body": _text(exchange.body), "answer": _text(exchange.answer)}
        if failure is None:
            self._log.info("request", **line)
        else:
            self._log.error("request", **line, exc_info=failure)


class _LoggedExchange:
    """What the log shows of a request and its response."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, max_content: int) -> None:
        """`max_content`: bytes of the body and of the response that are stored for the log."""
        self.start_time = time.monotonic()
        self.status: int | None = None
        self.is_complete = self.is_disconnected = False
        self.body, self.answer = bytearray(), bytearray()
        self._receive, self._send, self._max_content = receive, send, max_content
        self._id = choose_request_id(Headers(scope=scope).get(REQUEST_ID_HEADER))
        scope.setdefault("state", {})["request_id"] = self._id
        self._scope = scope

    async def receive(self) -> Message:
        message = await self._receive()
        self.is_disconnected |= message["type"] == "http.disconnect"
        if self._max_content:
            self.body += message.get("body", b"")[: self._max_content - len(self.body)]
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = _CLIENT_DISCONNECTED if self.is_disconnected else message["status"]
            headers = MutableHeaders(scope=message)
            # Anthropic's clients read the second.
            headers[REQUEST_ID_HEADER] = headers["Request-Id"] = self._id
            for kind, names in list_ignored(self._scope).items():
                headers[IGNORED_HEADERS[kind]] = ", ".join(names)
            if digest := self._scope["state"].get("model_digest"):
                headers[MODEL_DIGEST_HEADER] = digest
            if self._scope["state"].get("answer_cached"):
                headers[ANSWER_CACHE_HEADER] = "hit"
        else:
            self.is_complete = not message.get("more_body", False) and not self.is_disconnected
            if self._max_content:
                self.answer += message.get("body", b"")[: self._max_content - len(self.answer)]
        await self._send(message)


def choose_request_id(client_id: str | None) -> str:
    """The client's id if it has 1 to 128 printable ASCII characters, else a new one."""
    return client_id if client_id is not None and VALID_ID.fullmatch(client_id) else uuid.uuid4().hex


def _text(content: bytes | bytearray) -> str:
    return _BASE64.sub(b"(base64)", content).decode("utf-8", "replace")


def _drop_error_message(_: Any, __: str, event: EventDict) -> EventDict:
    """Log the class of an error and its traceback, not its message, which may quote a prompt."""
    exc_info = event.pop("exc_info", None)
    error = (
        sys.exc_info()[1] if exc_info is True else exc_info[1] if isinstance(exc_info, tuple) else exc_info
    )
    if isinstance(error, BaseException):
        event["exception"] = "\n".join(_render_traceback(error))
    return event


def _render_traceback(error: BaseException) -> list[str]:
    lines = [line.rstrip() for line in traceback.format_tb(error.__traceback__)]
    lines.append(f"{type(error).__module__}.{type(error).__qualname__}")
    cause = error.__cause__ or error.__context__
    return lines if cause is None else [*_render_traceback(cause), "which led to:", *lines]
