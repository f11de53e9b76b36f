"""gRPC without Triton answers as Triton does, and neither wrong requests nor clients that leave harm it."""

import contextlib
import json
import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from conftest import Server
from infer_requests import STREAMED, TWO_ROWS, list_requests, make_request, set_parameter
from support import free_port, pool_of, wait_until
from tritonclient.grpc import service_pb2 as messages
from tritonclient.grpc.service_pb2_grpc import GRPCInferenceServiceStub

from model_core import LLM
from model_core.errors import ShuttingDown, TritonchatError
from triton_server.client import ChatClient
from triton_server.contract.grpc_service import HEALTH_CHECK, SERVICE
from triton_server.contract.tensors import CHAT, CHAT_CONTROL, CHAT_STREAM, EMBED, READY
from triton_server.engine.kserve import server as kserve
from triton_server.engine.kserve import service
from triton_server.engine.kserve.server import GrpcServer
from triton_server.engine.models.model_pool import ModelPool, create_pool
from triton_server.engine.serving import inference
from triton_server.engine.serving.address import Address
from triton_server.system.tls import TlsFiles

LONG = b'{"max_tokens": 40000}'  # of the endless model: minutes
ENDLESS = (STREAMED[0], ("parameters", (len(LONG),), LONG))
ENDLESS_ROW = [(name, (1, *shape), data) for name, shape, data in ENDLESS]


@dataclass(frozen=True)
class Alone:
    """A server without Triton, and how it is asked."""

    server: GrpcServer
    stub: GRPCInferenceServiceStub
    client: ChatClient
    metrics_url: str

    def count_running(self) -> int:
        """The requests that the endless model has."""
        stats = self.client.stats(model="endless")
        return stats["running"] + stats["waiting"]


@contextlib.contextmanager
def serve_alone(pool: ModelPool, **address: Any) -> Iterator[tuple[GrpcServer, int]]:
    """Serve models without Triton. Yields the server and its port."""
    server = GrpcServer(pool, Address(**{"grpc_port": 0, "metrics_port": 0, **address}), grace_s=0.0)
    try:
        yield server, server.start()
    finally:
        server.stop()


@pytest.fixture(scope="module")
def alone(endless_model: Path) -> Iterator[Alone]:
    """A server without Triton, with the embedded model and the endless one."""
    models = [(None, None), ("endless", str(endless_model))]
    pool, metrics = create_pool(models, None, {"kv_cache_memory": 2**30, "max_queue": 64}), free_port()
    pool.load_all()
    with (
        serve_alone(pool, metrics_port=metrics) as (server, port),
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
        ChatClient(f"127.0.0.1:{port}") as client,
    ):
        url = f"http://127.0.0.1:{metrics}/metrics"
        yield Alone(server, GRPCInferenceServiceStub(channel), client, url)


def idle_pool() -> ModelPool:
    """The embedded model, which is not loaded."""
    return create_pool([(None, None)], 60.0, {"kv_cache_memory": 2**26, "max_queue": 64})


def describe(response: messages.ModelInferResponse) -> dict[str, Any]:
    """A response without times, and without what belongs to one model alone."""
    values: list[Any] = []
    for output, data in zip(response.outputs, response.raw_output_contents, strict=True):
        if output.datatype == "FP32":
            values.append(data)
            continue
        while data:
            size = int.from_bytes(data[:4], "little")
            values.append(_read(data[4 : 4 + size].decode()))
            data = data[4 + size :]
    parameters = {name: value.bool_param for name, value in response.parameters.items()}
    outputs = [(output.name, output.datatype, list(output.shape)) for output in response.outputs]
    return {
        "model": (response.model_name, response.model_version, response.id),
        "parameters": parameters,
        "outputs": outputs,
        "values": values,
    }


def _read(text: str) -> Any:
    if not text.startswith("{"):
        return text
    details = json.loads(text)
    for name in ("timings", "seed"):  # where the request has none, it is drawn
        details.pop(name, None)
    return details


def ask(stub: GRPCInferenceServiceStub, request: messages.ModelInferRequest) -> Any:
    """The response to a request, or its status and whether it says why."""
    try:
        return describe(stub.ModelInfer(request, timeout=60))
    except grpc.RpcError as error:
        return error.code(), bool(error.details())


