"""The HTTP service under load and attack: many streams, disconnects, a server that dies, invalid requests."""

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import hypothesis
import openai
import psutil
import pytest
import schemathesis
from conftest import Server
from http_service import launched, posted
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from support import free_port, wait_until

from triton_server.api.settings import ServiceSettings
from triton_server.client import ChatClient

STREAMS = 64
LEAVING = 16
LONG: dict[str, Any] = {"model": "default", "prompt": "Hello", "max_tokens": 900, "ignore_eos": True}
# Of the endless model: minutes.
ENDLESS: dict[str, Any] = {"model": "default", "prompt": "Hello", "max_tokens": 40_000}
# Begins streams and waits to be killed.
KILLED = """
import socket, sys, time
connections = [socket.create_connection((sys.argv[1], int(sys.argv[2]))) for _ in range(int(sys.argv[3]))]
for connection in connections:
    connection.sendall(bytes.fromhex(sys.argv[4]))
for connection in connections:
    connection.recv(1)
print("begun", flush=True)
time.sleep(600)
"""


def service_of(server: Server) -> psutil.Process:
    """The process of a server's HTTP service."""
    children = psutil.Process(server.process.pid).children()
    return next(child for child in children if "triton_server.api" in child.cmdline())


def address(server: Server) -> tuple[str, int]:
    url = httpx.URL(server.api_url)
    assert url.port is not None
    return url.host, url.port


def request(**body: Any) -> bytes:
    """The bytes of a request for completions."""
    return posted("/v1/completions", {**ENDLESS, **body})


async def ask(gpt: openai.AsyncOpenAI, number: int, leave: bool = False) -> str:
    """The streamed answer to question `number`, or its beginning."""
    question = f"My name is number {number}. " + "I like long walks. " * (number % 5)
    text = ""
    async with await gpt.chat.completions.create(
        model="default",
        messages=[{"role": "user", "content": question}],
        stream=True,
        temperature=1.0,
        seed=number,
        max_tokens=60,
        extra_body={"ignore_eos": True},
    ) as stream:
        async for chunk in stream:
            text += chunk.choices[0].delta.content or ""
            if leave and text:
                break
    return text


def test_64_concurrent_streams_equal_single_ones(api: Server, client: ChatClient) -> None:
    """Every fourth client disconnects early. Memory does not grow between rounds."""
    process, memory = service_of(api), []

    async def rounds() -> None:
        async with openai.AsyncOpenAI(
            base_url=f"{api.api_url}/v1",
            api_key="none",
            max_retries=0,
            http_client=httpx.AsyncClient(limits=httpx.Limits(max_connections=STREAMS), timeout=300),
        ) as gpt:
            alone = [await ask(gpt, number) for number in range(STREAMS)]
            assert len(set(alone)) == STREAMS
            for _ in range(3):
                together = await asyncio.gather(*(ask(gpt, n, leave=n % 4 == 0) for n in range(STREAMS)))
                for number, (one, among) in enumerate(zip(alone, together, strict=True)):
                    assert one.startswith(among) if number % 4 == 0 else one == among
                memory.append(process.memory_info().rss)

    asyncio.run(rounds())
    wait_until(lambda: client.stats()["running"] == 0)
    assert memory[-1] - memory[1] < 16 * 2**20


@pytest.mark.parametrize("how", ["streams", "whole answers", "one request for many", "a process"])
def test_disconnect_stops_the_generation(endless: Server, how: str) -> None:
    with ChatClient(endless.grpc_url) as client:
        wait_until(lambda: client.stats()["running"] == 0)
        before = client.stats()["totals"]
        disconnect(endless, client, how, before["requests"] + LEAVING)
        wait_until(lambda: client.stats()["running"] == 0)
        after = client.stats()["totals"]
    assert after["cancellations"] - before["cancellations"] == LEAVING


def disconnect(server: Server, client: ChatClient, how: str, total: int) -> None:
    """Ask for LEAVING answers, wait until the server has had `total` requests, and disconnect."""
    host, port = address(server)
    if how == "a process":
        given = [host, str(port), str(LEAVING), request(stream=True).hex()]
        asking = subprocess.Popen([sys.executable, "-c", KILLED, *given], stdout=subprocess.PIPE)
        assert asking.stdout is not None
        assert asking.stdout.readline() == b"begun\n"
        asking.kill()
        asking.communicate()
    else:
        answers = LEAVING if how.startswith("one") else 1  # of a request
        connections = [socket.create_connection((host, port)) for _ in range(LEAVING // answers)]
        for connection in connections:
            connection.sendall(request(stream=how == "streams", n=answers))
        wait_until(lambda: client.stats()["totals"]["requests"] == total)
        for connection in connections:
            connection.close()


def test_disconnect_does_not_affect_other_clients(api: Server) -> None:
    """The connection to the server, which other requests share, still works."""
    with httpx.Client(base_url=api.api_url, timeout=60) as web:
        for _ in range(3):
            with web.stream("POST", "/v1/completions", json={**LONG, "stream": True}) as response:
                next(response.iter_lines())
            answer = web.post("/v1/completions", json={**LONG, "max_tokens": 5})
            assert answer.json()["usage"]["completion_tokens"] == 5


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Callable[[str], openai.OpenAI]]:
    """Starts an HTTP service for the server at an address; returns OpenAI's client of it."""
    processes = []

    def start(server: str) -> openai.OpenAI:
        port = free_port()
        settings = ServiceSettings(
            api_port=port, server=server, database=f"sqlite:///{tmp_path / 'sessions.db'}"
        )
        processes.append(launched(settings, tmp_path / "api.log"))
        return openai.OpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="none", max_retries=0)

    yield start
    for process in processes:
        process.stop()


def test_service_without_a_server_answers_503(alone: Callable[[str], openai.OpenAI]) -> None:
    gpt = alone("127.0.0.1:9")
    for call in (
        gpt.models.list,
        lambda: gpt.completions.create(model="default", prompt="Hello"),
        lambda: gpt.completions.create(model="default", prompt="Hello", stream=True),
    ):
        with pytest.raises(openai.InternalServerError, match="tritonchat serve") as raised:
            call()
        assert raised.value.status_code == 503
        assert int(raised.value.response.headers["retry-after"]) > 0


# OPENAPI_EXAMPLES=200 tries as many requests of each operation.
EXAMPLES = int(os.environ.get("OPENAPI_EXAMPLES", "5"))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_service_matches_its_openapi_description(api: Server, mode: GenerationMode) -> None:
    """No request, valid or invalid by the description, gets status 500."""
    described = schemathesis.openapi.from_url(f"{api.api_url}/openapi.json")
    operations = [result.ok() for result in described.get_all_operations()]
    assert len(operations) > 10
    for operation in operations:

        @hypothesis.given(operation.as_strategy(generation_mode=mode))
        @hypothesis.settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        def attack(case: schemathesis.Case) -> None:
            case.call_and_validate(checks=CHECKS, timeout=60)

        nothing_to_get_wrong = Unsatisfiable if mode is GenerationMode.NEGATIVE else ()
        with contextlib.suppress(nothing_to_get_wrong):
            attack()
