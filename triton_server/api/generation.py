"""Generates the answers to an HTTP request. Every route that answers uses this."""

import asyncio
import logging
import uuid
from collections import Counter, deque
from collections.abc import AsyncGenerator, Coroutine, Iterator, Sequence
from contextlib import ExitStack, aclosing, contextmanager, suppress
from typing import Any, TypeVar

from fastapi import Request as HttpRequest

from model_core.errors import TritonchatError
from model_core.requests.events import Accepted, Done, Event

from ..contract.event_ids import LAST_EVENT_ID
from ..contract.request_fields import BATCH_CLIENT, DRAWN_SEED_HEADER, Request
from ..contract.sent_names import SentNames, rename_error, rename_event
from .errors import ApiError, ClientDisconnected, failure_of, unsupported
from .images.resolve import has_images_elsewhere, resolve_requests
from .middleware.access import pseudonym
from .resumption.header import RESUMABLE, takes_event_ids
from .settings import ServiceSettings
from .stream_response import NumberedEvents

LOGGER = logging.getLogger(__name__)

_EventQueue = asyncio.Queue[tuple[int, Event] | Exception]
# After this time without an event, Accepted comes, so that streams send a comment. Otherwise a proxy may
# close the connection.
KEEP_ALIVE_S = 10.0
_STILL_ACCEPTED = 0, Accepted()
Kind = TypeVar("Kind")
# The maximum of events of an answer that wait here because the client reads slowly. Further ones wait in
# Triton, as bytes: these take a tenth of the memory of parsed log probabilities.
_MAX_QUEUED_EVENTS = 2
_MAX_ID_PREFIX = 80  # characters of the client's request id; the engine's id has at most 128


@contextmanager
def hold_slots(http_request: HttpRequest, count: int) -> Iterator[None]:
    """Hold slots for all `count` answers to an HTTP request, of which the log tells the usage.

    Raises ApiError as AnswerSlots.hold.
    """
    http_request.state.usage = Counter()
    with http_request.app.state.answer_slots.hold(http_request.state.client, count):
        yield


