"""A response that is sent in parts."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from model_core.requests.events import Event

from .errors import ClientDisconnected

to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
# Sent when there is nothing else to send; a comment, which readers of event streams ignore.
KEEP_ALIVE = b": keep-alive\n\n"

# Events of several answers, each with the index of its answer.
NumberedEvents = AsyncGenerator[tuple[int, Event], None]


class StreamResponse(Response):
    """A response whose body is sent in parts, each as soon as it is there."""

    def __init__(
        self, body_parts: AsyncGenerator[bytes, None], media_type: str, headers: dict[str, str] | None = None
    ) -> None:
        self.status_code, self.media_type, self.background = 200, media_type, None
        # X-Accel-Buffering: nginx then does not buffer the response.
        self.init_headers({"Cache-Control": "no-cache", "X-Accel-Buffering": "no", **(headers or {})})
        self._body_parts = body_parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it (ASGI). It ends early if the client disconnects."""
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        async with aclosing(self._body_parts) as body_parts:
            await send(start)
            with suppress(ClientDisconnected):
                async for part in body_parts:
                    await send({"type": "http.response.body", "body": part, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
