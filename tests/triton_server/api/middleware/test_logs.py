"""The logs, metrics and probes of the HTTP service."""

import asyncio
import json
import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
import structlog
from conftest import Server
from fastapi import FastAPI
from http_service import CHAT, HELLO, Service, all_of, samples
from support import free_port

from triton_server.api import errors
from triton_server.api.middleware import access, logs
from triton_server.api.settings import ServiceSettings

KEY = "sk-correct-horse-battery"


# The log.


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("abc-123", True),
        ("a b {c} \"d\" 'e'", True),
        ("x" * 128, True),
        ("x" * 129, False),
        ("", False),
        ("caf\xe9", False),
        ("tab\there", False),
        ("bell\x07", False),
        ("\x1b[31mred", False),
    ],
)
def test_choose_request_id(given: str, kept: bool) -> None:
    assert (logs.choose_request_id(given) == given) is kept
    assert logs.choose_request_id(None) != logs.choose_request_id(None)


def test_request_id_cannot_inject_headers_or_log_lines(start: Callable[..., Service]) -> None:
    service = start(process=True)
    for evil in (
        b"a\rSet-Cookie: x=1",
        b"a\nSet-Cookie: x=1",
        b"a\r\n Set-Cookie: x=1",
        b"a\x00b",
        b"a\x0bb\x1b[2J",
        b"\xe2\x80\xa8",
        b'{"status": 200}\\n' * 20,
    ):
        raw = b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Request-Id: %s\r\n\r\n"
        head = all_of(service.connect(raw % evil)).partition(b"\r\n\r\n")[0].lower()
        assert b"set-cookie" not in head
        if b" 200 " in head:
            given = next(line for line in head.split(b"\r\n") if line.startswith(b"x-request-id: "))
            assert logs.VALID_ID.fullmatch(given.partition(b" ")[2].decode())
    assert service.requests()  # each line is valid JSON


def test_every_response_has_the_id_of_its_request(start: Callable[..., Service]) -> None:
    service = start(process=True, api_keys=(KEY,), max_body_bytes=1000)
    keyed = {"X-Api-Key": KEY}
    answers = {
        200: service.get("/v1/models", **keyed, **{"X-Request-Id": "id-200"}),
        401: service.get("/v1/models", **{"X-Request-Id": "id-401"}),
        404: service.get("/nowhere", **keyed, **{"X-Request-Id": "id-404"}),
        405: service.get(CHAT, **keyed, **{"X-Request-Id": "id-405"}),
        413: service.ask({"x": "x " * 1000}, **keyed, **{"X-Request-Id": "id-413"}),
        400: service.ask({}, **keyed, **{"X-Request-Id": "id-400"}),
    }
    for expected, answer in answers.items():
        assert answer.status_code == expected
        assert answer.headers["x-request-id"] == f"id-{expected}"
    lines = {line["id"]: line for line in service.requests(len(answers))}
    for expected in answers:
        assert lines[f"id-{expected}"]["status"] == expected


def test_each_request_has_a_log_line_without_content(start: Callable[..., Service]) -> None:
    service = start(process=True, api_keys=(KEY,))
    said = "my-secret-thought"
    body = {**HELLO, "messages": [{"role": "user", "content": said}]}
    answer = service.ask(body, Authorization=f"Bearer {KEY}", **{"X-Request-Id": "mine"})
    service.get(f"/{said}?q={said}", Authorization=f"Bearer {KEY}")
    service.get("/healthz")
    lines = service.requests(2)
    assert len(lines) == 2
    line = lines[0]
    assert line["id"] == "mine"
    assert (line["method"], line["route"], line["status"]) == ("POST", CHAT, 200)
    assert line["seconds"] > 0
    assert line["client"] == "127.0.0.1"
    assert len(line["key"]) == 8
    assert line["prompt_tokens"] == answer.json()["usage"]["prompt_tokens"]
    assert line["completion_tokens"] == 3
    assert "cached_tokens" in line
    assert "time" in line and "level" in line
    everything = service.log.read_text() + service.get("/metrics").text
    assert said not in everything
    assert KEY not in everything
    assert answer.json()["choices"][0]["message"]["content"] not in service.log.read_text()


