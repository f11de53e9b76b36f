"""Addresses that servers listen on, and addresses under which clients on this machine reach them."""

import ipaddress
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


def reachable_address(host: str) -> str:
    """Return the address under which this machine reaches a server that listens on `host`."""
    return LOOPBACK if host in ("0.0.0.0", "") else host


def browser_url(host: str, port: int, scheme: str = "http") -> str:
    """Return the URL to open in a browser on this machine."""
    return f"{scheme}://{'localhost' if host in (LOOPBACK, '0.0.0.0') else host}:{port}"


def free_port() -> int:
    """A port on which nobody listens at the moment."""
    with socket.create_server((LOOPBACK, 0)) as probe:
        return probe.getsockname()[1]
