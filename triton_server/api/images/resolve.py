"""Puts images into requests that only name them: files of /v1/files, and addresses on the web."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import anyio
from fastapi import Request as HttpRequest

from model_core.errors import RequestTimeout
from model_core.images.data_url import TYPES, check_data_url, find_type, write_data_url
from model_core.requests.messages import ImageUrl, ImageUrlPart, Message

from ...contract.request_fields import Request
from ...contract.sent_names import rename_error
from ..errors import ApiError
from ..foreign_content import read_stored_file
from ..settings import ServiceSettings
from .fetch import ImageFetcher

_TOTAL_S = 60.0  # for all images of an HTTP request


def make_fetcher(settings: ServiceSettings) -> ImageFetcher:
    """What gets images from the web, as far as the settings allow it."""
    return ImageFetcher(settings.allow_image_urls, settings.max_image_bytes)


def has_images_elsewhere(settings: ServiceSettings, requests: Sequence[Request]) -> bool:
    """Whether requests name images that `resolve_requests` gets.

    Raises InvalidRequest for one that is neither in the request nor on the web, and ApiError (413) if those
    in the requests are too large together.
    """
    is_elsewhere, room, times = False, _Room(settings, len(requests)), _count(requests)
    for request in {id(request.messages): request for request in requests}.values():
        for place, image in _list_images(request):
            try:
                if image.file_id is not None or is_web_address(image.url):
                    is_elsewhere = True
                else:
                    check_data_url(image.url or "", place)
                    room.take(times[id(request.messages)] * len(image.url or ""), place)
            except Exception as error:
                raise rename_error(error, request.sent_names) from None
    return is_elsewhere


async def resolve_requests(http_request: HttpRequest, requests: Sequence[Request]) -> list[Request]:
    """The requests with their images; their `timeout_s` is what is left of it.

    Several answers to one conversation have the same images. Each one of them sends all to the engine, so it
    counts as often. Raises InvalidRequest for an image that cannot be had, ApiError if all are too large
    together (413) or may be had later (503), RequestTimeout, FileNotFound, or StoreError.
    """
    start = time.monotonic()
    given = [request.timeout_s for request in requests if request.timeout_s is not None]
    finder = _Finder(http_request, requests)
    try:
        with anyio.fail_after(min([_TOTAL_S, *given])):
            resolved = [await finder.resolve(request) for request in requests]
    except TimeoutError:
        if given and min(given) <= _TOTAL_S:
            raise RequestTimeout(
                f"the request's timeout_s of {min(given):g} s passed while its images were got."
            ) from None
        message = f"the images did not come within {_TOTAL_S:g} s together; send fewer, or try again."
        raise ApiError(503, message, "image_unavailable", "messages") from None
    passed = time.monotonic() - start
    return [
        request
        if request.timeout_s is None
        else request.model_copy(update={"timeout_s": max(0.0, request.timeout_s - passed)})
        for request in resolved
    ]


def is_web_address(url: str | None) -> bool:
    """Whether an image is on the web, and not in the request."""
    return url is not None and url[:8].lower().startswith(("http://", "https://"))


class _Room:
    """How many bytes of base64 the images of an HTTP request may still have."""

    def __init__(self, settings: ServiceSettings, answers: int) -> None:
        self._limit = self._left = settings.max_body_images_bytes
        self._answers = answers

    def take(self, size: int, place: str) -> None:
        """Raises ApiError for an image of more bytes than are left."""
        self._left -= size
        if self._left < 0:
            each = f", and each of the {self._answers} answers is sent them" if self._answers > 1 else ""
            message = (
                f"{place} is one image too many: those of a request have at most {self._limit} bytes in "
                f"base64 (--max-body-images){each}."
            )
            raise ApiError(413, message, "too_large", place)


class _Finder:
    """Gets the images of an HTTP request, each one once."""

    def __init__(self, http_request: HttpRequest, requests: Sequence[Request]) -> None:
        self._http_request, self._times = http_request, _count(requests)
        self._room = _Room(http_request.app.state.settings, len(requests))
        self._messages: dict[int, list[Message]] = {}  # those of a conversation, with their images
        self._urls: dict[tuple[str | None, str | None], str] = {}  # of addresses and files, as data

    async def resolve(self, request: Request) -> Request:
        """The request with its images."""
        key, messages = id(request.messages), request.messages
        if not request.is_chat:
            return request
        if key not in self._messages:
            try:
                self._messages[key] = [
                    await self._resolve_message(message, number, self._times[key])
                    for number, message in enumerate(messages)
                    if isinstance(message, Message)
                ]
            except Exception as error:
                raise rename_error(error, request.sent_names) from None
        return request.model_copy(update={"messages": self._messages[key]})

    async def _resolve_message(self, message: Message, number: int, times: int) -> Message:
        if not message.images:
            return message
        content: list[Any] = list(message.content or ())
        for place, part in enumerate(content):
            if isinstance(part, ImageUrlPart):
                path = f"messages[{number}].content[{place}].image_url"
                url = await self._find(part.image_url, path)
                self._room.take(times * len(url), path)
                image = part.image_url.model_copy(update={"url": url, "file_id": None})
                content[place] = part.model_copy(update={"image_url": image})
        return message.model_copy(update={"content": content})

    async def _find(self, image: ImageUrl, place: str) -> str:
        """The data URL of an image."""
        if image.file_id is None and not is_web_address(image.url):
            return image.url or ""
        key = image.url, image.file_id
        if key not in self._urls:
            if image.file_id is not None:
                limit = self._http_request.app.state.settings.max_image_bytes
                data = await read_stored_file(
                    self._http_request, image.file_id, place, limit, "--max-image-bytes"
                )
            else:
                fetcher: ImageFetcher = self._http_request.app.state.image_fetcher
                data = await fetcher.fetch(image.url or "", place, self._http_request.state.client)
            self._urls[key] = write_data_url(find_type(data) or TYPES[0], data)
        return self._urls[key]


def _count(requests: Sequence[Request]) -> Counter[int]:
    """How many requests have a conversation."""
    return Counter(id(request.messages) for request in requests)


def _list_images(request: Request) -> Iterator[tuple[str, ImageUrl]]:
    """The images of a conversation, each with its place."""
    for number, message in enumerate(request.messages if request.is_chat else ()):
        content = message.content if isinstance(message, Message) else None
        for place, part in enumerate(content if isinstance(content, list) else ()):
            if isinstance(part, ImageUrlPart):
                yield f"messages[{number}].content[{place}].image_url", part.image_url
