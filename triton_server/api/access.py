"""Who may use the service and how much of it: keys, rates, sizes, answers under way, web pages.

Pure ASGI, so that streams pass through as they are. Clients that are slow are the matter of connection.py.
"""

import hashlib
import hmac
import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import anyio
from fastapi import FastAPI
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..hosts import is_loopback
from .errors import ApiError, response_of
from .meters import Meters, meters_of
from .settings import Settings

# Probes must not need a secret, nor be turned away because the service is busy; and no browser can send one
# to load the description, which says nothing of anybody.
FREE_PATHS = ("/healthz", "/readyz", "/docs", "/openapi.json")
METRICS_PATH = "/metrics"
# Headers that a web page may read, where CORS lets it in.
SHOWN_HEADERS = (
    "X-Request-Id",
    "Retry-After",
    "X-RateLimit-Limit-Requests",
    "X-RateLimit-Remaining-Requests",
    "X-RateLimit-Reset-Requests",
)
# Clients whose rate is remembered. Those who have been away longest are forgotten first, which gives them a
# full bucket: what somebody with more addresses than this could have had anyway.
MAX_BUCKETS = 10_000
# A client that is refused before it has sent all may go on sending for so long, and so much: most look at the
# answer only then, and a connection closed with bytes unread takes the answer with it.
LINGER_S = 2.0
LINGER_BYTES = 16 * 2**20
_SMALL_BODY = 64 * 1024


def install(app: FastAPI, settings: Settings) -> None:
    """Put the rules of `settings` before the application. What is installed later stands before these."""
    meters = meters_of(app)
    app.state.answers = Answers(settings.max_streams, meters)
    app.add_middleware(AccessMiddleware, settings=settings, meters=meters)
    if settings.cors:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors,
            allow_methods=("GET", "POST", "PUT", "DELETE"),
            allow_headers=("*",),
            expose_headers=SHOWN_HEADERS,
        )


class BodyTooLarge(HTTPException):
    """A body beyond the limit. FastAPI lets only this kind through where it reads a body."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            413, f"the body has more than the {limit} bytes that this service reads (--max-body)"
        )


class Answers:
    """The answers under way, all clients together, and how many there may be."""

    def __init__(self, most: int, meters: Meters) -> None:
        """`most`: 0 for any number."""
        self._most, self._meters, self._open = most, meters, 0

    @contextmanager
    def one(self) -> Iterator[None]:
        """Hold a place for an answer. Raises ApiError (429) where all are taken."""
        if self._most and self._open >= self._most:
            self._meters.refused("too_many_answers")
            raise ApiError(
                429,
                f"{self._open} answers are under way, as many as this service gives at once (--max-streams); "
                "try again in a moment.",
                code="too_many_answers",
                retry_after_s=1,
            )
        self._open += 1
        self._meters.answers_open.inc()
        try:
            yield
        finally:
            self._open -= 1
            self._meters.answers_open.dec()


@dataclass(frozen=True)
class Allowance:
    """What a client may still do: requests at once, seconds until all of them, and until the next one."""

    remaining: int
    full_in_s: float
    next_in_s: float  # 0 where this request may pass


class RateLimit:
    """A token bucket for each client, in memory that is bounded."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_minute, self._clock = per_minute, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # requests left, and when

    def take(self, client: str) -> Allowance:
        """Count a request of a client, if it has one left."""
        now, rate = self._clock(), self.per_minute / 60
        left, then = self._buckets.pop(client, (float(self.per_minute), now))
        left = min(self.per_minute, left + (now - then) * rate)
        passes = left >= 1
        left -= passes
        self._buckets[client] = left, now
        if len(self._buckets) > MAX_BUCKETS:
            self._buckets.popitem(last=False)
        return Allowance(int(left), (self.per_minute - left) / rate, 0 if passes else (1 - left) / rate)


