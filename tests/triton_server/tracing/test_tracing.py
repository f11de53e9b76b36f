"""Traces: one goes through the proxy, the service and the engine, and the collector harms nobody."""

# ruff: noqa: F811 - arguments have the names of imported fixtures

import asyncio
import base64
import contextlib
import io
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from collector import Collector, SeenSpan
from http_service import CHAT, HELLO, Service, services
from in_process import Endpoints, served
from paths import TESTS
from PIL import Image
from support import free_port, wait_until
from traced_services import collector, start  # noqa: F401 - fixtures
from tritonclient.grpc.service_pb2 import ModelInferRequest

from model_core.errors import InvalidRequest, TritonchatError
from triton_server.client import ChatClient
from triton_server.engine.upstream.pool import create_upstream_pool
from triton_server.proxy.app import Proxy
from triton_server.proxy.grpc_messages import read_json
from triton_server.proxy.replicas import Replicas
from triton_server.proxy.traces import traced_call
from triton_server.settings.values import read_collector
from triton_server.tracing import export
from triton_server.tracing.spans import find_traceparent, start_span

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
GIVEN = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
SECRET = "what-nobody-may-read"
ASKED = {**HELLO, "messages": [{"role": "user", "content": SECRET}], "temperature": 0.5, "seed": 3}


@contextlib.contextmanager
def proxy_of(*urls: str, wait_s: float = 60) -> Iterator[str]:
    """The address of a proxy of these servers."""
    port = free_port()
    config = uvicorn.Config(Proxy(Replicas(list(urls)), 2**20, wait_s), port=port, log_level="critical")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    wait_until(lambda: server.started and httpx.get(f"http://127.0.0.1:{port}/readyz").status_code == 200)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(60)


def named(spans: list[SeenSpan], name: str) -> SeenSpan:
    (span,) = (span for span in spans if span.name == name)
    return span


def test_one_trace_goes_through_proxy_service_and_engine(
    start: Callable[..., Service], collector: Collector
) -> None:
    with proxy_of(start().url) as url:
        assert httpx.get(f"{url}/readyz").status_code == 200
        body = {**ASKED, "stream": True}
        answer = httpx.post(url + CHAT, json=body, headers=GIVEN, timeout=60)
        assert answer.status_code == 200
    spans = collector.wait_for("proxy POST", "ask server", f"POST {CHAT}", "chat embedded", "decode")
    assert all(span.trace == TRACE for span in spans if span.name != "GET /v1/models"), "/readyz has none"
    spans = [span for span in spans if span.trace == TRACE]
    way = ["proxy POST", "ask server", f"POST {CHAT}", "chat embedded"]
    parent = PARENT
    for name, kind in zip(way, ("SERVER", "CLIENT", "SERVER", "SERVER"), strict=True):
        span = named(spans, name)
        assert (span.parent, span.kind, span.failed) == (parent, kind, False), name
        parent = span.id
    served, engine = named(spans, f"POST {CHAT}"), named(spans, "chat embedded")
    parts = [named(spans, name) for name in ("queue", "prefill", "decode")]
    for part, following in zip(parts, [*parts[1:], None], strict=True):
        assert part.parent == engine.id and part.start <= part.end
        assert following is None or part.end == following.start
    for span in (served, engine):
        about = span.attributes
        assert about["gen_ai.operation.name"] == "chat"
        assert about["gen_ai.provider.name"] == "tritonchat"
        assert about["gen_ai.request.model"] == "default"
        assert about["gen_ai.response.model"] == "embedded"
        assert about["gen_ai.request.max_tokens"] == about["gen_ai.usage.output_tokens"] == 3
        assert about["gen_ai.request.temperature"] == 0.5
        assert about["gen_ai.response.finish_reasons"] == ["length"]
        assert about["gen_ai.usage.input_tokens"] > 0
    assert served.attributes["http.response.status_code"] == 200
    assert served.attributes["http.route"] == CHAT
    assert named(spans, "proxy POST").attributes["http.response.status_code"] == 200
    assert SECRET.encode() not in collector.raw


