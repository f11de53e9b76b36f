"""A running HTTP service for tests, with settings of its own: in a thread, or as a process."""

import asyncio
import contextlib
import functools
import json
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil
import structlog
import uvicorn
import uvloop
from prometheus_client.parser import text_string_to_metric_families
from support import free_port, wait_until

from triton_server.api.process import launch_api
from triton_server.api.program import uvicorn_options
from triton_server.api.settings import ServiceSettings
from triton_server.system.child_process import ChildProcess

CHAT = "/v1/chat/completions"
HELLO = {"model": "default", "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 3}


@dataclass(frozen=True)
class Service:
    """A service that runs. One in a thread has no process of its own, and its log is not kept."""

    url: str
    port: int
    child: ChildProcess | None = None

    @property
    def process(self) -> psutil.Process:
        """Its process, to be measured or killed."""
        return psutil.Process(self._child().process.pid)

    @property
    def log(self) -> Path:
        """The file that it logs to."""
        log = self._child().log
        assert log is not None
        return log

    def _child(self) -> ChildProcess:
        assert self.child is not None, "it runs in a thread; start(process=True) has a process and a log"
        return self.child

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
            text = self.log.read_text().rpartition("\n")[0]
            found[:] = (line for line in map(json.loads, text.splitlines()) if line["event"] == "request")
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


def launched(settings: ServiceSettings, log: Path) -> ChildProcess:
    """A service that answers, as a process."""
    child = launch_api(settings, log)
    try:
        child.wait_until_up()
    except BaseException:
        child.stop()
        raise
    return child


class ServiceThread:
    """A service that answers, in the thread that all such services of this process share.

    It is what `python -m triton_server.api` runs, except for its log, without the second to start a process.
    """

    def __init__(self, settings: ServiceSettings) -> None:
        self._server = uvicorn.Server(uvicorn.Config(**uvicorn_options(settings)))
        self._serving = asyncio.run_coroutine_threadsafe(self._server.serve(), _event_loop())
        wait_until(lambda: self._server.started or self._serving.done())
        if self._serving.done():
            self._serving.result()
            raise AssertionError("the service did not start")

    def stop(self) -> None:
        """End it as SIGTERM ends a process."""
        self._server.should_exit = True
        self._serving.result(timeout=60)


@functools.cache
def _event_loop() -> asyncio.AbstractEventLoop:
    """The event loop of all services in this process; gRPC's client works with one loop only."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())  # they log nothing to standard output
    loop = uvloop.new_event_loop()
    threading.Thread(target=loop.run_forever, name="services", daemon=True).start()
    return loop


@contextlib.contextmanager
def services(grpc_url: str, folder: Path) -> Iterator[Callable[..., Service]]:
    """A function that starts services for a server, with the settings it is given; all end with the block.

    They run in a thread, or with `process=True` as processes, which have a log and can be measured.
    """
    with contextlib.ExitStack() as stack:

        def start(process: bool = False, **given: Any) -> Service:
            port = free_port()
            defaults = {
                "server": grpc_url,
                "database": f"sqlite:///{folder / 'sessions.db'}",
                "api_port": port,
            }
            settings = ServiceSettings(**{**defaults, **given})
            child = launched(settings, folder / f"api-{port}.log") if process else None
            stack.callback((child or ServiceThread(settings)).stop)
            return Service(f"http://127.0.0.1:{port}", port, child)

        yield start


def list_routes(router: Any) -> Iterator[str]:
    """The methods and paths of an application and of the routers in it."""
    for route in router.routes:
        if hasattr(route, "original_router"):
            yield from list_routes(route.original_router)
        elif hasattr(route, "methods"):
            yield from (f"{method} {route.path}" for method in route.methods - {"HEAD"})


def posted(path: str, body: dict[str, Any]) -> bytes:
    """A request as it goes over the wire."""
    content = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return head.encode() + b"Content-Length: %d\r\n\r\n" % len(content) + content


def samples(text: str, model: str | None = None) -> dict[str, float]:
    """Prometheus' samples by name and labels, such as `name{a="b"}`, but without the label `model`.

    `model`: without the samples of other models. None: there are no others.
    """
    values = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if model is not None and sample.labels.get("model", model) != model:
                continue
            labels = ",".join(f'{k}="{v}"' for k, v in sorted(sample.labels.items()) if k != "model")
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
