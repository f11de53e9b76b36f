"""Where the engine's process listens."""

from dataclasses import dataclass

from ...system.hosts import join_port, reachable_address
from ...system.tls import TlsFiles


@dataclass(frozen=True)
class Address:
    """Where gRPC and the counters for Prometheus listen. TLS is for gRPC only.

    Without `http_port`, Triton answers no requests over HTTP.
    """

    host: str = "127.0.0.1"
    grpc_port: int = 8001
    http_port: int | None = None
    metrics_port: int = 8002
    tls: TlsFiles | None = None

    def url(self) -> str:
        """The gRPC endpoint for clients on this machine, as `wire.parse_endpoint` reads it."""
        address = join_port(reachable_address(self.host), self.grpc_port)
        return address if self.tls is None else self.tls.url(address)
