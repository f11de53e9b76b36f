"""Calls of Triton's gRPC service other than those for answers: which are open, and what tools may ask."""

import json

from google.protobuf.message import DecodeError
from tritonclient.grpc import service_pb2

from ..contract.calls import name_triton_models
from ..contract.grpc_service import HEALTH_CHECK, SERVICE
from .grpc_messages import read_output

SERVER_METADATA, REPOSITORY_INDEX = f"{SERVICE}ServerMetadata", f"{SERVICE}RepositoryIndex"
# They change nothing.
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
        HEALTH_CHECK,
    }
)
# Extensions of Triton's whose calls are closed.
_CLOSED_EXTENSIONS = {
    "system_shared_memory",
    "cuda_shared_memory",
    "trace",
    "logging",
    "model_repository(unload_dependents)",
}


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
