"""The limits of bodies that come in parts: images count as images wherever the parts end."""

import asyncio
import random
from typing import Any

import pytest
from starlette.types import Message

from triton_server.api.middleware.body_limit import LimitedExchange
from triton_server.api.middleware.metrics import ServiceMetrics
from triton_server.system.body_encoding import BodyLimit, BodyTooLarge, count_images

LIMIT = BodyLimit(1000, "--max-body", 5000)


def read(body: bytes, sizes: list[int], limit: BodyLimit = LIMIT, declared: int | None = None) -> None:
    """Receive a body in parts of these sizes, and the rest. Raises BodyTooLarge."""
    parts, at = [], 0
    for size in sizes:
        parts.append(body[at : at + size])
        at += size
    parts.append(body[at:])
    messages: list[Message] = [
        {"type": "http.request", "body": part, "more_body": number < len(parts) - 1}
        for number, part in enumerate(parts)
    ]
    headers = [] if declared is None else [(b"content-length", b"%d" % declared)]

    async def receive() -> Message:
        return messages.pop(0)

    async def send(message: Message) -> None:
        raise AssertionError(message)

    scope: Any = {"type": "http", "headers": headers}
    exchange = LimitedExchange(scope, receive, send, limit, ServiceMetrics())
    exchange.check_headers()

    async def run() -> None:
        while messages:
            await exchange.receive()

    asyncio.run(run())


@pytest.mark.parametrize("size", [1, 3, 255, 256, 257, 300])
def test_images_in_small_parts_are_images(size: int) -> None:
    body = b'{"url": "' + b"a" * 4000 + b'"}'
    read(body, [size] * (len(body) // size))


def test_parts_change_nothing() -> None:
    rng = random.Random(1)
    for _ in range(200):
        words = [rng.choice(b"ab").to_bytes(1, "big") * rng.choice((1, 100, 255, 256, 700)) for _ in range(5)]
        body = b" ".join(words)
        images = count_images(body)
        sizes = [rng.choice((0, 1, 50, 254, 256, 600)) for _ in range(rng.randrange(20))]
        read(body, sizes, BodyLimit(len(body) - images or 1, "--max-body", images or 1))
        for limit in (BodyLimit(len(body) - images - 1, "", images or 1), BodyLimit(9999, "", images - 1)):
            if limit.plain_bytes > 0 and limit.image_bytes > 0:
                with pytest.raises(BodyTooLarge):
                    read(body, sizes, limit)


@pytest.mark.parametrize(
    ("body", "declared", "reason"),
    [
        (b"a " * 600, None, "more than the 1000 bytes that this service reads (--max-body)"),
        (b"a" * 5001, None, "images of more than the 5000 bytes that this service reads (--max-body-images)"),
        (b"", 6001, "more than the 6000 bytes that this service reads (--max-body and --max-body-images)"),
    ],
    ids=["text", "images", "unread"],
)
def test_refusals_name_the_limit_that_is_passed(body: bytes, declared: int | None, reason: str) -> None:
    with pytest.raises(BodyTooLarge) as caught:
        read(body, [], declared=declared)
    assert caught.value.detail == f"the body has {reason}"


def test_without_a_limit_any_body_is_read() -> None:
    read(b"a " * 5000 + b"a" * 6000, [], BodyLimit(0, "--max-body", 5000))
