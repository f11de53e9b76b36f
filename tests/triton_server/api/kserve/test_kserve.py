"""KServe's protocol over HTTP, with Triton's own client and with bodies that lie."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http as triton
from conftest import Server
from support import wait_until
from tritonclient.utils import InferenceServerException

from triton_server.client import ChatClient

HELLO = [{"role": "user", "content": "Hello"}]
SHORT, LONG = {"max_tokens": 5, "seed": 1}, {"max_tokens": 40_000}


@pytest.fixture
def web(endless: Server) -> Iterator[httpx.Client]:
    """A client without a library of the protocol."""
    with httpx.Client(base_url=f"{endless.api_url}/v2", timeout=60) as connected:
        yield connected


def tensors(kind: Any, **values: Any) -> list[Any]:
    """JSON as inputs of Triton's client, `kind`."""
    inputs = []
    for name, value in values.items():
        array = np.frombuffer(json.dumps(value).encode(), np.uint8)[None]
        inputs.append(kind(name, list(array.shape), "UINT8"))
        inputs[-1].set_data_from_numpy(array)
    return inputs


def as_json(name: str, value: Any, **changes: Any) -> dict[str, Any]:
    """JSON as an input of a body."""
    data = list(json.dumps(value).encode())
    return {"name": name, "datatype": "UINT8", "shape": [1, len(data)], "data": data, **changes}


def messages(**changes: Any) -> dict[str, Any]:
    """A conversation as an input of a body."""
    return as_json("messages", HELLO, **changes)


def running(server: Server) -> int:
    with ChatClient(server.grpc_url) as client:
        return client.stats()["running"]


def test_tritons_client_works_unchanged(endless: Server) -> None:
    with triton.InferenceServerClient(endless.api_url.removeprefix("http://")) as client:
        assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("chat", "1")
        extensions = client.get_server_metadata()["extensions"]
        assert {"binary_tensor_data", "generate"} <= set(extensions) and "sequence" not in extensions
        names = [model["name"] for model in client.get_model_repository_index()]
        assert names == ["chat", "chat_stream", "embed", "chat_control"]
        metadata = client.get_model_metadata("embed")
        assert metadata["outputs"][0] == {"name": "embeddings", "datatype": "FP32", "shape": [-1, -1, -1]}
        config = client.get_model_config("chat")
        assert config["max_batch_size"] == 64 and config["input"][0]["dims"] == [-1]
        assert "/" not in json.dumps(config)
        inputs = tensors(triton.InferInput, messages=HELLO, parameters=SHORT)
        result = client.infer("chat", inputs, request_id="7")
        details = json.loads(result.as_numpy("details")[0, 0])
        assert details["usage"]["completion_tokens"] == 5 and result.get_response()["id"] == "7"
        wanted = [triton.InferRequestedOutput("response", binary_data=False)]
        plain = client.infer("chat", inputs, outputs=wanted, request_compression_algorithm="gzip")
        assert plain.as_numpy("response")[0, 0] == result.as_numpy("response")[0, 0].decode()
        (stats,) = client.get_inference_statistics("chat")["model_stats"]
        assert stats["inference_stats"]["success"]["count"] >= 2
        with ChatClient(endless.grpc_url) as direct:
            assert direct.chat(HELLO, **SHORT).text.encode() == result.as_numpy("response")[0, 0]
            vectors = direct.embed(["one", "two"]).vectors
        for binary in (True, False):
            wanted = [triton.InferRequestedOutput("embeddings", binary_data=binary)]
            result = client.infer("embed", tensors(triton.InferInput, texts=["one", "two"]), outputs=wanted)
            assert np.array_equal(result.as_numpy("embeddings")[0], vectors)
        for call in (
            lambda: client.load_model("chat"),
            lambda: client.unload_model("chat"),
            lambda: client.register_system_shared_memory("x", "/x", 64),
            lambda: client.get_cuda_shared_memory_status(),
            lambda: client.update_log_settings({}),
            lambda: client.get_trace_settings("chat"),
        ):
            with pytest.raises(InferenceServerException, match=r"^\[403\] clients .*\.$"):
                call()


def test_rows_are_answered_together(web: httpx.Client) -> None:
    texts = ["Hello", "Once"]
    data = [list(json.dumps(text).ljust(9).encode()) for text in texts]
    answer = web.post(
        "/models/chat/versions/1/infer",
        json={
            "inputs": [
                {"name": "messages", "datatype": "UINT8", "shape": [2, 9], "data": data},
                {
                    "name": "parameters",
                    "datatype": "UINT8",
                    "shape": [2, 16],
                    "data": [list(b'{"max_tokens":3}')] * 2,
                },
            ]
        },
    ).json()
    details = answer["outputs"][1]
    assert details["shape"] == [2, 1]
    assert [json.loads(each)["usage"]["completion_tokens"] for each in details["data"]] == [3, 3]


