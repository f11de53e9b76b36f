"""The proxy passes Triton's gRPC on, and goes on with what broke. A server dies here by a cut of its gRPC."""

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import httpx
import numpy as np
import pytest
import uvicorn
from conftest import Server
from forwarder import Forwarder, Trap, forwarding
from http_service import CHAT, ServiceThread, samples
from pytriton.client import DecoupledModelClient, ModelClient
from support import free_port, wait_until
from tritonclient.grpc.service_pb2 import ModelInferRequest, ModelStreamInferResponse

from model_core.errors import InvalidRequest
from model_core.requests.events import Text
from triton_server.api.settings import ServiceSettings
from triton_server.client import AsyncChatClient, ChatClient
from triton_server.contract.wire import ServerUnavailable
from triton_server.proxy.app import Proxy
from triton_server.proxy.continuation import Diverged
from triton_server.proxy.grpc_answer import GrpcAnswer
from triton_server.proxy.grpc_messages import (
    INFER,
    STREAM_INFER,
    complete,
    make_piece,
    read_json,
    read_piece,
    rename,
    write_json,
)
from triton_server.proxy.replicas import Broken, Replicas

HELLO = [{"role": "user", "content": "Hello"}]
LONG: dict[str, Any] = {"max_tokens": 600, "temperature": 0.9, "seed": 7}


@dataclass(frozen=True)
class Front:
    """A proxy, and the gRPC ports of the servers behind it, by the addresses of their HTTP services."""

    url: str
    grpc_url: str
    behind: dict[str, Forwarder]

    def states(self) -> dict[str, dict[str, Any]]:
        """What the proxy says of its servers."""
        return {one["url"]: one for one in httpx.get(f"{self.url}/replicas").json()["servers"]}

    def busy(self) -> str:
        """The server that has a request, or ""."""
        return next((url for url, state in self.states().items() if state["running"]), "")

    def cut(self) -> None:
        """End the server that has a request."""
        found = [""]
        wait_until(lambda: bool(found.append(self.busy()) or found[-1]))
        self.behind[found[-1]].cut()

    def cut_at(self, mark: bytes, count: int, act: Callable[[Forwarder], object] = Forwarder.cut) -> None:
        """End the server that sends the mark so often first, or do something else to it."""
        trap = Trap(mark, count, act)
        for forwarder in self.behind.values():
            forwarder.trap = trap


