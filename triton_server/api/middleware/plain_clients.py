"""What simple programs send: HEAD, and bodies of JSON that curl calls a form.

A web page can send a form to this service without asking a browser first. access.py refuses foreign pages, by
the `Origin` that each browser sends with it.
"""

from starlette.types import ASGIApp, Receive, Scope, Send

_FORM = b"application/x-www-form-urlencoded"  # of `curl -d`


class PlainClients:
    """Lets the routes see GET in the place of HEAD, and bodies without the type of a form."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request. The server's protocol still sees HEAD, and sends no body (RFC 9110, 9.3.2)."""
        if scope["type"] == "http":
            if scope["method"] == "HEAD":
                scope = {**scope, "method": "GET"}
            elif (b"content-type", _FORM) in scope["headers"]:
                headers = [header for header in scope["headers"] if header[0] != b"content-type"]
                scope = {**scope, "headers": headers}
        await self._app(scope, receive, send)
