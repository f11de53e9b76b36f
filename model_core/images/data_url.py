"""Reads images that are sent as data URLs.

Source: RFC 2397. Of the encodings that it knows, images have base64 alone, which the last parameter says.
"""

import base64
import binascii
import re

from .decoder import refuse

_HEAD = re.compile(r"data:([^,;]*)((?:;[^,;]*)*),", re.IGNORECASE)
_MAX_HEAD = 200  # characters
TYPES = ("image/png", "image/jpeg", "image/webp", "image/gif")
NO_FILES = "has a file_id, which only the HTTP service takes; send a data URL"
_BEGINNINGS = dict(zip((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF", b"GIF8"), TYPES, strict=True))
_TYPES = {*TYPES, "image/jpg"}  # some clients' name of image/jpeg


def find_type(data: bytes) -> str | None:
    """The type of an image, from the first bytes of its file; None for other files."""
    return next((kind for beginning, kind in _BEGINNINGS.items() if data.startswith(beginning)), None)


def write_data_url(kind: str, data: bytes) -> str:
    """The URL of an image of a type such as image/png."""
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def check_data_url(url: str, place: str) -> str:
    """The base64 of a data URL of an image. Raises InvalidRequest for any other URL."""
    head = _HEAD.match(url[:_MAX_HEAD])
    if head is None:
        raise refuse(place, f"is no data URL of the form data:image/png;base64,..., but {url[:40]!r}")
    kind, parameters = head[1].strip().lower(), head[2].lower().split(";")[1:]
    if kind not in _TYPES:
        raise refuse(
            place, f"is of the type {kind[:40] or 'text/plain'!r}; these can be read: {', '.join(TYPES)}"
        )
    last = parameters[-1].strip() if parameters else ""
    if last != "base64":  # those before it, such as a charset, say nothing of an image
        encoding = "percent" if not last or "=" in last else last[:40]
        raise refuse(place, f"is encoded as {encoding!r}; send base64")
    return url[head.end() :]


def read_data_url(url: str, place: str, max_bytes: int) -> bytes:
    """The file in a data URL of an image. Raises InvalidRequest for any other URL, and for a large file."""
    text = check_data_url(url, place)
    if len(text) > (max_bytes + 2) // 3 * 4:
        raise refuse(
            place,
            f"has more than {max_bytes} bytes, which are the limit (--max-image-bytes); send a smaller one",
        )
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        reason = str(error).rstrip(".")
        raise refuse(place, f"is not valid base64 ({reason[:1].lower()}{reason[1:]})") from None
    if not data:
        raise refuse(place, "is empty")
    return data