def ask_stream(stub: GRPCInferenceServiceStub, request: messages.ModelInferRequest) -> Any:
    """The same over a stream. How its text is cut into responses is left out."""
    found, text = [], ""
    for part in stub.ModelStreamInfer(iter([request]), timeout=60):
        if part.error_message:
            found.append(("error", part.infer_response.id))
            continue
        response = describe(part.infer_response)
        text += "".join(value for value in response["values"] if isinstance(value, str))
        response["values"] = [value for value in response["values"] if not isinstance(value, str)]
        if response["values"] or not response["outputs"]:
            found.append(response)
    return text, found


def test_answers_are_those_of_triton(server: Server, alone: Alone) -> None:
    with grpc.insecure_channel(server.grpc_url) as channel:
        triton = GRPCInferenceServiceStub(channel)
        for name, request in list_requests():
            assert ask(alone.stub, request) == ask(triton, request), name
            assert ask_stream(alone.stub, request) == ask_stream(triton, request), name
        for model in (CHAT, CHAT_STREAM, CHAT_CONTROL, EMBED, "nothing"):
            assert read_metadata(alone.stub, model) == read_metadata(triton, model)


def read_metadata(stub: GRPCInferenceServiceStub, model: str) -> Any:
    """What clients of Triton read of a model before they ask it."""
    try:
        metadata = stub.ModelMetadata(messages.ModelMetadataRequest(name=model))
        config = stub.ModelConfig(messages.ModelConfigRequest(name=model)).config
    except grpc.RpcError as error:
        return error.code(), error.details()
    tensors = [(t.name, t.datatype, list(t.shape)) for t in (*metadata.inputs, *metadata.outputs)]
    inputs = [(t.name, t.data_type, list(t.dims), t.optional) for t in config.input]
    outputs = [(t.name, t.data_type, list(t.dims)) for t in config.output]
    is_decoupled = config.model_transaction_policy.decoupled
    return (
        metadata.name,
        list(metadata.versions),
        tensors,
        config.max_batch_size,
        is_decoupled,
        inputs,
        outputs,
    )


@pytest.mark.parametrize("rows", [1, 3])
def test_client_that_leaves_ends_its_call(alone: Alone, rows: int) -> None:
    request = make_request(
        "chat-endless", [(name, (rows, shape[1]), data * rows) for name, shape, data in ENDLESS_ROW]
    )
    before = alone.client.stats(model="endless")["totals"]["cancellations"]
    call = alone.stub.ModelInfer.future(request)
    wait_until(lambda: call.done() or alone.count_running() == rows)
    assert not call.done(), call.result()
    call.cancel()
    wait_until(lambda: alone.count_running() == 0)
    assert alone.client.stats(model="endless")["totals"]["cancellations"] == before + rows


def test_deadline_of_a_call_ends_its_answer(alone: Alone) -> None:
    for ask_late in (
        lambda: alone.stub.ModelInfer(make_request("chat-endless", ENDLESS_ROW), timeout=0.5),
        lambda: list(
            alone.stub.ModelStreamInfer(iter([make_request("chat_stream-endless", ENDLESS)]), timeout=0.5)
        ),
    ):
        with pytest.raises(grpc.RpcError) as caught:
            ask_late()
        assert caught.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
        wait_until(lambda: alone.count_running() == 0)


def test_timeout_of_a_request_ends_its_answer(alone: Alone) -> None:
    request = make_request("chat_stream-endless", ENDLESS, {"timeout": 300_000})
    *_, last = alone.stub.ModelStreamInfer(iter([request]))
    (details,) = [value for value in describe(last.infer_response)["values"] if isinstance(value, dict)]
    assert details["finish_reason"] == "cancelled"


def test_requests_of_a_stream_run_together_and_end_with_it(alone: Alone) -> None:
    requests = queue.SimpleQueue()
    call = alone.stub.ModelStreamInfer(iter(requests.get, None))
    for number in range(3):
        requests.put(make_request("chat_stream-endless", ENDLESS, id=str(number)))
    wait_until(lambda: alone.count_running() == 3)
    requests.put(make_request("nothing", id="wrong"))  # harms none of them
    requests.put(make_request(CHAT_STREAM, STREAMED, id="short"))
    ids, errors = set(), []
    for part in call:
        ids.add(part.infer_response.id)
        errors += [part.error_message] if part.error_message else []
        if ids == {"0", "1", "2", "wrong", "short"}:
            break
    assert len(errors) == 1 and "unknown model" in errors[0]
    assert alone.count_running() == 3
    call.cancel()
    wait_until(lambda: alone.count_running() == 0)
    requests.put(None)


