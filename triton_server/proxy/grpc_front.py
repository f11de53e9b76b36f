"""Passes Triton's gRPC on to the servers, and on to another one if that fails; app.py does so for HTTP.

Calls pass as the bytes that they are. Only requests for answers and commands are read: to find the server of
a conversation or of a running request, and to go on with a stream that broke (grpc_answer.py).
"""

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias

import grpc
import httpx
from tritonclient.grpc.service_pb2 import ModelInferRequest, ModelInferResponse

from model_core.errors import InvalidRequest

from ..contract.calls import CLASSES
from ..contract.codec import describe_error, encode_failure
from ..contract.commands import COMMANDS, CONTROL_TIMEOUT_S
from ..contract.grpc_service import add_reflection, find_refusal, parent_of_call
from ..contract.tensors import CHAT, CHAT_CONTROL, CHAT_STREAM, EMBED
from ..contract.wire import ENDED_MESSAGES, KEEPALIVE_MS
from ..tracing.spans import fail_running
from . import grpc_calls
from .continuation import Diverged
from .grpc_answer import ELSEWHERE_ERRORS, GrpcAnswer
from .grpc_messages import (
    INFER,
    STREAM_INFER,
    complete,
    find_conversation,
    is_model,
    make_command,
    make_end,
    make_piece,
    parse_request,
    rank_result,
    read_json,
    read_output,
    rename,
)
from .metrics import ProxyMetrics
from .replicas import CHANNEL_OPTIONS, Broken, Replica, Replicas, Search
from .traces import traced_call

_GRACE_S = 20.0  # for running answers at the end
_END_S = 5.0  # in which a server must end an answer whose client has left
_LOST = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN)
_NO_SERVER = "no server takes gRPC now; those on other machines must run with --open-to-all."
_REFUSED = "failed to connect"  # in gRPC's message if there was no connection
_DIVERGED = "the server failed, and the others answer differently, so the answer ends here."
_ONE_REPOSITORY = "the server has one repository; leave the name of a repository out."
_MALFORMED = "the request is no ModelInferRequest, or has not as many contents as inputs."
_HALF_DONE = "the server failed; whether it has done what was asked is not known."

Context: TypeAlias = grpc.aio.ServicerContext
Write = Callable[[bytes], Awaitable[None]]


