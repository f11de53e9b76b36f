"""The limit of the size of a request's body."""

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Receive, Scope, Send

from ...system.body_encoding import BASE64, IMAGE_BYTES, BodyDecoder, BodyLimit, BodyTooLarge, count_images
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
    have a limit of their own: as one long word they take a few times their bytes, while what else is in a
    body of JSON may take twenty times as much. Other long words count as images, too.
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
        self._open_bytes = 0  # of the word that the last part ended with, and the next one may go on with
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
        if self._limit.image_bytes and self._limit.plain_bytes:
            self._count_images(message.get("body", b""), message.get("more_body", False))
        return message

    def _count_images(self, part: bytes, has_more: bool) -> None:
        """Tell images from what else is in a part of the body. Raises BodyTooLarge."""
        rest = part.lstrip(BASE64)
        first = len(part) - len(rest)
        word, images = self._open_bytes + first, count_images(rest)
        if word >= IMAGE_BYTES:  # it has counted as text as long as it was short
            images += word if self._open_bytes < IMAGE_BYTES else first
        self._open_bytes = len(rest) - len(rest.rstrip(BASE64)) if rest else word
        self._image_bytes += images
        self._plain_bytes += len(part) - images
        undecided = self._open_bytes if has_more and self._open_bytes < IMAGE_BYTES else 0
        is_long = self._plain_bytes - undecided > self._limit.plain_bytes
        if is_long or self._image_bytes > self._limit.image_bytes:
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
        limit = self._limit
        if self._image_bytes > limit.image_bytes > 0:
            return BodyTooLarge(limit.image_bytes, "--max-body-images", "images of more")
        if limit.image_bytes and self._plain_bytes <= limit.plain_bytes:  # nobody has seen what it has
            return BodyTooLarge(limit.total, f"{limit.flag} and --max-body-images")
        return BodyTooLarge(limit.plain_bytes, limit.flag)