def test_stream_takes_no_more_requests_than_it_answers(alone: Alone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_OF_STREAM", 2)
    requests = [make_request(CHAT_STREAM, STREAMED, id=str(number)) for number in range(9)]
    endless = [make_request("chat_stream-endless", ENDLESS, id="endless") for _ in range(2)]
    ended = {
        part.infer_response.id
        for part in alone.stub.ModelStreamInfer(iter(requests))
        if b"finish_reason" in part.infer_response.raw_output_contents[1]
    }
    assert ended == {str(number) for number in range(9)}
    call = alone.stub.ModelStreamInfer(iter([*endless, *requests]))
    wait_until(lambda: alone.count_running() == 2)
    assert {part.infer_response.id for part, _ in zip(call, range(9), strict=False)} == {"endless"}
    call.cancel()
    wait_until(lambda: alone.count_running() == 0)


def test_calls_that_are_closed_are_refused(alone: Alone) -> None:
    for call, request in (
        (alone.stub.RepositoryModelLoad, messages.RepositoryModelLoadRequest(model_name=CHAT)),
        (alone.stub.SystemSharedMemoryRegister, messages.SystemSharedMemoryRegisterRequest(name="x")),
        (alone.stub.TraceSetting, messages.TraceSettingRequest()),
        (alone.stub.LogSettings, messages.LogSettingsRequest()),
    ):
        with pytest.raises(grpc.RpcError) as caught:
            call(request)
        assert caught.value.code() == grpc.StatusCode.PERMISSION_DENIED
    for parameter, where in (("shared_memory_region", "inputs"), ("classification", "outputs")):
        request = make_request(outputs=["response"])
        set_parameter(getattr(request, where)[0].parameters[parameter], "x")
        assert ask(alone.stub, request) == (grpc.StatusCode.INVALID_ARGUMENT, True)


def test_bytes_that_are_no_message_are_refused(alone: Alone) -> None:
    with grpc.insecure_channel(alone.client.url) as channel:
        for method in (f"{SERVICE}ModelInfer", f"{SERVICE}ModelConfig"):
            with pytest.raises(grpc.RpcError) as caught:
                channel.unary_unary(method)(b"\xff\xff")
            assert caught.value.code() == grpc.StatusCode.INTERNAL
        with pytest.raises(grpc.RpcError) as caught:
            list(channel.stream_stream(f"{SERVICE}ModelStreamInfer")(iter([b"\xff\xff"])))
        assert caught.value.code() == grpc.StatusCode.INTERNAL
        with pytest.raises(grpc.RpcError) as caught:
            channel.unary_unary(f"{SERVICE}Nothing")(b"")
        assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED
        assert channel.unary_unary(HEALTH_CHECK)(b"") == b"\x08\x01"


def test_failure_in_the_server_is_told_without_its_reason(
    alone: Alone, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any) -> None:
        raise OSError("a secret")

    monkeypatch.setattr(service, "make_response", fail)
    with pytest.raises(grpc.RpcError) as caught:
        alone.stub.ModelInfer(make_request())
    assert caught.value.code() == grpc.StatusCode.INTERNAL and "secret" not in str(caught.value)
    (part,) = alone.stub.ModelStreamInfer(iter([make_request(CHAT_STREAM, STREAMED)]))
    assert part.error_message and "secret" not in part.error_message
    assert "a secret" in caplog.text
    wait_until(lambda: alone.server.inference.count_answers() == 0)


def test_counts_are_those_of_the_answers(alone: Alone) -> None:
    def count(name: str) -> list[int]:
        (stats,) = alone.stub.ModelStatistics(messages.ModelStatisticsRequest(name=name)).model_stats
        return [stats.inference_count, stats.execution_count, stats.inference_stats.fail.count]

    rows, requests, failures = count(CHAT)
    alone.stub.ModelInfer(make_request(inputs=TWO_ROWS))
    assert count(CHAT) == [rows + 2, requests + 1, failures]
    label = f'{{model="{CHAT}",version="1"}}'
    text = httpx.get(alone.metrics_url).text
    assert f"nv_inference_count{label} {rows + 2}.0" in text.splitlines()
    *_, failures = count("chat_stream-endless")
    call = alone.stub.ModelStreamInfer(iter([make_request("chat_stream-endless", ENDLESS)]))
    next(call)
    call.cancel()
    wait_until(lambda: count("chat_stream-endless")[2] == failures + 1)
    with pytest.raises(grpc.RpcError):
        count("nothing")


def test_tls(certificate: Path) -> None:
    tls = TlsFiles(certificate / "cert.pem", certificate / "key.pem")
    with serve_alone(idle_pool(), tls=tls) as (_, port):
        with ChatClient(tls.url(f"127.0.0.1:{port}")) as client:
            assert client.health() == READY
        with ChatClient(f"127.0.0.1:{port}") as client, pytest.raises(TritonchatError):
            client.health(timeout_s=5)


def test_ports_that_are_taken_are_named() -> None:
    with serve_alone(idle_pool()) as (_, port):
        for taken in ({"grpc_port": port}, {"metrics_port": port}):
            with pytest.raises(TritonchatError, match=str(port)), serve_alone(idle_pool(), **taken):
                pass


def test_a_loop_that_hangs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kserve, "MAX_FAILURES", 3)
    hangs, goes_on = threading.Event(), threading.Event()

    def hang() -> None:
        hangs.set()
        goes_on.wait()

    with serve_alone(idle_pool()) as (server, _):
        assert [server.find_fault() for _ in range(2)] == [None, None]
        server._loop.call_soon_threadsafe(hang)
        hangs.wait()
        try:
            faults = [server.find_fault() for _ in range(5)]
            assert faults[:2] == [None, None] and faults[-1] == "gRPC does not answer"
        finally:
            goes_on.set()
        wait_until(lambda: server.find_fault() is None)
    assert server.find_fault() == "the thread that answers gRPC ended"


