"""Calls of gRPC other than those for answers, at a proxy and at a server: which of them are open."""

from collections.abc import Iterator
from queue import Queue
from typing import Any

import grpc
import numpy as np
import pytest
import tritonclient.grpc as triton
from conftest import Server
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from test_proxy_grpc import Front, front  # noqa: F401 - a fixture
from tritonclient.grpc import service_pb2
from tritonclient.utils import InferenceServerException

from triton_server.contract.calls import CLASSES, LOADING, LOGS, SHARED_MEMORY, TRACES
from triton_server.contract.grpc_service import SERVICE
from triton_server.proxy.grpc_calls import READ_CALLS
from triton_server.proxy.grpc_messages import INFER, STREAM_INFER


@pytest.fixture
def channel(front: Front) -> Iterator[grpc.Channel]:  # noqa: F811
    """A connection to a proxy."""
    with grpc.insecure_channel(front.grpc_url) as connected:
        yield connected


def test_tools_can_list_and_describe_the_service(channel: grpc.Channel) -> None:
    """As grpcurl does: the service is called with what the server says of it, and nothing else."""
    database = ProtoReflectionDescriptorDatabase(channel)
    assert "inference.GRPCInferenceService" in database.get_services()
    pool = DescriptorPool(database)
    service = pool.FindServiceByName("inference.GRPCInferenceService")
    call = service.methods_by_name["RepositoryIndex"]
    request, response = GetMessageClass(call.input_type), GetMessageClass(call.output_type)
    answer = channel.unary_unary(f"{SERVICE}RepositoryIndex", request.SerializeToString, response.FromString)
    assert [(m.name, m.version, m.state) for m in answer(request(), timeout=60).models] == [
        (name, "1", "READY") for name in ("chat", "chat_stream", "embed", "chat_control")
    ]


def test_every_call_is_open_or_closed_by_name(channel: grpc.Channel) -> None:
    calls = service_pb2.DESCRIPTOR.services_by_name["GRPCInferenceService"].methods_by_name
    closed = {f"{SERVICE}{name}" for name in calls} - READ_CALLS - {INFER, STREAM_INFER}
    assert len(closed) == 10
    for method in closed:
        with pytest.raises(grpc.RpcError) as caught:
            channel.unary_unary(method)(b"", timeout=60)
        assert caught.value.code() == grpc.StatusCode.PERMISSION_DENIED
        assert caught.value.details() in (LOADING, LOGS, SHARED_MEMORY, TRACES)
    for method in (f"{SERVICE}Nothing", "/nobody/knows"):
        with pytest.raises(grpc.RpcError) as caught:
            channel.unary_unary(method)(b"", timeout=60)
        assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED


def test_what_tools_read_is_open(channel: grpc.Channel) -> None:
    assert channel.unary_unary("/grpc.health.v1.Health/Check")(b"", timeout=60) == b"\x08\x01"  # SERVING

    def ask(name: str, /, **fields: str) -> Any:
        request = getattr(service_pb2, f"{name}Request")(**fields)
        response = getattr(service_pb2, f"{name}Response")
        call = channel.unary_unary(f"{SERVICE}{name}", None, response.FromString)
        return call(request.SerializeToString(), timeout=60)

    assert ask("ServerLive").live and ask("ServerReady").ready and ask("ModelReady", name="chat").ready
    extensions = ask("ServerMetadata").extensions
    assert "statistics" in extensions and not {"system_shared_memory", "logging"} & set(extensions)
    assert [tensor.name for tensor in ask("ModelMetadata", name="chat").inputs] == ["messages", "parameters"]
    assert ask("ModelConfig", name="chat_stream").config.model_transaction_policy.decoupled
    (statistics,) = ask("ModelStatistics", name="chat").model_stats
    assert statistics.version == "1"
    with pytest.raises(grpc.RpcError) as caught:
        ask("RepositoryIndex", repository_name="mine")
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT


def test_statistics_are_open_at_servers(endless: Server) -> None:
    with triton.InferenceServerClient(endless.grpc_url) as client:
        assert {each.name for each in client.get_inference_statistics().model_stats} >= {"chat", "embed"}


def test_classes_of_outputs_are_refused(front: Front) -> None:  # noqa: F811
    """Triton's process would die."""
    messages = triton.InferInput("messages", [1, 2], "UINT8")
    messages.set_data_from_numpy(np.frombuffer(b"[]", np.uint8)[None])
    outputs = [triton.InferRequestedOutput("response", class_count=1)]
    with triton.InferenceServerClient(front.grpc_url) as client:
        with pytest.raises(InferenceServerException) as caught:
            client.infer("chat", [messages], outputs=outputs)
        assert (caught.value.status(), caught.value.message()) == ("StatusCode.INVALID_ARGUMENT", CLASSES)
        ended: Queue[Any] = Queue()
        client.start_stream(lambda result, error: ended.put(error))
        client.async_stream_infer("chat_stream", [messages], outputs=outputs)
        assert CLASSES in str(ended.get(timeout=60))
