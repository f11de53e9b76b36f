"""Requests for a model that is not loaded wait while it is loaded, and see its progress."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from http_service import CHAT, Service, services
from in_process import served
from slow_loading import Loader
from support import wait_until
from test_terminal import CTRL_C, Terminal

from model_core.errors import RequestTimeout
from triton_server.client import ChatClient
from triton_server.engine.models import model_slot
from triton_server.engine.models.model_pool import ModelPool
from triton_server.engine.models.model_slot import ModelSlot
from triton_server.terminal.service import ServiceClient

HELLO = [{"role": "user", "content": "Hello"}]
SEEDED = {"seed": 1, "max_tokens": 20}


class Lazy:
    """A server of which a test lets the second model load."""

    def __init__(self, grpc_url: str, pool: ModelPool, loader: Loader) -> None:
        self.grpc_url, self.pool, self.loader = grpc_url, pool, loader

    @property
    def late(self) -> ModelSlot:
        return self.pool.slots[1]


@pytest.fixture(scope="module")
def running() -> Iterator[Lazy]:
    """The embedded model, and the same as a model that is loaded late."""
    first, loader = Loader(None), Loader(None)
    first.may_go_on.set()
    pool = ModelPool([ModelSlot("embedded", first), ModelSlot("owner/late", loader, keep_alive_s=0)])
    with served(pool) as address:
        yield Lazy(address, pool, loader)


@pytest.fixture
def lazy(running: Lazy) -> Iterator[Lazy]:
    """The same, with the late model unloaded."""
    running.loader.started.clear()
    running.loader.may_go_on.clear()
    running.loader.count = 0
    yield running
    running.loader.may_go_on.set()
    wait_until(lambda: running.late.state == "unloaded")


@pytest.fixture(scope="module")
def service(running: Lazy, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with services(running.grpc_url, tmp_path_factory.mktemp("service")) as start:
        yield start()


def state_over_http(service: Service) -> dict[str, object]:
    return service.get("/v1/models/owner/late").json()


def test_requests_that_come_together_wait_for_one_load(lazy: Lazy, service: Service) -> None:
    with ChatClient(lazy.grpc_url) as client, ThreadPoolExecutor(8) as pool:
        assert client.stats()["models"][1]["state"] == "unloaded"
        waiting = [
            pool.submit(client.chat, HELLO, model="owner/late", **SEEDED),
            pool.submit(client.chat, HELLO, model="owner/late", **SEEDED),
            pool.submit(lambda: service.ask({"model": "owner/late", "messages": HELLO, **SEEDED}).json()),
        ]
        assert lazy.loader.started.wait(60)
        wait_until(lambda: client.stats(model="owner/late")["waiting"] == 3)
        entry = client.stats()["models"][1]
        assert (entry["state"], entry["progress"]) == ("loading", 0.25)
        assert (state_over_http(service)["state"], state_over_http(service)["progress"]) == ("loading", 0.25)
        # The other model answers in the meantime, also for those who wait at the same place.
        expected = client.chat(HELLO, **SEEDED).text
        assert not any(answer.done() for answer in waiting)
        lazy.loader.may_go_on.set()
        first, second, over_http = (answer.result(60) for answer in waiting)
    assert first.text == second.text == over_http["choices"][0]["message"]["content"] == expected
    assert over_http["system_fingerprint"] == first.details["fingerprint"]
    assert first.timings["total"] > first.timings["queue"] > 0
    assert lazy.loader.count == 1
    wait_until(lambda: state_over_http(service)["state"] == "unloaded")


def test_request_that_waits_can_be_cancelled(lazy: Lazy) -> None:
    with ChatClient(lazy.grpc_url) as client, ThreadPoolExecutor(2) as pool:
        answer = pool.submit(client.chat, HELLO, model="owner/late", request_id="mine")
        wait_until(lambda: client.stats(model="owner/late")["waiting"] == 1)
        assert client.cancel("mine")
        assert answer.result(60).finish_reason == "cancelled"
        assert client.stats(model="owner/late")["waiting"] == 0
        with pytest.raises(RequestTimeout, match="while the model was loaded"):
            client.chat(HELLO, model="owner/late", timeout_s=0.05)


def test_client_that_leaves_does_not_wait(lazy: Lazy, service: Service) -> None:
    with ChatClient(lazy.grpc_url) as client:
        body = {"model": "owner/late", "messages": HELLO, "stream": True}
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(service.url + CHAT, json=body, timeout=httpx.Timeout(60, read=0.5))
        wait_until(lambda: client.stats(model="owner/late")["waiting"] == 0)
        assert lazy.late.state == "loading"


def test_model_is_loaded_by_a_command(lazy: Lazy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_slot, "PRELOAD_S", 1.0)
    with ChatClient(lazy.grpc_url) as client:
        assert client.load("owner/late")["state"] == "loading"
        lazy.loader.may_go_on.set()
        wait_until(lambda: lazy.late.state == "ready")
        assert client.stats(model="owner/late")["model"]["name"] == "embedded"
    assert lazy.loader.count == 1


def test_progress_begins_before_the_load(lazy: Lazy, service: Service) -> None:
    """The terminal asks until the model is there, and a busy server may begin to load it late."""
    with ServiceClient(service.url) as client, ThreadPoolExecutor() as pool:
        assert client.read_progress("owner/late") == 0.0
        answer = pool.submit(service.ask, {"model": "owner/late", "messages": HELLO, **SEEDED})
        assert lazy.loader.started.wait(60)
        wait_until(lambda: client.read_progress("owner/late") == 0.25)
        lazy.loader.may_go_on.set()
        answer.result(60)
        assert client.read_progress("embedded") == 1.0
        assert client.read_progress("owner/absent") is None


def test_terminal_shows_the_progress(lazy: Lazy, service: Service, tmp_path: Path) -> None:
    with Terminal("chat", "--model=owner/late", data=tmp_path, server=service.url) as terminal:
        terminal.expect("owner/late at ")
        terminal.prompt(1)
        terminal.ask("Hello")
        terminal.expect("loading owner/late, 25% …")
        lazy.loader.may_go_on.set()
        terminal.expect(" cached")
        terminal.prompt(2)
        terminal.send(CTRL_C)
