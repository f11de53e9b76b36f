"""The proxy asks a server with a certificate of one's own where SSL_CERT_FILE names what to trust."""

import asyncio
import http.server
import ssl
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import grpc
import httpx
import pytest

from triton_server.proxy.replicas import Replica


class Ready(http.server.BaseHTTPRequestHandler):
    """Answers each request with 200."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def https_server(certificate: Path) -> Iterator[str]:
    """The address of a server with a certificate for localhost."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ready) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"https://localhost:{server.server_address[1]}"
        server.shutdown()


def test_certificate_of_ones_own_is_trusted_if_it_is_named(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    credentials = grpc.ssl_server_credentials(
        [((certificate / "key.pem").read_bytes(), (certificate / "cert.pem").read_bytes())]
    )
    triton = grpc.server(ThreadPoolExecutor(1))
    port = triton.add_secure_port("127.0.0.1:0", credentials)
    triton.start()

    async def ask(url: str) -> bool:
        replica = Replica(url)
        try:
            is_ready = await replica.ask_ready()
            replica.grpc_port = port
            await asyncio.wait_for(replica.channel.channel_ready(), 30)
            return is_ready
        finally:
            await replica.close()

    with https_server(certificate) as url:
        monkeypatch.delenv("SSL_CERT_FILE", raising=False)
        with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
            asyncio.run(ask(url))
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "ca.pem"))
        assert asyncio.run(ask(url))
    triton.stop(None)
