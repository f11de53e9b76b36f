"""The gRPC clients: errors of Triton and gRPC become the project's own, and the imports are small."""

import asyncio
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
import tritonclient.grpc as triton
from conftest import Server
from tritonclient.utils import InferenceServerException

from model_core.errors import QueueFull, TritonchatError
from triton_server.client import AsyncChatClient
from triton_server.contract import wire
from triton_server.contract.json_tensors import encode
from triton_server.contract.wire import ServerUnavailable, translate_error


def test_unloaded_model_means_unavailable_server(server: Server) -> None:
    inputs = wire.create_inputs({"command": encode({"stats": True})[None]})
    with (
        triton.InferenceServerClient(server.grpc_url) as client,
        pytest.raises(InferenceServerException) as error_info,
    ):
        client.infer("no_such_model", inputs)
    assert isinstance(translate_error(error_info.value, server.grpc_url), ServerUnavailable)


@pytest.mark.parametrize(
    ("message", "status", "expected"),
    [
        ("Request for unknown model: 'chat_control' is not found", None, ServerUnavailable),
        ("Request for unknown model: 'chat' version 1 is not at ready state", None, ServerUnavailable),
        ("Server is stopping, scheduler for model has stopped accepting new", None, ServerUnavailable),
        ("failed to connect to all addresses", "StatusCode.UNAVAILABLE", ServerUnavailable),
        ("The stream is no longer in valid state", None, ServerUnavailable),
        ("Internal error from Core", "StatusCode.INTERNAL", ServerUnavailable),
        ("Exceeds maximum queue size", "StatusCode.UNAVAILABLE", QueueFull),
        ("unexpected shape for input 'messages'", "StatusCode.INVALID_ARGUMENT", TritonchatError),
    ],
)
def test_errors_are_translated(message: str, status: str | None, expected: type) -> None:
    error = translate_error(InferenceServerException(message, status=status), "here:1", "so far")
    assert type(error) is expected
    assert error.partial == "so far"


def test_server_that_ends_during_a_request_is_unavailable() -> None:
    """gRPC reports the end as an internal error if the client is still sending the request."""
    stopping = grpc.stream_stream_rpc_method_handler(
        lambda _, call: call.abort(grpc.StatusCode.UNAVAILABLE, "")
    )
    service = {"ModelStreamInfer": stopping}
    handler = grpc.method_handlers_generic_handler("inference.GRPCInferenceService", service)
    server = grpc.server(ThreadPoolExecutor(4), [handler])
    url = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"

    async def failure(client: AsyncChatClient) -> TritonchatError:
        with pytest.raises(TritonchatError) as error_info:
            async for _ in client.stream("Hello", {}):
                pass
        return error_info.value

    async def ask() -> set[type]:
        client = AsyncChatClient(url)
        try:
            return {type(await failure(client)) for _ in range(300)}
        finally:
            await client.close()

    server.start()
    try:
        assert asyncio.run(ask()) == {ServerUnavailable}
    finally:
        server.stop(None)


def test_clients_import_neither_the_compiler_nor_the_tokenizers() -> None:
    script = (
        "import sys, triton_server.client; "
        "print({'numba', 'tokenizers', 'pytriton'} & {name.partition('.')[0] for name in sys.modules})"
    )
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert process.stdout == "set()\n", process.stderr
