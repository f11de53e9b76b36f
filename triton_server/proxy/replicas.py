"""The servers behind the proxy: which of them are ready, and which one gets a request."""

import asyncio
import hashlib
import logging
import math
import time
from collections.abc import Callable, Collection, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import grpc
import httpx

from model_core.errors import TritonchatError

from ..system.hosts import join_port
from ..system.tls import named_roots
from .fleet import Fleet, Server, load_fleet

LOGGER = logging.getLogger(__name__)

_POLL_S = 0.5
READY_S = 5.0  # in which a server must say that it is ready
_PAUSE_S = 1.0  # before servers that have failed are asked again
_MAX_MISSES = 3  # a server that has not answered so often is lost, with its running requests
# A server may have this part more running requests than the mean before those that belong to it go elsewhere
# (Mirrokni et al., 2016, arXiv:1608.01350), and always this many.
_OVERLOAD, _ALWAYS_ALLOWED = 1.25, 4
# Messages of any size pass; a server on this machine or in this network is not behind a web proxy.
CHANNEL_OPTIONS = [
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", -1),
    ("grpc.enable_http_proxy", 0),
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 1000),
]


class Broken(Exception):
    """A server has failed before the client had all of its answer. Its words are those of the server."""


@dataclass(eq=False)
class Replica:
    """A server.

    Attributes:
        url: of its HTTP service.
        version: of what it serves. Servers of one version answer alike.
        is_ready: whether it takes requests, as far as the proxy knows.
        is_draining: it gets no new requests.
        is_lost: it has not answered for a while, although connections to it may be open, as when its machine
            hangs or the network is gone.
        running: requests that the proxy has sent there and that have not ended.
        total: requests that the proxy has sent there.
        grpc_port: of its Triton, once it has said that.
    """

    url: str
    version: int = 1
    is_ready: bool = False
    is_draining: bool = False
    is_lost: asyncio.Event = field(default_factory=asyncio.Event, repr=False)
    running: int = 0
    total: int = 0
    grpc_port: int | None = None
    _client: httpx.AsyncClient = field(default_factory=lambda: _create_client(), repr=False)
    _channel: tuple[str, grpc.aio.Channel] | None = field(default=None, repr=False)

    @property
    def client(self) -> httpx.AsyncClient:
        """Connections to it."""
        return self._client

    @property
    def channel(self) -> grpc.aio.Channel:
        """A gRPC connection to its Triton, whose port it has said."""
        address = urlsplit(self.url)
        target = join_port(address.hostname or "", self.grpc_port or 0)
        if self._channel is None or self._channel[0] != target:
            if address.scheme == "https":
                trusted = grpc.ssl_channel_credentials(named_roots())
                channel = grpc.aio.secure_channel(target, trusted, CHANNEL_OPTIONS)
            else:
                channel = grpc.aio.insecure_channel(target, CHANNEL_OPTIONS)
            self._channel = target, channel
        return self._channel[1]

    async def ask_ready(self) -> bool:
        """Ask whether it takes requests. Raises httpx.HTTPError if it does not answer."""
        response = await self.client.get(f"{self.url}/readyz", timeout=READY_S)
        if response.status_code == 200:
            with suppress(ValueError):
                self.grpc_port = response.json().get("grpc_port")
        self.is_ready = response.status_code == 200
        return self.is_ready

    async def while_there(self, work: Coroutine[None, None, None]) -> None:
        """Do what needs the server. Raises Broken when it is lost, and what the work raises."""
        task, loss = asyncio.create_task(work), asyncio.create_task(self.is_lost.wait())
        try:
            await asyncio.wait({task, loss}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise Broken
            task.result()
        finally:
            loss.cancel()
            if not task.done():
                task.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await task

    async def close(self) -> None:
        """Close the connections."""
        await self.client.aclose()
        if self._channel is not None:
            await self._channel[1].close()


class Replicas:
    """The servers behind the proxy. All methods run in one event loop."""

    def __init__(self, servers: Iterable[str] | Path) -> None:
        """`servers` are their addresses, or a file of them (fleet.py), which may change.

        Raises TritonchatError for a file that cannot be used.
        """
        self._path = servers if isinstance(servers, Path) else None
        self._replicas: dict[str, Replica] = {}
        self._changed = asyncio.Event()  # a server may have become ready
        self._tasks: set[asyncio.Task[None]] = set()
        if isinstance(servers, Path):
            self._fleet = load_fleet(servers)
        else:
            self._fleet = Fleet(servers=tuple(Server(url=url) for url in servers))
        self._take(self._fleet)

    def list_all(self) -> list[Replica]:
        """All of them."""
        return list(self._replicas.values())

    @property
    def fleet(self) -> Fleet:
        """The servers and versions as they should be."""
        return self._fleet

    def open(self) -> None:
        """Begin to ask the servers whether they are ready, and to read the file."""
        for replica in self.list_all():
            self._start(self._watch(replica))
        if self._path is not None:
            self._start(self._watch_file(self._path))

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Close all connections."""
        for task in list(self._tasks):
            task.cancel()
        for replica in self.list_all():
            await replica.close()

    def choose(
        self,
        key: str | None,
        excluded: Collection[Replica] = (),
        version: int | None = None,
        is_bound: bool = False,
    ) -> Replica | None:
        """The server for a request; None if there is none.

        Requests with the same key go to the same server (rendezvous hashing), unless it has too many; those
        without a key, and the others, to the least busy one. If no server of the `version` can take it, and
        it is not bound to it, the other version gets it.
        """
        ready = [
            replica
            for replica in self._replicas.values()
            if replica.is_ready and not replica.is_draining and replica not in excluded
        ]
        of_version = [replica for replica in ready if replica.version == version]
        if of_version or is_bound:
            ready = of_version
        else:
            ready = [replica for replica in ready if replica.version in self._fleet.versions]
        if not ready:
            return None
        if key is not None:
            limit = math.ceil(_OVERLOAD * (sum(replica.running for replica in ready) + 1) / len(ready))
            limit = max(limit, _ALWAYS_ALLOWED)
            for replica in sorted(ready, key=lambda replica: _weight(key, replica.url), reverse=True):
                if replica.running < limit:
                    return replica
        return min(ready, key=lambda replica: (replica.running, replica.total))

    def mark_down(self, replica: Replica) -> None:
        """Send nothing to a server until it says again that it is ready."""
        replica.is_ready = False

    async def wait_for_change(self, timeout_s: float) -> None:
        """Wait until a server has become ready, or for the timeout."""
        self._changed.clear()
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._changed.wait(), timeout_s)

    def _take(self, fleet: Fleet) -> list[Replica]:
        """Have these servers from now on; return the new ones. Running requests of others go on."""
        self._fleet = fleet
        for url in set(self._replicas) - {server.url for server in fleet.servers}:
            del self._replicas[url]
        new = []
        for server in fleet.servers:
            if server.url not in self._replicas:
                self._replicas[server.url] = replica = Replica(server.url)
                new.append(replica)
            self._replicas[server.url].version = server.version
            self._replicas[server.url].is_draining = server.is_draining
        return new

    async def _watch_file(self, path: Path) -> None:
        complaint = ""
        while True:
            try:
                fleet, problem = load_fleet(path), ""
            except TritonchatError as error:  # those that it had stay
                fleet, problem = self._fleet, str(error)
            if problem and problem != complaint:
                LOGGER.warning("%s The servers stay as they were.", problem)
            complaint = problem
            if fleet != self._fleet:
                for replica in self._take(fleet):
                    self._start(self._watch(replica))
            await asyncio.sleep(_POLL_S)

    async def _watch(self, replica: Replica) -> None:
        misses = 0
        while replica.running or self._replicas.get(replica.url) is replica:
            try:
                was_ready = replica.is_ready
                if await replica.ask_ready() and not was_ready:
                    self._changed.set()
                misses = 0
                replica.is_lost.clear()
            except httpx.HTTPError as error:
                replica.is_ready, misses = False, misses + 1
                if misses == _MAX_MISSES:
                    LOGGER.warning(
                        "%s does not answer (%s).", replica.url, str(error) or type(error).__name__
                    )
                if misses >= _MAX_MISSES:
                    replica.is_lost.set()
            await asyncio.sleep(_POLL_S)
        await replica.close()  # it is no longer one of them


class Search:
    """Finds the server for a request, then another one each time that fails.

    Attributes:
        is_last: whether all others have failed, too.
    """

    def __init__(
        self,
        replicas: Replicas,
        key: str | None,
        api_key: str,
        wait_s: float,
        is_usable: Callable[[Replica], bool] = lambda replica: True,
    ) -> None:
        """Waits at most `wait_s` seconds for a server that is ready; the time of attempts does not count."""
        self._replicas, self._key, self._is_usable = replicas, key, is_usable
        self._version: int = replicas.fleet.choose_version(key, api_key)
        self._deadline, self._start = time.monotonic() + wait_s, 0.0
        self._tried: set[Replica] = set()
        self.is_last = False

    async def find(self, is_bound: bool = False) -> Replica | None:
        """The next server to ask; None if no server became ready in time.

        If it is bound, it must be of the same version as the one before, whose answer goes on.
        """
        if self._start:
            self._deadline += time.monotonic() - self._start
        while (replica := self._choose(is_bound)) is None:
            remaining = self._deadline - time.monotonic()
            if remaining <= 0:
                return None
            self._tried.clear()
            await self._replicas.wait_for_change(min(remaining, _PAUSE_S))
        self._tried.add(replica)
        self.is_last = self._choose(is_bound) is None
        self._version, self._start = replica.version, time.monotonic()
        return replica

    def _choose(self, is_bound: bool) -> Replica | None:
        unusable = {replica for replica in self._replicas.list_all() if not self._is_usable(replica)}
        return self._replicas.choose(self._key, self._tried | unusable, self._version, is_bound)


def _weight(key: str, url: str) -> bytes:
    return hashlib.blake2b(f"{url}\0{key}".encode(errors="surrogatepass"), digest_size=8).digest()


def _create_client() -> httpx.AsyncClient:
    # uvicorn closes connections that are idle for five seconds; a request on one just closed would fail.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=256, keepalive_expiry=2.0)
    return httpx.AsyncClient(
        timeout=httpx.Timeout(30.0, connect=5.0, read=None),
        limits=limits,
        verify=httpx.create_ssl_context(),  # which reads SSL_CERT_FILE and SSL_CERT_DIR
        trust_env=False,
    )
