"""What a request says of event ids: whether it takes them, and the last one that its client has got."""

import asyncio
import hashlib
import json
import time
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header
from fastapi import Request as HttpRequest

from ...contract.event_ids import LAST_EVENT_ID, takes_ids
from ...contract.request_fields import DRAWN_SEED_HEADER, Request
from ...receipts.canonical import content_of
from ..errors import ApiError, unsupported
from ..images.resolve import has_images_elsewhere
from ..stream_response import NumberedEvents
from .event_id import Origin, Place, is_fingerprint, read_id
from .resumed import Resumed

RESUMABLE = (
    "streams of one answer of /v1/chat/completions, /v1/completions and /v1/messages, without tools that the "
    "service calls, go on after an event"
)
LastEventId = Annotated[
    str | None,
    Header(
        alias=LAST_EVENT_ID,
        description="The id of the last event of a stream that broke: the same request goes on after it. "
        "Events have ids if Accept names text/event-stream.",
    ),
]


async def _name_header(last_event_id: LastEventId = None) -> None:
    """Lets the description of a route have the header, which `read_resume` reads."""


HAS_EVENT_IDS = Depends(_name_header)


@dataclass(frozen=True)
class ResumeRequest:
    """What a client wants of a stream with ids. `last`: the stream and the place that it comes from."""

    request_hash: str
    last: tuple[Origin, Place] | None


def takes_event_ids(http_request: HttpRequest) -> bool:
    """Whether `read_resume` has taken care of the header."""
    return getattr(http_request.state, "takes_event_ids", False)


async def read_resume(
    http_request: HttpRequest, requests: list[Request], is_resumable: bool
) -> tuple[list[Request], ResumeRequest | None]:
    """The requests, with the seed of the stream that goes on, and what the client wants; None: no ids.

    `is_resumable`: whether it is a stream that can go on. Raises ApiError.
    """
    http_request.state.takes_event_ids = True
    headers = http_request.headers
    last_ids = headers.getlist(LAST_EVENT_ID)
    if not is_resumable or len(requests) != 1:
        if last_ids:
            raise unsupported(LAST_EVENT_ID, f"this request cannot go on after an event: only {RESUMABLE}.")
        return requests, None
    if not takes_ids(headers):
        return requests, None
    (request,) = requests
    if has_images_elsewhere(http_request.app.state.settings, requests):
        if last_ids:
            raise unsupported(
                LAST_EVENT_ID,
                "this request cannot go on after an event: other images may be at its addresses by now; send "
                "images as data URLs.",
            )
        return requests, None
    request_hash = await asyncio.to_thread(_hash, http_request.url.path, request)
    if not last_ids:
        return requests, ResumeRequest(request_hash, None)
    if len(last_ids) > 1:
        raise _refuse("invalid_event_id", f"{LAST_EVENT_ID} is there {len(last_ids)} times; send one.")
    try:
        origin, place = read_id(last_ids[0])
    except ValueError:
        message = f"{LAST_EVENT_ID} is no id of an event of this service; send the last one as it came."
        raise _refuse("invalid_event_id", message) from None
    if origin.request != request_hash:
        message = f"{LAST_EVENT_ID} is of another request; repeat that one with the same body."
        raise _refuse("other_request", message)
    if request.has_drawn_seed or DRAWN_SEED_HEADER in headers:
        request = request.draw(origin.seed)
    elif request.seed != origin.seed:
        message = f"{LAST_EVENT_ID} is of a stream with the seed {origin.seed}; send that one, or none."
        raise _refuse("other_seed", message)
    return [request], ResumeRequest(request_hash, (origin, place))


async def begin(
    resume: ResumeRequest | None, request: Request, fingerprint: str | None, events: NumberedEvents
) -> Resumed | None:
    """The stream of an answer, when the engine has accepted it. None: it has no ids.

    Raises ApiError if the stream that is to go on is of another model. Then the events end.
    """
    if resume is None:
        return None
    try:
        return _begin(resume, request, fingerprint)
    except ApiError:
        await events.aclose()
        raise


def _begin(resume: ResumeRequest, request: Request, fingerprint: str | None) -> Resumed | None:
    if not is_fingerprint(fingerprint):
        fingerprint = None
    if resume.last is None:
        if fingerprint is None or request.seed is None:
            return None
        start_us = time.time_ns() // 1000
        return Resumed(Origin(resume.request_hash, fingerprint, request.seed, start_us), None)
    origin, place = resume.last
    if fingerprint is None:
        message = (
            "another server computes this model, and has not said yet which one that is; send the request"
        )
        raise unsupported(LAST_EVENT_ID, f"{message} without {LAST_EVENT_ID}.")
    if origin.model != fingerprint:
        raise _refuse(
            "other_model",
            f"{LAST_EVENT_ID} is of a stream of a model with the fingerprint {origin.model}, and this is "
            f"{fingerprint}, whose answer may be another one; send the request without it.",
        )
    return Resumed(origin, place)


def _hash(path: str, request: Request) -> str:
    told = json.dumps([path, content_of(request)], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def _refuse(code: str, message: str) -> ApiError:
    return ApiError(400, message, code, LAST_EVENT_ID)
