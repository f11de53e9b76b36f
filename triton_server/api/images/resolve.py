"""Puts images into requests that only name them: files of /v1/files, and addresses on the web."""

import asyncio
from collections.abc import Sequence
from typing import Any

from fastapi import Request as HttpRequest

from model_core.errors import InvalidRequest
from model_core.images.data_url import TYPES, write_data_url
from model_core.requests.messages import ImageUrlPart, Message

from ...contract.request_fields import Request
from ...contract.sent_names import rename_error
from ..settings import ServiceSettings
from .fetch import ImageFetcher


def make_fetcher(settings: ServiceSettings) -> ImageFetcher:
    """What gets images from the web, as far as the settings allow it."""
    return ImageFetcher(settings.allow_image_urls, settings.max_image_bytes)


async def resolve_requests(http_request: HttpRequest, requests: Sequence[Request]) -> list[Request]:
    """The requests with their images. Several answers to one conversation have the same ones.

    Raises as `resolve_images`.
    """
    resolved: dict[int, Any] = {}
    for request in requests:
        if request.is_chat and id(request.messages) not in resolved:
            try:
                messages: Any = await resolve_images(http_request, request.messages)  # type: ignore[arg-type]
            except Exception as error:
                raise rename_error(error, request.sent_names) from None
            resolved[id(request.messages)] = messages
    return [
        request
        if resolved.get(id(request.messages), request.messages) is request.messages
        else request.model_copy(update={"messages": resolved[id(request.messages)]})
        for request in requests
    ]


async def resolve_images(http_request: HttpRequest, messages: list[Message]) -> list[Message]:
    """The messages with their images, the same object if they have all already.

    Raises InvalidRequest for an image that cannot be had, FileNotFound, or StoreError.
    """
    if not any(_is_elsewhere(part) for message in messages for part in message.images):
        return messages
    limit, found = http_request.app.state.settings.max_body_images_bytes, list[Message]()
    room = limit
    for number, message in enumerate(messages):
        content: Any = message.content
        if isinstance(content, list):
            content = list(content)
            for place, part in enumerate(content):
                if isinstance(part, ImageUrlPart) and _is_elsewhere(part):
                    path = f"messages[{number}].content[{place}].image_url"
                    url = await find_image(http_request, part.image_url.url, part.image_url.file_id, path)
                    room -= len(url)
                    if room < 0:
                        raise InvalidRequest(
                            f"{path} is one image too many: those of a request have at most {limit} bytes "
                            "in base64 (--max-body-images).",
                            path,
                        )
                    image = part.image_url.model_copy(update={"url": url, "file_id": None})
                    content[place] = part.model_copy(update={"image_url": image})
        found.append(
            message if content is message.content else message.model_copy(update={"content": content})
        )
    return found


async def find_image(http_request: HttpRequest, url: str | None, file_id: str | None, place: str) -> str:
    """The data URL of an image at an address, or of a file. Raises as `resolve_images`."""
    if file_id is not None:
        return write_data_url(TYPES[0], await _read_file(http_request, file_id, place))
    if not is_web_address(url):
        return url or ""
    return write_data_url(TYPES[0], await http_request.app.state.image_fetcher.fetch(url, place))


def is_web_address(url: str | None) -> bool:
    """Whether an image is on the web, and not in the request."""
    return url is not None and url[:8].lower().startswith(("http://", "https://"))


def _is_elsewhere(part: Any) -> bool:
    if not isinstance(part, ImageUrlPart):
        return False
    return part.image_url.file_id is not None or is_web_address(part.image_url.url)


async def _read_file(http_request: HttpRequest, file_id: str, place: str) -> bytes:
    files, owner = http_request.app.state.files, http_request.state.owner
    limit = http_request.app.state.settings.max_image_bytes
    stored = await asyncio.to_thread(files.get, owner, file_id, place)
    if stored.bytes > limit:
        raise InvalidRequest(
            f"{place} has {stored.bytes} bytes, but {limit} are the limit (--max-image-bytes).", place
        )
    try:
        data: bytes = await asyncio.to_thread(files.path(stored.id).read_bytes)
    except FileNotFoundError:
        raise InvalidRequest(
            f"{place} is not on this machine: it was uploaded to another service with the same database.",
            place,
        ) from None
    return data