HUGE = 10**18


@pytest.mark.parametrize(
    ("model", "body", "message"),
    [
        (
            "chat",
            {"inputs": [messages(shape=[1, HUGE])]},
            "its shape means 1000000000000000000",
        ),
        ("chat", {"inputs": [messages(shape=[HUGE, HUGE])]}, "1 to 64 rows"),
        ("chat", {"inputs": [messages(shape=[10**30, 1])]}, "1 to 64 rows"),
        ("chat", {"inputs": [messages(shape=[1, -5])]}, "at least one byte"),
        ("chat", {"inputs": [messages(shape=[5])]}, "[rows, bytes]"),
        ("chat", {"inputs": [messages(shape=[1] * 1000)]}, "shape"),
        ("chat", {"inputs": [messages(datatype="COMPLEX128")]}, "must be UINT8"),
        ("chat", {"inputs": [messages(data=[256])]}, "its shape means"),
        ("chat", {"inputs": [messages(data=[True], shape=[1, 1])]}, "is no UINT8"),
        ("chat", {"inputs": [messages(data=[300], shape=[1, 1])]}, "300"),
        ("chat", {"inputs": [messages(data=[None], shape=[1, 1])]}, "is no UINT8"),
        ("chat", {"inputs": [messages(data=[[1], 2], shape=[2, 1])]}, "have not the shape"),
        ("chat", {"inputs": [messages(data=None)]}, "needs data"),
        ("chat", {"inputs": [as_json("texts", HELLO)]}, "has no input 'texts'"),
        ("chat", {"inputs": [as_json("parameters", {})]}, "messages of chat is missing"),
        ("chat", {"inputs": [messages()] * 2}, "there twice"),
        ("chat", {"inputs": []}, "inputs"),
        (
            "chat",
            {"inputs": [messages()], "outputs": [{"name": "logits"}]},
            "has the outputs",
        ),
        (
            "chat",
            {"inputs": [messages(parameters={"shared_memory_region": "x"})]},
            "share no memory",
        ),
        ("chat", {"inputs": [messages()], "parameters": {"sequence_id": 5}}, "'sequence_id'"),
        ("chat", {"inputs": [messages()], "parameters": {"timeout": -1}}, "timeout is -1"),
        (
            "chat",
            {"inputs": [messages(parameters={"binary_data_size": 7}, data=None)]},
            "7",
        ),
        ("chat", {"inputs": [as_json("messages", [{"role": 1}])]}, "role"),
        (
            "chat",
            {"inputs": [messages(), as_json("parameters", {"feed": "x"})]},
            "feed is set",
        ),
        ("embed", {"inputs": [as_json("texts", [])]}, "texts"),
        ("chat_stream", {"inputs": [messages()]}, "several responses"),
        ("chat_control", {"inputs": [as_json("command", {"stats": True})]}, "over gRPC only"),
        ("nothing", {"inputs": [messages()]}, "not found"),
        ("chat/versions/2", {"inputs": [messages()]}, "not found"),
    ],
)
def test_bodies_that_lie_are_refused_in_kserves_form(
    web: httpx.Client, model: str, body: dict[str, Any], message: str
) -> None:
    answer = web.post(f"/models/{model}/infer", json=body)
    assert 400 <= answer.status_code < 500
    assert answer.json().keys() == {"error"} and message in answer.json()["error"]


@pytest.mark.parametrize("length", ["-1", "x", "10000000", "9" * 30, "²", "5"])
def test_length_of_the_header_that_lies_is_refused(web: httpx.Client, length: str) -> None:
    body = json.dumps({"inputs": [messages()]}).encode()
    headers = {"Inference-Header-Content-Length": length.encode()}
    answer = web.post("/models/chat/infer", content=body, headers=headers)
    assert answer.status_code == 400 and answer.json().keys() == {"error"}


def test_bytes_that_belong_to_no_input_are_refused(web: httpx.Client) -> None:
    tensor = as_json("messages", HELLO, data=None, parameters={"binary_data_size": 40}, shape=[1, 40])
    head = json.dumps({"inputs": [tensor]}).encode()
    headers = {"Inference-Header-Content-Length": str(len(head))}
    for rest, message in ((bytes(39), "where 39 are left"), (bytes(41), "1 bytes follow")):
        answer = web.post("/models/chat/infer", content=head + rest, headers=headers)
        assert answer.status_code == 400 and message in answer.json()["error"]


