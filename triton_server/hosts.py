"""Addresses: which of them are this machine's, and how it reaches what listens on one."""

import ipaddress

LOOPBACK = "127.0.0.1"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens there."""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def reachable(host: str) -> str:
    """The address under which this machine reaches what listens on `host`."""
    return LOOPBACK if host in ("0.0.0.0", "") else host


def link(host: str, port: int, scheme: str = "http") -> str:
    """The address to open in a browser on this machine."""
    return f"{scheme}://{'localhost' if host in (LOOPBACK, '0.0.0.0') else host}:{port}"
