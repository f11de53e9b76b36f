"""Checks whether a client may use the service: API keys and web pages of other sites (keys.py).

Keys are those of the settings, and those of the database (stored_keys.py). The middleware applies
rate_limit.py and body_limit.py, too. connection.py limits slow clients.
"""

import hashlib
import hmac
import ipaddress
import math
from dataclasses import replace

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from ...client.caller import CALLER, Caller
from ...contract.conversation_errors import StoreError
from ...contract.request_fields import BATCH_CLIENT
from ...system.body_encoding import BodyLimit, BodyRefused
from ...system.hosts import is_loopback
from ..errors import ApiError, response_of
from ..ignored import HEADERS as IGNORED_HEADERS
from ..settings import ServiceSettings
from .answer_slots import AnswerSlots
from .body_limit import LimitedExchange
from .key_caller import KeyCaller
from .keys import is_foreign_page, parse_api_key
from .metrics import ServiceMetrics, metrics_of
from .rate_limit import RateLimit, format_duration
from .stored_keys import RATE_HEADERS, StoredKeys, describe_rates, refusal_of

# In the scope of a request that the service sends to itself for a batch: its owner. No client can set it, and
# the limits of clients do not hold for it.
BATCH_OWNER = "tritonchat.batch_owner"
DOCS_ASSETS_PATH = "/docs-assets"
# These paths need no key and have no rate limit: monitoring has no key, and a browser sends none for /docs.
UNRESTRICTED_PATHS = (
    "/healthz",
    "/readyz",
    "/health",
    "/v1/health",
    "/ping",
    "/v2/health/live",
    "/v2/health/ready",
    "/.well-known/tritonchat-key",  # of receipts, which others than clients verify, too
    "/docs",
    "/openapi.json",
    *(f"{DOCS_ASSETS_PATH}/{name}" for name in ("swagger-ui-bundle.js", "swagger-ui.css", "favicon.png")),
)
METRICS_PATH = "/metrics"
# Uploads are not held in memory, so they may be larger than other bodies.
FILES_PATH = "/v1/files"
MAX_FORM_BYTES = 2**16  # of an upload beside the file
# Routes that begin so take images beside --max-body. Others do not: long words of texts look like images, and
# the engine reads no long texts on these routes.
IMAGE_PATHS = (
    *("/v1/chat/completions", "/chat/completions", "/v1/responses", "/v1/messages", "/v1/conversations"),
    "/v1/embeddings",
    *("/api/chat", "/api/generate", "/tokenize", "/apply-template", "/v1/receipts/verify"),
)
# Response headers that a web page of an allowed origin may read.
EXPOSED_HEADERS = (
    "X-Request-Id",
    "Request-Id",
    "Retry-After",
    "X-Seed",
    "X-Model-Digest",
    "X-Answer-Cache",
    *IGNORED_HEADERS.values(),
    "WWW-Authenticate",
    *RATE_HEADERS,
)
_PSEUDONYM_KEY = b"tritonchat client"
_SALT_DIGITS = 32  # a name has 128 characters at most


def install(app: FastAPI, settings: ServiceSettings, stored_keys: StoredKeys | None = None) -> None:
    """Add the checks and limits of `settings` to the application, and `answer_slots` to its state.

    `stored_keys`: those of the database; None: they do not count.
    Middleware that is added after this sees a request before this does.
    """
    metrics = metrics_of(app)
    # With keys of one owner, or on this machine alone, there is only one client.
    has_several = settings.stored_keys or len(settings.keys.owners) > 1
    is_shared = has_several or (settings.open_to_all and not settings.has_keys)
    limits = settings.max_streams, settings.max_streams_per_key
    app.state.answer_slots = AnswerSlots(*limits, is_shared, metrics)
    app.add_middleware(AccessMiddleware, settings=settings, metrics=metrics, stored_keys=stored_keys)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=("GET", "POST", "PUT", "DELETE"),
            allow_headers=("*",),
            expose_headers=EXPOSED_HEADERS,
        )


