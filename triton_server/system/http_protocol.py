"""HTTP/1 as uvicorn serves it, with what it lacks: HTTP/1.0, and IPv4 beside IPv6."""

import sys
from collections.abc import Sequence
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from .hosts import listen

_STARTUP_FAILED = 3  # the exit status that uvicorn has for it


def serve(more_ports: Sequence[int] = (), **options: Any) -> None:
    """Serve an application until a signal. `options` are those of uvicorn.Config.

    `more_ports`: on which it listens beside `options["port"]`, at the same host.

    It ends this process if the address cannot be used, as `uvicorn.run` does.
    """
    server = uvicorn.Server(uvicorn.Config(**options))
    host, sockets = options["host"], None
    if host == "::" or more_ports:
        try:
            sockets = [one for port in (options["port"], *more_ports) for one in listen(host, port)]
        except OSError as error:
            print(f"{host} or one of its ports cannot be used: {error}.", file=sys.stderr)
            sys.exit(_STARTUP_FAILED)
    server.run(sockets)
    if not server.started:
        sys.exit(_STARTUP_FAILED)


class HttpProtocol(HttpToolsProtocol):
    """uvicorn's protocol. To a client of HTTP/1.0, which knows no chunks, bodies end with the connection."""

    def on_headers_complete(self) -> None:
        """Start to answer the request."""
        super().on_headers_complete()
        if self.scope["http_version"] == "1.0":
            self.cycle.send = _PlainBody(self.cycle).send  # type: ignore[method-assign]  # of one response


class _PlainBody:
    """Sends a response without chunks (RFC 1945, section 7.2.2)."""

    def __init__(self, cycle: RequestResponseCycle) -> None:
        self._cycle, self._send, self._has_length = cycle, cycle.send, True

    async def send(self, message: Any) -> None:
        """Send a part of the response (ASGI)."""
        if message["type"] == "http.response.start":
            self._has_length = any(name.lower() == b"content-length" for name, _ in message["headers"])
            if not self._has_length:
                self._cycle.chunked_encoding = False
        elif not self._has_length:
            self._cycle.expected_content_length += len(message.get("body", b""))
        await self._send(message)
