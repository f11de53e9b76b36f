"""How gRPC finds what answers a call of KServe's service, and how messages become bytes."""

from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import grpc
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from tritonclient.grpc import service_pb2

from ...contract.grpc_service import HEALTH_CHECK, SERVICE, Context, find_refusal
from ...contract.tensors import READY
from .service import InferenceService

# What grpc/health/v1/health.proto calls SERVING and NOT_SERVING, as the first field of a HealthCheckResponse.
_SERVING, _NOT_SERVING = b"\x08\x01", b"\x08\x02"
_MALFORMED = "Unable to parse request"  # as Triton says it
_METHODS = service_pb2.DESCRIPTOR.services_by_name["GRPCInferenceService"].methods


class Handlers(grpc.GenericRpcHandler):
    """What answers each call: a method of the service, or a refusal."""

    def __init__(self, service: InferenceService, health: Callable[[], str]) -> None:
        self._health = health
        self._handlers = {HEALTH_CHECK: grpc.unary_unary_rpc_method_handler(self._check)}
        for method in _METHODS:
            answer = getattr(service, method.name, None)
            if answer is not None:
                make = _make_stream if method.name == "ModelStreamInfer" else _make_call
                self._handlers[SERVICE + method.name] = make(answer, GetMessageClass(method.input_type))

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        """See grpc.GenericRpcHandler; None: the service has no such call."""
        method = handler_call_details.method
        return self._handlers.get(method) or find_refusal(method)

    async def _check(self, request: bytes, context: Context) -> bytes:
        return _SERVING if self._health() == READY else _NOT_SERVING


def _make_call(answer: Any, kind: type[Message]) -> grpc.RpcMethodHandler:
    """What answers a call with one request, which is of this kind."""

    async def call(request: Message | None, context: Context) -> Message:
        return await answer(await _check_parsed(request, context), context)

    return grpc.unary_unary_rpc_method_handler(call, partial(_parse, kind), _to_bytes)


def _make_stream(answer: Any, kind: type[Message]) -> grpc.RpcMethodHandler:
    """What answers a stream of requests. It writes its responses by itself."""

    async def call(stream: AsyncIterator[Message | None], context: Context) -> None:
        async def read() -> AsyncIterator[Message]:
            async for request in stream:
                yield await _check_parsed(request, context)

        await answer(read(), context)

    return grpc.stream_stream_rpc_method_handler(call, partial(_parse, kind), _to_bytes)


def _parse(kind: type[Message], data: bytes) -> Message | None:
    """A message; None for bytes that are none. gRPC lets go of the bytes, which may be many."""
    try:
        return kind.FromString(data)
    except DecodeError:
        return None


async def _check_parsed(request: Message | None, context: Context) -> Message:
    if request is None:
        await context.abort(grpc.StatusCode.INTERNAL, _MALFORMED)
        raise AssertionError  # abort raises
    return request


def _to_bytes(response: Message) -> bytes:
    return response.SerializeToString()
