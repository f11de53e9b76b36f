"""Malformed tensors are sent to every model: each is refused with a message, and the server still answers."""

import json
import queue
import re
import socket
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tritonclient.grpc as triton
from conftest import Server
from tritonclient.grpc.service_pb2 import ModelInferRequest
from tritonclient.utils import InferenceServerException

from triton_server.client import ChatClient
from triton_server.contract import wire
from triton_server.contract.json_tensors import encode
from triton_server.contract.tensors import CHAT, CHAT_CONTROL, CHAT_STREAM

Tensors = list[triton.InferInput]
HELLO = encode("Hello")
ANSWER_TIMEOUT_S = 60


@pytest.fixture
def triton_client(server: Server) -> Iterator[triton.InferenceServerClient]:
    with triton.InferenceServerClient(**wire.parse_endpoint(server.grpc_url).client_arguments()) as client:
        yield client


def tensor(name: str, shape: list[int], data: bytes = b"", dtype: str = "UINT8") -> triton.InferInput:
    """Create a tensor whose shape and bytes may contradict each other."""
    infer_input = triton.InferInput(name, shape, dtype)
    infer_input._raw_content = data
    return infer_input


def read_error_message(triton_client: triton.InferenceServerClient, model: str, tensors: Tensors) -> str:
    """Return the message that the client gets: of gRPC's error, or of the error in the response."""
    try:
        if model == CHAT_STREAM:
            result = stream(triton_client, tensors)
        else:
            result = triton_client.infer(model, tensors, client_timeout=ANSWER_TIMEOUT_S)
    except InferenceServerException as error:
        return str(error.message())
    rows = result.as_numpy("result" if model == CHAT_CONTROL else "details")
    (message,) = {json.loads(row)["error"]["message"] for row in rows.flat}
    return message


def stream(triton_client: triton.InferenceServerClient, tensors: Tensors) -> triton.InferResult:
    """Return the first response of a stream, and close the stream."""
    responses: queue.Queue = queue.Queue()
    triton_client.start_stream(lambda result, error: responses.put((result, error)))
    try:
        triton_client.async_stream_infer(CHAT_STREAM, tensors)
        result, error = responses.get(timeout=ANSWER_TIMEOUT_S)
    finally:
        triton_client.stop_stream()
    if error is not None:
        raise error
    return result


def has_no_internals(text: str) -> bool:
    """Whether a message has no traceback and no path of the server's machine."""
    return bool(text) and not re.search(r"Traceback|File \"|\.py\b|/tmp|/home|/usr|/root|\bat 0x", text)


@pytest.mark.parametrize("model", [CHAT, CHAT_STREAM, CHAT_CONTROL])
@pytest.mark.parametrize(
    "data", [b"\xff\xfe", b'"\xc3"', b"hello", b"{", b"NaN", b"\0\0", b"[" * 5000, b"  ", b""]
)
def test_invalid_json_is_refused(
    triton_client: triton.InferenceServerClient, model: str, data: bytes
) -> None:
    name = "command" if model == CHAT_CONTROL else "messages"
    shape = [len(data)] if model == CHAT_STREAM else [1, len(data)]
    message = read_error_message(triton_client, model, [tensor(name, shape, data)])
    assert message.startswith(name) and has_no_internals(message), message


@pytest.mark.parametrize("model", [CHAT, CHAT_STREAM, CHAT_CONTROL])
@pytest.mark.parametrize(
    ("shape", "data", "dtype"),
    [
        ([], b"5", "UINT8"),
        ([0], b"", "UINT8"),
        ([0, 5], b"", "UINT8"),
        ([2, 0], b"", "UINT8"),
        ([1, 1, 1], b"5", "UINT8"),
        ([1, 1], b"5", "INT8"),
        ([1, 1], b"5555", "FP32"),
        ([1], b"\x05\0\0\0Hello", "BYTES"),
        ([1, 1], b"\xff\xff\xff\x7fHello", "BYTES"),
        ([65, 1], b"5" * 65, "UINT8"),
        ([1, 100], b"5", "UINT8"),
        ([100], b"5", "UINT8"),
        ([1], b"5" * 100, "UINT8"),
        ([-1], b"5", "UINT8"),
        ([1, -1], b"5", "UINT8"),
        ([-1, -1], b"5", "UINT8"),
        ([2**31], b"5", "UINT8"),
        ([1, 2**62], b"5", "UINT8"),
        ([2**33, 2**31], b"", "UINT8"),
    ],
    ids=str,
)
def test_wrong_shapes_and_types_are_refused(
    triton_client: triton.InferenceServerClient, model: str, shape: list[int], data: bytes, dtype: str
) -> None:
    name = "command" if model == CHAT_CONTROL else "messages"
    message = read_error_message(triton_client, model, [tensor(name, shape, data, dtype)])
    assert has_no_internals(message), message


