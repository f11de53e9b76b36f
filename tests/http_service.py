"""A running HTTP service for tests: with settings of its own, and with what it has logged."""

import contextlib
import json
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil
from prometheus_client.parser import text_string_to_metric_families
from support import free_port, wait_until

from triton_server.api.process import launch_api
from triton_server.api.settings import Settings
from triton_server.child import Child

CHAT = "/v1/chat/completions"
HELLO = {"model": "default", "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 3}


@dataclass(frozen=True)
class Service:
    """A service that runs."""

    url: str
    port: int
    process: psutil.Process
    log: Path

    def get(self, path: str, **headers: str) -> httpx.Response:
        """What it answers."""
        return httpx.get(self.url + path, headers=headers, timeout=60)

    def ask(self, body: dict[str, Any] = HELLO, **headers: str) -> httpx.Response:
        """What it answers to a conversation."""
        return httpx.post(self.url + CHAT, json=body, headers=headers, timeout=60)

    def metrics(self, **headers: str) -> dict[str, float]:
        """The metrics of the moment."""
        return samples(self.get("/metrics", **headers).text)

    def requests(self, count: int = 1) -> list[dict[str, Any]]:
        """The log's lines about requests, `count` or more; all of its lines must be JSON.

        A line is written when all of an answer is sent, so whoever has the answer may be there before it.
        """
        found: list[dict[str, Any]] = []

        def are_there() -> bool:
            whole = self.log.read_text().rpartition("\n")[0]
            found[:] = (line for line in map(json.loads, whole.splitlines()) if line["event"] == "request")
            return len(found) >= count

        wait_until(are_there)
        return found

    def connect(self, request: bytes, address: str = "127.0.0.1") -> socket.socket:
        """A connection that has sent this much, from an address of this machine's."""
        connection = socket.create_connection(
            ("127.0.0.1", self.port), timeout=60, source_address=(address, 0)
        )
        connection.sendall(request)
        return connection

    def post(self, path: str, body: dict[str, Any]) -> socket.socket:
        """A connection that has asked, and has read nothing yet."""
        return self.connect(posted(path, body))


def launched(settings: Settings, log: Path) -> Child:
    """A service that answers."""
    child = launch_api(settings, log)
    try:
        child.wait_until_up()
    except BaseException:
        child.stop()
        raise
    return child


@contextlib.contextmanager
def services(grpc_url: str, folder: Path) -> Iterator[Callable[..., Service]]:
    """A function that starts services for a server, with the settings it is given; all end with the block."""
    with contextlib.ExitStack() as stack:

        def start(**settings: Any) -> Service:
            port = free_port()
            log = folder / f"api-{port}.log"
            given = {"server": grpc_url, "database": f"sqlite:///{folder / 'sessions.db'}", "port": port}
            child = launched(Settings(**{**given, **settings}), log)
            stack.callback(child.stop)
            return Service(f"http://127.0.0.1:{port}", port, psutil.Process(child.process.pid), log)

        yield start


def posted(path: str, body: dict[str, Any]) -> bytes:
    """A request as it goes over the wire."""
    content = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return head.encode() + b"Content-Length: %d\r\n\r\n" % len(content) + content


def samples(text: str) -> dict[str, float]:
    """Prometheus' samples by name and labels, such as `name{a="b"}`."""
    values = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f'{k}="{v}"' for k, v in sorted(sample.labels.items()))
            key = f"{sample.name}{{{labels}}}" if labels else sample.name
            assert key not in values, f"{key} is there twice"
            values[key] = sample.value
    return values


def all_of(connection: socket.socket) -> bytes:
    """Everything until the connection ends, however it does."""
    received = b""
    with contextlib.suppress(ConnectionError):
        while some := connection.recv(65536):
            received += some
    return received


def status(answer: bytes) -> int:
    """The HTTP status of an answer."""
    return int(answer.split(b" ", 2)[1])
