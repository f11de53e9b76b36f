"""The asyncio client of a tritonchat server: one connection, many streams."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import tritonclient.grpc.aio as triton
from tritonclient.utils import InferenceServerException

from model_core.events import Event

from . import wire
from .contract import CHAT_CONTROL, CHAT_STREAM, HEALTH, Prompt
from .json_tensors import encode
from .wire import ServerUnavailable


class AsyncChatClient:
    """A connection to a server, for one event loop. Create it in a coroutine of this loop."""

    def __init__(self, url: str = "127.0.0.1:8001") -> None:
        """`url` is the server's gRPC endpoint, in a form of `wire.parse_endpoint`. This sends nothing yet.

        Raises InvalidRequest for any other address.
        """
        endpoint = wire.parse_endpoint(url)
        self.url = endpoint.address
        self._triton = triton.InferenceServerClient(**endpoint.client_arguments())
        self._is_closed = False

    async def close(self) -> None:
        """Close the connection. The server cancels the requests that still run on it."""
        self._is_closed = True
        await self._triton.close()

    async def stats(self) -> dict[str, Any]:
        """Return the state of the server: `model` (name, limits, ...), `running`, `waiting`, totals."""
        return await self._control({"stats": True})

    async def metrics(self) -> str:
        """Return the engine's metrics in Prometheus' text format."""
        return (await self._control({"metrics": True}))["metrics"]

    async def cancel(self, request_id: str) -> bool:
        """Cancel a request. Its text so far is still delivered. False if the server has no such request."""
        return bool((await self._control({"cancel": request_id}))["cancelled"])

    async def health(self, timeout_s: float = wire.CONTROL_TIMEOUT_S) -> str:
        """Return "ready", or the reason why the server accepts no requests."""
        return (await self._control(HEALTH, timeout_s))["health"]

    async def stream(self, messages: Prompt, parameters: dict[str, Any]) -> AsyncIterator[Event]:
        """Yield the events of the answer while the server generates it. The last one is Done.

        Leaving early (aclose, a cancelled task) cancels the request: the server stops within a second.

        Raises:
            TritonchatError: the request was refused or failed; the class names the reason.
            ServerUnavailable: no server answers.
        """
        arrays = {"messages": encode(messages), "parameters": encode(parameters)}
        call = self._triton.stream_infer(
            _single_request({"model_name": CHAT_STREAM, "inputs": wire.create_inputs(arrays)})
        )
        text, details = "", {}  # the text so far, and the details of the last response
        try:
            async for result, error in call:
                if error is not None:
                    raise wire.translate_error(error, self.url, text)
                new_text, details = wire.parse_response(result)
                text += new_text
                for event in wire.make_events(new_text, details):
                    yield event
                wire.raise_if_error(details, text)
            if "finish_reason" not in details:
                raise ServerUnavailable(f"the server at {self.url} broke off the answer.")
        except grpc.RpcError as error:
            raise wire.translate_error(error, self.url, text) from error
        except asyncio.CancelledError:
            if self._is_closed:  # gRPC cancels the calls of a closed connection
                raise ServerUnavailable("the connection to the server was closed.") from None
            raise
        finally:
            call.cancel()

    async def _control(
        self, command: dict[str, Any], timeout_s: float = wire.CONTROL_TIMEOUT_S
    ) -> dict[str, Any]:
        inputs = wire.create_inputs({"command": encode(command)[None]})
        try:
            result = await self._triton.infer(CHAT_CONTROL, inputs, client_timeout=timeout_s)
        except InferenceServerException as error:
            raise wire.translate_error(error, self.url) from error
        return wire.parse_control_result(result)


async def _single_request(request: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
    yield request
