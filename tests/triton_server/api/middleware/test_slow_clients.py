"""Slow clients: they do not read, do not send, disconnect, or open many streams."""

import socket
import ssl
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from conftest import Server
from http_service import HELLO, Service, all_of, posted, samples, status
from support import wait_until

COMPLETIONS = "/v1/completions"
# A time limit for clients that is short, but not for a client of this process on a busy machine.
TIMEOUT_S = 1.5
# Some megabytes of events: no kernel holds them for a client that does not read.
LONG = {
    "model": "default",
    "prompt": "Once upon a time",
    "max_tokens": 900,
    "ignore_eos": True,
    "logprobs": 5,
    "stream": True,
}


def test_max_streams_limits_streams(start: Callable[..., Service]) -> None:
    service = start(max_streams=12)
    # Each stream has more bytes than the client reads, so all stay open.
    open_streams = [service.post(COMPLETIONS, {**LONG, "n": 4}) for _ in range(3)]
    for stream in open_streams:
        assert status(stream.recv(4096)) == 200
    refused = service.ask()
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == "1"
    assert "--max-streams" in refused.json()["error"]["message"]
    assert service.get("/readyz").status_code == 200
    assert service.metrics()["tritonchat_api_answers_open"] == 12
    for stream in open_streams:
        stream.close()
    wait_until(lambda: service.metrics()["tritonchat_api_answers_open"] == 0)
    assert service.ask().status_code == 200


def test_n_answers_count_as_n_streams(start: Callable[..., Service]) -> None:
    service = start(max_streams=3)
    before = service.metrics()["tritonchat_requests_running"]
    assert service.ask({**HELLO, "n": 4}).status_code == 400  # more answers than one client can ever have
    assert service.ask({**HELLO, "n": 3}).status_code == 200
    values = service.metrics()
    assert values["tritonchat_api_answers_open"] == values["tritonchat_requests_running"] == before == 0


def test_client_that_never_reads_is_disconnected(start: Callable[..., Service]) -> None:
    service = start(process=True, client_timeout_s=TIMEOUT_S)
    before = service.metrics()
    stuck = [service.post(COMPLETIONS, {**LONG, "n": 16}) for _ in range(3)]
    wait_until(lambda: service.metrics()["tritonchat_api_cut_off_total"] == 3)
    wait_until(lambda: service.metrics()["tritonchat_requests_running"] == 0)
    after = service.metrics()
    assert after["tritonchat_api_answers_open"] == 0
    cancelled = after["tritonchat_cancellations_total"] - before["tritonchat_cancellations_total"]
    assert cancelled > 0
    for connection in stuck:
        assert b"[DONE]" not in all_of(connection)
    cut = [line for line in service.requests(3) if line["method"] == "POST"]
    assert [line["complete"] for line in cut] == [False] * 3


def test_client_that_never_reads_is_disconnected_over_tls(
    start: Callable[..., Service], certificate: Path
) -> None:
    service = start(
        process=True,
        tls_cert=str(certificate / "cert.pem"),
        tls_key=str(certificate / "key.pem"),
        client_timeout_s=TIMEOUT_S,
    )
    context = ssl.create_default_context(cafile=certificate / "ca.pem")
    stuck = context.wrap_socket(service.connect(b""), server_hostname="localhost")
    stuck.sendall(posted(COMPLETIONS, {**LONG, "n": 16}))
    with httpx.Client(base_url=f"https://localhost:{service.port}", verify=context, timeout=60) as client:
        wait_until(lambda: samples(client.get("/metrics").text)["tritonchat_api_cut_off_total"] == 1)
        assert client.get("/readyz").status_code == 200
    assert [line["complete"] for line in service.requests() if line["method"] == "POST"] == [False]
    stuck.close()


def test_slow_reader_gets_the_complete_response(start: Callable[..., Service]) -> None:
    service = start()
    connection = service.post(COMPLETIONS, {**LONG, "n": 2})
    received = b""
    while not received.endswith(b"0\r\n\r\n"):
        received += connection.recv(65536)
        time.sleep(0.02)
    assert b"data: [DONE]" in received
    assert service.metrics()["tritonchat_api_cut_off_total"] == 0


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"POST /v1/chat/completions HTT",
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90\r\n\r\n{",
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
    ids=["nothing", "half a line", "half a header", "half a body", "no chunk"],
)
def test_client_that_sends_half_a_request_is_disconnected(start: Callable[..., Service], sent: bytes) -> None:
    service = start(client_timeout_s=TIMEOUT_S)
    all_of(service.connect(sent))  # returns when the service has closed the connection
    wait_until(lambda: service.metrics()["tritonchat_api_cut_off_total"] == 1)