class GrpcFront(grpc.GenericRpcHandler):
    """A gRPC server. A request waits at most `wait_s` seconds for a server that is ready."""

    def __init__(
        self, replicas: Replicas, metrics: ProxyMetrics, address: str, max_bytes: int, wait_s: float
    ) -> None:
        self._replicas, self._metrics, self._wait_s = replicas, metrics, wait_s
        self._address, self._max_bytes = address, max_bytes
        self._server: grpc.aio.Server | None = None
        # By the ids of requests: the servers that have them, and their ids there.
        self._running: dict[str, tuple[Replica, str]] = {}
        self._cancelled: set[str] = set()  # ids of running requests that a client has cancelled
        self._ending: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen."""
        options = [
            *(option for option in CHANNEL_OPTIONS if option[0] != "grpc.max_receive_message_length"),
            ("grpc.max_receive_message_length", self._max_bytes),
            ("grpc.http2.min_ping_interval_without_data_ms", KEEPALIVE_MS // 2),
            ("grpc.so_reuseport", 0),
        ]
        self._server = grpc.aio.server(options=options)
        add_reflection(self._server)
        self._server.add_generic_rpc_handlers((self,))
        self._server.add_insecure_port(self._address)
        await self._server.start()

    async def stop(self) -> None:
        """Take no calls, and end when those that run have ended, at most 20 s later."""
        if self._server is not None:
            await self._server.stop(_GRACE_S)

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        """See grpc.GenericRpcHandler: how a call is answered; None: the service has no such call."""
        method = handler_call_details.method
        if method == STREAM_INFER:
            return grpc.stream_stream_rpc_method_handler(self._pass_streams)
        if method != INFER and method not in grpc_calls.READ_CALLS:
            return find_refusal(method)

        async def answer(data: bytes, context: Context) -> bytes:
            if method == INFER:
                return await self._infer(data, context)
            if method == grpc_calls.REPOSITORY_INDEX:
                return await self._index(data, context)
            response = await self._pass(method, data, context, None, may_repeat=True)
            return grpc_calls.describe_open(response) if method == grpc_calls.SERVER_METADATA else response

        return grpc.unary_unary_rpc_method_handler(answer)

    async def _index(self, data: bytes, context: Context) -> bytes:
        """Answer RepositoryIndex, which Triton opens only with the loading of models."""
        if grpc_calls.names_repository(data):
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, _ONE_REPOSITORY)
        stats = make_command({"stats": True})
        return grpc_calls.make_index(await self._pass(INFER, stats, context, None, may_repeat=True))

    async def _infer(self, data: bytes, context: Context) -> bytes:
        """Answer a call of a model that does not stream."""
        request = await _parse(data, context)
        if is_model(request, CHAT_CONTROL):
            command = read_json(request, "command")
            fields = command if isinstance(command, dict) else {}
            ways = {COMMANDS[name].proxied for name in fields if name in COMMANDS}
            if "to all" in ways:  # what one of them says is passed on
                return await self._ask_all(data, fields, context)
            prompt = fields.get("save_prompt")  # is asked again how it goes
            key = f"prompt {prompt}" if prompt is not None else CHAT_CONTROL
            return await self._pass(INFER, data, context, key, "again" in ways)
        parameters = read_json(request, "parameters")
        request_id = parameters.get("request_id") if isinstance(parameters, dict) else None
        if not isinstance(request_id, str):
            request_id = None
        has_details = is_model(request, CHAT) or is_model(request, EMBED)
        with traced_call(request, parent_of_call(context)) as has_changed:
            data = request.SerializeToString() if has_changed else data
            return await self._pass(
                INFER, data, context, find_conversation(request), has_details, request_id, has_details
            )

    async def _pass(
        self,
        method: str,
        data: bytes,
        context: Context,
        key: str | None,
        may_repeat: bool,
        request_id: str | None = None,
        has_details: bool = False,
    ) -> bytes:
        """The response to a call with one. `has_details`: it may say that the server cannot answer."""
        search, inner_id = self._search(key), request_id
        while (replica := await search.find()) is not None:
            try:
                with self._metrics.count(replica), self._note(request_id, replica, inner_id):
                    response = await self._call(replica, method, data, context)
                    if has_details:
                        self._check(response, request_id, search.is_last)
                    return response
            except grpc.aio.AioRpcError as error:
                message = error.details() or ""
                if not _is_lost(error) or (search.is_last and await _is_ready(replica)):
                    await context.abort(error.code(), _NO_SERVER if _REFUSED in message else message)
                if not may_repeat and _REFUSED not in message:
                    await context.abort(error.code(), _HALF_DONE)
            except Broken:
                if not may_repeat:
                    await context.abort(grpc.StatusCode.UNAVAILABLE, _HALF_DONE)
            self._metrics.repeated.inc()
            if request_id is not None:  # the other one may still run
                inner_id = uuid.uuid4().hex
                data = rename(data, inner_id)
        await context.abort(grpc.StatusCode.UNAVAILABLE, _NO_SERVER)
        raise AssertionError  # abort raises

    async def _call(self, replica: Replica, method: str, data: bytes, context: Context) -> bytes:
        """Call a server. Raises grpc.aio.AioRpcError; Broken if the server is lost."""
        response, start, status = b"", time.monotonic(), "OK"

        async def call() -> None:
            nonlocal response
            response = await replica.channel.unary_unary(method)(data, timeout=context.time_remaining())

        try:
            await replica.while_there(call())
        except grpc.aio.AioRpcError as error:
            status = error.code().name
            raise
        finally:
            self._metrics.observe(replica.version, status, time.monotonic() - start)
        return response

    def _check(self, response: bytes, request_id: str | None, is_last: bool) -> None:
        """Raises Broken if the server says that it cannot answer, or has cut the answer off."""
        details = json.loads(read_output(ModelInferResponse.FromString(response), "details") or "{}")
        kind = (details.get("error") or {}).get("type")
        is_cut_off = details.get("finish_reason") == "cancelled" and request_id not in self._cancelled
        if is_cut_off or (kind in ELSEWHERE_ERRORS and not is_last):
            raise Broken
        if kind is not None:
            fail_running(kind)

    async def _ask_all(self, data: bytes, command: dict[str, Any], context: Context) -> bytes:
        """Send a command to the server that has the request which it names, or to all."""
        request_id = command.get("cancel")
        found = self._running.get(request_id) if isinstance(request_id, str) else None
        if found is not None:
            self._cancelled.add(str(request_id))
            replicas, data = [found[0]], make_command({"cancel": found[1]})
        else:
            replicas = [one for one in self._replicas.list_all() if one.is_ready and one.grpc_port]
        calls = [self._command(replica, data) for replica in replicas]
        responses = [
            one for one in await asyncio.gather(*calls, return_exceptions=True) if isinstance(one, bytes)
        ]
        if not responses:
            await context.abort(grpc.StatusCode.UNAVAILABLE, _NO_SERVER)
        return min(responses, key=rank_result)

    async def _command(self, replica: Replica, data: bytes) -> bytes:
        return await replica.channel.unary_unary(INFER)(data, timeout=CONTROL_TIMEOUT_S)

    async def _pass_streams(self, requests: AsyncIterator[bytes], context: Context) -> None:
        """Answer the requests of a client's stream, each by a stream of its own to a server."""
        lock, is_open = asyncio.Lock(), True

        async def write(data: bytes) -> None:
            async with lock:
                if is_open:
                    await context.write(data)

        answers: set[asyncio.Task[None]] = set()
        try:
            async for data in requests:
                request = await _parse(data, context)
                answers.add(asyncio.create_task(self._stream(request, write, parent_of_call(context))))
            if answers:
                await asyncio.gather(*answers)
        finally:
            is_open = False
            for answer in answers:
                answer.cancel()

    async def _stream(self, request: ModelInferRequest, write: Write, parent: str | None) -> None:
        """Answer a request with a stream, until the client has all of it. `parent`: see traced_call."""
        request_id = complete(request)
        if request_id is None:  # a feed, which one server would have to fill for all
            refusal = encode_failure(describe_error(InvalidRequest("this server has no feeds.", "messages")))
            await _write_all(write, [make_piece(request, "", refusal), *make_end(request)])
            return
        with traced_call(request, parent):
            await self._answer(request, request_id, write)

    async def _answer(self, request: ModelInferRequest, request_id: str, write: Write) -> None:
        answer = GrpcAnswer(request, lambda: request_id in self._cancelled)
        search, data = self._search(find_conversation(request)), request.SerializeToString()
        inner_id = request_id
        while (replica := await search.find(is_bound=answer.is_started)) is not None:
            # In a task of its own, because gRPC would cancel the call of a task that is cancelled.
            read = self._read(replica, data, answer, write, search.is_last)
            reading = asyncio.create_task(replica.while_there(read))
            try:
                with self._metrics.count(replica), self._note(request_id, replica, inner_id):
                    return await asyncio.shield(reading)
            except grpc.aio.AioRpcError as error:
                if not _is_lost(error) or answer.is_complete:
                    message = error.details() or str(error.code())
                    return await _write_all(write, answer.render_failure(message))
            except Diverged:
                return await _write_all(write, answer.render_failure(_DIVERGED))
            except Broken:
                pass
            except asyncio.CancelledError:  # the client has left
                self._keep(self._end(replica, inner_id, reading))
                raise
            self._metrics.repeated.inc()
            if answer.is_started:
                self._metrics.continued.inc()
            answer.restart()
            if is_model(request, CHAT_STREAM) and isinstance(read_json(request, "parameters"), dict):
                inner_id = uuid.uuid4().hex  # the other one may still run
                data = rename(data, inner_id)
        await _write_all(write, answer.render_failure(_NO_SERVER))

    async def _read(
        self, replica: Replica, data: bytes, answer: GrpcAnswer, write: Write, is_last: bool
    ) -> None:
        """Read a server's stream, and send it to the client. Raises as GrpcAnswer.take, and AioRpcError."""
        call, start, status = replica.channel.stream_stream(STREAM_INFER)(), time.monotonic(), "OK"
        try:
            await call.write(data)
            await call.done_writing()
            async for response in call:
                if (left := answer.take(response, is_last)) is not None:
                    await write(left)
            if not answer.is_complete:
                raise Broken
            await _write_all(write, answer.render_end())
        except grpc.aio.AioRpcError as error:
            status = error.code().name
            raise
        except Broken:
            status = "UNAVAILABLE"
            raise
        finally:
            self._metrics.observe(replica.version, status, time.monotonic() - start)
            if not call.done():
                self._keep(_read_to_end(call))

    async def _end(self, replica: Replica, request_id: str, reading: asyncio.Task[None]) -> None:
        """Let a server end an answer whose client has left.

        Triton dies now and then if its stream is cancelled just when it sends a response, so it is asked.
        """
        with suppress(grpc.aio.AioRpcError):
            await self._command(replica, make_command({"cancel": request_id}))
        await asyncio.wait({reading}, timeout=_END_S)
        reading.cancel()
        with suppress(asyncio.CancelledError, grpc.aio.AioRpcError, Broken, Diverged):
            await reading

    def _search(self, key: str | None) -> Search:
        return Search(self._replicas, key, "", self._wait_s, lambda replica: replica.grpc_port is not None)

    @contextmanager
    def _note(self, request_id: str | None, replica: Replica, inner_id: str | None) -> Iterator[None]:
        """Note which server has a request within the block, and its id there."""
        if request_id is None or inner_id is None:
            yield
            return
        self._running[request_id] = replica, inner_id
        try:
            yield
        finally:
            self._running.pop(request_id, None)
            self._cancelled.discard(request_id)

    def _keep(self, work: Any) -> None:
        """Do something that nobody waits for."""
        task = asyncio.create_task(work)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


