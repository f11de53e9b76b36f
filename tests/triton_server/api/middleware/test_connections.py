"""Connections over HTTP: how long idle ones stay, and clients of HTTP/1.0."""

import json
import socket
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from conftest import Server
from http_service import CHAT, HELLO, Service, all_of
from test_proxy import proxying

from triton_server.api.program import uvicorn_options
from triton_server.api.settings import ServiceSettings
from triton_server.cli.tritonchat import cli
from triton_server.proxy import command

SEEDED = {**HELLO, "seed": 3, "temperature": 0.8, "max_tokens": 20}


def request(version: str, body: dict[str, object]) -> bytes:
    """A request of this version of HTTP, which may be followed by others."""
    content = json.dumps(body)
    return (
        f"POST {CHAT} HTTP/{version}\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\nConnection: keep-alive\r\n\r\n{content}"
    ).encode()


def connect(url: str, sent: bytes) -> socket.socket:
    address = urlsplit(url)
    connection = socket.create_connection((address.hostname, address.port), timeout=60)
    connection.sendall(sent)
    return connection


def test_idle_connections_stay_longer_than_those_of_load_balancers() -> None:
    for options in (uvicorn_options(ServiceSettings()), command.uvicorn_options(None, "localhost", 1, 75)):
        assert options["timeout_keep_alive"] == 75
    for words in (["serve", "--help-all"], ["up", "--help-all"], ["proxy", "--help"]):
        text = " ".join(CliRunner().invoke(cli, words).output.split())
        assert "--keep-alive-timeout TIME" in text and "default: 75" in text


def test_flag_sets_when_idle_connections_are_closed(start: Callable[..., Service], server: Server) -> None:
    service = start(keep_alive_timeout_s=0)
    with proxying([server.api_url], keep_alive_timeout_s=0) as proxy:
        for url in (service.url, proxy):
            with connect(url, request("1.1", SEEDED)) as connection:
                answer = all_of(connection)  # it ends, although the client would keep it
                assert answer.startswith(b"HTTP/1.1 200") and b"connection: close" not in answer


@pytest.mark.parametrize("streamed", [True, False])
def test_client_of_http_1_0_gets_a_body_without_chunks(server: Server, streamed: bool) -> None:
    body = {**SEEDED, "stream": streamed}
    with proxying([server.api_url]) as proxy:
        for url in (server.api_url, proxy):
            with connect(url, request("1.0", body)) as connection:
                head, _, content = all_of(connection).partition(b"\r\n\r\n")
            assert b"transfer-encoding" not in head.lower()
            assert (b"content-length" in head.lower()) is not streamed
            assert b"connection: close" in head.lower()
            lines = [line for line in content.decode().splitlines() if line and line[0] != ":"]
            if streamed:
                assert lines.pop() == "data: [DONE]"
            for line in lines:
                assert json.loads(line.removeprefix("data: "))["choices"]
