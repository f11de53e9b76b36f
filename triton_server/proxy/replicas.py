"""The servers behind the proxy: which of them are ready, and which one gets a request."""

import asyncio
import hashlib
import logging
import math
from collections.abc import Collection, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from model_core.errors import TritonchatError

from .fleet import Fleet, Server, load_fleet

LOGGER = logging.getLogger(__name__)

_POLL_S = 0.5
_READY_S = 5.0  # in which a server must say that it is ready
_MAX_MISSES = 3  # a server that has not answered so often is lost, with its running requests
# A server may have this part more running requests than the mean before those that belong to it go elsewhere
# (Mirrokni et al., 2016, arXiv:1608.01350), and always this many.
_OVERLOAD, _ALWAYS_ALLOWED = 1.25, 4


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
    """

    url: str
    version: int = 1
    is_ready: bool = False
    is_draining: bool = False
    is_lost: asyncio.Event = field(default_factory=asyncio.Event, repr=False)
    running: int = 0
    total: int = 0
    _client: httpx.AsyncClient = field(default_factory=lambda: _create_client(), repr=False)

    @property
    def client(self) -> httpx.AsyncClient:
        """Connections to it."""
        return self._client


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
            await replica.client.aclose()

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
                response = await replica.client.get(f"{replica.url}/readyz", timeout=_READY_S)
                is_ready, misses = response.status_code == 200, 0
                replica.is_lost.clear()
            except httpx.HTTPError:
                is_ready, misses = False, misses + 1
                if misses >= _MAX_MISSES:
                    replica.is_lost.set()
            if is_ready and not replica.is_ready:
                self._changed.set()
            replica.is_ready = is_ready
            await asyncio.sleep(_POLL_S)
        await replica.client.aclose()  # it is no longer one of them


def _weight(key: str, url: str) -> bytes:
    return hashlib.blake2b(f"{url}\0{key}".encode(errors="surrogatepass"), digest_size=8).digest()


def _create_client() -> httpx.AsyncClient:
    # uvicorn closes connections that are idle for five seconds; a request on one just closed would fail.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=256, keepalive_expiry=2.0)
    return httpx.AsyncClient(
        timeout=httpx.Timeout(30.0, connect=5.0, read=None), limits=limits, trust_env=False
    )