@pytest.fixture
def front(endless: Server, tmp_path: Path) -> Iterator[Front]:
    """Two services, with connections of their own to one server, and a proxy."""
    database = f"sqlite:///{tmp_path / 'sessions.db'}"
    with contextlib.ExitStack() as stack:
        behind = {}
        for _ in range(2):
            way, port = stack.enter_context(forwarding(f"grpc://{endless.grpc_url}")), free_port()
            settings = ServiceSettings(server=f"127.0.0.1:{way.port}", database=database, api_port=port)
            stack.callback(ServiceThread(settings).stop)
            behind[f"http://127.0.0.1:{port}"] = way
        port, grpc_port = free_port(), free_port()
        app = Proxy(Replicas(behind), 2**20, 60, f"127.0.0.1:{grpc_port}")
        config = uvicorn.Config(app, port=port, log_level="critical", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
        thread.start()
        front = Front(f"http://127.0.0.1:{port}", f"127.0.0.1:{grpc_port}", behind)
        wait_until(lambda: server.started and all(state["ready"] for state in front.states().values()))
        yield front
        server.should_exit = True
        thread.join(60)


@pytest.fixture
def client(front: Front) -> Iterator[ChatClient]:
    """A client of the proxy."""
    with ChatClient(front.grpc_url) as connected:
        yield connected


def read(client: ChatClient, act: Callable[[], object] = bool, **parameters: Any) -> dict[str, Any]:
    """A streamed answer. After three of its pieces, `act` is called."""
    with client.stream(HELLO, **{**LONG, **parameters}) as stream:
        for number, _ in enumerate(stream):
            if number == 2:
                act()
        assert stream.answer is not None
        details = {n: v for n, v in stream.answer.details.items() if n not in ("timings", "usage")}
        return {"text": stream.text, **details, "tokens": stream.answer.usage["completion_tokens"]}


def test_stream_goes_on_where_it_broke(front: Front, client: ChatClient, endless: Server) -> None:
    # So many tokens that it has not ended when the client has three pieces.
    more = {"logprobs": 1, "return_token_ids": True, "acknowledge": True, "max_tokens": 4000}
    with ChatClient(endless.grpc_url) as direct:
        expected = read(direct, **more)
    assert read(client, front.cut, **more) == expected
    metrics = samples(httpx.get(f"{front.url}/metrics").text)
    assert metrics["tritonchat_proxy_continued_total"] >= 1


def test_whole_answer_is_asked_for_again(front: Front, client: ChatClient, endless: Server) -> None:
    """By PyTriton's client, which knows nothing of the proxy."""
    inputs = encode(HELLO), encode(LONG)
    front.cut_at(b'"finish_reason"', 1)
    with ModelClient(f"grpc://{front.grpc_url}", "chat", inference_timeout_s=120) as pytriton:
        answer = pytriton.infer_sample(*inputs)["response"][0].decode()
    wait_until(lambda: sum(not state["ready"] for state in front.states().values()) == 1)  # it has been cut
    with ChatClient(endless.grpc_url) as direct:
        expected = direct.chat(HELLO, **LONG).text
    assert answer == expected
    with DecoupledModelClient(f"grpc://{front.grpc_url}", "chat_stream") as decoupled:
        pieces = [piece["response"][0].decode() for piece in decoupled.infer_sample(*inputs)]
    assert "".join(pieces) == expected and len(pieces) > 3


def test_commands_find_their_request(front: Front, client: ChatClient) -> None:
    with client.stream(HELLO, **{**LONG, "max_tokens": 8000}) as stream:
        iterator = iter(stream)
        next(iterator)
        assert client.cancel(stream.request_id)
        *_, _ = iterator
        assert stream.answer is not None and stream.answer.finish_reason == "cancelled"
    assert not client.cancel("nobody")
    with client.stream(HELLO, **{**LONG, "max_tokens": 8000}) as stream:
        next(iter(stream))  # and leave
    wait_until(lambda: not front.busy() and not client.stats()["running"])
    assert client.tokenize("Hello")["token_ids"] and client.is_ready() and client.load("default")
    with pytest.raises(InvalidRequest, match="temperature"):
        client.chat(HELLO, temperature=9)
    with pytest.raises(InvalidRequest, match="temperature"), client.stream(HELLO, temperature=9) as stream:
        list(stream)


def test_turns_go_to_the_server_that_has_them_over_http(front: Front, client: ChatClient) -> None:
    def find(ask: Callable[[], Any]) -> str:
        before = front.states()
        ask()
        (found,) = (
            url for url, state in front.states().items() if state["requests"] > before[url]["requests"]
        )
        return found

    found: set[str] = set()
    for number in range(40):  # the servers of conversations depend on the ports of the servers
        if len(found) == 2:
            break
        messages = [{"role": "user", "content": f"{number}?"}]
        body = {"model": "default", "messages": messages, "max_tokens": 2}
        first = find(lambda body=body: httpx.post(front.url + CHAT, json=body, timeout=60))
        turn = [*messages, {"role": "assistant", "content": "!"}, *HELLO]
        assert find(lambda turn=turn: client.chat(turn, max_tokens=2)) == first
        assert find(lambda turn=turn: list(client.stream(turn, max_tokens=2))) == first
        found.add(first)
    assert len(found) == 2


def test_asyncio_client_and_no_server(front: Front, client: ChatClient) -> None:
    async def ask() -> str:
        asynchronous = AsyncChatClient(front.grpc_url)
        try:
            for _ in range(2):  # the feed is refused before the second one
                events = [event async for event in asynchronous.stream(HELLO, {**LONG, "max_tokens": 40})]
        finally:
            await asynchronous.close()
        return "".join(event.text for event in events if isinstance(event, Text))

    assert asyncio.run(ask()) == client.chat(HELLO, **{**LONG, "max_tokens": 40}).text
    for way in front.behind.values():
        way.cut()
    wait_until(lambda: not any(state["ready"] for state in front.states().values()))
    with pytest.raises(ServerUnavailable):
        client.stats(timeout_s=0.5)


def test_malformed_requests_fail_alone(front: Front, client: ChatClient) -> None:
    torn = ModelInferRequest(model_name="chat", raw_input_contents=[b"1", b"2", b"3"])
    torn.inputs.add(name="messages", datatype="UINT8", shape=[1, 1])
    odd = ModelInferRequest(model_name="chat_stream", raw_input_contents=[b"[", b"7"])
    odd.inputs.add(name="messages", datatype="UINT8", shape=[-1])
    odd.inputs.add(name="parameters", datatype="UINT8")
    with grpc.insecure_channel(front.grpc_url) as channel:
        for data in (b"\xff\xff", torn.SerializeToString()):
            with pytest.raises(grpc.RpcError) as caught:
                channel.unary_unary(INFER)(data)
            assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
            with pytest.raises(grpc.RpcError):
                list(channel.stream_stream(STREAM_INFER)(iter([data])))
        (answer,) = channel.stream_stream(STREAM_INFER)(iter([odd.SerializeToString()]))
        assert ModelStreamInferResponse.FromString(answer).error_message
        with pytest.raises(grpc.RpcError):
            channel.unary_unary("/nobody/knows")(b"", timeout=60)
    assert client.is_ready()


def encode(value: Any) -> np.ndarray:
    """JSON as a tensor, as anybody may write it."""
    return np.frombuffer(json.dumps(value).encode(), np.uint8)


REQUEST = ModelInferRequest(model_name="chat_stream", id="3")
PIECES: list[tuple[str, dict[str, Any]]] = [
    ("", {"accepted": True}),
    ("", {"reasoning": "Let me "}),
    ("One ", {"reasoning": "think.", "logprobs": [1, 2]}),
    ("two", {"token_ids": [5, 6], "prompt_token_ids": [1], "prompt_logprobs": [0.5]}),
    ("", {"tool_calls": [{"index": 0, "id": "a", "name": "get", "arguments": ""}]}),
    ("", {"tool_calls": [{"index": 0, "arguments": '{"city":'}, {"index": 1, "id": "b", "name": "g"}]}),
    ("", {"tool_calls": [{"index": 0, "arguments": "1}"}, {"index": 1, "arguments": "{}"}]}),
    ("", {"finish_reason": "tool_calls", "seed": 7, "usage": {}}),
]


def join(pieces: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """What pieces say together."""
    joined: dict[str, Any] = {"text": "", "calls": {}}
    for text, details in pieces:
        joined["text"] += text
        for name, value in details.items():
            if name == "tool_calls":
                for call in value:
                    kept = joined["calls"].setdefault(call["index"], {"arguments": ""})
                    kept["arguments"] += call.get("arguments", "")
                    assert not {"id", "name"} & kept.keys() & call.keys()
                    kept |= {n: call[n] for n in ("id", "name") if n in call}
            elif isinstance(value, (str, list)) and name != "finish_reason":
                joined[name] = joined.get(name, type(value)()) + value
            else:
                assert name not in joined, f"{name} came twice"
                joined[name] = value
    return joined


@pytest.mark.parametrize("sent", range(len(PIECES)))
@pytest.mark.parametrize("size", [1, 3])
def test_every_kind_of_piece_goes_on(sent: int, size: int) -> None:
    """The other server cuts its texts into pieces of another size."""
    answer = GrpcAnswer(REQUEST, lambda: False)
    got = [(*PIECES[number], answer.take(encode_piece(PIECES[number]), False))[:2] for number in range(sent)]
    answer.restart()
    for text, details in PIECES:
        parts = [text[start : start + size] for start in range(0, max(1, len(text)), size)]
        for number, part in enumerate(parts):
            data = answer.take(encode_piece((part, details if number == len(parts) - 1 else {})), False)
            if data is not None:
                piece = read_piece(ModelStreamInferResponse.FromString(data).infer_response)
                assert piece is not None
                got.append(piece)
    assert join(got) == join(PIECES) and answer.is_complete


def encode_piece(piece: tuple[str, dict[str, Any]]) -> bytes:
    """A response of a stream."""
    return make_piece(REQUEST, *piece)


def test_failures_of_a_server_are_noticed() -> None:
    for kind in ("shutting_down", "internal", "cancelled"):
        with pytest.raises(Broken):
            GrpcAnswer(REQUEST, lambda: False).take(encode_piece(("", {"error": {"type": kind}})), True)
    cut_off = encode_piece(("", {"finish_reason": "cancelled"}))
    with pytest.raises(Broken):
        GrpcAnswer(REQUEST, lambda: False).take(cut_off, True)
    assert GrpcAnswer(REQUEST, lambda: True).take(cut_off, True) == cut_off
    full = encode_piece(("", {"error": {"type": "queue_full"}}))
    with pytest.raises(Broken):
        GrpcAnswer(REQUEST, lambda: False).take(full, False)
    assert GrpcAnswer(REQUEST, lambda: False).take(full, True) == full
    answer = GrpcAnswer(REQUEST, lambda: False)
    answer.take(encode_piece(("One", {})), False)
    answer.restart()
    with pytest.raises(Diverged):
        answer.take(encode_piece(("Two", {})), False)


@pytest.mark.parametrize("is_raw", [True, False])
def test_json_in_tensors(is_raw: bool) -> None:
    request = ModelInferRequest()
    data = json.dumps(HELLO).encode()
    request.inputs.add(name="messages", datatype="UINT8", shape=[2, len(data)])
    if is_raw:
        request.raw_input_contents.append(data + b" " * len(data))
    else:
        request.inputs[0].contents.uint_contents[:] = data * 2
    write_json(request, "parameters", {"seed": 1})
    write_json(request, "parameters", {"seed": 12})
    assert read_json(request, "messages") == HELLO
    assert read_json(request, "parameters") == {"seed": 12}
    assert read_json(request, "nothing") is None
    assert len(request.raw_input_contents) == (2 if is_raw else 0)


def test_only_a_single_row_gets_another_id() -> None:
    """Rows of a batch have an id each, and one more content would not fit their shape."""
    for rows in (1, 2):
        request = ModelInferRequest(model_name="chat")
        for name, value in (("messages", HELLO), ("parameters", {"request_id": "a", "seed": 1})):
            data = json.dumps(value).encode()
            request.inputs.add(name=name, datatype="UINT8", shape=[rows, len(data)])
            request.raw_input_contents.append(data * rows)
        data = request.SerializeToString()
        renamed = ModelInferRequest.FromString(rename(data, "another"))
        if rows == 1:
            assert read_json(renamed, "parameters") == {"request_id": "another", "seed": 1}
        else:
            assert renamed == request


@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        ({}, "greedy"),
        ({"seed": None, "answer_cache": None}, "greedy"),
        ({"answer_cache": "off"}, "off"),
        ({"seed": 1}, None),
        ({"seed": 0, "answer_cache": "off"}, "off"),
    ],
)
def test_seed_that_was_drawn_is_not_chosen(asked: dict[str, Any], sent: str | None) -> None:
    """So the server keeps only answers that do not depend on it."""
    request = ModelInferRequest(model_name="chat_stream")
    for name, value in (("messages", HELLO), ("parameters", asked)):
        data = json.dumps(value).encode()
        request.inputs.add(name=name, datatype="UINT8", shape=[len(data)])
        request.raw_input_contents.append(data)
    complete(request)
    parameters = read_json(request, "parameters")
    assert parameters.get("answer_cache") == sent
    assert type(parameters["seed"]) is int and parameters["seed"] == (asked.get("seed") or parameters["seed"])
