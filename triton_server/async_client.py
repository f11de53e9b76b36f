"""The Python client of a tritonchat server for programs that use asyncio: one connection, many streams."""

import asyncio
import contextlib
import json
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import grpc
import tritonclient.grpc.aio as triton
from tritonclient.utils import InferenceServerException

from model_core.errors import TritonchatError

from . import wire
from .contract import CHAT_CONTROL, CHAT_STREAM, MODELS, Messages, encode
from .wire import ServerUnavailable

_CLOSE_S = 2.0
# A cancellation may come before the server knows the request, so it is said again, ever more rarely.
_CANCEL_AGAIN_S = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)


@dataclass(frozen=True)
class Part:
    """Some text of an answer. The last has the server's `details` about the whole; the others none.

    Where log probabilities were asked for, every part has {"logprobs": [...]} of its own tokens.
    """

    text: str
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def is_last(self) -> bool:
        """Whether the answer ends here."""
        return "finish_reason" in self.details


class AsyncChatClient:
    """A connection to a server, for one event loop: make it where the loop runs."""

    def __init__(self, url: str = "127.0.0.1:8001") -> None:
        """`url` is the server's gRPC endpoint, as `wire.endpoint` reads it. Nothing is sent yet.

        Raises InvalidRequest for the address of anything else.
        """
        endpoint = wire.endpoint(url)
        self.url = endpoint.address
        self._triton = triton.InferenceServerClient(**endpoint.arguments())
        self._left: set[asyncio.Task] = set()  # streams whose reader has gone, until they end

    async def close(self) -> None:
        """Close the connection. Streams that were left early get a moment to end before."""
        if self._left:
            await asyncio.wait(self._left, timeout=_CLOSE_S)
        await self._triton.close()

    async def stats(self) -> dict[str, Any]:
        """What the server is and does: `model` (name, limits, ...), `running`, `waiting`, totals."""
        return await self._control({"stats": True})

    async def metrics(self) -> str:
        """The engine's metrics in Prometheus form."""
        return (await self._control({"metrics": True}))["metrics"]

    async def cancel(self, request_id: str) -> bool:
        """End a request; what it has made is still delivered. False if the server has no such request."""
        return bool((await self._control({"cancel": request_id}))["cancelled"])

    async def is_ready(self) -> bool:
        """Whether the server answers and its models are loaded."""
        try:
            return all(
                [await self._triton.is_model_ready(name, client_timeout=wire.CONTROL_S) for name in MODELS]
            )
        except InferenceServerException:
            return False

    async def stream(self, messages: Messages, parameters: dict[str, Any]) -> AsyncIterator[Part]:
        """The answer in parts, as it is made. Leaving early (aclose, a cancelled task) cancels it.

        Raises:
            TritonchatError: the request was refused or failed; the class says why.
            ServerUnavailable: the server is away.
        """
        parameters = {"request_id": uuid.uuid4().hex, **parameters}
        arrays = {"messages": encode(messages), "parameters": encode(parameters)}
        call = self._triton.stream_infer(_once({"model_name": CHAT_STREAM, "inputs": wire.inputs(arrays)}))
        responses: asyncio.Queue = asyncio.Queue()
        reader = asyncio.create_task(_read(call, responses))
        said, ended = "", False  # ended: no response will follow
        try:
            last: Part | None = None
            while (response := await responses.get()) is not None:
                if isinstance(response, BaseException):
                    raise response
                result, error = response
                if error is not None:
                    raise wire.translated(error, self.url, said)
                part = _part(result)
                said += part.text
                wire.raise_failure(part.details, said)
                last = part
                yield part
            ended = True
            if last is None or not last.is_last:
                raise ServerUnavailable(f"the server at {self.url} broke off the answer.")
        except grpc.RpcError as error:
            ended = True
            raise wire.translated(error, self.url, said) from error
        finally:
            if not ended:  # in a task of its own, for this one may be cancelled
                task = asyncio.create_task(self._leave(call, reader, parameters["request_id"]))
                self._left.add(task)
                task.add_done_callback(self._left.discard)

    async def _leave(self, call: Any, end: asyncio.Task, request_id: str) -> None:
        """Cancel a request and wait for the end of its stream.

        A Triton whose client hangs up before that never counts the request as done, and then takes half a
        minute to stop.
        """
        for wait_s in _CANCEL_AGAIN_S:
            if await _done(end, 0):  # Triton's end comes right behind the last part
                break
            with contextlib.suppress(TritonchatError):  # away, so it runs no more either
                await self.cancel(request_id)
            if await _done(end, wait_s):
                break
        call.cancel()

    async def _control(self, command: dict[str, Any]) -> dict[str, Any]:
        inputs = wire.inputs({"command": encode(command)[None]})
        try:
            result = await self._triton.infer(CHAT_CONTROL, inputs, client_timeout=wire.CONTROL_S)
        except InferenceServerException as error:
            raise wire.translated(error, self.url) from error
        return wire.control_result(result)


async def _once(request: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
    yield request


def _part(result: triton.InferResult) -> Part:
    details = wire.text(result, "details")
    return Part(wire.text(result, "response"), json.loads(details) if details else {})


async def _read(call: Any, responses: asyncio.Queue) -> None:
    """Put all responses into the queue, then None, or what went wrong.

    In a task of its own, which nobody cancels: gRPC hangs up on a call whose reader is cancelled.
    """
    try:
        async for response in call:
            responses.put_nowait(response)
        responses.put_nowait(None)
    except asyncio.CancelledError:  # so does gRPC end calls whose connection is closed
        responses.put_nowait(ServerUnavailable("the connection to the server was closed."))
    except Exception as error:
        responses.put_nowait(error)


async def _done(task: asyncio.Task, timeout_s: float) -> bool:
    done, _ = await asyncio.wait({task}, timeout=timeout_s)
    return bool(done)