async def stream_answers(
    http_request: HttpRequest,
    requests: Sequence[Request],
    takes_cut_off: bool = False,
    has_slots: bool = False,
    whole: bool = False,
) -> NumberedEvents:
    """Answer all `requests` of an HTTP request; iterate over the events, each with the index of its request.

    If there is no room for all answers, they are refused before any of them starts. The first event is
    Accepted, with the fingerprint: the engine has accepted all requests. It comes again, without the
    fingerprint, after each KEEP_ALIVE_S in which there was no event. The last event of each answer is Done.
    The response has the fingerprint in the header X-Model-Digest (middleware/logs.py).
    Ids of the engine's requests begin with that of the HTTP request, whose state has them as `answer_ids`. An
    answer has at most the settings' `max_answer_tokens`. If the client disconnects, the generation stops.

    `has_slots`: within `hold_slots`, for an answer that has several parts. `whole`: the client has no stream,
    so an answer may be that to an equal request under way, which comes as a whole.

    Raises:
        TritonchatError: a request was refused or failed; the class says why.
        ApiError: the conversation has too many messages, or the client continues a stream of a kind that
            cannot be continued (400), or too many answers are running (429), or
            the server has cut an answer off (503), unless `takes_cut_off`: then its Done says so. Or the key
            of the request may not use a model (403).
        ClientDisconnected: the client closed the connection.
    """
    state = http_request.app.state
    if LAST_EVENT_ID in http_request.headers and not takes_event_ids(http_request):
        raise unsupported(
            LAST_EVENT_ID, f"{LAST_EVENT_ID} is not supported here; send the request without it: {RESUMABLE}."
        )
    prefix = http_request.state.request_id[:_MAX_ID_PREFIX]
    http_request.state.answer_ids = [f"{prefix}-{uuid.uuid4().hex}" for _ in requests]
    queue: _EventQueue = asyncio.Queue(_MAX_QUEUED_EVENTS * len(requests))
    loop = asyncio.get_running_loop()
    with ExitStack() as stack:
        if not has_slots:
            count = sum(len(request.choices or ("",)) for request in requests)
            stack.enter_context(hold_slots(http_request, count))
        requests = await find_images(http_request, requests)
        watch = asyncio.create_task(_wake_on_disconnect(http_request, queue))
        tasks = [watch]
        stack.callback(lambda: [task.cancel() for task in tasks])
        for number, request in enumerate(requests):
            sent = prepare(http_request, request, http_request.state.answer_ids[number])
            sent = sent.model_copy(update={"acknowledge": True, "joins": whole})
            events = state.triton_client.stream(sent.prompt(), sent.parameters())
            tasks.append(asyncio.create_task(_forward_events(events, number, request.sent_names, queue)))

        async def next_item() -> tuple[int, Event]:
            item = await queue.get()
            if watch.done():  # the client does not read the rest of the queue
                raise ClientDisconnected
            if isinstance(item, Exception):
                raise item
            return item

        accepted: set[int] = set()
        acceptance, hits = Accepted(), 0
        early_events: deque[tuple[int, Event]] = deque()  # received before all requests were accepted
        while len(accepted) < len(requests):
            number, event = await next_item()
            if isinstance(event, Accepted):
                accepted.add(number)
                acceptance = event
                hits += event.answer_cached
            else:  # it has come in a feed, which may be faster
                early_events.append((number, event))
                if isinstance(event, Done):
                    accepted.add(number)
        http_request.state.model_digest = acceptance.fingerprint
        http_request.state.answer_cached = hits == len(requests)
        yield 0, acceptance
        remaining = len(requests)
        while remaining:
            timer = loop.call_later(KEEP_ALIVE_S, _put_accepted, queue)
            number, event = early_events.popleft() if early_events else await next_item()
            timer.cancel()
            if isinstance(event, Done):
                remaining -= 1
                http_request.state.usage.update(event.usage.counts)
                if event.finish_reason == "cancelled" and not takes_cut_off:
                    raise ApiError(503, "the server has cut the answer off.", code="cancelled")
            yield number, event


async def find_images(http_request: HttpRequest, requests: Sequence[Request]) -> list[Request]:
    """The requests with the images that they only name. It is called within slots: images are large.

    Raises as `resolve_requests`, ApiError for too many messages, or ClientDisconnected.
    """
    settings = http_request.app.state.settings
    for request in requests:
        if request.is_chat:
            check_length(len(request.messages), settings)
    if not has_images_elsewhere(settings, requests):
        return list(requests)
    return await while_connected(http_request, resolve_requests(http_request, requests))


def prepare(http_request: HttpRequest, request: Request, request_id: str) -> Request:
    """A request as it is sent: within the limits, with this id, and the service's salt, cache and client.

    Raises ApiError for too many messages.
    """
    state = http_request.app.state
    changes = {
        **_find_limits(request, state.settings),
        "request_id": request_id,
        "cache_salt": pseudonym(http_request.state.owner, request.cache_salt or ""),
        "answer_cache": _choose_cache(http_request, request),
        "client": _name_client(http_request.state.client, state.answer_slots.is_shared),
    }
    return request.model_copy(update=changes)


def _choose_cache(http_request: HttpRequest, request: Request) -> str | None:
    """How a request uses the cache of answers; see AnswerCacheFields. No-store is of RFC 9111."""
    headers = http_request.headers
    asked = ",".join(headers.getlist("cache-control")).lower()
    if any(word.strip() in ("no-store", "no-cache") for word in asked.split(",")):
        return "off"
    is_drawn = request.has_drawn_seed or DRAWN_SEED_HEADER in headers
    return "greedy" if is_drawn and request.answer_cache is None else request.answer_cache