def test_client_that_sends_too_slowly_is_disconnected(start: Callable[..., Service]) -> None:
    service = start(client_timeout_s=TIMEOUT_S)
    connection = service.connect(b"GET / HTTP/1.1\r\n")
    with pytest.raises(ConnectionError):
        while True:
            connection.sendall(b"X-A: b\r\n")
            time.sleep(0.05)
    assert service.get("/healthz").status_code == 200


def test_line_ends_do_not_keep_a_connection_open(start: Callable[..., Service]) -> None:
    service = start(client_timeout_s=TIMEOUT_S)
    connection = service.connect(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert status(connection.recv(4096)) == 200
    connection.sendall(b"\r\n")
    all_of(connection)


def test_endless_trailers_are_disconnected(start: Callable[..., Service]) -> None:
    head = b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    connection = start().connect(head + b"2\r\n{}\r\n0\r\n")
    with pytest.raises(ConnectionError):
        for _ in range(200):
            connection.sendall(b"X: " + b"x" * 60_000 + b"\r\n")
            time.sleep(0.01)


def test_large_response_may_take_long(start: Callable[..., Service]) -> None:
    """As long as the client reads some of it now and then."""
    timeout_s = 6.0
    service = start(client_timeout_s=timeout_s)
    body = {**LONG, "stream": False, "logprobs": 10, "n": 2}
    connection = service.post(COMPLETIONS, body)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    received = connection.recv(4096)
    assert status(received) == 200
    began = time.monotonic()
    while time.monotonic() - began < timeout_s + 1:  # slowly, but much faster than the slowest allowed
        received += connection.recv(8192)
        time.sleep(0.1)
    while not (received.endswith(b"}") and b'"usage"' in received[-400:]):
        some = connection.recv(65536)
        assert some
        received += some
    assert len(received) > 2**18  # far more than the kernel holds
    assert service.metrics()["tritonchat_api_cut_off_total"] == 0


def test_disconnect_is_noticed_after_a_pipelined_request(start: Callable[..., Service]) -> None:
    service = start(process=True, client_timeout_s=0)
    connection = service.connect(posted(COMPLETIONS, LONG) + posted(COMPLETIONS, LONG))
    assert status(connection.recv(4096)) == 200
    connection.close()
    wait_until(lambda: service.metrics()["tritonchat_requests_running"] == 0)
    assert [line["complete"] for line in service.requests() if line["method"] == "POST"] == [False]


def test_endless_header_is_disconnected(start: Callable[..., Service]) -> None:
    service = start(process=True)
    before = service.process.memory_info().rss
    connection = service.connect(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
    with pytest.raises(ConnectionError):
        while True:
            connection.sendall(b"X-A: " + b"b" * 65536 + b"\r\n")
    assert service.process.memory_info().rss - before < 16 * 2**20
    assert service.get("/healthz").status_code == 200


def test_engine_is_idle_after_the_client_disconnects(start: Callable[..., Service], endless: Server) -> None:
    service = start(server=endless.grpc_url)
    before = service.metrics()
    body = {"model": "default", "prompt": "Hello", "max_tokens": 40_000, "n": 4, "stream": True}
    streams = [service.post(COMPLETIONS, body) for _ in range(8)]
    for stream in streams:
        assert status(stream.recv(4096)) == 200
    assert service.metrics()["tritonchat_requests_running"] > 0
    for stream in streams:
        stream.close()
    wait_until(lambda: service.metrics()["tritonchat_requests_running"] == 0)
    wait_until(lambda: service.metrics()["tritonchat_api_answers_open"] == 0)
    after = service.metrics()
    assert after["tritonchat_requests_waiting"] == 0
    assert after['tritonchat_kv_pages{state="used"}'] == 0
    assert after["tritonchat_cancellations_total"] > before["tritonchat_cancellations_total"]
    wait_until(lambda: service.metrics()["tritonchat_api_requests_open"] == 1)  # the request for the metrics