def test_timeout_ends_the_work(endless: Server, web: httpx.Client) -> None:
    """Triton's request parameter, over HTTP and gRPC, and gRPC's deadline."""
    body = {
        "parameters": {"timeout": 300_000},
        "inputs": [messages(), as_json("parameters", LONG)],
    }
    answer = web.post("/models/chat/infer", json=body)
    assert answer.status_code == 408 and "timeout_s" in answer.json()["error"]
    assert running(endless) == 0
    inputs = tensors(tritonclient.grpc.InferInput, messages=HELLO, parameters=LONG)
    with tritonclient.grpc.InferenceServerClient(endless.grpc_url) as client:
        result = client.infer("chat", inputs, timeout=300_000)
        assert json.loads(result.as_numpy("details")[0, 0])["error"]["type"] == "timeout"
        assert running(endless) == 0
        with pytest.raises(InferenceServerException, match="Deadline"):
            client.infer("chat", inputs, client_timeout=0.5)
    wait_until(lambda: running(endless) == 0)


def test_client_that_leaves_ends_its_work(endless: Server, web: httpx.Client) -> None:
    body = {"inputs": [messages(), as_json("parameters", LONG)]}

    def leave() -> None:
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{web.base_url}models/chat/infer", json=body, timeout=httpx.Timeout(60, read=1))

    thread = threading.Thread(target=leave)
    thread.start()
    wait_until(lambda: running(endless) == 1)
    thread.join()
    wait_until(lambda: running(endless) == 0)


def test_generate_answers_as_grpc_does(endless: Server, web: httpx.Client) -> None:
    with ChatClient(endless.grpc_url) as client:
        chat, text = client.chat(HELLO, **SHORT).text, client.chat("Once upon", **SHORT).text
    body = {"id": "7", "messages": HELLO, "parameters": SHORT}
    answer = web.post("/models/chat/generate", json=body).json()
    assert (answer["id"], answer["model_name"], answer["text_output"]) == ("7", "chat", chat)
    assert answer["details"]["usage"]["completion_tokens"] == 5
    prompt = {"text_input": "Once upon", **SHORT, "stream": False, "exclude_input_in_output": False}
    form = {"Content-Type": "application/x-www-form-urlencoded"}  # of curl -d
    answer = web.post("/models/chat/versions/1/generate", content=json.dumps(prompt), headers=form).json()
    assert answer["text_output"] == f"Once upon{text}"
    with web.stream("POST", "/models/chat_stream/generate_stream", json={**body, "stream": True}) as stream:
        assert stream.headers["content-type"] == "text/event-stream; charset=utf-8"
        lines = [line for line in stream.iter_lines() if line.startswith("data: ")]
    pieces = [json.loads(line.removeprefix("data: ")) for line in lines]
    assert "".join(piece["text_output"] for piece in pieces) == chat and len(pieces) > 1
    assert pieces[-1]["details"]["finish_reason"] == "length"


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("chat/generate", {}, "either text_input or messages"),
        ("chat/generate", {"text_input": "x", "messages": HELLO}, "either text_input or messages"),
        ("chat/generate", {"text_input": "x", "parameters": {"text_input": "y"}}, "inside and beside"),
        ("chat/generate", {"text_input": "x", "seed": 1, "parameters": {"seed": 2}}, "inside and beside"),
        ("chat/generate", {"text_input": "x", "stream": True}, "use /generate_stream"),
        ("chat/generate_stream", {"text_input": "x", "parameters": {"stream": False}}, "use /generate"),
        ("chat/generate", {"text_input": "x", "exclude_input_in_output": "no"}, "true or false"),
        ("chat/generate", {"text_input": "x", "num_beams": 4}, "num_beams"),
        ("chat/generate", {"text_input": "x", "request_id": "x"}, "set by the service"),
        ("chat/generate", {"text_input": "x", "model": "nobody"}, "nobody"),
        ("chat/generate", {"messages": 5}, "messages"),
        ("chat/generate", {"text_input": 5}, "text_input"),
        ("chat/generate_stream", {"text_input": "x", "max_tokens": -1}, "max_tokens"),
        ("embed/generate", {"text_input": "x"}, "makes no text"),
        ("chat/versions/2/generate", {"text_input": "x"}, "not found"),
    ],
)
def test_generation_that_cannot_be_is_refused(
    web: httpx.Client, path: str, body: dict[str, Any], message: str
) -> None:
    answer = web.post(f"/models/{path}", json=body)
    assert 400 <= answer.status_code < 500
    assert answer.json().keys() == {"error"} and message in answer.json()["error"]
