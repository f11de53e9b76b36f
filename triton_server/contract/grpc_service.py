"""Triton's gRPC service, for servers that speak it themselves: its closed calls, and how it is described."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import grpc
from grpc_reflection.v1alpha import reflection
from tritonclient.grpc import service_pb2

from ..tracing.spans import TRACEPARENT, find_traceparent
from .calls import LOADING, LOGS, SHARED_MEMORY, TRACES

Context: TypeAlias = grpc.aio.ServicerContext

SERVICE = "/inference.GRPCInferenceService/"
HEALTH_CHECK = "/grpc.health.v1.Health/Check"  # gRPC's own protocol for the health of a server
_NAME = service_pb2.DESCRIPTOR.services_by_name["GRPCInferenceService"].full_name
# A word in the name of a call, and why it is closed.
_CLOSED = {
    "RepositoryModel": LOADING,
    "SharedMemory": SHARED_MEMORY,
    "TraceSetting": TRACES,
    "LogSettings": LOGS,
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


def add_reflection(server: grpc.aio.Server) -> None:
    """Let a server describe the service, as grpcurl and other tools ask (grpc/reflection/v1alpha)."""
    reflection.enable_server_reflection((_NAME, reflection.SERVICE_NAME), server)


def parent_of_call(context: Context) -> str | None:
    """The span of which a call is a part, as its metadata says."""
    metadata: Mapping[str, Any] = dict(context.invocation_metadata() or ())
    value = metadata.get(TRACEPARENT)
    return find_traceparent({TRACEPARENT: value}) if isinstance(value, str) else None
