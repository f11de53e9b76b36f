"""The limit of the size of a request's body."""

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Receive, Scope, Send

from ...system.body_encoding import BASE64, LONG_BASE64, BodyDecoder, BodyLimit, BodyTooLarge
from .metrics import ServiceMetrics

# A client that is refused may not have sent its whole body. Then the service reads and ignores more of it, up
# to these limits: most clients read the response only after they have sent the body, and closing a connection
# with unread bytes discards the response.
DRAIN_TIMEOUT_S = 2.0
MAX_DRAIN_BYTES = 16 * 2**20
_SMALL_BODY_BYTES = 64 * 1024  # up to this size, the rest of the body is read before the response is sent


class LimitedExchange:
    """A request and its response, as ASGI's `receive` and `send`, with limits for the size of the body.

    It counts the bytes of the body, decompresses them, and adds `headers` to the response. Images in base64
    have a limit of their own: they take no more memory than their bytes, while what else is in a body of JSON
    may take twenty times as much.
    """

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        limit: BodyLimit,
        metrics: ServiceMetrics,
    ) -> None:
        self.headers: dict[str, str] = {}
        self._receive, self._send, self._metrics = receive, send, metrics
        self._limit, self._max_body_bytes = limit, limit.total
        self._plain_bytes = self._image_bytes = 0  # of the decompressed body
        self._is_in_image = False  # whether the last part ended within one
        self._decoder: BodyDecoder | None = None
        self._request_headers = headers = Headers(scope=scope)
        length = headers.get("content-length", "")
        self._declared_bytes = int(length) if length.isdecimal() else 0
        self._has_unread_body = self._declared_bytes > 0 or "transfer-encoding" in headers
        self._read_bytes = 0

    def check_headers(self) -> None:
        """Raises BodyRefused if Content-Length is over the limit, or Content-Encoding unknown."""
        self._decoder = BodyDecoder(self._request_headers, self._max_body_bytes)
        if self._max_body_bytes and self._declared_bytes > self._max_body_bytes:
            raise self._note_large_body()

    async def receive(self) -> Message:
        """Receive the next part of the body. Raises BodyRefused, and BodyTooLarge if it is over the limit."""
        message = await self._receive_counted()
        if self._max_body_bytes and self._read_bytes > self._max_body_bytes:
            raise self._note_large_body()
        try:
            message = message if self._decoder is None else self._decoder.decode(message)
        except BodyTooLarge as error:
            raise self._note_large_body() from error
        if self._limit.image_bytes:
            self._count_images(message.get("body", b""))
        return message

    def _count_images(self, part: bytes) -> None:
        """Tell images from what else is in a part of the body. Raises BodyTooLarge."""
        beginning = BASE64.match(part) if self._is_in_image else None
        start = 0 if beginning is None else beginning.end()
        runs = [*LONG_BASE64.finditer(part, start)]
        images = start + sum(run.end() - run.start() for run in runs)
        self._is_in_image = (runs[-1].end() if runs else start) == len(part) > 0
        self._image_bytes += images
        self._plain_bytes += len(part) - images
        if self._image_bytes > self._limit.image_bytes or self._plain_bytes > self._limit.plain_bytes:
            raise self._note_large_body()

    async def send(self, message: Message) -> None:
        """Send a part of the response. If the body was not read to its end, read and ignore the rest."""
        if message["type"] == "http.response.start":
            if self._has_unread_body and 0 < self._declared_bytes <= _SMALL_BODY_BYTES:
                await self._drain_body()
            headers = MutableHeaders(scope=message)
            headers.update(self.headers)
            if self._has_unread_body:
                headers["Connection"] = "close"
        elif self._has_unread_body and not message.get("more_body", False):
            await self._send({**message, "more_body": True})
            await self._drain_body()
            message = {"type": "http.response.body"}
        await self._send(message)

    async def _receive_counted(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            size = len(message.get("body", b""))
            self._read_bytes += size
            self._metrics.received_bytes.inc(size)
        self._has_unread_body = message.get("more_body", False)
        return message

    async def _drain_body(self) -> None:
        limit = self._read_bytes + MAX_DRAIN_BYTES
        with anyio.move_on_after(DRAIN_TIMEOUT_S):
            while self._has_unread_body and self._read_bytes < limit:
                await self._receive_counted()

    def _note_large_body(self) -> BodyTooLarge:
        self._metrics.count_refusal("body_too_large")
        self._metrics.refused_bytes.inc(max(self._declared_bytes, self._read_bytes))
        if self._limit.image_bytes and self._plain_bytes <= self._limit.plain_bytes:
            return BodyTooLarge(self._limit.image_bytes, "--max-body-images", "images of more")
        return BodyTooLarge(self._limit.plain_bytes, self._limit.flag)
