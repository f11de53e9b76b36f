"""Structured logs: a line of JSON for each request, with its client's id for it. What is said stays out."""

import logging
import re
import sys
import time
import traceback
import uuid
from typing import Any

import structlog
from fastapi import FastAPI
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.types import EventDict, Processor

from .errors import response_of
from .meters import Meters, meters_of
from .settings import Settings

REQUEST_ID = "X-Request-Id"
_ACCEPTED_ID = re.compile(r"[\x20-\x7e]{1,128}")
# Probes and scrapes come every few seconds and say nothing, as long as they succeed.
_QUIET_ROUTES = ("/healthz", "/readyz", "/metrics")
_NOWHERE = "none"  # the route of a request that was refused, or whose path leads nowhere
_LEFT = 499  # as nginx has it: the client closed the request before there was an answer
_USAGE = ("prompt_tokens", "completion_tokens", "cached_tokens")
# Of a body or an answer, where the operator wants to see them.
_MAX_CONTENT = 64 * 1024


def install(app: FastAPI, settings: Settings) -> None:
    """Log every request, also those that access.py refuses: to be called after its `install`."""
    app.add_middleware(LogMiddleware, meters=meters_of(app), with_content=settings.log_content)


def configure(settings: Settings) -> None:
    """Let everything that logs in this process do so in one form, on standard error."""
    shared: list[Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
    ]
    if not settings.log_content:
        shared.append(_traceback_without_words)
    last: list[Processor] = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
    # It would say every request again, with the path.
    logging.getLogger("httpx").setLevel(logging.WARNING)


class LogMiddleware:
    """Gives each request its id and writes its line; what nobody caught ends here, as a 500."""

    def __init__(self, app: ASGIApp, meters: Meters, with_content: bool) -> None:
        self._app, self._meters, self._with_content = app, meters, with_content
        self._log = structlog.get_logger("tritonchat.api")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        exchange = _Logged(scope, receive, send, _MAX_CONTENT if self._with_content else 0)
        self._meters.requests_open.inc()
        failure: Exception | None = None
        try:
            await self._app(scope, exchange.receive, exchange.send)
        except Exception as error:
            failure = error
            if exchange.status is None:
                await response_of(error)(scope, exchange.receive, exchange.send)
        finally:
            self._meters.requests_open.dec()
            self._write(scope, exchange, failure)

    def _write(self, scope: Scope, exchange: "_Logged", failure: Exception | None) -> None:
        route = getattr(scope.get("route"), "path", _NOWHERE)
        status = exchange.status or _LEFT
        seconds = time.monotonic() - exchange.began
        self._meters.answered(route, scope["method"], status, seconds)
        if route in _QUIET_ROUTES and status < 400:
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
        if not exchange.complete:
            line["complete"] = False  # the client left, or was cut off
        if state.get("owner"):
            line["key"] = state["owner"][:8]
        usage = state.get("usage", {})
        line |= {name: usage[name] for name in _USAGE if name in usage}
        if self._with_content:
            line |= {"body": _text(exchange.body), "answer": _text(exchange.answer)}
        if failure is None:
            self._log.info("request", **line)
        else:
            self._log.error("request", **line, exc_info=failure)


class _Logged:
    """A request and its answer, as far as the log is to tell."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, keep: int) -> None:
        """`keep`: bytes to keep of the body and of the answer."""
        self.began = time.monotonic()
        self.status: int | None = None
        self.complete = self._left = False
        self.body, self.answer = bytearray(), bytearray()
        self._receive, self._send, self._keep = receive, send, keep
        self._id = request_id(Headers(scope=scope).get(REQUEST_ID))
        scope.setdefault("state", {})["request_id"] = self._id

    async def receive(self) -> Message:
        message = await self._receive()
        self._left |= message["type"] == "http.disconnect"
        if self._keep:
            self.body += message.get("body", b"")[: self._keep - len(self.body)]
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = _LEFT if self._left else message["status"]
            MutableHeaders(scope=message)[REQUEST_ID] = self._id
        else:
            self.complete = not message.get("more_body", False) and not self._left
            if self._keep:
                self.answer += message.get("body", b"")[: self._keep - len(self.answer)]
        await self._send(message)


def request_id(given: str | None) -> str:
    """The client's own id where it is 1 to 128 printable ASCII characters, else a new one."""
    return given if given is not None and _ACCEPTED_ID.fullmatch(given) else uuid.uuid4().hex


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _traceback_without_words(_: Any, __: str, event: EventDict) -> EventDict:
    """Say where an error happened and of what kind it was: its message may quote what somebody has said."""
    found = event.pop("exc_info", None)
    error = sys.exc_info()[1] if found is True else found[1] if isinstance(found, tuple) else found
    if isinstance(error, BaseException):
        event["exception"] = "\n".join(_frames(error))
    return event


def _frames(error: BaseException) -> list[str]:
    lines = [line.rstrip() for line in traceback.format_tb(error.__traceback__)]
    lines.append(f"{type(error).__module__}.{type(error).__qualname__}")
    before = error.__cause__ or error.__context__
    return lines if before is None else [*_frames(before), "which led to:", *lines]
