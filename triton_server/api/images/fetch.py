"""Gets images from the web: over https, from hosts that are allowed, and never from private networks.

A name is resolved once, and the connection goes to the address that was checked: a name server that answers
otherwise the second time gains nothing. That holds for each redirect, too.
"""

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import anyio
import httpcore
import httpx

from model_core.errors import InvalidRequest

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# A name and a port -> its addresses.
Resolve = Callable[[str, int], Awaitable[list[Address]]]
_REDIRECTS = (301, 302, 303, 307, 308)
_MAX_REDIRECTS = 3
_TOTAL_S, _CONNECT_S, _READ_S = 20.0, 5.0, 10.0
_AT_ONCE = 8  # for all clients together
_MAX_URL = 4096  # characters
_HEADERS = {"Accept": "image/png, image/jpeg, image/webp, image/gif", "Accept-Encoding": "identity"}
# Addresses of IPv6 that stand for one of IPv4: NAT64 (RFC 6052, RFC 8215).
_NAT64 = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))


class _Refused(Exception):
    """An image that is not got; the message is the end of a sentence about it."""


async def resolve_name(name: str, port: int) -> list[Address]:
    """The addresses of a name. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]


def is_public(address: Address) -> bool:
    """Whether everybody can reach an address: it is of no private network, not this machine, not reserved."""
    if isinstance(address, ipaddress.IPv6Address):
        if any(address in network for network in _NAT64):
            return False
        embedded = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        if any(inner is not None for inner in embedded):
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


class _CheckedNetwork(httpcore.AsyncNetworkBackend):
    """Connects to public addresses only."""

    def __init__(self, resolve: Resolve, is_allowed: Callable[[Address], bool]) -> None:
        self._resolve, self._is_allowed, self._network = resolve, is_allowed, httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """See AsyncNetworkBackend."""
        try:
            addresses = await self._resolve(host, port)
        except (OSError, UnicodeError, ValueError):
            raise _Refused(f"is at a host that is not known: {host[:100]}") from None
        if not addresses or not all(map(self._is_allowed, addresses)):
            raise _Refused(f"is at {host[:100]}, which has an address of a private network")
        return await self._network.connect_tcp(
            str(addresses[0]), port, timeout, local_address, socket_options
        )

    async def sleep(self, seconds: float) -> None:
        """See AsyncNetworkBackend."""
        await self._network.sleep(seconds)


@dataclass(frozen=True)
class Network:
    """How the web is reached. Others than the defaults are for tests."""

    resolve: Resolve = resolve_name
    is_allowed: Callable[[Address], bool] = is_public
    context: ssl.SSLContext | None = None  # None: that of the system


class ImageFetcher:
    """Gets images from some hosts, for one event loop."""

    def __init__(self, hosts: Collection[str], max_bytes: int, network: Network | None = None) -> None:
        """`hosts`: names, `*.name` for all below one, or `*`; each may have a port, which else is 443."""
        self._hosts, self._max_bytes = [host.lower() for host in hosts], max_bytes
        self._network = network or Network()
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def fetch(self, url: str, place: str) -> bytes:
        """The file at an address. Raises InvalidRequest, whose sentence begins with `place`."""
        try:
            with anyio.fail_after(_TOTAL_S):
                async with self._slots:
                    return await self._follow(url)
        except _Refused as error:
            reason = str(error)
        except (TimeoutError, httpcore.TimeoutException):
            reason = f"did not come within {_TOTAL_S:g} s"
        except (httpcore.NetworkError, httpcore.ProtocolError, ssl.SSLError, OSError) as error:
            reason = f"could not be got ({type(error).__name__})"
        raise InvalidRequest(f"{place} {reason}.", place)

    async def _follow(self, url: str) -> bytes:
        """The file at an address, after redirects."""
        target = self._check(url)
        network = _CheckedNetwork(self._network.resolve, self._network.is_allowed)
        context = self._network.context or ssl.create_default_context()
        async with httpcore.AsyncConnectionPool(ssl_context=context, network_backend=network) as pool:
            for _ in range(_MAX_REDIRECTS + 1):
                found = await self._get(pool, target)
                if isinstance(found, bytes):
                    return found
                target = self._check(found, target)
        raise _Refused(f"is behind more than {_MAX_REDIRECTS} redirects")

    async def _get(self, pool: httpcore.AsyncConnectionPool, target: httpx.URL) -> bytes | str:
        """The file at an address, or to where it redirects."""
        timeouts = {"connect": _CONNECT_S, "read": _READ_S, "write": _READ_S, "pool": _CONNECT_S}
        headers = [("Host", target.netloc.decode("ascii")), *_HEADERS.items()]
        # What a person would click on; the address has no fragment on the way.
        origin = str(target.copy_with(fragment=None))
        async with pool.stream("GET", origin, headers=headers, extensions={"timeout": timeouts}) as response:
            named: Mapping[bytes, bytes] = {name.lower(): value for name, value in response.headers}
            if response.status in _REDIRECTS and b"location" in named:
                return named[b"location"].decode("latin-1")
            if response.status != 200:
                raise _Refused(f"could not be got: the host answered with status {response.status}")
            if named.get(b"content-encoding", b"identity").lower() != b"identity":
                raise _Refused("came compressed, which was not asked for")
            data = bytearray()
            async for part in response.aiter_stream():
                data += part
                if len(data) > self._max_bytes:
                    raise _Refused(
                        f"has more than {self._max_bytes} bytes, which are the limit (--max-image-bytes)"
                    )
            return bytes(data)

    def _check(self, url: str, base: httpx.URL | None = None) -> httpx.URL:
        """The address, which may begin where `base` is, if it is allowed."""
        if not self._hosts:
            raise _Refused(
                "is an address on the web, which this service does not ask (--allow-image-urls); send a "
                "data URL"
            )
        try:
            parsed = httpx.URL(url if len(url) <= _MAX_URL else "")
            parsed = parsed if base is None else base.join(parsed)
            host, port = parsed.raw_host.decode("ascii").lower().rstrip("."), parsed.port or 443
        except (httpx.InvalidURL, UnicodeError, ValueError):
            raise _Refused("is no address of an image") from None
        if parsed.scheme != "https" or not host or parsed.userinfo:
            raise _Refused("is no https address without a name and a password")
        if not any(_fits(host, port, allowed) for allowed in self._hosts):
            raise _Refused(f"is at {host[:100]}, which is none of the hosts of --allow-image-urls")
        return parsed


def _fits(host: str, port: int, allowed: str) -> bool:
    """Whether a host is the one, or one of those, that a setting names."""
    name, _, wanted = allowed.rpartition(":")
    if not name or not wanted.isdecimal():
        name, wanted = allowed, "443"
    if port != int(wanted):
        return False
    return name == "*" or (host.endswith(name[1:]) if name.startswith("*.") else host == name)
