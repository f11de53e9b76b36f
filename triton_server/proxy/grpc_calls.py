"""Calls of Triton's gRPC service other than those for answers: which are open, and what tools may ask."""

import json
from typing import TypeAlias

import grpc
from google.protobuf.message import DecodeError
from grpc_reflection.v1alpha import reflection
from tritonclient.grpc import service_pb2

from ..contract.calls import LOADING, LOGS, SHARED_MEMORY, TRACES, name_triton_models
from .grpc_messages import SERVICE, read_output

Context: TypeAlias = grpc.aio.ServicerContext

_SERVICE = service_pb2.DESCRIPTOR.services_by_name["GRPCInferenceService"]
SERVER_METADATA, REPOSITORY_INDEX = f"{SERVICE}ServerMetadata", f"{SERVICE}RepositoryIndex"
# They change nothing. The last one is gRPC's own protocol for the health of a server.
READ_CALLS = frozenset(
    {
        f"{SERVICE}ServerLive",
        f"{SERVICE}ServerReady",
        f"{SERVICE}ModelReady",
        SERVER_METADATA,
        f"{SERVICE}ModelMetadata",
        f"{SERVICE}ModelConfig",
        f"{SERVICE}ModelStatistics",
        REPOSITORY_INDEX,
        "/grpc.health.v1.Health/Check",
    }
)
# A word in the name of a call, and why it is closed.
_CLOSED = {
    "RepositoryModel": LOADING,
    "SharedMemory": SHARED_MEMORY,
    "TraceSetting": TRACES,
    "LogSettings": LOGS,
}
# Extensions of Triton's whose calls are closed.
_CLOSED_EXTENSIONS = {
    "system_shared_memory",
    "cuda_shared_memory",
    "trace",
    "logging",
    "model_repository(unload_dependents)",
}


def find_refusal(method: str) -> grpc.RpcMethodHandler | None:
    """What refuses a call that is closed; None for other calls."""
    reason = next((reason for word, reason in _CLOSED.items() if word in method), None)
    if reason is None or not method.startswith(SERVICE):
        return None

    async def refuse(data: bytes, context: Context) -> bytes:
        await context.abort(grpc.StatusCode.PERMISSION_DENIED, reason)
        raise AssertionError  # abort raises

    return grpc.unary_unary_rpc_method_handler(refuse)


def describe_open(response: bytes) -> bytes:
    """A response to ServerMetadata without the extensions that are closed."""
    metadata = service_pb2.ServerMetadataResponse.FromString(response)
    metadata.extensions[:] = [name for name in metadata.extensions if name not in _CLOSED_EXTENSIONS]
    return metadata.SerializeToString()


def names_repository(data: bytes) -> bool:
    """Whether a request for RepositoryIndex names a repository, or is none: it is refused."""
    try:
        return bool(service_pb2.RepositoryIndexRequest.FromString(data).repository_name)
    except DecodeError:
        return True


def make_index(response: bytes) -> bytes:
    """The response to RepositoryIndex, of a server's response to the command `stats`."""
    result = read_output(service_pb2.ModelInferResponse.FromString(response), "result")
    index = service_pb2.RepositoryIndexResponse()
    for name in name_triton_models(json.loads(result or "{}")):
        index.models.add(name=name, version="1", state="READY")
    return index.SerializeToString()


def add_reflection(server: grpc.aio.Server) -> None:
    """Let a server describe the service, as grpcurl and other tools ask (grpc/reflection/v1alpha)."""
    reflection.enable_server_reflection((_SERVICE.full_name, reflection.SERVICE_NAME), server)
