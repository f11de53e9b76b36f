"""A span for each request, from the first byte of it to the last one of its response (--otlp-endpoint)."""

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...tracing.spans import QUIET_PATHS, SPAN, find_traceparent, start_span
from ..settings import ServiceSettings


def install(app: FastAPI, settings: ServiceSettings) -> None:
    """Make spans, if a collector wants them. Call this last, so that they have the times of all the rest."""
    if settings.otlp_endpoint is not None:
        app.add_middleware(TraceMiddleware)


class TraceMiddleware:
    """Makes the spans, as parts of those that clients name in the header traceparent."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in QUIET_PATHS:
            return await self._app(scope, receive, send)
        method, status = scope["method"], None
        span = start_span(method, "SERVER", find_traceparent(Headers(scope=scope)))
        if span is None:
            return await self._app(scope, receive, send)

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        former = SPAN.set(span)
        try:
            await self._app(scope, receive, send_noted)
        finally:
            SPAN.reset(former)
            route = getattr(scope.get("route"), "path", None)
            span.rename(method if route is None else f"{method} {route}")
            span.note(
                {
                    "http.request.method": method,
                    "http.route": route,
                    "url.scheme": scope["scheme"],
                    "tritonchat.request_id": scope.get("state", {}).get("request_id"),
                }
            )
            span.note_status(status)
            span.end()
