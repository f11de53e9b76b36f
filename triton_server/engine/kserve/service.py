"""The calls of KServe's gRPC service: requests go to the models of the contract, and answers come back.

A client that leaves ends its requests. The model is told so, and not cancelled in the middle: a request that
is just being handed to the engine would otherwise run on there with nobody to end it.
"""

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import Any

import grpc
from tritonclient.grpc import service_pb2 as messages

from ...contract.grpc_service import Context, parent_of_call
from ...contract.tensors import READY
from ...tracing.spans import TRACEPARENT
from ..serving.calls import CALL_ID_PARAMETER, TIMEOUT_PARAMETER, PlainRequest
from ..serving.models import ContractModel
from .descriptions import configure_model, describe_model, describe_server
from .statistics import CANCELED, OTHER, ModelCounts
from .tensors import (
    IS_FINAL,
    TIMEOUT,
    VERSION,
    WANTS_FINAL,
    Refused,
    check_parameters,
    find_outputs,
    make_response,
    read_inputs,
)

LOGGER = logging.getLogger(__name__)

# Requests of one stream that are answered at the same time. Further ones are read when one of them has ended.
MAX_OF_STREAM = 1024
_TELL_S = 0.25  # from one notice that a client has left to the next
_STREAM_ONLY = "ModelInfer RPC doesn't support models with decoupled transaction policy"
_ONE_REPOSITORY = "the server has one repository; leave the name of a repository out."
_FAILURE = "the request failed in the server; its log says why."

Write = Callable[[messages.ModelStreamInferResponse], Awaitable[None]]