def test_service_goes_on_when_nobody_reads_its_log() -> None:
    """A pipe that is full would block whoever writes to it."""
    reading, writing = os.pipe()
    log, lines = logging.Logger("test"), []
    with os.fdopen(reading) as pipe:
        with os.fdopen(writing, "w") as stream:
            log.addHandler(handler := logs.BackgroundHandler(stream))
            for number in range(20000):
                log.info("%d %s", number, "x" * 50)
            reader = threading.Thread(target=lambda: lines.extend(pipe))
            reader.start()
            handler.flush()
        reader.join()
    numbers = [int(line.partition(" ")[0]) for line in lines]
    assert len(numbers) > 1000 and numbers == sorted(numbers) and numbers[:1000] == list(range(1000))


def test_content_is_logged_only_with_the_setting(start: Callable[..., Service]) -> None:
    service = start(process=True, log_content=True, api_keys=(KEY,))
    answer = service.ask(**{"X-Api-Key": KEY})
    line = service.requests()[0]
    assert json.loads(line["body"]) == HELLO
    assert json.loads(line["answer"]) == answer.json()
    assert KEY not in service.log.read_text()


@pytest.mark.parametrize("log_content", [False, True])
def test_unexpected_error_is_a_500_with_an_id_and_no_content(
    log_content: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    settings = ServiceSettings(log_content=log_content)
    app = FastAPI()
    app.state.settings = settings
    errors.install(app)
    access.install(app, settings)
    logs.install(app, settings)

    @app.get("/fails")
    async def fails() -> None:
        try:
            raise KeyError("somebody's words")
        except KeyError as error:
            raise RuntimeError("more words") from error

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get("/fails", headers={"X-Request-Id": "mine"})

    former = structlog.get_config()
    logs.configure(settings)
    try:
        answer = asyncio.run(ask())
    finally:  # this process logs as before
        logs.flush()
        structlog.configure(**former)
        logging.basicConfig(handlers=[], force=True)
    assert answer.status_code == 500
    assert answer.headers["x-request-id"] == "mine"
    assert answer.json()["error"]["type"] == "server_error"
    assert "words" not in answer.text
    (line,) = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert (line["id"], line["status"], line["route"], line["level"]) == ("mine", 500, "/fails", "error")
    assert "RuntimeError" in line["exception"] and "KeyError" in line["exception"]
    assert "in fails" in line["exception"]
    assert ("more words" in line["exception"].replace('raise RuntimeError("more words")', "")) is log_content


# Supervisors.


def test_service_without_its_server(start: Callable[..., Service]) -> None:
    service = start(server=f"127.0.0.1:{free_port()}")
    assert service.get("/healthz").status_code == 200
    for _ in range(2):
        answer = service.get("/readyz")
        assert answer.status_code == 503
        assert "tritonchat serve" in answer.json()["error"]["message"]
        assert int(answer.headers["retry-after"]) > 0
    values = service.metrics()
    assert values["tritonchat_api_engine_reached"] == 0
    assert "tritonchat_requests_running" not in values
    assert values['tritonchat_api_requests_total{method="GET",route="/readyz",status="503"}'] == 2


def test_metrics_of_the_engine_and_the_service(start: Callable[..., Service]) -> None:
    service = start()
    before = service.metrics()
    assert service.ask().status_code == 200
    assert service.ask({**HELLO, "temperature": 9}).status_code == 400
    httpx.request("PROPFIND", f"{service.url}/teapot", timeout=60)
    answer = service.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    after = samples(answer.text)
    assert after["tritonchat_api_engine_reached"] == 1
    assert after["tritonchat_completion_tokens_total"] == before["tritonchat_completion_tokens_total"] + 3
    route = f'method="POST",route="{CHAT}"'
    assert after[f'tritonchat_api_requests_total{{{route},status="200"}}'] == 1
    assert after['tritonchat_api_requests_total{method="other",route="none",status="404"}'] == 1
    assert after[f'tritonchat_api_request_seconds_count{{route="{CHAT}"}}'] == 2
    assert after["tritonchat_api_received_bytes_total"] > 0


def test_server_and_service_start_together(api: Server) -> None:
    for path in ("/healthz", "/readyz", "/metrics"):
        assert httpx.get(api.api_url + path, timeout=60).status_code == 200
    values = samples(httpx.get(f"{api.api_url}/metrics", timeout=60).text)
    assert values["tritonchat_engine_up"] == values["tritonchat_api_engine_reached"] == 1


def test_simultaneous_probes_query_the_server_once(start: Callable[..., Service]) -> None:
    service = start()
    codes: list[int] = []
    threads = [
        threading.Thread(target=lambda: codes.append(service.get("/readyz").status_code)) for _ in range(50)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert codes == [200] * 50
