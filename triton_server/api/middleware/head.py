"""HEAD requests, which routes for GET answer (RFC 9110, 9.3.2)."""

from starlette.types import ASGIApp, Receive, Scope, Send


class HeadAsGet:
    """Lets the routes see GET. The server's protocol still sees HEAD, and sends no body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)