class InferenceService:
    """Answers the calls that are open, by methods of their names. handlers.py lets gRPC call them."""

    def __init__(
        self, models: Sequence[ContractModel], cancel_call: Callable[[str], None], health: Callable[[], str]
    ) -> None:
        """`cancel_call`, `health`: of Inference."""
        self._models = {model.name: model for model in models}
        self._cancel_call, self._health = cancel_call, health
        self._ending: set[asyncio.Task[None]] = set()
        self._left: set[str] = set()  # running calls whose clients have left
        self.counts = {model.name: ModelCounts() for model in models}

    async def ServerLive(self, request: Any, context: Context) -> messages.ServerLiveResponse:
        """Whether it runs."""
        return messages.ServerLiveResponse(live=True)

    async def ServerReady(self, request: Any, context: Context) -> messages.ServerReadyResponse:
        """Whether it accepts requests."""
        return messages.ServerReadyResponse(ready=self._health() == READY)

    async def ModelReady(
        self, request: messages.ModelReadyRequest, context: Context
    ) -> messages.ModelReadyResponse:
        """Whether it accepts requests for a model, which may have to be loaded."""
        try:
            self._find(request.name, request.version)
        except Refused as error:
            if error.status != grpc.StatusCode.NOT_FOUND:
                await context.abort(error.status, str(error))
            return messages.ModelReadyResponse(ready=False)
        return messages.ModelReadyResponse(ready=self._health() == READY)

    async def ServerMetadata(self, request: Any, context: Context) -> messages.ServerMetadataResponse:
        """What this program is."""
        return describe_server()

    async def ModelMetadata(
        self, request: messages.ModelMetadataRequest, context: Context
    ) -> messages.ModelMetadataResponse:
        """The tensors of a model."""
        return describe_model(await self._get(request, context))

    async def ModelConfig(
        self, request: messages.ModelConfigRequest, context: Context
    ) -> messages.ModelConfigResponse:
        """The configuration of a model."""
        return messages.ModelConfigResponse(config=configure_model(await self._get(request, context)))

    async def ModelStatistics(
        self, request: messages.ModelStatisticsRequest, context: Context
    ) -> messages.ModelStatisticsResponse:
        """What was counted of a model, or of all."""
        names = [request.name] if request.name else list(self._models)
        if request.name and (request.name not in self._models or request.version not in ("", VERSION)):
            message = f"requested model '{request.name[:100]}' or its version is not available"
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, message)
        counts = [self.counts[name].describe(name) for name in names]
        return messages.ModelStatisticsResponse(model_stats=counts)

    async def RepositoryIndex(
        self, request: messages.RepositoryIndexRequest, context: Context
    ) -> messages.RepositoryIndexResponse:
        """All models."""
        if request.repository_name:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, _ONE_REPOSITORY)
        index = messages.RepositoryIndexResponse()
        for name in self._models:
            index.models.add(name=name, version=VERSION, state="READY")
        return index

    async def ModelInfer(
        self, request: messages.ModelInferRequest, context: Context
    ) -> messages.ModelInferResponse:
        """Answer a request of a model that does not stream."""
        try:
            model = self._find(request.model_name, request.model_version)
            if model.is_stream:
                raise Refused(_STREAM_ONLY, grpc.StatusCode.UNIMPLEMENTED)
            call = uuid.uuid4().hex
            task = asyncio.create_task(self._infer(model, request, call, parent_of_call(context)))
            try:
                return await asyncio.shield(task)
            except asyncio.CancelledError:  # the client has left
                self._keep(self._end(call, task))
                raise
        except Refused as error:
            await context.abort(error.status, str(error))
        except Exception:
            LOGGER.exception("A request failed")
            await context.abort(grpc.StatusCode.INTERNAL, _FAILURE)
        raise AssertionError  # abort raises

    async def _infer(
        self, model: ContractModel, request: messages.ModelInferRequest, call: str, parent: str | None
    ) -> messages.ModelInferResponse:
        """The response to a request. Raises Refused, and whatever else went wrong."""
        opened = await _open(model, request, call, parent)
        wanted, counts = find_outputs(model, request), self.counts[model.name]
        start = counts.begin()
        try:
            (outputs,) = await model.answer([opened])
        except Exception:
            counts.fail(start, OTHER)
            raise
        self._count(model, call, start, len(next(iter(outputs.values()))))
        return make_response(request, wanted, outputs)

    async def ModelStreamInfer(
        self, requests: AsyncIterator[messages.ModelInferRequest], context: Context
    ) -> None:
        """Answer the requests of a stream, all at the same time, each by one response or by many."""
        lock, parent, is_open = asyncio.Lock(), parent_of_call(context), True
        running: dict[asyncio.Task[None], str] = {}

        async def write(response: messages.ModelStreamInferResponse) -> None:
            nonlocal is_open
            async with lock:
                if is_open:
                    try:
                        await context.write(response)
                    except Exception as error:  # gRPC has no common one for a client that has left
                        LOGGER.debug("A response was not sent: %s", error)
                        is_open = False

        try:
            async for request in requests:
                call = uuid.uuid4().hex
                task = asyncio.create_task(self._stream(request, call, parent, write))
                running[task] = call
                task.add_done_callback(running.pop)
                if len(running) >= MAX_OF_STREAM:
                    await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            if running:
                await asyncio.wait(running)
        finally:
            is_open = False
            for task, call in running.items():  # the client has left
                self._keep(self._end(call, task))

    async def _stream(
        self, request: messages.ModelInferRequest, call: str, parent: str | None, write: Write
    ) -> None:
        """Answer a request of a stream. An error is a response, too, and ends nothing else."""
        try:
            model = self._find(request.model_name, request.model_version)
            if not model.is_stream:
                response = await self._infer(model, request, call, parent)
                await write(_mark(response, is_final=True))
                return
            opened, wanted = await _open(model, request, call, parent), find_outputs(model, request)
            counts = self.counts[model.name]
            start = counts.begin()
            try:
                async with aclosing(model.answer([opened])) as responses:
                    async for (outputs,) in responses:
                        await write(_mark(make_response(request, wanted, outputs), is_final=False))
            except Exception:
                counts.fail(start, OTHER)
                raise
            self._count(model, call, start, 1)
            if request.parameters[WANTS_FINAL].bool_param:
                end = messages.ModelInferResponse(model_name=request.model_name, id=request.id)
                await write(_mark(end, is_final=True))
        except Refused as error:
            await write(_make_error(request, str(error)))
        except Exception:
            LOGGER.exception("A request failed")
            await write(_make_error(request, _FAILURE))

    async def stop(self, timeout_s: float) -> None:
        """Wait until requests whose clients have left have ended, at most for the timeout."""
        if self._ending:
            await asyncio.wait(self._ending, timeout=timeout_s)

    async def _get(self, request: Any, context: Context) -> ContractModel:
        """The model that a request names, which is refused if there is none."""
        try:
            return self._find(request.name, request.version)
        except Refused as error:
            await context.abort(error.status, str(error))
            raise AssertionError from error  # abort raises

    def _find(self, name: str, version: str) -> ContractModel:
        """A model by its name. Raises Refused."""
        if version and not (version.isascii() and version.isdecimal()):
            raise Refused(
                f"failed to get model version from specified version string '{version[:100]}', version "
                "should be an integral value > 0"
            )
        model, unknown = self._models.get(name), f"Request for unknown model: '{name[:100]}'"
        if model is None:
            raise Refused(f"{unknown} is not found", grpc.StatusCode.NOT_FOUND)
        if version not in ("", VERSION):
            raise Refused(f"{unknown} version {version[:100]} is not found", grpc.StatusCode.NOT_FOUND)
        return model

    async def _end(self, call: str, task: asyncio.Task[Any]) -> None:
        """Say that the client of a call has left, until its answer has ended."""
        self._left.add(call)
        while not task.done():
            self._cancel_call(call)
            await asyncio.wait({task}, timeout=_TELL_S)
        self._left.discard(call)
        if not task.cancelled():
            task.exception()  # nobody else reads it

    def _count(self, model: ContractModel, call: str, start: int, rows: int) -> None:
        """Count a request whose answer has ended."""
        if call in self._left:
            self.counts[model.name].fail(start, CANCELED)
        else:
            self.counts[model.name].succeed(start, rows)

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that no call waits for."""
        task = asyncio.create_task(work)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


async def _open(
    model: ContractModel, request: messages.ModelInferRequest, call: str, parent: str | None
) -> PlainRequest:
    """A request as the models of the contract get it. Raises Refused."""
    check_parameters(request.parameters)
    if any(tensor.HasField("contents") for tensor in request.inputs):  # numbers, which take time to read
        data = await asyncio.to_thread(read_inputs, model, request)
    else:
        data = read_inputs(model, request)
    parameters: dict[str, Any] = {CALL_ID_PARAMETER: call}
    if TIMEOUT in request.parameters:
        parameters[TIMEOUT_PARAMETER] = max(0, request.parameters[TIMEOUT].int64_param)
    if parent is not None:
        parameters[TRACEPARENT] = parent
    return PlainRequest(data, parameters)


def _mark(response: messages.ModelInferResponse, is_final: bool) -> messages.ModelStreamInferResponse:
    """A response of a stream, which says whether it is the last one of its request."""
    response.parameters[IS_FINAL].bool_param = is_final
    return messages.ModelStreamInferResponse(infer_response=response)


def _make_error(request: messages.ModelInferRequest, message: str) -> messages.ModelStreamInferResponse:
    """The response of a stream to a request that is refused."""
    named = messages.ModelInferResponse(id=request.id)
    return messages.ModelStreamInferResponse(error_message=message, infer_response=named)
