"""Images as parts of messages (model_core.requests.messages.ImageUrlPart), from the forms of all dialects."""

import base64
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from model_core.images.data_url import TYPES, find_type


def text_part(text: str) -> dict[str, Any]:
    """A text beside images."""
    return {"type": "text", "text": text}


def url_part(url: str, detail: str | None = None) -> dict[str, Any]:
    """An image by its data URL, or by its address on the web."""
    return _part({"url": url}, detail)


def base64_part(data: str, kind: str | None = None) -> dict[str, Any]:
    """An image in base64. Its content says of which type it is, if the client does not."""
    if kind is None:
        try:
            kind = find_type(base64.b64decode(data[:16]))
        except ValueError:  # of which the decoder of images tells more
            kind = None
        kind = kind or TYPES[0]
    return _part({"url": f"data:{kind};base64,{data}"})


def file_part(file_id: str, detail: str | None = None) -> dict[str, Any]:
    """An image that is a file of /v1/files."""
    return _part({"file_id": file_id}, detail)


def join_parts(parts: list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    """The content of a message: parts, or one text if there are no images."""
    if all(part["type"] == "text" for part in parts):
        return "\n".join(part["text"] for part in parts)
    return parts


def _part(image: dict[str, Any], detail: str | None = None) -> dict[str, Any]:
    # OpenAI's newest word for the size that the image has; models see at most what their processor leaves.
    detail = "high" if detail == "original" else detail
    return {"type": "image_url", "image_url": {**image, **({"detail": detail} if detail else {})}}


def name_images(messages: Iterable[Mapping[str, Any]], places: Sequence[str]) -> dict[str, str]:
    """What the client has called the images of messages, for errors. `places`: of all, in their order."""
    contents = ((number, message.get("content")) for number, message in enumerate(messages))
    paths = [
        f"messages[{number}].content[{place}].image_url"
        for number, content in contents
        if isinstance(content, list)
        for place, part in enumerate(content)
        if part["type"] == "image_url"
    ]
    return dict(zip(paths, places, strict=True))
