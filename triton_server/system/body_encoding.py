"""Bodies of requests: their limits, and how compressed ones are read.

Source: RFC 9110, section 8.4 (Content-Encoding).
"""

import re
import zlib
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import Message

# Words of these signs that are as long count as images in bodies. Few texts have any; some clients write \/
# for a slash.
BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\\"
IMAGE_BYTES = 256
# It begins where a word does, so that it reads each one once.
LONG_BASE64 = re.compile(rb"(?<![A-Za-z0-9+/=\\])[A-Za-z0-9+/=\\]{%d,}" % IMAGE_BYTES)
_WINDOWS = {"gzip": 31, "x-gzip": 31, "deflate": 15}  # zlib's `wbits`, which choose the format


@dataclass(frozen=True)
class BodyLimit:
    """How large a body may be.

    Attributes:
        plain_bytes: of the body without its images; 0: any number.
        flag: that says so.
        image_bytes: of its images in base64, and of other words that look so; 0: they count as all else.
    """

    plain_bytes: int
    flag: str
    image_bytes: int = 0

    @property
    def total(self) -> int:
        """Bytes of the body; 0: any number."""
        return self.plain_bytes and self.plain_bytes + self.image_bytes

    def is_exceeded(self, body: bytes, times: int = 1) -> bool:
        """Whether so many of a body are too large together."""
        images = count_images(body) if self.image_bytes else 0
        too_many = times * images > self.image_bytes > 0
        return bool(self.plain_bytes) and (too_many or times * (len(body) - images) > self.plain_bytes)


def count_images(body: bytes) -> int:
    """The bytes of a body that count as images."""
    return sum(word.end() - word.start() for word in LONG_BASE64.finditer(body))


NO_LIMIT = BodyLimit(0, "--max-body")


class BodyRefused(HTTPException):
    """A body cannot be read. It is an HTTPException: FastAPI replaces other errors while it reads one."""


class BodyTooLarge(BodyRefused):
    """The body is too large."""

    def __init__(self, limit: int, flag: str = "--max-body", what: str = "more") -> None:
        """`what` has more bytes than the limit, which a flag says."""
        super().__init__(413, f"the body has {what} than the {limit} bytes that this service reads ({flag})")


class BodyDecoder:
    """Decompresses a body as it comes, so that no more of it is in memory than may be."""

    def __init__(self, headers: Headers, max_bytes: int) -> None:
        """`max_bytes`: of the decompressed body; 0: no limit. Raises BodyRefused for an unknown encoding."""
        self._encoding = headers.get("content-encoding", "").strip().lower()
        self._max_bytes, self._size = max_bytes, 0  # the size is that of what was decompressed so far
        self._has_begun, self._stream = False, None  # whether a part of the stream has come
        if self._encoding in ("", "identity"):
            return
        if self._encoding not in _WINDOWS:
            raise BodyRefused(
                415,
                f"the Content-Encoding {self._encoding[:40]!r} is not understood; send the body as gzip, as "
                "deflate or as it is",
                {"Accept-Encoding": "gzip, deflate"},
            )
        self._stream = zlib.decompressobj(_WINDOWS[self._encoding])

    def decode(self, message: Message) -> Message:
        """A message of ASGI's `receive` with what its body stands for.

        Raises BodyTooLarge, or BodyRefused for a body that is not what Content-Encoding says.
        """
        if self._stream is None or message["type"] != "http.request":
            return message
        body = self._decompress(message.get("body", b""))
        if not message.get("more_body", False) and self._has_begun and not self._stream.eof:
            raise self._damaged()
        return {**message, "body": body}

    def _decompress(self, data: bytes) -> bytes:
        assert self._stream is not None
        parts = []
        while data:
            if self._stream.eof:  # another member of a gzip file follows (RFC 1952, section 2.2)
                self._stream = zlib.decompressobj(_WINDOWS[self._encoding])
            self._has_begun = True
            room = self._max_bytes - self._size + 1 if self._max_bytes else 0
            try:
                parts.append(self._stream.decompress(data, room))
            except zlib.error as error:
                raise self._damaged() from error
            self._size += len(parts[-1])
            if self._max_bytes and self._size > self._max_bytes:
                raise BodyTooLarge(self._max_bytes)
            data = self._stream.unused_data
        return b"".join(parts)

    def _damaged(self) -> BodyRefused:
        return BodyRefused(400, f"the body is not what its Content-Encoding says: {self._encoding}")