def test_all_kinds_of_requests_have_spans(start: Callable[..., Service], collector: Collector) -> None:
    service = start()
    for path, body in {
        "/v1/embeddings": {"model": "default", "input": SECRET},
        "/api/generate": {"model": "default", "prompt": SECRET, "options": {"num_predict": 2}},
        "/v1/responses": {"input": SECRET, "max_output_tokens": 2},
        "/tokenize": {"prompt": SECRET},
    }.items():
        assert httpx.post(service.url + path, json=body, timeout=60).status_code == 200
    wrong = httpx.post(service.url + CHAT, json={**ASKED, "seed": 2**70}, timeout=60)
    many = httpx.post(service.url + CHAT, json={**ASKED, "n": 2, "model": "x" * 5000}, timeout=60)
    assert (wrong.status_code, many.status_code) == (400, 404)
    httpx.post(service.url + CHAT, json={**ASKED, "n": 2}, timeout=60)
    named_in_body = httpx.post(service.url + CHAT, json={**ASKED, **GIVEN}, timeout=60)
    assert named_in_body.headers["x-ignored-fields"] == "traceparent", "over HTTP it is a header"
    assert service.get("/healthz").status_code == 200
    spans = collector.wait_for("embeddings embedded", "POST /tokenize", "POST /v1/responses")
    operations = {
        span.attributes["http.route"]: span.attributes.get("gen_ai.operation.name")
        for span in spans
        if "http.route" in span.attributes
    }
    assert operations["/v1/embeddings"] == "embeddings"
    assert operations["/api/generate"] in ("chat", "text_completion")
    assert operations["/v1/responses"] == "chat"
    assert operations["/tokenize"] is None
    wait_until(
        lambda: any(len(s.attributes.get("gen_ai.response.finish_reasons", ())) == 2 for s in collector.spans)
    )
    assert max(len(str(value)) for span in collector.spans for value in span.attributes.values()) <= 256
    assert SECRET.encode() not in collector.raw and b"healthz" not in collector.raw


def tensor(name: str, values: list[Any]) -> dict[str, Any]:
    """JSON in rows, as an input of KServe's protocol."""
    texts = [json.dumps(value) for value in values]
    size = max(map(len, texts))
    rows = [list(text.ljust(size).encode()) for text in texts]
    return {"name": name, "datatype": "UINT8", "shape": [len(rows), size], "data": rows}


def test_rows_of_kserve_are_parts_of_their_request(
    start: Callable[..., Service], collector: Collector
) -> None:
    """But for those that name another trace themselves."""
    infer, generate, embed = (
        f"/v2/models/{{model}}/{call}" for call in ("infer", "generate", "versions/{version}/infer")
    )
    own = [{"max_tokens": 2, "seed": 1, "model": "default"}, {"max_tokens": 2, "seed": 2, **GIVEN}]
    inputs = [tensor("messages", [ASKED["messages"]] * 2), tensor("parameters", own)]
    service = start()
    for route, model, body in (
        (infer, "chat", {"inputs": inputs}),
        (embed, "embed", {"inputs": [tensor("texts", [[SECRET]])]}),
        (generate, "chat", {"text_input": SECRET, "max_tokens": 2}),
    ):
        path = route.format(model=model, version=1)
        assert httpx.post(service.url + path, json=body, timeout=60).status_code == 200
    names = f"POST {infer}", f"POST {embed}", f"POST {generate}"
    spans = collector.wait_for(*names, "embeddings embedded", "text_completion embedded")
    asked, embedded, generated = (named(spans, name) for name in names)
    assert {s.parent for s in spans if s.name == "chat embedded"} == {asked.id, PARENT}
    assert named(spans, "embeddings embedded").parent == embedded.id
    assert named(spans, "text_completion embedded").parent == generated.id
    about = asked.attributes
    assert about["gen_ai.operation.name"] == "chat" and about["gen_ai.request.max_tokens"] == 2
    assert "gen_ai.request.seed" not in about, "the rows do not agree"
    assert about["gen_ai.usage.output_tokens"] == 4
    assert about["gen_ai.response.finish_reasons"] == ["length"] * 2
    about = embedded.attributes
    assert about["gen_ai.operation.name"] == "embeddings" and about["gen_ai.request.model"] == "embedded"
    assert about["gen_ai.usage.input_tokens"] > 0
    assert SECRET.encode() not in collector.raw


