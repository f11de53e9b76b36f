"""The proxy goes on with an answer whose server has died. A server dies here by a cut of its connections."""

import asyncio
import contextlib
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import uvicorn
from conftest import Server
from forwarder import Forwarder, Trap, forwarding
from http_service import CHAT, samples
from support import free_port, wait_until

from triton_server.proxy.access import ProxyAccess
from triton_server.proxy.affinity import find_key
from triton_server.proxy.app import Proxy
from triton_server.proxy.command import uvicorn_options
from triton_server.proxy.continuation import Diverged, EventStream
from triton_server.proxy.replicas import Replicas

HELLO = [{"role": "user", "content": "Hello"}]
LONG = {"model": "default", "messages": HELLO, "max_tokens": 600, "temperature": 0.9, "seed": 7}
EVENT = b"data: {"


@dataclass(frozen=True)
class Front:
    """A proxy, and the servers behind it."""

    url: str
    behind: list[Forwarder]

    def metric(self, name: str) -> float:
        """A metric of the proxy."""
        return samples(httpx.get(f"{self.url}/metrics").text)[f"tritonchat_proxy_{name}"]

    def is_busy(self) -> bool:
        """Whether a server has a request."""
        return any(self.metric(f'running{{replica="{f.url}"}}') for f in self.behind)

    def cut_at(self, mark: bytes, count: int = 3) -> None:
        """End the server that sends the mark so often first."""
        trap = Trap(mark, count)
        for forwarder in self.behind:
            forwarder.trap = trap


@contextlib.contextmanager
def proxying(
    urls: list[str], wait_s: float = 60, keep_alive_timeout_s: float = 75, access: ProxyAccess | None = None
) -> Iterator[str]:
    """A running proxy in front of servers."""
    port = free_port()
    app = Proxy(Replicas(urls), 2**20, wait_s, access=access)
    options = uvicorn_options(app, "127.0.0.1", port, keep_alive_timeout_s)
    options |= {"log_level": "critical", "timeout_graceful_shutdown": 1}
    server = uvicorn.Server(uvicorn.Config(**options))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until(lambda: server.started and httpx.get(f"{url}/readyz").status_code == 200)
        yield url
    finally:
        server.should_exit = True
        thread.join(60)


@pytest.fixture
def front(endless: Server) -> Iterator[Front]:
    """Two servers, which are one, and a proxy."""
    with (
        forwarding(endless.api_url) as one,
        forwarding(endless.api_url) as two,
        proxying([one.url, two.url]) as url,
    ):
        front = Front(url, [one, two])
        wait_until(lambda: all(front.metric(f'ready{{replica="{f.url}"}}') for f in (one, two)))
        yield front


def read_events(url: str, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    """The chunks of a stream."""
    chunks = []
    with httpx.stream("POST", url + path, json={**body, "stream": True}, timeout=120) as response:
        for line in response.iter_lines():
            if line.startswith("data: {"):
                chunks.append(json.loads(line[6:]))
                assert "error" not in chunks[-1], chunks[-1]
    assert line == "data: [DONE]" or not line
    return chunks


def join(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """What the chunks of an answer say together."""
    joined: dict[str, Any] = {"text": "", "logprobs": [], "ids": [], "reasons": [], "roles": 0}
    for chunk in chunks:
        for choice in chunk["choices"]:
            delta = choice.get("delta", {})
            joined["text"] += delta.get("content", choice.get("text", ""))
            joined["roles"] += "role" in delta
            logprobs = choice.get("logprobs") or {}
            joined["logprobs"] += logprobs.get("content", logprobs.get("token_logprobs", []))
            joined["ids"] += choice.get("token_ids", [])
            if choice["finish_reason"]:
                joined["reasons"].append((choice["finish_reason"], choice["seed"]))
        joined["usage"] = (chunk.get("usage") or {}).get("completion_tokens")
    return joined


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (CHAT, {**LONG, "logprobs": True, "top_logprobs": 1, "stream_options": {"include_usage": True}}),
        ("/v1/completions", {**LONG, "prompt": "Once", "logprobs": 1, "return_token_ids": True}),
    ],
)
def test_stream_goes_on_where_it_broke(
    front: Front, endless: Server, path: str, body: dict[str, Any]
) -> None:
    expected = read_events(endless.api_url, path, body)
    front.cut_at(EVENT)
    chunks = read_events(front.url, path, body)
    assert join(chunks) == join(expected)
    assert join(chunks)["reasons"] == [("length", 7)]
    assert len({(chunk["id"], chunk["created"]) for chunk in chunks}) == 1
    assert front.metric("continued_total") >= 1


def test_lines_go_on_where_they_broke(front: Front, endless: Server) -> None:
    body = {"prompt": "Once", "max_tokens": 600, "temperature": 0.9, "seed": 7}
    whole = httpx.post(f"{endless.api_url}/v1/completions", json=body, timeout=120).json()
    front.cut_at(b"he ")  # as in: the, she
    with httpx.stream("POST", f"{front.url}/stream", json=body, timeout=120) as response:
        text = "".join(json.loads(f'"{line}"') for line in response.iter_lines())
    assert text == whole["choices"][0]["text"]
    assert front.metric("continued_total") >= 1


