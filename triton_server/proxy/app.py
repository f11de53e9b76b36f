"""The proxy as an ASGI application: passes requests on to a server, and to another one if that fails.

A request that has sent its client nothing is tried again elsewhere. A stream goes on where it broke
(continuation.py). It is pure ASGI, so nothing is buffered but answers that are sent whole.
"""

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import httpx
from prometheus_client import generate_latest
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from model_core.requests.sampling import draw_seed

from ..contract.event_ids import LAST_EVENT_ID
from ..contract.request_fields import DRAWN_SEED_HEADER
from ..system.body_encoding import BodyDecoder, BodyRefused, BodyTooLarge
from ..tracing.spans import QUIET_PATHS, Span, find_traceparent, traced
from .access import GUARDED_PATHS, ProxyAccess
from .affinity import find_key, read_fields
from .continuation import Diverged, Stream
from .event_ids import SEEDED, begin_stream
from .grpc_front import GrpcFront
from .kserve_bodies import find_kserve_key
from .metrics import ProxyMetrics
from .replicas import Broken, Replica, Replicas, Search
from .routes import may_repeat
from .traces import describe_server, replace_parent

# A server that is away or full has not answered the request, and another one may.
_ELSEWHERE_STATUSES = (429, 502, 503, 504)
_HOP_HEADERS = {"connection", "keep-alive", "transfer-encoding", "te", "upgrade", "content-length", "expect"}
_MORE_HEADERS = {401: {"WWW-Authenticate": "Bearer"}, 503: {"Retry-After": "5"}}


