"""Streams without deltas for a long time: headers at once, then comments, and an unchanged answer."""

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import aclosing
from typing import Any

import httpx
import openai
import pytest
import uvicorn
from conftest import Server
from support import free_port, wait_until

from model_core.requests.events import Accepted, Event, Text
from triton_server.api import generation
from triton_server.api.app import create_app
from triton_server.api.settings import ServiceSettings
from triton_server.api.stream_response import KEEP_ALIVE
from triton_server.client import AsyncChatClient, ChatClient

HELLO = [{"role": "user", "content": "Hello"}]
COMMENT = KEEP_ALIVE.decode().strip()
# The endless model's answers: minutes.
ENDLESS: dict[str, Any] = {"model": "default", "prompt": "Hello", "max_tokens": 40_000, "temperature": 0}


@pytest.fixture(scope="module")
def web(endless: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A service of the endless model, in this process, that sends a keep-alive comment every 0.05 s."""
    port, database = free_port(), tmp_path_factory.mktemp("api") / "sessions.db"
    settings = ServiceSettings(api_port=port, server=endless.grpc_url, database=f"sqlite:///{database}")
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


@pytest.fixture
def client(endless: Server) -> Iterator[ChatClient]:
    """A client of the server with the endless model."""
    with ChatClient(endless.grpc_url) as connected:
        yield connected


@contextlib.contextmanager
def full(web: httpx.Client, client: ChatClient) -> Iterator[None]:
    """Keep the engine busy with as many answers as it runs at once."""
    with contextlib.ExitStack() as stack:
        for seed in (0, 1000):
            body = {**ENDLESS, "n": 64, "seed": seed, "stream": True}
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


def test_pings_come_while_a_request_in_anthropics_form_waits(web: httpx.Client, client: ChatClient) -> None:
    body = {"model": "default", "max_tokens": 3, "stream": True, "messages": HELLO}
    with full(web, client), web.stream("POST", "/v1/messages", json=body) as response:
        names = (line for line in response.iter_lines() if line.startswith("event: "))
        assert [next(names) for _ in range(3)] == ["event: message_start", "event: ping", "event: ping"]
    wait_until(lambda: client.stats()["running"] == 0)


def test_response_begins_while_the_request_waits(web: httpx.Client, client: ChatClient) -> None:
    body = {"input": "Hello", "stream": True, "max_output_tokens": 3, "store": False}
    with full(web, client), web.stream("POST", "/v1/responses", json=body) as response:
        assert client.stats()["waiting"] > 0
        lines = response.iter_lines()
        assert next(lines) == "event: response.created"
        assert COMMENT in lines
    wait_until(lambda: client.stats()["running"] == 0)


def test_keep_alive_comments_do_not_change_the_answer(web: httpx.Client, endless: Server) -> None:
    expected = web.post("/v1/completions", json={**ENDLESS, "max_tokens": 600}).json()["choices"][0]["text"]
    text, comments = "", 0
    with web.stream("POST", "/v1/completions", json={**ENDLESS, "stream": True}) as response:
        lines = filter(None, response.iter_lines())
        with endless.paused():
            while comments < 3:  # deltas from before the pause come first
                line = next(lines)
                comments += line == COMMENT
                text += text_of(line)
        while len(text) < len(expected):
            text += text_of(next(lines))
    assert text.startswith(expected)


def text_of(line: str) -> str:
    """The text of an event; a comment has none."""
    return "" if line == COMMENT else json.loads(line.removeprefix("data: "))["choices"][0]["text"]


def test_openai_client_ignores_keep_alive_comments(web: httpx.Client, endless: Server) -> None:
    gpt = openai.OpenAI(base_url=f"{web.base_url}/v1", api_key="none", max_retries=0)
    expected = gpt.completions.create(**{**ENDLESS, "max_tokens": 600}).choices[0].text
    with gpt.completions.create(**ENDLESS, stream=True) as stream:
        text = next(stream).choices[0].text
        with endless.paused():
            time.sleep(0.3)  # there may be comments or none: the answer is the same
        while len(text) < len(expected):
            text += next(stream).choices[0].text
    assert text.startswith(expected)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"prompt": "Hello", "temperature": 9}, 400),
        ({"prompt": "word " * 60_000}, 400),
        ({"prompt": "Hello", "n": 64, "max_tokens": 1, "timeout_s": -1}, 400),
    ],
)
def test_refusal_is_sent_as_a_status(web: httpx.Client, body: dict[str, Any], status: int) -> None:
    response = web.post("/v1/completions", json={"model": "default", "stream": True, **body})
    assert response.status_code == status
    assert response.headers["content-type"] == "application/json"


def test_timeout_in_the_queue_is_sent_as_an_event(web: httpx.Client, client: ChatClient) -> None:
    with full(web, client):
        body = {**ENDLESS, "stream": True, "timeout_s": 2}  # enough for the engine to accept it
        with web.stream("POST", "/v1/completions", json=body) as response:
            lines = [line for line in response.iter_lines() if line and line != COMMENT]
    assert response.status_code == 200
    assert "timeout_s" in json.loads(lines[-1].removeprefix("data: "))["error"]["message"]
    wait_until(lambda: client.stats()["running"] == 0)


def test_acceptance_is_sent_only_on_request(endless: Server, client: ChatClient) -> None:
    expected = client.chat("Hello", max_tokens=20, temperature=0).text

    async def events(**parameters: Any) -> list[Event]:
        """The first events of a long answer, until they have as much text as is expected."""
        asking, found, text = AsyncChatClient(endless.grpc_url), [], ""
        fields = {"max_tokens": 40_000, "temperature": 0, **parameters}
        async with aclosing(asking.stream("Hello", fields)) as stream:
            while len(text) < len(expected):
                found.append(await anext(stream))
                text += found[-1].text if isinstance(found[-1], Text) else ""
        await asking.close()
        return found

    first, *rest = asyncio.run(events(acknowledge=True))
    assert isinstance(first, Accepted)
    for found in (rest, asyncio.run(events())):
        assert {type(event) for event in found} == {Text}
        assert "".join(event.text for event in found).startswith(expected)
    answer = client.chat(HELLO, acknowledge=True, max_tokens=20)
    assert "accepted" not in answer.details
