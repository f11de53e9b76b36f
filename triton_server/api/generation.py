"""Generates the answers to an HTTP request. Every route that answers uses this."""

import asyncio
import uuid
from collections import Counter, deque
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, aclosing, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from fastapi import Request

from ..async_client import AnswerDelta
from ..contract import Prompt
from .access import pseudonym
from .errors import ApiError, ClientDisconnected
from .settings import ServiceSettings

T = TypeVar("T")
_DeltaQueue = asyncio.Queue[tuple[int, AnswerDelta] | Exception]
# After this time without a delta, an empty delta comes, so that streams send a comment. Otherwise a proxy may
# close the connection.
KEEP_ALIVE_S = 10.0
_EMPTY_DELTA = 0, AnswerDelta("")
# The maximum of deltas of an answer that wait here because the client reads slowly. Further ones wait in
# Triton, as bytes: these take a tenth of the memory of parsed log probabilities.
_MAX_QUEUED_DELTAS = 2
_MAX_ID_PREFIX = 80  # characters of the client's request id; the engine's id has at most 128


@dataclass(frozen=True)
class Job:
    """One answer to generate."""

    prompt: Prompt
    parameters: dict[str, Any]


async def stream_answer(
    request: Request, prompt: Prompt, parameters: dict[str, Any]
) -> AsyncIterator[AnswerDelta]:
    """Generate the answer to `prompt`; iterate over its deltas.

    The engine's request id begins with the id of the HTTP request. An answer has at most the settings'
    `max_answer_tokens`. If the client disconnects, the generation stops and this raises ClientDisconnected.
    The first delta is empty: it says that the engine has accepted the request. After KEEP_ALIVE_S without a
    delta there is another empty one.

    Raises:
        TritonchatError: the request was refused or failed; the class says why.
        ApiError: the conversation has too many messages (400), or too many answers are running (429).
        ClientDisconnected: the client closed the connection.
    """
    async with aclosing(stream_answers(request, [Job(prompt, parameters)])) as deltas:
        async for _, delta in deltas:
            yield delta


async def stream_answers(request: Request, jobs: Sequence[Job]) -> AsyncIterator[tuple[int, AnswerDelta]]:
    """As `stream_answer`, for several answers at once. Each delta comes with the index of its job.

    If there is no room for all answers, the request is refused before any of them starts. The first delta
    comes when the engine has accepted all jobs.
    """
    state = request.app.state
    settings = state.settings
    jobs = [_apply_limits(job, settings) for job in jobs]
    prefix = request.state.request_id[:_MAX_ID_PREFIX]
    request.state.usage = Counter()  # for the log
    queue: _DeltaQueue = asyncio.Queue(_MAX_QUEUED_DELTAS * len(jobs))
    loop = asyncio.get_running_loop()
    with ExitStack() as stack:
        stack.enter_context(state.answer_slots.hold(request.state.client, len(jobs)))
        watch = asyncio.create_task(_watch_for_disconnect(request, queue))
        tasks = [watch]
        stack.callback(lambda: [task.cancel() for task in tasks])
        for number, job in enumerate(jobs):
            parameters = {
                **job.parameters,
                "request_id": f"{prefix}-{uuid.uuid4().hex}",
                "cache_salt": pseudonym(request.state.key_hash, job.parameters.get("cache_salt", "")),
                "acknowledge": True,
                "client": pseudonym(request.state.client) if state.answer_slots.is_shared else "",
            }
            deltas = state.triton_client.stream(job.prompt, parameters)
            tasks.append(asyncio.create_task(_forward_deltas(deltas, number, queue)))

        async def next_item() -> tuple[int, AnswerDelta]:
            item = await queue.get()
            if watch.done():  # the client does not read the rest of the queue
                raise ClientDisconnected
            if isinstance(item, Exception):
                raise item
            return item

        accepted: set[int] = set()
        early_deltas: deque[tuple[int, AnswerDelta]] = deque()  # received before all jobs were accepted
        while len(accepted) < len(jobs):
            early_deltas.append(await next_item())
            accepted.add(early_deltas[-1][0])
        yield _EMPTY_DELTA
        remaining = len(jobs)
        while remaining:
            timer = loop.call_later(KEEP_ALIVE_S, _put_empty_delta, queue)
            number, delta = early_deltas.popleft() if early_deltas else await next_item()
            timer.cancel()
            if delta.is_acknowledgement:
                continue
            if delta.is_last:
                remaining -= 1
                request.state.usage.update(delta.details["usage"])
            yield number, delta


async def wait_until_accepted(deltas: AsyncIterator[T]) -> AsyncIterator[T]:
    """Wait for the first delta, which says that the engine has accepted the request; return the others.

    A refusal is raised here, before the response starts.
    """
    await anext(deltas)
    return deltas


async def _forward_deltas(deltas: AsyncIterator[AnswerDelta], number: int, queue: _DeltaQueue) -> None:
    """Put the deltas of an answer into the queue, or its error."""
    try:
        async with aclosing(deltas):
            async for delta in deltas:
                await queue.put((number, delta))
    except Exception as error:
        await queue.put(error)


def _put_empty_delta(queue: _DeltaQueue) -> None:
    if queue.empty():
        queue.put_nowait(_EMPTY_DELTA)


async def _watch_for_disconnect(request: Request, queue: _DeltaQueue) -> None:
    """Wake the reader of the queue when the client disconnects."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    with suppress(asyncio.QueueFull):  # then the reader does not wait
        queue.put_nowait(ClientDisconnected())


def _apply_limits(job: Job, settings: ServiceSettings) -> Job:
    """The job with at most `max_answer_tokens`. Raises ApiError for more than `max_messages` messages."""
    count, limit = len(job.prompt), settings.max_messages
    if limit and count > limit and isinstance(job.prompt[0], dict):
        raise ApiError(
            400,
            f"the conversation has {count} messages; at most {limit} are allowed.",
            "too_many_messages",
            "messages",
        )
    max_tokens, limit = job.parameters.get("max_tokens"), settings.max_answer_tokens
    if limit and (max_tokens is None or (isinstance(max_tokens, int) and max_tokens > limit)):
        return Job(job.prompt, {**job.parameters, "max_tokens": limit})
    return job