class AccessMiddleware:
    """Refuses what is not allowed; the application sees the rest, with `state["owner"]` for whose it is."""

    def __init__(self, app: ASGIApp, settings: Settings, meters: Meters) -> None:
        self._app, self._settings, self._meters = app, settings, meters
        self._keys = [hashlib.sha256(key.encode()).digest() for key in settings.api_keys]
        self._limit = RateLimit(settings.requests_per_minute) if settings.requests_per_minute else None
        self._private = not settings.api_keys and not settings.open_to_all

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        exchange = _Metered(scope, receive, send, self._settings.max_body_bytes, self._meters)
        try:
            self._admit(scope, exchange)
            exchange.check_length()
        except (ApiError, BodyTooLarge) as error:
            return await response_of(error)(scope, exchange.receive, exchange.send)
        await self._app(scope, exchange.receive, exchange.send)

    def _admit(self, scope: Scope, exchange: "_Metered") -> None:
        """Set the owner of a request. Raises ApiError where it may not pass."""
        state = scope.setdefault("state", {})
        state["owner"] = ""
        path, headers = scope["path"], Headers(scope=scope)
        if path in FREE_PATHS:
            return
        if self._private and is_foreign(headers, self._settings.cors):
            message = (
                "without an API key this service answers only requests to localhost, and of web pages only "
                "its own and those of --cors-origin."
            )
            self._refuse("foreign_page", ApiError(403, message, code="foreign_page"))
        if path == METRICS_PATH and is_loopback(self._settings.host):
            return
        key = presented_key(headers)
        owner = self._owner(key) if self._keys else ""
        client = owner or client_address(scope)
        if path != METRICS_PATH or owner is None:
            self._count(client, exchange)
        if owner is None:
            reason, message = (
                ("wrong_key", "the API key is none of this service's.")
                if key
                else ("no_key", "this service needs an API key; send it as `Authorization: Bearer KEY`.")
            )
            exchange.headers["WWW-Authenticate"] = "Bearer"
            self._refuse(reason, ApiError(401, message, code="invalid_api_key"))
        state["owner"] = owner

    def _owner(self, key: bytes) -> str | None:
        """The hash of a key that opens the service; None for any other.

        All are compared, and their hashes at that, so that the time taken tells neither which one came close
        nor how long they are.
        """
        digest, found = hashlib.sha256(key).digest(), False
        for known in self._keys:
            found |= hmac.compare_digest(digest, known)
        return digest.hex() if found and key else None

    def _count(self, client: str, exchange: "_Metered") -> None:
        if self._limit is None:
            return
        allowance = self._limit.take(client)
        exchange.headers["X-RateLimit-Limit-Requests"] = str(self._limit.per_minute)
        exchange.headers["X-RateLimit-Remaining-Requests"] = str(allowance.remaining)
        exchange.headers["X-RateLimit-Reset-Requests"] = duration(allowance.full_in_s)
        if allowance.next_in_s:
            self._refuse(
                "too_many_requests",
                ApiError(
                    429,
                    f"more than {self._limit.per_minute} requests a minute (--requests-per-minute); "
                    f"the next one may come in {duration(allowance.next_in_s)}.",
                    code="rate_limit_exceeded",
                    retry_after_s=math.ceil(allowance.next_in_s),
                ),
            )

    def _refuse(self, reason: str, error: ApiError) -> None:
        self._meters.refused(reason)
        raise error


class _Metered:
    """A request's body on its way in, within the limit, and the answer on its way out."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, limit: int, meters: Meters) -> None:
        self.headers: dict[str, str] = {}  # to be added to the answer
        self._receive, self._send, self._limit, self._meters = receive, send, limit, meters
        headers = Headers(scope=scope)
        length = headers.get("content-length", "")
        self._announced = int(length) if length.isdecimal() else 0
        self._unread = self._announced > 0 or "transfer-encoding" in headers
        self._read = 0

    def check_length(self) -> None:
        """Raises BodyTooLarge where the client says so beforehand."""
        if self._limit and self._announced > self._limit:
            self._too_large()

    async def receive(self) -> Message:
        """The next part of the body. Raises BodyTooLarge once there is too much of it."""
        message = await self._take()
        if self._limit and self._read > self._limit:
            self._too_large()
        return message

    async def send(self, message: Message) -> None:
        """Pass on the answer. Where that comes before the body is read, the client may send some more."""
        if message["type"] == "http.response.start":
            if self._unread and 0 < self._announced <= _SMALL_BODY:
                await self._linger()
            headers = MutableHeaders(scope=message)
            headers.update(self.headers)
            if self._unread:
                headers["Connection"] = "close"
        elif self._unread and not message.get("more_body", False):
            await self._send({**message, "more_body": True})
            await self._linger()
            message = {"type": "http.response.body"}
        await self._send(message)

    async def _take(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            size = len(message.get("body", b""))
            self._read += size
            self._meters.received_bytes.inc(size)
        self._unread = message.get("more_body", False)
        return message

    async def _linger(self) -> None:
        most = self._read + LINGER_BYTES
        with anyio.move_on_after(LINGER_S):
            while self._unread and self._read < most:
                await self._take()

    def _too_large(self) -> None:
        self._meters.refused("body_too_large")
        self._meters.refused_bytes.inc(max(self._announced, self._read))
        raise BodyTooLarge(self._limit)


def presented_key(headers: Headers) -> bytes:
    """The API key that a request brings, b"" where it brings none."""
    scheme, _, key = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        key = headers.get("x-api-key", "")
    return key.strip().encode("latin-1")


def client_address(scope: Scope) -> str:
    """Whom to count a request for: an IPv4 address, or the /64 of an IPv6 one, which one client has."""
    host = (scope.get("client") or ("",))[0]
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.IPv6Network((address, 64), strict=False))
    return host


def is_foreign(headers: Headers, cors: tuple[str, ...]) -> bool:
    """Whether a browser sent this for a page of somebody else's.

    Without keys, to be on this machine is the only credential, and a browser here has it. So no page of
    others may use it, neither by our address nor by a name of its own that resolves to it (DNS rebinding).
    """
    host, origin = headers.get("host", ""), headers.get("origin")
    name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
    if name and not (is_loopback(name.strip("[]")) or name.endswith(".localhost")):
        return True
    return origin is not None and origin.partition("://")[2] != host and not {origin, "*"} & set(cors)


def duration(seconds: float) -> str:
    """Seconds as OpenAI's headers have them: 20ms, 1.5s, 6m0s."""
    if seconds < 1:
        return f"{math.ceil(1000 * seconds)}ms"
    minutes, rest = divmod(seconds, 60)
    return f"{int(minutes)}m{int(rest)}s" if minutes else f"{round(rest, 3):g}s"