class AccessMiddleware:
    """Refuses requests that are not allowed. It is pure ASGI, so it does not buffer streams.

    For other requests it sets `state["owner"]`, that of the API key ("" for a service without keys),
    `state["client"]`, for which the limits count: the owner, or the client's network if the service has no
    keys, and the CALLER of the connection to the server.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: ServiceSettings,
        metrics: ServiceMetrics,
        stored_keys: StoredKeys | None = None,
    ) -> None:
        self._app, self._settings, self._keys, self._metrics = app, settings, settings.keys, metrics
        self._stored = stored_keys
        self._rate_limit = RateLimit(settings.requests_per_minute) if settings.requests_per_minute else None
        self._is_private = not settings.has_keys and not settings.open_to_all

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        exchange = LimitedExchange(scope, receive, send, self._find_limit(scope), self._metrics)
        try:
            if self._check_access(scope, exchange) and self._stored is not None:
                await self._check_limits(self._stored, scope["state"]["owner"], exchange)
            exchange.check_headers()
        except (ApiError, BodyRefused, StoreError) as error:
            return await response_of(error, scope)(scope, exchange.receive, exchange.send)
        former = CALLER.set(self._find_caller(scope))
        try:
            await self._app(scope, exchange.receive, exchange.send)
        finally:
            CALLER.reset(former)

    def _find_caller(self, scope: Scope) -> Caller:
        """For whom a request runs."""
        owner = scope["state"]["owner"]
        rules = None if self._stored is None else self._stored.rules_of(owner)
        if self._stored is None or rules is None:
            return Caller()
        return KeyCaller(scope["app"], self._stored, owner, rules.models)

    def _find_limit(self, scope: Scope) -> BodyLimit:
        """How large the body may be."""
        if scope["path"] == FILES_PATH:
            limit = self._settings.max_file_bytes
            return BodyLimit(limit + MAX_FORM_BYTES if limit else 0, "--max-file")
        body = self._settings.body_limit
        return body if scope["path"].startswith(IMAGE_PATHS) else replace(body, image_bytes=0)

    def _check_access(self, scope: Scope, exchange: LimitedExchange) -> bool:
        """Set the state of a request. False if no limit of a key counts it.

        Raises ApiError if the request is not allowed.
        """
        state = scope.setdefault("state", {})
        state["owner"] = state["client"] = ""
        if BATCH_OWNER in scope:
            state["owner"], state["client"] = scope[BATCH_OWNER], BATCH_CLIENT
            if self._stored is not None and scope[BATCH_OWNER] not in self._keys.owners:
                self._stored.check_owner(scope[BATCH_OWNER])
            return True
        path, headers = scope["path"], Headers(scope=scope)
        if path in UNRESTRICTED_PATHS:
            return False
        if self._is_private and is_foreign_page(headers, self._settings.cors_origins):
            message = (
                "without an API key this service answers only requests to localhost, and of web pages only "
                "its own and those of --cors-origin."
            )
            self._refuse("foreign_page", ApiError(403, message, code="foreign_page"))
        if path == METRICS_PATH and is_loopback(self._settings.host):
            return False
        key = parse_api_key(headers)
        try:
            owner = self._find_owner(key)
        except ApiError as error:
            self._count_request(client_network(scope), exchange)
            if error.status == 401:
                exchange.headers["WWW-Authenticate"] = "Bearer"
                self._metrics.count_refusal("wrong_key")
            raise
        client = owner or client_network(scope)
        if path != METRICS_PATH or owner is None:
            self._count_request(client, exchange)
        if owner is None:
            reason, message = (
                ("wrong_key", "the API key is not valid for this service.")
                if key
                else ("no_key", "this service needs an API key; send it as `Authorization: Bearer KEY`.")
            )
            exchange.headers["WWW-Authenticate"] = "Bearer"
            self._refuse(reason, ApiError(401, message, code="invalid_api_key"))
        state["owner"], state["client"] = owner, client
        return path != METRICS_PATH

    def _find_owner(self, key: bytes) -> str | None:
        """The owner of a key, "" if the service has no keys; None for a key that is not valid.

        Raises ApiError for a key of the database that is no longer valid, or if that cannot be known.
        """
        if not self._keys and self._stored is None:
            return ""
        owner = self._keys.owner_of(key) if self._keys else None
        if owner is None and self._stored is not None:
            return self._stored.owner_of(key)
        return owner

    async def _check_limits(self, keys: StoredKeys, owner: str, exchange: LimitedExchange) -> None:
        """Count a request of an owner. Raises ApiError if one of its limits is reached, or StoreError."""
        allowances = await keys.admit(owner)
        exchange.headers.update(describe_rates(allowances))
        if (refusal := refusal_of(owner, allowances)) is not None:
            self._refuse("key_limit", refusal)

    def _count_request(self, client: str, exchange: LimitedExchange) -> None:
        if self._rate_limit is None:
            return
        allowance = self._rate_limit.count_request(client)
        exchange.headers["X-RateLimit-Limit-Requests"] = str(self._rate_limit.per_minute)
        exchange.headers["X-RateLimit-Remaining-Requests"] = str(allowance.remaining)
        exchange.headers["X-RateLimit-Reset-Requests"] = format_duration(allowance.full_in_s)
        if allowance.next_in_s:
            self._refuse(
                "too_many_requests",
                ApiError(
                    429,
                    f"more than {self._rate_limit.per_minute} requests a minute (--requests-per-minute); "
                    f"the next one may come in {format_duration(allowance.next_in_s)}.",
                    code="rate_limit_exceeded",
                    retry_after_s=math.ceil(allowance.next_in_s),
                ),
            )

    def _refuse(self, reason: str, error: ApiError) -> None:
        self._metrics.count_refusal(reason)
        raise error


def pseudonym(client: str, salt: str = "") -> str:
    """A name of a client for the engine, from which nobody can compute the API key or its hash.

    `client` is an owner, or a network; "" has the name "". With a `salt`, a text of the client's choice, the
    name goes on with a slash and a hash, so that what belongs to a client is found by the beginning.
    """
    name = _hash_name(client) if client else ""
    return f"{name}/{_hash_name(f'{client}{chr(0)}{salt}')[:_SALT_DIGITS]}" if salt else name


def _hash_name(text: str) -> str:
    return hmac.new(_PSEUDONYM_KEY, text.encode(errors="surrogatepass"), hashlib.sha256).hexdigest()


def client_network(scope: Scope) -> str:
    """The network of a request's client: the IPv4 address, or the /64 network of the IPv6 address.

    Limits count for the network, because one client usually has all addresses of a /64.
    """
    host = (scope.get("client") or ("",))[0]
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host and f"?{host}"  # a proxy may pass on any text; no name of a key has this sign
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.IPv6Network((address, 64), strict=False))
    return host