async def _write_all(write: Write, responses: list[bytes]) -> None:
    for response in responses:
        await write(response)


async def _read_to_end(call: Any) -> None:
    """Read a stream that nobody needs until the server has ended it, or cancel it."""

    async def read() -> None:
        async for _ in call:
            pass

    with suppress(asyncio.TimeoutError, asyncio.CancelledError, grpc.aio.AioRpcError):
        await asyncio.wait_for(read(), _END_S)


async def _is_ready(replica: Replica) -> bool:
    """Whether a server takes requests, which it is asked now."""
    try:
        return await replica.ask_ready()
    except httpx.HTTPError:
        return False


def _is_lost(error: grpc.aio.AioRpcError) -> bool:
    """Whether an error says that the server is away, and not something about the request."""
    message = error.details() or ""
    return error.code() in _LOST or any(phrase in message for phrase in ENDED_MESSAGES)


async def _parse(data: bytes, context: Context) -> ModelInferRequest:
    """A request for a model. Those that Triton does not read, or of which it dies, are refused."""
    request = parse_request(data)
    if request is None:
        await context.abort(grpc.StatusCode.INVALID_ARGUMENT, _MALFORMED)
        raise AssertionError  # abort raises
    if any("classification" in output.parameters for output in request.outputs):
        await context.abort(grpc.StatusCode.INVALID_ARGUMENT, CLASSES)
    return request
