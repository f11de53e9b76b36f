"""A connection to another server with OpenAI's API."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import AsyncGenerator, Coroutine, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx
from httpx_sse import EventSource

from model_core.errors import ModelError, TritonchatError

from ...system.hosts import is_loopback
from .failures import make_error, read_failure, unavailable

Dialect = Literal["tritonchat", "vllm", "openai"]
_CALL_S = 60.0  # for a request that generates nothing
_CONNECT_S = 10.0
_POLL_S, _POLL_AWAY_S = 10.0, 1.0  # how often it is asked whether it is there; while it is away
# Servers close idle connections, uvicorn after five seconds. A request on one just closed would fail.
_KEEP_IDLE_S = 2.0
# A stream may be silent while a prompt is computed. So the kernel is to tell that the machine is gone.
_SOCKET_OPTIONS = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 20),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 10),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
]


@dataclass(frozen=True)
class UpstreamModel:
    """A model of another server.

    Attributes:
        name: by which that server knows it.
        dialect: whose extensions of OpenAI's API it understands.
        max_context: tokens of prompt and answer together, if the server says it.
        fingerprint: of its answers, if the server says it before there are any.
    """

    name: str
    dialect: Dialect
    max_context: int | None
    fingerprint: str | None = None


class UpstreamServer:
    """Another server. Its requests run in an event loop of their own, in a thread."""

    def __init__(self, url: str, key: str | None = None) -> None:
        """`url` is that of the API, such as http://gpu-box:8000/v1. Raises ModelError if it is none."""
        self.url, self.root = parse_url(url)
        self.fault: str | None = None
        self._last_answer = 0.0
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="upstream", daemon=True)
        self._thread.start()
        self._client: httpx.AsyncClient = self.call(self._open())

    async def _open(self) -> httpx.AsyncClient:
        # A web proxy cannot reach a server on this machine.
        is_local = is_loopback(urlsplit(self.url).hostname or "")
        transport = None
        if is_local:
            transport = httpx.AsyncHTTPTransport(socket_options=_SOCKET_OPTIONS, limits=_limits())
        return httpx.AsyncClient(
            headers=self._headers,
            timeout=httpx.Timeout(_CALL_S, connect=_CONNECT_S),
            limits=_limits(),
            trust_env=not is_local,
            transport=transport,
        )

    def is_alive(self) -> bool:
        """Whether requests can be sent: the thread runs."""
        return self._thread.is_alive()

    def start(self, function: Any, *arguments: Any) -> None:
        """Call a function in the event loop."""
        self._loop.call_soon_threadsafe(function, *arguments)

    def call(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """The result of a coroutine, which runs in the event loop. Not to be called there."""
        future: Future[Any] = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        return future.result()

    def list_models(self) -> list[UpstreamModel]:
        """The models that the server has. Raises TritonchatError."""
        return self.call(self._list_models())

    async def _list_models(self) -> list[UpstreamModel]:
        body = await self.fetch("GET", f"{self.url}/models")
        try:
            return [_parse_model(entry) for entry in body["data"]]
        except (KeyError, TypeError) as error:
            raise ModelError(
                f"{self.url} is not OpenAI's API: its list of models has another form."
            ) from error

    async def fetch(
        self, method: str, url: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Any:
        """The JSON of a response. Raises TritonchatError."""
        try:
            response = await self._client.request(method, url, json=body, headers=headers)
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error
        self._note_answer()
        if response.status_code != 200:
            raise read_failure(self.url, response.status_code, response.headers, response.content)
        try:
            return response.json()
        except ValueError as error:
            raise unavailable(self.url, "does not answer in JSON") from error

    async def stream(
        self, url: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> AsyncGenerator[dict[str, Any], None]:
        """The chunks of an answer. The first is empty: the server has accepted the request.

        Leaving early closes the connection, which tells the server to stop. Raises TritonchatError.
        """
        timeout = httpx.Timeout(_CALL_S, connect=_CONNECT_S, read=None)
        try:
            sent = self._client.stream("POST", url, json=body, headers=headers, timeout=timeout)
            async with sent as response:
                self._note_answer()
                if response.status_code != 200:
                    content = await response.aread()
                    raise read_failure(self.url, response.status_code, response.headers, content)
                yield {}
                async for event in EventSource(response).aiter_sse():
                    if event.data == "[DONE]":
                        return
                    chunk = json.loads(event.data)
                    if "error" in chunk:
                        raise make_error(self.url, None, chunk)
                    yield chunk
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error
        except ValueError as error:
            raise unavailable(self.url, "sent an event that is not JSON") from error

    def _unreachable(self, error: httpx.HTTPError) -> TritonchatError:
        self.fault = f"the engine at {self.url} does not answer"
        return unavailable(self.url, f"does not answer ({type(error).__name__})")

    def _note_answer(self) -> None:
        self.fault, self._last_answer = None, time.monotonic()

    def watch(self) -> None:
        """Keep `fault` up to date from now on."""
        asyncio.run_coroutine_threadsafe(self._watch(), self._loop)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_POLL_AWAY_S)
            if self.fault is not None or time.monotonic() > self._last_answer + _POLL_S:
                with suppress(TritonchatError):
                    await self._list_models()

    def close(self) -> None:
        """Close all connections, and end the thread."""
        with suppress(RuntimeError):  # it is closed already
            self.call(self._client.aclose())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()


def parse_url(url: str) -> tuple[str, str]:
    """The URL of the API, and that of the server's other routes. Raises ModelError."""
    parsed = urlsplit(url)
    if parsed.scheme not in ("http", "https") or not parsed.hostname or parsed.query or parsed.username:
        raise ModelError(f"--engine {url} is not the URL of a server; give one such as http://host:8000/v1.")
    api = url.rstrip("/")
    if not parsed.path.strip("/"):
        api += "/v1"
    return api, api.removesuffix("/v1")


def _limits() -> httpx.Limits:
    return httpx.Limits(max_connections=None, max_keepalive_connections=64, keepalive_expiry=_KEEP_IDLE_S)


def _parse_model(entry: Mapping[str, Any]) -> UpstreamModel:
    owner, length = entry.get("owned_by"), entry.get("max_model_len")
    dialect: Dialect = owner if owner in ("tritonchat", "vllm") else "openai"
    fingerprint = entry.get("fingerprint") if dialect == "tritonchat" else None
    return UpstreamModel(str(entry["id"]), dialect, length if isinstance(length, int) else None, fingerprint)
