"""Servers behind the proxy are killed, or hang; nobody who waits for an answer notices more than a pause."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from conftest import TRITONCHAT, Server, running_server
from forwarder import Forwarder, Trap, forwarding
from http_service import CHAT, services
from support import free_port, wait_until
from test_proxy import EVENT, HELLO, LONG, join, proxying, read_events

from triton_server.proxy import replicas


def test_hanging_server_is_left(endless: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its connections stay open, and nothing comes: streams and whole answers go on elsewhere."""
    monkeypatch.setattr(replicas, "READY_S", 0.5)
    expected = join(read_events(endless.api_url, CHAT, LONG))["text"]
    frozen: list[Forwarder] = []

    def freeze(server: Forwarder) -> None:
        frozen.append(server)
        server.freeze()

    with (
        forwarding(endless.api_url) as one,
        forwarding(endless.api_url) as two,
        proxying([one.url, two.url]) as url,
    ):
        one.trap = two.trap = Trap(b'"finish_reason"', 1, freeze)
        whole = httpx.post(url + CHAT, json=LONG, timeout=120).json()
        assert whole["choices"][0]["message"]["content"] == expected
        (first,) = frozen
        first.thaw()
        wait_until(lambda: all(s["ready"] for s in read_states(url)))
        one.trap = two.trap = Trap(EVENT, 3, freeze)
        assert join(read_events(url, CHAT, LONG))["text"] == expected
        assert len(frozen) == 2


@contextlib.contextmanager
def proxy_process(urls: list[str]) -> Iterator[str]:
    """`tritonchat proxy` in front of servers."""
    port = free_port()
    command = [*TRITONCHAT, "proxy", f"--port={port}", *(f"--replica={url}" for url in urls)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until(lambda: is_ready(url) and all(s["ready"] for s in read_states(url)))
        yield url
    finally:
        process.terminate()
        process.wait(60)


def is_ready(url: str) -> bool:
    """Whether a proxy or a server takes requests."""
    with contextlib.suppress(httpx.HTTPError):
        return httpx.get(f"{url}/readyz").status_code == 200
    return False


def read_states(url: str) -> list[dict[str, Any]]:
    """What a proxy says of its servers."""
    return httpx.get(f"{url}/replicas").json()["servers"]


@pytest.mark.skipif("CLUSTER_TESTS" not in os.environ, reason="make test-cluster runs it")
def test_server_is_killed_under_32_streams(endless_model: Path, tmp_path: Path) -> None:
    """All processes of one of two servers are killed. Each answer is whole and has its bytes."""
    bodies = [
        {**LONG, "max_tokens": 200, "seed": n, "messages": [{**HELLO[0], "content": f"{n}?"}]}
        for n in range(32)
    ]

    def ask(url: str, body: dict[str, Any]) -> str:
        if body["seed"] % 4:
            return join(read_events(url, CHAT, body))["text"]
        answer = httpx.post(url + CHAT, json=body, timeout=200)
        assert answer.status_code == 200, answer.text
        return answer.json()["choices"][0]["message"]["content"]

    with contextlib.ExitStack() as stack:
        servers = [
            stack.enter_context(running_server("--model", str(endless_model), log=tmp_path / f"log{n}"))
            for n in range(2)
        ]
        expected = [ask(servers[0].api_url, body) for body in bodies]
        url = stack.enter_context(proxy_process([server.api_url for server in servers]))
        pool = stack.enter_context(ThreadPoolExecutor(32))
        answers = [pool.submit(ask, url, body) for body in bodies]
        wait_until(lambda: min(state["running"] for state in read_states(url)) >= 8)
        os.killpg(servers[0].process.pid, signal.SIGKILL)
        start = time.monotonic()
        assert [answer.result(200) for answer in answers] == expected
        print(f"all 32 answers {time.monotonic() - start:.1f} s after the end of a server")


def test_database_is_away_for_a_while(endless: Server, database_url: str, tmp_path: Path) -> None:
    """Conversations fail in a sentence, other answers do not, and nothing that was stored is lost."""
    if database_url.startswith("sqlite"):
        pytest.skip("a file is not away")
    address = urlsplit(database_url)
    with forwarding(database_url) as way, services(endless.grpc_url, tmp_path) as start:
        database = address._replace(netloc=f"{address.username}@127.0.0.1:{way.port}").geturl()
        urls = [start(database=database).url for _ in range(2)]
        with proxying(urls) as url:
            assert httpx.post(f"{url}/sessions", json={"id": "kept"}).status_code == 201
            way.cut()
            for _ in urls:
                failed = httpx.get(f"{url}/sessions/kept", timeout=60)
                assert failed.status_code == 503
                assert "database cannot be used" in failed.json()["error"]["message"]
            assert httpx.post(url + CHAT, json={**LONG, "max_tokens": 3}, timeout=60).status_code == 200
            way.mend()
            assert httpx.get(f"{url}/sessions/kept", timeout=60).json()["id"] == "kept"