@pytest.mark.parametrize(
    ("what", "error"), [("get_weather", None), ("fail", "tool_error"), ("refuse", "-32602")]
)
def test_calls_of_tools_are_parts_of_their_answer(
    reciter: Endpoints, collector: Collector, tmp_path: Path, what: str, error: str | None
) -> None:
    program = str(TESTS / "helpers" / "servers" / "raw_mcp_server.py")
    server = {"command": sys.executable, "args": [program, str(tmp_path), what], "approval": "never"}
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"weather": server}}))
    body = {"messages": [{"role": "user", "content": SECRET}], "mcp": True, "seed": 1}
    with services(reciter.grpc_url, tmp_path) as starter:
        answer = starter(otlp_endpoint=collector.url, mcp_config=file).ask(body)
    (call,) = answer.json()["choices"][0]["message"]["mcp_calls"]
    spans = collector.wait_for("tools/call get_weather", f"POST {CHAT}")
    asked, tool = named(spans, f"POST {CHAT}"), named(spans, "tools/call get_weather")
    assert (tool.parent, tool.kind, tool.failed) == (asked.id, "CLIENT", error is not None)
    about = {
        "mcp.method.name": "tools/call",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get_weather",
        "tritonchat.mcp_server": "weather",
    }
    assert tool.attributes == about | ({} if error is None else {"error.type": error})
    wait_until(lambda: sum(span.name.startswith("chat ") for span in collector.spans) == 2)
    first, second = sorted(
        (span for span in collector.spans if span.name.startswith("chat ")), key=lambda span: span.start
    )
    assert first.parent == second.parent == asked.id
    assert first.end <= tool.end and tool.start <= second.start
    assert asked.attributes["gen_ai.response.finish_reasons"] == ["tool_calls", "stop"]
    text = call.get("output") or call["error"].get("message") or call["error"]["content"][0]["text"]
    for secret in (SECRET, call["arguments"], text):
        assert secret and secret.encode() not in collector.raw


def test_tokens_of_images_are_counted(seeing: Endpoints, collector: Collector, tmp_path: Path) -> None:
    Image.new("RGB", (64, 64), "red").save(picture := io.BytesIO(), "PNG")
    data = base64.b64encode(picture.getvalue()).decode()
    part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
    with services(seeing.grpc_url, tmp_path) as starter:
        body = {**HELLO, "messages": [{"role": "user", "content": [part]}]}
        answer = starter(otlp_endpoint=collector.url).ask(body)
    assert answer.status_code == 200, answer.text
    collector.wait_for("decode", f"POST {CHAT}")
    counted = [s.attributes["tritonchat.usage.image_tokens"] for s in collector.spans if s.kind == "SERVER"]
    assert len(counted) == 2 and counted[0] == counted[1] > 0
    assert data.encode() not in collector.raw


def test_a_trace_goes_on_in_another_engine(
    several: Endpoints, start: Callable[..., Service], collector: Collector
) -> None:
    pool = create_upstream_pool([(None, "embedded")], 64, 256, f"{start().url}/v1")
    pool.load_all()
    with served(pool) as grpc_url, ChatClient(grpc_url) as client:
        client.chat(HELLO["messages"], max_tokens=2, **GIVEN)
        collector.wait_for("decode")
        wait_until(lambda: sum(span.name == "chat embedded" for span in collector.spans) == 2)
        with pytest.raises(InvalidRequest, match="traceparent"):
            client.chat(HELLO["messages"], traceparent="00-0-0-01")
    spans = [span for span in collector.spans if span.trace == TRACE]
    front = next(span for span in spans if span.parent == PARENT)
    service = named(spans, f"POST {CHAT}")
    assert service.parent == front.id
    assert any(span.parent == service.id and span.name == "chat embedded" for span in spans)
    parts = [span for span in spans if span.parent == front.id and span.kind == "INTERNAL"]
    assert [span.name for span in parts] == ["prefill", "decode"], "how long it is queued there, nobody says"
    assert min(span.end - span.start for span in parts) > 0