def _name_client(client: str, is_shared: bool) -> str:
    """What the engine calls a client, so that clients share it fairly."""
    if client == BATCH_CLIENT:
        return client
    return pseudonym(client) if is_shared else ""


async def wait_until_accepted(events: NumberedEvents) -> NumberedEvents:
    """Wait for the first event, which says that the engine has accepted the requests; return the others.

    A refusal is raised here, before the response starts.
    """
    await anext(events)
    return events


async def end_with_failure(events: NumberedEvents) -> NumberedEvents:
    """The events; if an error ends them, the last one is Failed. Raises only ClientDisconnected."""
    try:
        async with aclosing(events):
            async for item in events:
                yield item
    except ClientDisconnected:
        raise
    except Exception as error:
        if not isinstance(error, TritonchatError):
            # The status of a stream is sent before its first event, so the log does not show the error.
            LOGGER.error("A stream failed", exc_info=error)
        yield 0, failure_of(error)


async def _forward_events(
    events: AsyncGenerator[Event, None], number: int, names: SentNames, queue: _EventQueue
) -> None:
    """Put the events of an answer into the queue, or its error."""
    try:
        async with aclosing(events):
            async for event in events:
                await queue.put((number, rename_event(event, names)))
    except Exception as error:
        await queue.put(rename_error(error, names))


async def forget_prefixes(http_request: HttpRequest) -> None:
    """Delete what the engine's caches on disk have of a client's conversations, before one is removed.

    They cannot tell them apart, so they forget all conversations of the client, with whatever `cache_salt`,
    and those from before its keys had a name. Raises ServerUnavailable.
    """
    state, owner = http_request.app.state, http_request.state.owner
    if state.settings.keeps_prefixes:
        hashes = [key_hash for key_hash, name in state.settings.keys.names.items() if name == owner]
        for each in (owner, *hashes):
            await state.triton_client.forget(pseudonym(each))


def _put_accepted(queue: _EventQueue) -> None:
    if queue.empty():
        queue.put_nowait(_STILL_ACCEPTED)


async def wait_for_disconnect(http_request: HttpRequest) -> None:
    """Wait until the client disconnects. What it sends until then is lost."""
    while (await http_request.receive())["type"] != "http.disconnect":
        pass


async def while_connected(http_request: HttpRequest, work: Coroutine[Any, Any, Kind]) -> Kind:
    """The result of a call, which is cancelled if the client disconnects: ClientDisconnected."""
    call = asyncio.create_task(work)
    watch = asyncio.create_task(wait_for_disconnect(http_request))
    try:
        await asyncio.wait({call, watch}, return_when=asyncio.FIRST_COMPLETED)
        if not call.done():
            raise ClientDisconnected
        return call.result()
    finally:
        watch.cancel()
        call.cancel()
        with suppress(asyncio.CancelledError):
            await watch


async def _wake_on_disconnect(http_request: HttpRequest, queue: _EventQueue) -> None:
    """Wake the reader of the queue when the client disconnects."""
    await wait_for_disconnect(http_request)
    with suppress(asyncio.QueueFull):  # then the reader does not wait
        queue.put_nowait(ClientDisconnected())


def check_length(count: int, settings: ServiceSettings) -> None:
    """Raises ApiError for a conversation of more than `max_messages` messages."""
    if settings.max_messages and count > settings.max_messages:
        raise ApiError(
            400,
            f"the conversation has {count} messages; at most {settings.max_messages} are allowed.",
            "too_many_messages",
            "messages",
        )


def _find_limits(request: Request, settings: ServiceSettings) -> dict[str, int]:
    """The `max_tokens` that the settings impose. Raises ApiError for more than `max_messages` messages."""
    if request.is_chat:
        check_length(len(request.messages), settings)
    limit = settings.max_answer_tokens
    is_more = request.max_tokens is None or request.max_tokens > limit
    return {"max_tokens": limit} if limit and is_more else {}