class Proxy:
    """The application. A request waits at most `wait_s` seconds for a server that is ready."""

    def __init__(
        self,
        replicas: Replicas,
        max_body_bytes: int,
        wait_s: float,
        grpc_address: str | None = None,
        access: ProxyAccess | None = None,
    ) -> None:
        """With a `grpc_address`, Triton's gRPC is passed on there, too."""
        self._access = access or ProxyAccess()
        self._replicas, self._max_body_bytes, self._wait_s = replicas, max_body_bytes, wait_s
        self._metrics = ProxyMetrics(replicas)
        self._grpc = None
        if grpc_address is not None:
            self._grpc = GrpcFront(replicas, self._metrics, grpc_address, max_body_bytes, wait_s)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request (ASGI)."""
        if scope["type"] == "lifespan":
            return await self._run_lifespan(receive, send)
        if scope["type"] == "websocket":  # no server has any; closed before it is accepted, it is refused
            return await WebSocketClose()(scope, receive, send)
        response = self._answer_itself(scope)
        if response is not None:
            return await response(scope, receive, send)
        try:
            body = await self._read_body(scope, receive)
        except ClientDisconnect:
            return
        except BodyRefused as error:
            code = "too_large" if isinstance(error, BodyTooLarge) else "unsupported"
            return await _fail(error.status_code, f"{error.detail}.", code)(scope, receive, send)
        task = asyncio.create_task(self._pass(scope, body, send))
        watch = asyncio.create_task(_wait_for_disconnect(receive))
        try:
            await asyncio.wait({task, watch}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            watch.cancel()
            if not task.done():
                task.cancel()  # which closes the connection to the server, so the work ends there
        with suppress(asyncio.CancelledError):
            await task

    async def _run_lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            kind = (await receive())["type"]
            if kind == "lifespan.startup":
                self._replicas.open()
                if self._grpc is not None:
                    await self._grpc.start()
            else:
                if self._grpc is not None:
                    await self._grpc.stop()
                await self._replicas.close()
            await send({"type": f"{kind}.complete"})
            if kind == "lifespan.shutdown":
                return

    def _answer_itself(self, scope: Scope) -> Response | None:
        """The response to a request about the proxy; None for others."""
        path = scope["path"]
        if path == "/healthz":
            return JSONResponse({"status": "ok"})
        if path in ("/readyz", "/health", "/v1/health", "/ping"):
            if self._replicas.choose(None) is not None:
                return JSONResponse({"status": "ready" if path == "/readyz" else "ok"})
            return _fail(503, "no server is ready.", "server_unavailable")
        if path not in GUARDED_PATHS:
            return None
        if (refusal := self._access.explain_refusal(scope)) is not None:
            return _fail(401, refusal, "invalid_api_key")
        if path == "/metrics":
            return Response(generate_latest(self._metrics.registry), media_type="text/plain; version=0.0.4")
        return JSONResponse({"servers": [_describe(replica) for replica in self._replicas.list_all()]})

    async def _read_body(self, scope: Scope, receive: Receive) -> bytes:
        """The body, decompressed. Raises BodyRefused."""
        decoder = BodyDecoder(Headers(scope=scope), self._max_body_bytes)

        async def receive_decoded() -> Message:
            return decoder.decode(await receive())

        parts, size = [], 0
        async for part in Request(scope, receive_decoded).stream():
            size += len(part)
            if size > self._max_body_bytes:
                raise BodyTooLarge(self._max_body_bytes)
            parts.append(part)
        return b"".join(parts)

    async def _pass(self, scope: Scope, body: bytes, send: Send) -> None:
        """Pass a request on until a server has answered it whole."""
        client = _Client(send)
        exchange = _Exchange(scope, body)
        if scope["path"] in QUIET_PATHS:
            return await self._pass_on(exchange, client)
        with traced(f"proxy {exchange.method}", "SERVER", find_traceparent(Headers(scope=scope))) as span:
            exchange.span = span
            try:
                await self._pass_on(exchange, client)
            finally:
                if span is not None:
                    span.note({"http.request.method": exchange.method, "url.path": scope["path"]})
                    span.note_status(client.status)

    async def _pass_on(self, exchange: "_Exchange", client: "_Client") -> None:
        search = Search(self._replicas, exchange.key, exchange.api_key, self._wait_s)
        failure = "no server is ready."
        # What was begun by one version cannot be continued by another.
        while (replica := await search.find(is_bound=client.is_started)) is not None:
            try:
                with self._metrics.count(replica):
                    send_to = self._send(replica, exchange, client, search.is_last)
                    return await replica.while_there(send_to)
            except httpx.ConnectError:
                self._replicas.mark_down(replica)
            except (httpx.HTTPError, Broken) as error:
                if isinstance(error, httpx.TransportError):
                    self._replicas.mark_down(replica)
                elif str(error):
                    failure = f"the server failed, and no other one went on with its answer: {error}"
                if not exchange.may_repeat or (client.is_started and not exchange.can_go_on):
                    message = "the server failed; whether it has done what was asked is not known."
                    return await client.end_with_failure(exchange, message)
            except Diverged:
                message = "the server failed, and the others answer differently, so the answer ends here."
                return await client.end_with_failure(exchange, message)
            self._metrics.repeated.inc()
            if client.is_started:
                self._metrics.continued.inc()
        await client.end_with_failure(exchange, failure)

    async def _send(self, replica: Replica, exchange: "_Exchange", client: "_Client", is_last: bool) -> None:
        """Send the request to a server, and its response to the client.

        Raises httpx.HTTPError, Broken or Diverged if another server should be asked.
        """
        if exchange.span is None:
            return await self._ask(replica, exchange, client, is_last, None)
        with traced("ask server", "CLIENT", exchange.span.traceparent) as span:
            if span is not None:
                span.note(describe_server(replica.url) | {"tritonchat.version": replica.version})
            await self._ask(replica, exchange, client, is_last, span)

    async def _ask(
        self,
        replica: Replica,
        exchange: "_Exchange",
        client: "_Client",
        is_last: bool,
        span: Span | None,
    ) -> None:
        headers = replace_parent(exchange.headers_now(), span)
        request = replica.client.build_request(
            exchange.method, replica.url + exchange.path, headers=headers, content=exchange.body
        )
        start = time.monotonic()
        response = await replica.client.send(request, stream=True)
        status = response.status_code
        if span is not None:
            span.note_status(status)
        try:
            if status in _ELSEWHERE_STATUSES and not is_last and exchange.may_repeat:
                raise Broken
            if status != 200 and client.is_started:
                raise Broken(_find_message(await response.aread()))
            if exchange.stream is not None and status == 200:
                await _pass_stream(response, exchange.stream, client)
            elif exchange.is_generation or status != 200:
                await client.send_whole(response, await _read_raw(response))
            else:
                await client.start(response)
                async for part in response.aiter_raw():
                    await client.send_part(part)
                await client.end()
        finally:
            self._metrics.observe(replica.version, status, time.monotonic() - start)
            await response.aclose()


class _Exchange:
    """A request. `stream` is its answer, if another server can go on with it."""

    def __init__(self, scope: Scope, body: bytes) -> None:
        self.method, path, query = scope["method"], scope["path"], scope["query_string"].decode("latin-1")
        self.path = scope.get("raw_path", path.encode()).decode("latin-1") + (f"?{query}" if query else "")
        self.span: Span | None = None  # whose parts are what servers are asked
        self.headers = _forwarded_headers(scope)
        given = Headers(scope=scope)
        self.api_key = given.get("authorization") or given.get("x-api-key") or ""
        fields = read_fields(path, body) if self.method == "POST" else {}
        # Nobody knows what the tools do that the service calls, so they are called once.
        self.may_repeat = may_repeat(self.method, path) and not fields.get("mcp")
        self.is_generation = self.method == "POST" and self.may_repeat
        json_bytes = given.get("inference-header-content-length")
        self.key = find_key(path, fields) or find_kserve_key(path, body, json_bytes)
        self.stream: Stream | None = None
        if self.is_generation and fields:
            # An id has the seed of its stream.
            if path in SEEDED and fields.get("seed") is None and LAST_EVENT_ID not in given:
                fields["seed"] = draw_seed()
                body = json.dumps(fields).encode()
                self.headers.append((DRAWN_SEED_HEADER, "true"))
            self.stream = begin_stream(path, fields, given)
        if self.stream is None and (fields.get("stream") or path.endswith("/generate_stream")):
            self.is_generation = False  # it is passed on as it comes
        self.body = body

    @property
    def can_go_on(self) -> bool:
        """Whether another server can go on with what one has begun."""
        return self.stream is not None and self.stream.can_go_on

    def headers_now(self) -> list[tuple[str, str]]:
        """The headers for the next server, which goes on after the last event that the client has got."""
        if self.stream is None or self.stream.last_id is None:
            return self.headers
        name = LAST_EVENT_ID.lower()
        return [*(header for header in self.headers if header[0] != name), (name, self.stream.last_id)]


class _Client:
    """The connection to a client."""

    def __init__(self, send: Send) -> None:
        self._send, self.is_started = send, False
        self.status: int | None = None  # that it was sent

    async def start(self, response: httpx.Response, more_headers: Sequence[tuple[bytes, bytes]] = ()) -> None:
        """Send the status and the headers, unless they are sent."""
        if not self.is_started:
            self.is_started, self.status = True, response.status_code
            headers = [
                (name.lower(), value)
                for name, value in response.headers.raw
                if name.decode("latin-1").lower() not in _HOP_HEADERS
            ]
            await self._send(
                {
                    "type": "http.response.start",
                    "status": response.status_code,
                    "headers": [*headers, *more_headers],
                }
            )

    async def send_whole(self, response: httpx.Response, body: bytes) -> None:
        """Send a whole response."""
        await self.start(response, [(b"content-length", b"%d" % len(body))])
        await self._send({"type": "http.response.body", "body": body})

    async def send_part(self, part: bytes) -> None:
        """Send a part of the body."""
        await self._send({"type": "http.response.body", "body": part, "more_body": True})

    async def end(self) -> None:
        """End the body."""
        await self._send({"type": "http.response.body", "body": b""})

    async def end_with_failure(self, exchange: _Exchange, message: str) -> None:
        """Tell the client that nobody can answer, or break off where there is no place for it."""
        if exchange.span is not None:
            exchange.span.fail("server_unavailable")
        if not self.is_started:
            self.status = 503
            failure = _fail(503, message, "server_unavailable")
            return await failure({"type": "http"}, _no_message, self._send)
        if exchange.stream is None or not (part := exchange.stream.render_failure(message)):
            raise ConnectionAbortedError(message)  # uvicorn closes the connection, so the client sees it
        await self.send_part(part)
        await self.end()


async def _pass_stream(response: httpx.Response, stream: Stream, client: _Client) -> None:
    """Pass a stream on, or go on with it. Raises httpx.HTTPError, Broken or Diverged."""
    is_first = not client.is_started
    if not is_first:
        stream.restart()
    await client.start(response)
    rest = b""
    async for part in response.aiter_raw():
        rest += part
        end = rest.rfind(stream.separator) + len(stream.separator)
        if end < len(stream.separator):
            continue
        pieces, rest = rest[:end], rest[end:]
        if stream.is_broken(pieces):
            raise Broken
        if is_first:
            stream.record(pieces)
        else:
            pieces = stream.go_on(pieces)
        if pieces:
            await client.send_part(pieces)
    stream.end()
    if not stream.is_complete:
        raise Broken
    await client.end()


def _find_message(body: bytes) -> str:
    """The sentence of an error in any of the forms of triton_server/api/errors.py; "" if there is none."""
    try:
        error = json.loads(body)["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, LookupError, TypeError):
        return ""


async def _read_raw(response: httpx.Response) -> bytes:
    return b"".join([part async for part in response.aiter_raw()])


def _forwarded_headers(scope: Scope) -> list[tuple[str, str]]:
    """The headers for the server. `Host` stays, because servers without keys refuse foreign ones.

    The server may trust what the proxy says of the client, so it is what the proxy knows, and not what the
    client has sent: uvicorn has put that of trusted proxies into the scope.
    """
    given = Headers(scope=scope)
    dropped = {*_HOP_HEADERS, "content-encoding", "x-forwarded-for", "x-forwarded-proto"}
    headers = [(name, value) for name, value in given.items() if name not in dropped]
    address = (scope.get("client") or ("",))[0]
    return [*headers, ("x-forwarded-for", address), ("x-forwarded-proto", scope["scheme"])]


def _describe(replica: Replica) -> dict[str, Any]:
    return {
        "url": replica.url,
        "version": replica.version,
        "ready": replica.is_ready,
        "draining": replica.is_draining,
        "running": replica.running,
        "requests": replica.total,
    }


def _fail(status: int, message: str, code: str) -> JSONResponse:
    kind = "server_error" if status >= 500 else "invalid_request_error"
    error: Mapping[str, Any] = {"message": message, "type": kind, "param": None, "code": code}
    return JSONResponse({"error": error}, status, _MORE_HEADERS.get(status))


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _no_message() -> Message:
    raise RuntimeError("the request has been read")