def test_wrong_parents_begin_a_trace(start: Callable[..., Service], collector: Collector) -> None:
    service, wrong = start(), ("", "x", f"00-{'0' * 32}-{PARENT}-01", f"ff-{TRACE}-{PARENT}-01", "a" * 9000)
    for text in (*wrong, f"00-{TRACE}-{PARENT}-01-more", f"00-{TRACE.upper()}-{PARENT}-01"):
        assert find_traceparent({"traceparent": text}) is None
        assert service.get("/v1/models", traceparent=text).status_code == 200
    later = f"01-{TRACE}-{PARENT}-01-more"
    assert find_traceparent({"traceparent": later}) == later[:55]
    wait_until(lambda: sum(span.name == "GET /v1/models" for span in collector.spans) == 7)
    assert all(span.parent == "" and span.trace != TRACE for span in collector.spans)


def test_requests_that_are_not_sampled_send_nothing(
    start: Callable[..., Service], collector: Collector
) -> None:
    service = start()
    not_sampled = {"traceparent": f"00-{TRACE}-{PARENT}-00"}
    assert httpx.post(service.url + CHAT, json=ASKED, headers=not_sampled, timeout=60).status_code == 200
    assert service.get("/v1/models").status_code == 200
    collector.wait_for("GET /v1/models")
    assert all(span.trace != TRACE for span in collector.spans)


def test_without_a_collector_nothing_is_done(several: Endpoints, tmp_path: Path) -> None:
    assert start_span("x", "SERVER") is None
    with services(several.grpc_url, tmp_path) as start:
        assert start().ask(traceparent=GIVEN["traceparent"]).status_code == 200
    program = (
        "import sys, triton_server.tracing.export; print([*filter(lambda n: 'telemetry' in n, sys.modules)])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout == b"[]\n"


@pytest.mark.parametrize("is_hanging", [True, False])
def test_a_dead_or_hanging_collector_harms_nobody(
    several: Endpoints, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_hanging: bool
) -> None:
    """Nobody waits for it but the end of the process, and that for a moment."""
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "16")
    monkeypatch.setattr(export, "_LAST_SPANS_S", 0.2)
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "8")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1] if is_hanging else free_port()
        with services(several.grpc_url, tmp_path) as start:
            service = start(otlp_endpoint=f"http://127.0.0.1:{port}")
            for _ in range(20):  # more spans than may wait
                assert service.get("/v1/models").status_code == 200
            assert service.ask().status_code == 200
        assert start_span("x", "SERVER") is None


def test_what_is_asked_for_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_collector("http://a:4318") == read_collector("http://a:4318/") == "http://a:4318/v1/traces"
    assert read_collector("https://a/x/v1/traces") == "https://a/x/v1/traces"
    for wrong in ("a:4318", "grpc://a", "http://", "http://a?b=c"):
        with pytest.raises(ValueError, match="collector"):
            read_collector(wrong)
    monkeypatch.setattr(export, "find_spec", lambda name: None)
    with pytest.raises(TritonchatError, match="install 'opentelemetry-sdk"):
        export.check_packages()


@pytest.mark.parametrize("is_on", [True, False])
def test_the_proxy_passes_traces_of_grpc_on(request: pytest.FixtureRequest, is_on: bool) -> None:
    """In the parameters, for Triton. What is no request for an answer stays as it is."""
    if is_on:
        collector: Collector = request.getfixturevalue("collector")
    asked = ModelInferRequest(model_name="chat_stream", raw_input_contents=[b'"Hello"'])
    asked.inputs.add(name="messages", datatype="UINT8", shape=[7])
    with traced_call(asked, GIVEN["traceparent"]) as has_changed:
        assert has_changed
    passed = read_json(asked, "parameters")["traceparent"]
    assert passed.split("-")[1] == TRACE
    assert (passed != GIVEN["traceparent"]) == is_on
    if is_on:
        (span,) = collector.wait_for("proxy chat_stream")
        assert (span.parent, span.id) == (PARENT, passed.split("-")[2])
        asked.model_name = f"chat-{'x' * 5000}"
        with traced_call(asked, None):
            pass
        assert len(collector.wait_for(f"proxy {asked.model_name}"[:256])) == 2
    health = ModelInferRequest(model_name="chat_stream", raw_input_contents=[b'{"health": true}'])
    health.inputs.add(name="messages", datatype="UINT8", shape=[16])
    for other in (health, ModelInferRequest(model_name="chat_control"), ModelInferRequest(model_name="x")):
        before = other.SerializeToString()
        with traced_call(other, GIVEN["traceparent"]) as has_changed:
            assert not has_changed
        assert other.SerializeToString() == before
