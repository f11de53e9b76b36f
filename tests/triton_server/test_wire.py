"""The gRPC clients: errors of Triton and gRPC become the project's own, and the imports are small."""

import subprocess
import sys

import pytest
import tritonclient.grpc as triton
from conftest import Server
from tritonclient.utils import InferenceServerException

from model_core.errors import QueueFull, TritonchatError
from triton_server import wire
from triton_server.json_tensors import encode
from triton_server.wire import ServerUnavailable, translate_error


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
        ("Exceeds maximum queue size", "StatusCode.UNAVAILABLE", QueueFull),
        ("unexpected shape for input 'messages'", "StatusCode.INVALID_ARGUMENT", TritonchatError),
    ],
)
def test_errors_are_translated(message: str, status: str | None, expected: type) -> None:
    error = translate_error(InferenceServerException(message, status=status), "here:1", "so far")
    assert type(error) is expected
    assert error.partial == "so far"


@pytest.mark.parametrize("module", ["client", "async_client"])
def test_clients_import_neither_the_compiler_nor_the_tokenizers(module: str) -> None:
    script = (
        f"import sys, triton_server.{module}; "
        "print({'numba', 'tokenizers', 'pytriton'} & {name.partition('.')[0] for name in sys.modules})"
    )
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert process.stdout == "set()\n", process.stderr