def test_whole_answers_and_many_streams_survive(front: Front, endless: Server) -> None:
    bodies = [
        {**LONG, "max_tokens": 600, "seed": n, "messages": [{"role": "user", "content": f"{n}?"}]}
        for n in range(12)
    ]

    def ask(url: str, body: dict[str, Any]) -> str:
        if body["seed"] % 2:
            return join(read_events(url, CHAT, body))["text"]
        answer = httpx.post(url + CHAT, json=body, timeout=120)
        assert answer.status_code == 200, answer.text
        return answer.json()["choices"][0]["message"]["content"]

    with ThreadPoolExecutor(12) as pool:
        expected = list(pool.map(ask, [endless.api_url] * 12, bodies))
        answers = [pool.submit(ask, front.url, body) for body in bodies]
        running = [f'running{{replica="{f.url}"}}' for f in front.behind]
        wait_until(lambda: min(map(front.metric, running)) >= 3)
        front.behind[0].cut()
        assert [answer.result(120) for answer in answers] == expected


def test_request_without_a_seed_gets_one(front: Front) -> None:
    body = {name: value for name, value in LONG.items() if name != "seed"}
    front.cut_at(EVENT)
    chunks = read_events(front.url, CHAT, body)
    ((reason, seed),) = join(chunks)["reasons"]
    again = httpx.post(front.url + CHAT, json={**body, "seed": seed}, timeout=120).json()
    assert reason == "length"
    assert front.metric("continued_total") >= 1
    assert again["choices"][0]["message"]["content"] == join(chunks)["text"]


def test_no_server_is_left(endless: Server) -> None:
    with forwarding(endless.api_url) as only, proxying([only.url], wait_s=0.5) as url:
        only.cut()
        answer = httpx.post(url + CHAT, json=LONG, timeout=60)
        assert answer.status_code == 503 and int(answer.headers["retry-after"]) > 0
        assert answer.json()["error"]["message"] == "no server is ready."
        wait_until(lambda: httpx.get(f"{url}/readyz").status_code == 503)
        only.mend()
        wait_until(lambda: httpx.get(f"{url}/readyz").status_code == 200)
        assert httpx.post(url + CHAT, json={**LONG, "max_tokens": 3}, timeout=60).status_code == 200


def test_client_that_leaves_ends_the_work(front: Front) -> None:
    with httpx.stream(
        "POST", front.url + CHAT, json={**LONG, "stream": True, "max_tokens": 8000}
    ) as response:
        lines = response.iter_lines()  # to drop it would close the response
        assert next(lines).startswith("data: {")
        assert front.is_busy()
    wait_until(lambda: not front.is_busy())


def test_errors_and_other_routes_pass(front: Front, endless: Server) -> None:
    for path, body in ((CHAT, {**LONG, "temperature": 9}), (CHAT, {"model": "none", "messages": HELLO})):
        through, direct = (httpx.post(url + path, json=body) for url in (front.url, endless.api_url))
        assert (through.status_code, through.json()) == (direct.status_code, direct.json())
    assert httpx.get(f"{front.url}/v1/models").json() == httpx.get(f"{endless.api_url}/v1/models").json()
    foreign = httpx.get(f"{front.url}/v1/models", headers={"Host": "evil.example"})
    assert foreign.status_code == 403  # the server sees the name that the client has used
    large = httpx.post(front.url + CHAT, content=b"x" * (2**20 + 1))
    assert large.status_code == 413


def test_turns_of_a_conversation_have_one_key() -> None:
    first = {"model": "m", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "a"}]}
    second = {**first, "messages": [*first["messages"], {"role": "assistant", "content": "b"}, *HELLO]}
    assert (
        find_key(CHAT, first) == find_key(CHAT, second) != find_key(CHAT, {"model": "m", "messages": HELLO})
    )
    rules = {"role": "system", "content": "Be kind. " * 1000}
    long = [{"model": "m", "messages": [rules, {"role": "user", "content": name}]} for name in "ab"]
    assert find_key(CHAT, long[0]) != find_key(CHAT, long[1])
    assert find_key("/sessions/7/generate", {"prompt": "x"}) == find_key("/sessions/7", {})
    assert find_key("/v1/completions", {"prompt": "abc"}) != find_key("/v1/completions", {"prompt": "abd"})
    assert find_key("/v1/models", {}) is None


def test_keys_spread_and_overload_moves_on() -> None:
    async def choose() -> None:
        replicas = Replicas(["http://a", "http://b", "http://c"])
        for replica in replicas.list_all():
            replica.is_ready = True
        chosen = {key: replicas.choose(key) for key in map(str, range(300))}
        counts = [list(chosen.values()).count(replica) for replica in replicas.list_all()]
        assert min(counts) > 60
        gone = replicas.list_all()[0]
        gone.is_ready = False
        moved = [key for key, replica in chosen.items() if replicas.choose(key) is not replica]
        assert len(moved) == counts[0]  # only those of the server that has gone
        gone.is_ready = True
        busy = chosen["0"]
        busy.running = 20
        assert replicas.choose("0") is not busy
        await replicas.close()

    asyncio.run(choose())


def test_other_answer_is_noticed() -> None:
    def event(text: str) -> bytes:
        return (
            b'data: {"id":"1","choices":[{"index":0,"delta":{"content":%b}}]}\n\n' % json.dumps(text).encode()
        )

    stream = EventStream()
    stream.record(event("One ") + event("two"))
    stream.restart()
    assert stream.go_on(event("On")) == b""
    assert json.loads(stream.go_on(event("e two three"))[6:])["choices"][0]["delta"] == {"content": " three"}
    stream.restart()
    with pytest.raises(Diverged):
        stream.go_on(event("Two"))
