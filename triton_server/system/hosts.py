"""Addresses that servers listen on, and addresses under which clients on this machine reach them."""

import ipaddress
import os
import socket

LOOPBACK = "127.0.0.1"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens on `host`."""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def is_ipv6(host: str) -> bool:
    """Whether a host is an IPv6 address, such as ::1. Names and IPv4 addresses have no colon."""
    return ":" in host


def join_port(host: str, port: int) -> str:
    """Return a host with a port, as in URLs: 127.0.0.1:80, [::1]:80 (RFC 3986, section 3.2.2)."""
    return f"[{host}]:{port}" if is_ipv6(host) else f"{host}:{port}"


def reachable_address(host: str) -> str:
    """Return the address under which this machine reaches a server that listens on `host`."""
    return {"0.0.0.0": LOOPBACK, "": LOOPBACK, "::": "::1"}.get(host, host)


def browser_url(host: str, port: int, scheme: str = "http") -> str:
    """Return the URL to open in a browser on this machine."""
    name = "localhost" if host in (LOOPBACK, "0.0.0.0", "::") else host
    return f"{scheme}://{join_port(name, port)}"


def listen_everywhere(port: int) -> socket.socket:
    """Listen on all addresses, those of IPv4 too, for --host ::. asyncio leaves IPv4 out. Raises OSError."""
    dualstack = socket.has_dualstack_ipv6()
    return socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=dualstack)


def listen(host: str, port: int) -> list[socket.socket]:
    """Listen on an address, or on all addresses of a name. Raises OSError."""
    if host == "::":
        return [listen_everywhere(port)]
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = dict.fromkeys((family, address[0]) for family, *_, address in found)
    return [socket.create_server((str(address), port), family=family) for family, address in addresses]


def believes_proxies() -> bool:
    """Whether uvicorn shall read the client's address from X-Forwarded-For, as `proxy_headers`.

    By default it would believe everybody on 127.0.0.1; here only the proxies that the operator names.
    """
    return "FORWARDED_ALLOW_IPS" in os.environ


def free_port() -> int:
    """A port on which nobody listens at the moment."""
    with socket.create_server((LOOPBACK, 0)) as probe:
        return probe.getsockname()[1]