def test_a_loop_that_hangs_does_not_keep_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kserve, "_END_S", 0.1)
    hangs, goes_on = threading.Event(), threading.Event()
    with serve_alone(idle_pool()) as (server, _):
        server._loop.call_soon_threadsafe(lambda: (hangs.set(), goes_on.wait()))
        hangs.wait()
    assert server._thread.is_alive()
    goes_on.set()
    wait_until(lambda: not server._thread.is_alive())


def test_server_that_stops_says_so_and_cuts_answers_off(endless_model: Path) -> None:
    with (
        serve_alone(pool_of(LLM(endless_model, kv_cache_memory=2**29))) as (server, port),
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
        ChatClient(f"127.0.0.1:{port}") as client,
    ):
        stub = GRPCInferenceServiceStub(channel)
        call = stub.ModelStreamInfer(iter([make_request(CHAT_STREAM, ENDLESS)]))
        next(call)
        server.drain()
        assert client.health() == "the server is stopping"
        assert not stub.ServerReady(messages.ServerReadyRequest()).ready
        *_, last = call
        assert b"cancelled" in last.infer_response.raw_output_contents[1]
        with pytest.raises(ShuttingDown):
            client.chat("Hello")


def test_client_that_does_not_read_holds_up_neither_others_nor_the_end(
    endless_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inference, "FLUSH_TIMEOUT_S", 0.1)
    monkeypatch.setattr(kserve, "_STOP_S", 0.1)
    large = b'{"max_tokens": 300, "logprobs": 20, "ignore_eos": true}'  # more than fits on its way
    request = make_request(CHAT_STREAM, [STREAMED[0], ("parameters", (len(large),), large)])
    with (
        serve_alone(pool_of(LLM(endless_model, kv_cache_memory=2**29))) as (server, port),
        grpc.insecure_channel(f"127.0.0.1:{port}", [("grpc.http2.bdp_probe", 0)]) as idle,
        ChatClient(f"127.0.0.1:{port}") as client,
    ):
        calls = [GRPCInferenceServiceStub(idle).ModelStreamInfer(iter([request])) for _ in range(2)]
        wait_until(lambda: client.stats()["totals"]["requests"] == 2 and client.stats()["running"] == 0)
        assert client.chat("Hello", max_tokens=2).text
        assert not any(call.done() for call in calls)
        server.stop()
        for call in calls:
            with pytest.raises(grpc.RpcError):
                list(call)
