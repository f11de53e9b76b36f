"""What fails, breaks off or is left by its client is told so, and what is wrong harms nobody."""

# ruff: noqa: F811 - arguments have the names of imported fixtures

import contextlib
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from collector import Collector
from conftest import Server
from http_service import CHAT, HELLO, services
from test_tracing import GIVEN, PARENT, TRACE, named, proxy_of
from traced_services import collector, start  # noqa: F401 - fixtures
from tritonclient.grpc.service_pb2 import ModelInferRequest, ModelStreamInferResponse

from model_core.errors import InvalidRequest
from triton_server.contract.request_fields import Request
from triton_server.proxy.grpc_answer import GrpcAnswer
from triton_server.proxy.grpc_messages import make_piece, read_json, write_json
from triton_server.proxy.traces import describe_server, traced_call
from triton_server.tracing import spans
from triton_server.tracing.spans import traced

ENDLESS = {**HELLO, "max_tokens": 40_000, "stream": True}
_NS = 1_000_000_000


@contextlib.contextmanager
def answering(status: int, body: bytes, length: int) -> Iterator[str]:
    """A server that is ready, and answers each POST so. A `length` above that of the body breaks off."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://user:secret@127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("status", "length", "of_proxy", "of_server"),
    [
        (200, 2, None, None),
        (400, 2, None, "400"),
        (500, 2, "500", "500"),
        (503, 2, "503", "503"),
        (200, 9, "server_unavailable", "RemoteProtocolError"),
    ],
)
def test_a_proxy_tells_what_its_server_has_answered(
    collector: Collector, status: int, length: int, of_proxy: str | None, of_server: str | None
) -> None:
    with answering(status, b"{}", length) as server, proxy_of(server, wait_s=0.1) as url:
        httpx.post(f"{url}/v1/embeddings", json={"input": "x"}, timeout=60)
        found = collector.wait_for("proxy POST", "ask server")
    proxy, asked = named(found, "proxy POST"), named(found, "ask server")
    assert (proxy.failed, proxy.attributes.get("error.type")) == (of_proxy is not None, of_proxy)
    assert (asked.failed, asked.attributes.get("error.type")) == (of_server is not None, of_server)
    assert asked.attributes["http.response.status_code"] == status
    assert asked.attributes["server.address"] == "127.0.0.1"
    assert asked.attributes["server.port"] == int(server.rsplit(":", 1)[1])
    assert b"secret" not in collector.raw


def test_the_address_of_a_server_is_told_alone() -> None:
    assert describe_server("https://[::1]/x") == {"server.address": "::1", "server.port": None}


def test_a_request_without_a_server_fails(collector: Collector) -> None:
    with answering(200, b"{}", 2) as server, proxy_of(server, wait_s=0.1) as url:
        pass
    assert url
    with answering(200, b"", 0) as server:
        context = proxy_of(server, wait_s=0.1)
        url = context.__enter__()
    with contextlib.ExitStack() as stack:
        stack.push(context.__exit__)
        assert httpx.post(f"{url}/v1/embeddings", json={}, timeout=60).status_code == 503
        found = collector.wait_for("proxy POST")
    proxy = named(found, "proxy POST")
    assert proxy.failed and proxy.attributes["error.type"] == "server_unavailable"
    assert proxy.attributes["http.response.status_code"] == 503


def test_a_client_that_leaves_is_told_everywhere(
    endless: Server, collector: Collector, tmp_path: Path
) -> None:
    with services(endless.grpc_url, tmp_path) as start:
        service = start(otlp_endpoint=collector.url)
        with proxy_of(service.url) as url:
            with httpx.stream("POST", url + CHAT, json=ENDLESS, timeout=60) as answer:
                assert next(answer.iter_raw())
            found = collector.wait_for("proxy POST", "ask server", f"POST {CHAT}")
    for name in ("proxy POST", "ask server", f"POST {CHAT}"):
        span = named(found, name)
        assert (span.failed, span.attributes["error.type"]) == (True, "disconnected"), name


def test_an_answer_that_fails_after_its_start_is_told(
    endless: Server, collector: Collector, tmp_path: Path
) -> None:
    """Its status is 200. That of a request which is refused says enough."""
    with services(endless.grpc_url, tmp_path) as start:
        service = start(otlp_endpoint=collector.url)
        body = {**ENDLESS, "timeout_s": 0.2}
        answer = httpx.post(service.url + CHAT, json=body, timeout=60)
        assert answer.status_code == 200 and "error" in answer.text
        span = named(collector.wait_for(f"POST {CHAT}"), f"POST {CHAT}")
        assert (span.failed, span.attributes["error.type"]) == (True, "timeout")
        collector.spans.clear()
        prompt = [{"role": "user", "content": "x " * 100_000}]
        answer = httpx.post(service.url + CHAT, json={**HELLO, "messages": prompt}, timeout=60)
        assert answer.status_code == 400
        assert not named(collector.wait_for(f"POST {CHAT}"), f"POST {CHAT}").failed


@pytest.mark.parametrize(
    ("timings", "parts"),
    [
        ((None, None, 4.0), {"queue": 4.0}),
        ((1.0, None, 4.0), {"queue": 1.0, "prefill": 3.0}),
        ((1.0, 3.0, 4.0), {"queue": 1.0, "prefill": 2.0, "decode": 1.0}),
        ((None, 3.0, 4.0), {"prefill": 3.0, "decode": 1.0}),
        ((None, None, None), {}),
    ],
)
def test_the_parts_of_an_answer_have_its_times(
    collector: Collector, timings: tuple[float | None, ...], parts: dict[str, float]
) -> None:
    end = time.time_ns()
    with traced("answer", "SERVER", None) as span:
        assert span is not None
        spans.install(None)  # the process ends; what was begun is told
        span.add_times(dict(zip(("queue", "first_token", "total"), timings, strict=True)), end)
    found = [each for each in collector.wait_for("answer", *parts) if each.kind == "INTERNAL"]
    assert {each.name: (each.end - each.start) / _NS for each in found} == parts
    assert not found or max(each.end for each in found) == end


def ask_for_answer(model: str = "chat_stream", **parameters: Any) -> ModelInferRequest:
    """A request of one row over gRPC."""
    request = ModelInferRequest(model_name=model, raw_input_contents=[b'"Hello"'])
    request.inputs.add(name="messages", datatype="UINT8", shape=[7])
    if parameters:
        write_json(request, "parameters", parameters)
    return request


def test_answers_over_grpc_that_fail_are_told(collector: Collector) -> None:
    request = ask_for_answer()
    error = {"error": {"message": "x", "type": "invalid_request"}, "finish_reason": "error"}
    piece = ModelStreamInferResponse.FromString(make_piece(request, "", error))
    for kind, fail in {
        "server_unavailable": lambda answer: answer.render_failure("no server."),
        "server_error": lambda answer: answer.take(
            ModelStreamInferResponse(error_message="x").SerializeToString(), True
        ),
        "invalid_request": lambda answer: answer.take(piece.SerializeToString(), True),
    }.items():
        collector.spans.clear()
        with traced_call(request, None):
            fail(GrpcAnswer(request, lambda: False))
        span = named(collector.wait_for("proxy chat_stream"), "proxy chat_stream")
        assert (span.failed, span.attributes["error.type"]) == (True, kind)


@pytest.mark.parametrize("wrong", [f"00-{'0' * 32}-{PARENT}-01", f"ff-{TRACE}-{PARENT}-01", "", "x", 7])
def test_wrong_fields_are_refused(collector: Collector, wrong: Any) -> None:
    """By the server, to which a proxy passes them as they are."""
    with pytest.raises(InvalidRequest, match="traceparent"):
        Request(messages="Hello", traceparent=wrong)
    request = ask_for_answer(traceparent=wrong)
    with traced_call(request, GIVEN["traceparent"]) as has_changed:
        assert not has_changed
    assert read_json(request, "parameters") == {"traceparent": wrong}
    assert named(collector.wait_for("proxy chat_stream"), "proxy chat_stream").parent == PARENT


@pytest.mark.parametrize("parent", [GIVEN["traceparent"], None])
def test_inputs_without_contents_pass(collector: Collector, parent: str | None) -> None:
    """Triton says what is wrong with them, or finds them in shared memory."""
    for inputs in (["messages"], ["messages", "parameters"], [], ["parameters"]):
        request = ModelInferRequest(model_name="chat")
        for name in inputs:
            request.inputs.add(name=name, datatype="UINT8", shape=[1, 7])
        with traced_call(request, parent):
            assert not request.raw_input_contents
            assert [each.name for each in request.inputs][: len(inputs)] == inputs
            assert all(not each.HasField("contents") for each in request.inputs if each.name in inputs)


def test_without_spans_nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: Any) -> None:
        raise AssertionError("a large request costs time on the event loop")

    monkeypatch.setattr("triton_server.proxy.traces._read_parameters", read)
    with traced_call(ask_for_answer(), None) as has_changed:
        assert not has_changed
