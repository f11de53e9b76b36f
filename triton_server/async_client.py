"""The asyncio client of a tritonchat server: one connection, many streams."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import grpc
import tritonclient.grpc.aio as triton
from tritonclient.utils import InferenceServerException

from . import wire
from .contract import CHAT_CONTROL, CHAT_STREAM, HEALTH, Prompt
from .json_tensors import encode
from .wire import ServerUnavailable


@dataclass(frozen=True)
class AnswerDelta:
    """A part of an answer as a client receives it: new text, and `details` in the form of contract.py.

    The last delta has the details of the whole answer. The others have none, except for log probabilities:
    if the request asks for them, each delta has {"logprobs": [...]} of its own tokens. With the parameter
    `acknowledge`, the first delta has {"accepted": true} and no text.
    """

    text: str
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def is_last(self) -> bool:
        """Whether the answer ends here."""
        return "finish_reason" in self.details

    @property
    def is_acknowledgement(self) -> bool:
        """Whether it says that the engine has accepted the request."""
        return "accepted" in self.details

    @property
    def is_empty(self) -> bool:
        """Whether it has neither text nor details."""
        return not self.text and not self.details


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

    async def stream(self, messages: Prompt, parameters: dict[str, Any]) -> AsyncIterator[AnswerDelta]:
        """Yield the answer in deltas while the server generates it.

        Leaving early (aclose, a cancelled task) cancels the request: the server stops within a second.

        Raises:
            TritonchatError: the request was refused or failed; the class names the reason.
            ServerUnavailable: no server answers.
        """
        arrays = {"messages": encode(messages), "parameters": encode(parameters)}
        call = self._triton.stream_infer(
            _single_request({"model_name": CHAT_STREAM, "inputs": wire.create_inputs(arrays)})
        )
        text, last = "", None  # the text so far, and the last delta
        try:
            async for result, error in call:
                if error is not None:
                    raise wire.translate_error(error, self.url, text)
                last = _parse_delta(result)
                text += last.text
                wire.raise_if_error(last.details, text)
                yield last
            if last is None or not last.is_last:
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


def _parse_delta(result: triton.InferResult) -> AnswerDelta:
    details = wire.parse_text(result, "details")
    return AnswerDelta(wire.parse_text(result, "response"), json.loads(details) if details else {})
