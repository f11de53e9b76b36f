"""Answers for a request over HTTP: what every route does to get some, and how it sends them in pieces."""

import asyncio
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, aclosing, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from fastapi import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ..async_client import Part
from ..contract import Messages
from .errors import ApiError, ClientLeft
from .settings import Settings

T = TypeVar("T")
_Items = asyncio.Queue[tuple[int, Part] | Exception]
_MAX_PREFIX = 80  # of an id that a client sent; the engine takes 128 characters in all


@dataclass(frozen=True)
class Job:
    """One answer to make."""

    messages: Messages
    parameters: dict[str, Any]


async def generate(request: Request, messages: Messages, parameters: dict[str, Any]) -> AsyncIterator[Part]:
    """The answer to `messages` in parts, for a client that waits at the other end of `request`.

    The id of the request begins with that of the HTTP request; answers are cut at the settings'
    `max_answer_tokens`.
    When the client leaves, the generation stops and so does this iteration, with ClientLeft.

    Raises:
        TritonchatError: the request was refused or failed; the class says why.
        ApiError: the conversation has too many messages (400), or too many answers are under way (429).
        ClientLeft: nobody waits for the answer any more.
    """
    async with aclosing(generate_all(request, [Job(messages, parameters)])) as parts:
        async for _, part in parts:
            yield part


async def generate_all(request: Request, jobs: Sequence[Job]) -> AsyncIterator[tuple[int, Part]]:
    """As `generate`, for several answers at once: each part with the number of its job, as they come.

    All are counted; what there is no room for is refused before any begins.
    """
    state = request.app.state
    settings = state.settings
    jobs = [_limited(job, settings) for job in jobs]
    if settings.max_streams and len(jobs) > settings.max_streams:
        raise ApiError(
            400,
            f"{len(jobs)} answers are more than this service gives at once, {settings.max_streams} "
            "(--max-streams).",
            "invalid_request",
            "n",
        )
    prefix = request.state.request_id[:_MAX_PREFIX]
    request.state.usage = Counter()  # for the log
    queue: _Items = asyncio.Queue()
    with ExitStack() as stack:
        for _ in jobs:
            stack.enter_context(state.answers.one())
        watch = asyncio.create_task(_watch(request, queue))
        tasks = [watch]
        stack.callback(lambda: [task.cancel() for task in tasks])
        for number, job in enumerate(jobs):
            parameters = {**job.parameters, "request_id": f"{prefix}-{uuid.uuid4().hex}"}
            parts = state.client.stream(job.messages, parameters)
            tasks.append(asyncio.create_task(_pump(parts, number, queue)))
        left = len(jobs)
        while left:
            item = await queue.get()
            if watch.done():  # what is in the queue by then nobody has seen
                raise ClientLeft
            if isinstance(item, Exception):
                raise item
            if item[1].is_last:
                left -= 1
                request.state.usage.update(item[1].details["usage"])
            yield item


async def begun(items: AsyncIterator[T]) -> AsyncIterator[T]:
    """The same items, once the first is there: a refusal is raised here, before a response has begun."""
    first = await anext(items)

    async def all_of_them() -> AsyncIterator[T]:
        async with aclosing(items):
            yield first
            async for item in items:
                yield item

    return all_of_them()


class Streamed(Response):
    """A response whose body is sent piece by piece, as they come."""

    def __init__(self, pieces: AsyncIterator[bytes], media_type: str) -> None:
        self.status_code, self.media_type, self.background = 200, media_type, None
        self.init_headers({"Cache-Control": "no-cache", "X-Accel-Buffering": "no"})  # nginx holds back, else
        self._pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it (ASGI). Where the client leaves, the pieces end."""
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        async with aclosing(self._pieces) as pieces:
            await send(start)
            with suppress(ClientLeft):
                async for piece in pieces:
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _pump(parts: AsyncIterator[Part], number: int, queue: _Items) -> None:
    """Put the parts of an answer into the queue, or what went wrong."""
    try:
        async with aclosing(parts):
            async for part in parts:
                queue.put_nowait((number, part))
    except Exception as error:
        queue.put_nowait(error)


async def _watch(request: Request, queue: _Items) -> None:
    """Put ClientLeft into the queue when the client hangs up."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    queue.put_nowait(ClientLeft())


def _limited(job: Job, settings: Settings) -> Job:
    count, most = len(job.messages), settings.max_messages
    if most and count > most and isinstance(job.messages[0], dict):
        raise ApiError(
            400,
            f"the conversation has {count} messages; at most {most} are allowed.",
            "too_many_messages",
            "messages",
        )
    asked, most = job.parameters.get("max_tokens"), settings.max_answer_tokens
    if most and (asked is None or (isinstance(asked, int) and asked > most)):
        return Job(job.messages, {**job.parameters, "max_tokens": most})
    return job
