"""Gets images from the web: over https, from hosts that are allowed, and never from private networks.

A name is resolved once, and the connection goes to the address that was checked: a name server that answers
otherwise the second time gains nothing. That holds for each redirect, too.
"""

import asyncio
import ipaddress
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

import anyio
import httpcore
import httpx

from model_core.errors import InvalidRequest, TritonchatError

from ..errors import ApiError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# A name and a port -> its addresses.
Resolve = Callable[[str, int], Awaitable[list[Address]]]
_REDIRECTS = (301, 302, 303, 307, 308)
_PASSING = (408, 429)  # and those of the host's own failures
_MAX_REDIRECTS = 3
_TOTAL_S, _CONNECT_S, _READ_S = 20.0, 5.0, 10.0
_AT_ONCE, _AT_ONCE_EACH = 8, 4  # for all clients together, and for each
_MAX_URL = 4096  # characters
_HEADERS = {"Accept": "image/png, image/jpeg, image/webp, image/gif", "Accept-Encoding": "identity"}
_HOST = re.compile(r"\*|(\*\.)?[\w.-]+|\[[0-9A-Fa-f:.]+\]")  # in the settings
# Addresses of IPv6 that stand for one of IPv4: NAT64 (RFC 6052, RFC 8215).
_NAT64 = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))


class _Refused(Exception):
    """An image that is not got; the message is the end of a sentence about it."""


class _Later(_Refused):
    """An image that may be got later."""


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
        if address.is_site_local:  # RFC 3879: no longer used for new networks
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
        except (OSError, UnicodeError, ValueError) as error:
            if getattr(error, "errno", None) == socket.EAI_AGAIN:
                raise _Later(f"is at {host[:100]}, of which no name server tells the address now") from None
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
        """`hosts`: names, `*.name` for all below one, or `*`; each may have a port, which else is 443.

        Raises TritonchatError for what is no name.
        """
        self._hosts, self._max_bytes = [*map(_read_host, hosts)], max_bytes
        self._network = network or Network()
        # It takes 30 ms to make.
        self._context = self._network.context or (ssl.create_default_context() if hosts else None)
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._shares: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def fetch(self, url: str, place: str, client: str = "") -> bytes:
        """The file at an address, for a client. A client waits for its own turn.

        Raises InvalidRequest, or ApiError (503) if it may be had later. Their sentences begin with `place`.
        """
        async with self._shares.setdefault(client, asyncio.Semaphore(_AT_ONCE_EACH)), self._slots:
            try:
                with anyio.fail_after(_TOTAL_S):
                    return await self._follow(url)
            except _Later as error:
                reason = str(error)
            except _Refused as error:
                raise InvalidRequest(f"{place} {error}.", place) from None
            except (TimeoutError, httpcore.TimeoutException):
                reason = f"did not come within {_TOTAL_S:g} s"
            except (httpcore.NetworkError, httpcore.ProtocolError, ssl.SSLError, OSError) as error:
                reason = f"could not be got ({type(error).__name__})"
                if _has_wrong_certificate(error):
                    raise InvalidRequest(f"{place} {reason}: its certificate is not valid.", place) from None
        raise ApiError(503, f"{place} {reason}; try again.", "image_unavailable", place)

    async def _follow(self, url: str) -> bytes:
        """The file at an address, after redirects."""
        target = self._check(url)
        network = _CheckedNetwork(self._network.resolve, self._network.is_allowed)
        async with httpcore.AsyncConnectionPool(ssl_context=self._context, network_backend=network) as pool:
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
                kind = _Later if response.status in _PASSING or response.status >= 500 else _Refused
                raise kind(f"could not be got: the host answered with status {response.status}")
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


def _has_wrong_certificate(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, ssl.SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return error is not None


def _read_host(setting: str) -> tuple[str, int]:
    """The name and the port of a host in the settings, the name as addresses have it (RFC 5891)."""
    name, _, port = setting.rpartition(":")
    if not name or not port.isdecimal():
        name, port = setting, "443"
    start = "*." if name.startswith("*.") else ""
    try:
        is_name = _HOST.fullmatch(name) is not None
        url = httpx.URL(f"https://{name.removeprefix(start)}/" if is_name else "")
        found = url.raw_host.decode("ascii").lower().rstrip(".")
    except (httpx.InvalidURL, UnicodeError, ValueError):
        found = ""
    if not found:
        raise TritonchatError(
            f"--allow-image-urls {setting[:100]!r} names no host; give one such as example.com."
        )
    return start + found, int(port)


def _fits(host: str, port: int, allowed: tuple[str, int]) -> bool:
    """Whether a host is the one, or one of those, that a setting names."""
    name, wanted = allowed
    if port != wanted:
        return False
    return name == "*" or (host.endswith(name[1:]) if name.startswith("*.") else host == name)