@pytest.mark.parametrize("model", [CHAT, CHAT_STREAM, CHAT_CONTROL])
def test_request_without_rows_is_refused(triton_client: triton.InferenceServerClient, model: str) -> None:
    name = "command" if model == CHAT_CONTROL else "messages"
    message = read_error_message(triton_client, model, [tensor(name, [0, 0])])
    if model == CHAT_STREAM:  # which has no batches
        assert "[0,0]" in message and has_no_internals(message), message
    else:
        assert message == f"{name} is empty; it should hold JSON."
    if model == CHAT:
        for parameters in (tensor("parameters", [0, 0]), tensor("parameters", [1, 2], b"{}")):
            message = read_error_message(triton_client, model, [tensor(name, [0, 0]), parameters])
            assert "is empty" in message or "batch size" in message


def test_missing_and_unknown_inputs_are_refused(triton_client: triton.InferenceServerClient) -> None:
    for model, batch in ((CHAT, [1]), (CHAT_STREAM, [])):
        messages = tensor("messages", [*batch, HELLO.size], HELLO.tobytes())
        parameters = tensor("parameters", [*batch, 2], b"{}")
        assert read_error_message(triton_client, model, [parameters]) == "the input messages is missing."
        assert "messages" in read_error_message(triton_client, model, [])
        assert "more" in read_error_message(
            triton_client, model, [messages, tensor("more", [*batch, 2], b"{}")]
        )
        empty = tensor("parameters", [*batch, 0])
        assert read_error_message(triton_client, model, [messages, empty]).startswith("parameters is empty")
    assert "command" in read_error_message(triton_client, CHAT_CONTROL, [])
    two_rows = tensor("parameters", [2, 2], b"{}{}")
    assert has_no_internals(
        read_error_message(
            triton_client, CHAT, [tensor("messages", [1, HELLO.size], HELLO.tobytes()), two_rows]
        )
    )


def test_malformed_commands_do_not_fail_other_rows(triton_client: triton.InferenceServerClient) -> None:
    rows = [b'{"stats": true}', b"[]", b'{"cancel": "nobody"}', b"\xff"]
    command = np.stack([np.frombuffer(row.ljust(20), np.uint8) for row in rows])
    result = triton_client.infer(CHAT_CONTROL, wire.create_inputs({"command": command}))
    replies = [json.loads(row[0]) for row in result.as_numpy("result")]
    assert replies[0]["model"] and replies[2] == {"cancelled": False}
    assert has_no_internals(replies[1]["error"]["message"]) and has_no_internals(
        replies[3]["error"]["message"]
    )


def test_server_still_answers(client: ChatClient) -> None:
    assert client.is_ready()
    assert client.chat("Hello", max_tokens=5).text
    with client.stream("Hello", max_tokens=5) as deltas:
        assert "".join(deltas)


def call_with_header(server: Server, traceparent: bytes) -> bytes:
    """The status of gRPC for a request with a header that gRPC's own clients do not send."""
    connection = pytest.importorskip("h2.connection")
    config = pytest.importorskip("h2.config").H2Configuration(
        validate_outbound_headers=False, header_encoding=None
    )
    contents = [HELLO.tobytes(), encode({"max_tokens": 1}).tobytes()]
    request = ModelInferRequest(model_name=CHAT, raw_input_contents=contents)
    for name, content in zip(("messages", "parameters"), contents, strict=True):
        request.inputs.add(name=name, datatype="UINT8", shape=[1, len(content)])
    body = request.SerializeToString()
    client = connection.H2Connection(config)
    client.initiate_connection()
    headers = {
        ":method": "POST",
        ":scheme": "http",
        ":path": "/inference.GRPCInferenceService/ModelInfer",
        ":authority": "localhost",
        "te": "trailers",
        "content-type": "application/grpc",
    }
    sent = [(name.encode(), value.encode()) for name, value in headers.items()]
    client.send_headers(1, [*sent, (b"traceparent", traceparent)])
    client.send_data(1, b"\0" + struct.pack(">I", len(body)) + body, end_stream=True)
    host, port = server.grpc_url.removeprefix("grpc://").rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=ANSWER_TIMEOUT_S) as stream:
        stream.sendall(client.data_to_send())
        received: dict[bytes, bytes] = {}
        while b"grpc-status" not in received:
            for event in client.receive_data(stream.recv(2**16)):
                received |= dict(getattr(event, "headers", None) or {})
            stream.sendall(client.data_to_send())
    return received[b"grpc-status"]


def test_headers_with_any_bytes_harm_no_request_of_their_batch(server: Server) -> None:
    """Triton makes a parameter of the header, and Python cannot read this one."""
    given = [b"\xff", b"\xed\xa0\x80", b"\xff" * 3000, *[b"x"] * 17]
    with ThreadPoolExecutor(len(given)) as threads:
        assert list(threads.map(lambda each: call_with_header(server, each), given)) == [b"0"] * len(given)
