"""Streams without deltas for a long time: headers at once, then comments, and an unchanged answer."""

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest
import uvicorn
from conftest import Server
from support import free_port, wait_until

from triton_server.api import generation
from triton_server.api.app import create_app
from triton_server.api.settings import ServiceSettings
from triton_server.api.stream_response import KEEP_ALIVE
from triton_server.async_client import AsyncChatClient
from triton_server.client import ChatClient

HELLO = [{"role": "user", "content": "Hello"}]
COMMENT = KEEP_ALIVE.decode().strip()
ENDLESS: dict[str, Any] = {
    "model": "default",
    "prompt": "Hello",
    "max_tokens": 600,
    "ignore_eos": True,
    "temperature": 0,
}


@pytest.fixture(scope="module")
def web(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A service in this process that sends a keep-alive comment every 0.05 s."""
    port, database = free_port(), tmp_path_factory.mktemp("api") / "sessions.db"
    settings = ServiceSettings(port=port, server=server.grpc_url, database=f"sqlite:///{database}")
    service = uvicorn.Server(uvicorn.Config(create_app(settings), port=port, log_config=None, ws="none"))
    thread = threading.Thread(target=service.run)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generation, "KEEP_ALIVE_S", 0.05)
        thread.start()
        try:
            wait_until(lambda: service.started)
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
                yield client
        finally:
            service.should_exit = True
            thread.join()


@contextlib.contextmanager
def full(web: httpx.Client, client: ChatClient) -> Iterator[None]:
    """Keep the engine busy with as many answers as it runs at once."""
    with contextlib.ExitStack() as stack:
        for seed in (0, 1000):
            body = {**ENDLESS, "max_tokens": 900, "n": 64, "seed": seed, "stream": True}
            stack.enter_context(web.stream("POST", "/v1/completions", json=body))
        assert client.stats()["waiting"] > 0
        yield


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/completions", {**ENDLESS, "stream": True}),
        (
            "/v1/chat/completions",
            {"messages": [{"role": "user", "content": "Hello"}], "stream": True, "n": 2},
        ),
        ("/stream", {"prompt": "Hello", "num_predict": 5}),
    ],
)
def test_headers_come_while_the_request_waits(
    web: httpx.Client, client: ChatClient, path: str, body: dict[str, Any]
) -> None:
    with full(web, client):
        before = client.stats()["totals"]["requests"]
        with web.stream("POST", path, json={"model": "default", **body}) as response:
            after = client.stats()
            assert response.status_code == 200
            assert after["totals"]["requests"] == before + body.get("n", 1)
            assert after["waiting"] >= body.get("n", 1)
            if body.get("stream"):
                assert next(response.iter_lines()) == COMMENT
    wait_until(lambda: client.stats()["running"] == 0)


def test_headers_of_a_session_come_while_the_request_waits(web: httpx.Client, client: ChatClient) -> None:
    web.post("/sessions", json={"id": "patient"}).raise_for_status()
    question = {"prompt": "Hello", "stream": True, "parameters": {"max_tokens": 3}}
    with full(web, client), web.stream("PUT", "/sessions/patient/generate", json=question) as response:
        assert client.stats()["waiting"] > 0
        assert next(response.iter_lines()) == COMMENT
    wait_until(lambda: client.stats()["running"] == 0)


def test_keep_alive_comments_do_not_change_the_answer(web: httpx.Client, server: Server) -> None:
    body = ENDLESS
    expected = web.post("/v1/completions", json=body).json()["choices"][0]["text"]
    lines = []
    with web.stream("POST", "/v1/completions", json={**body, "stream": True}) as response:
        received = response.iter_lines()
        with server.paused():
            while lines.count(COMMENT) < 3:  # deltas from before the pause come first
                lines.append(next(received))
        lines += received
    events = [line.removeprefix("data: ") for line in lines if line and line != COMMENT]
    assert events[-1] == "[DONE]"
    assert "".join(json.loads(event)["choices"][0]["text"] for event in events[:-1]) == expected


def test_openai_client_ignores_keep_alive_comments(web: httpx.Client, server: Server) -> None:
    gpt = openai.OpenAI(base_url=f"{web.base_url}/v1", api_key="none", max_retries=0)
    body: dict[str, Any] = {"model": "default", "prompt": "Hello", "max_tokens": 600, "temperature": 0}
    expected = gpt.completions.create(**body, extra_body={"ignore_eos": True}).choices[0].text
    stream = gpt.completions.create(**body, stream=True, extra_body={"ignore_eos": True})
    text = next(iter(stream)).choices[0].text
    with server.paused():
        time.sleep(0.3)  # there may be comments or none: the answer is the same
    assert text + "".join(chunk.choices[0].text for chunk in stream) == expected


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"prompt": "Hello", "temperature": 9}, 400),
        ({"prompt": "word " * 5000}, 400),
        ({"prompt": "Hello", "n": 64, "max_tokens": 1, "timeout_s": -1}, 400),
    ],
)
def test_refusal_is_sent_as_a_status(web: httpx.Client, body: dict[str, Any], status: int) -> None:
    response = web.post("/v1/completions", json={"model": "default", "stream": True, **body})
    assert response.status_code == status
    assert response.headers["content-type"] == "application/json"


def test_timeout_in_the_queue_is_sent_as_an_event(web: httpx.Client, client: ChatClient) -> None:
    with full(web, client):
        body = {**ENDLESS, "stream": True, "timeout_s": 0.01}
        with web.stream("POST", "/v1/completions", json=body) as response:
            lines = [line for line in response.iter_lines() if line and line != COMMENT]
    assert response.status_code == 200
    assert "timeout_s" in json.loads(lines[-1].removeprefix("data: "))["error"]["message"]
    wait_until(lambda: client.stats()["running"] == 0)


def test_acceptance_is_sent_only_on_request(server: Server, client: ChatClient) -> None:
    async def deltas(**parameters: Any) -> list[Any]:
        asking = AsyncChatClient(server.grpc_url)
        try:
            found = [delta async for delta in asking.stream("Hello", {"max_tokens": 20, **parameters})]
        finally:
            await asking.close()
        return found

    first, *rest = asyncio.run(deltas(acknowledge=True))
    assert (first.text, first.details) == ("", {"accepted": True})
    plain = asyncio.run(deltas())
    assert not any(delta.is_acknowledgement for delta in plain)
    assert "".join(delta.text for delta in rest) == "".join(delta.text for delta in plain)
    answer = client.chat(HELLO, acknowledge=True)
    assert "accepted" not in answer.details
