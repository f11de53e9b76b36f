"""The Python client of a tritonchat server, over gRPC.

    with ChatClient() as client:
        print(client.chat([{"role": "user", "content": "Hello"}]).text)
        with client.stream("Once upon a time", max_tokens=100) as stream:
            for piece in stream:
                print(piece, end="", flush=True)

Parameters are those of `model_core.SamplingParams`. What the server refuses is raised as the class of
`model_core.errors` that says why; a server that is away is ServerUnavailable.
"""

import contextlib
import json
import queue
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import tritonclient.grpc as triton
from tritonclient.utils import InferenceServerException

from model_core.errors import TritonchatError

from . import wire
from .contract import CHAT, CHAT_CONTROL, CHAT_STREAM, MODELS, Messages, encode, encode_padded
from .wire import ServerUnavailable

_DRAIN_S = 2.0


@dataclass(frozen=True)
class Answer:
    """A finished answer: its text, and the server's `details` about it as they are in the contract."""

    text: str
    details: dict[str, Any]

    @property
    def finish_reason(self) -> str:
        """`stop`, `length` or `cancelled`."""
        return self.details["finish_reason"]

    @property
    def usage(self) -> dict[str, int]:
        """`prompt_tokens`, `completion_tokens`, `cached_tokens`."""
        return self.details["usage"]

    @property
    def timings(self) -> dict[str, float | None]:
        """Seconds: `queue`, `first_token`, `total`."""
        return self.details["timings"]


class ChatClient:
    """A connection to a server. Its methods may be called from several threads."""

    def __init__(self, url: str = "127.0.0.1:8001") -> None:
        """`url` is the server's gRPC endpoint, as `wire.endpoint` reads it. Nothing is sent yet.

        Raises InvalidRequest for the address of anything else.
        """
        self.endpoint = wire.endpoint(url)
        self.url = self.endpoint.address
        self._triton = triton.InferenceServerClient(**self.endpoint.arguments())

    def close(self) -> None:
        """Close the connection."""
        self._triton.close()

    def __enter__(self) -> "ChatClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def chat(self, messages: Messages, **parameters: Any) -> Answer:
        """The whole answer to a conversation, or the whole continuation of a raw prompt.

        Triton answers whole requests batch by batch: one that comes while its instances are busy waits for a
        batch to end, and its `timeout_s` begins then. Streams never wait for each other.

        Raises:
            TritonchatError: the request was refused or failed; the class says why.
            ServerUnavailable: the server is away.
        """
        request_id = parameters.setdefault("request_id", uuid.uuid4().hex)
        arrays = {"messages": encode_padded(messages), "parameters": encode_padded(parameters)}
        try:
            result = self._triton.infer(CHAT, wire.inputs({k: v[None] for k, v in arrays.items()}))
        except InferenceServerException as error:
            raise wire.translated(error, self.url) from error
        except BaseException:  # Ctrl-C, most of all: nobody waits for the answer any more
            with contextlib.suppress(TritonchatError):
                self.cancel(request_id)
            raise
        text, details = wire.text(result, "response"), json.loads(wire.text(result, "details"))
        wire.raise_failure(details, text)
        return Answer(text, details)

    def stream(self, messages: Messages, **parameters: Any) -> "AnswerStream":
        """The answer in pieces, as it is made. Use it in a `with` block, so that leaving early cancels it."""
        return AnswerStream(self, messages, parameters)

    def cancel(self, request_id: str) -> bool:
        """End a request; what it has made is still delivered. False if the server has no such request."""
        return bool(self._control({"cancel": request_id})["cancelled"])

    def stats(self) -> dict[str, Any]:
        """What the server is and does: `model` (name, limits, ...), `running`, `waiting`, totals."""
        return self._control({"stats": True})

    def metrics(self) -> str:
        """The engine's metrics in Prometheus form."""
        return self._control({"metrics": True})["metrics"]

    def is_ready(self) -> bool:
        """Whether the server answers and its models are loaded."""
        try:
            return all(self._triton.is_model_ready(name, client_timeout=wire.CONTROL_S) for name in MODELS)
        except InferenceServerException:
            return False

    def _control(self, command: dict[str, Any]) -> dict[str, Any]:
        try:
            inputs = wire.inputs({"command": encode(command)[None]})
            result = self._triton.infer(CHAT_CONTROL, inputs, client_timeout=wire.CONTROL_S)
        except InferenceServerException as error:
            raise wire.translated(error, self.url) from error
        return wire.control_result(result)


class AnswerStream:
    """An answer on its way: iterate over its pieces, then read `answer`.

    The request goes out when the iteration begins. Closing it early cancels the request.
    """

    def __init__(self, client: ChatClient, messages: Messages, parameters: dict[str, Any]) -> None:
        self.request_id: str = parameters.setdefault("request_id", uuid.uuid4().hex)
        self.text = ""
        self.answer: Answer | None = None
        self._client, self._messages, self._parameters = client, messages, parameters
        self._pieces = self._run()

    def __iter__(self) -> Iterator[str]:
        return self._pieces

    def __enter__(self) -> "AnswerStream":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Cancel the request if it is not finished. `text` keeps what has come."""
        self._pieces.close()

    def _run(self) -> Iterator[str]:
        # tritonclient allows one stream a client; the channel beneath is shared.
        connection = triton.InferenceServerClient(**self._client.endpoint.arguments())
        responses: queue.SimpleQueue = queue.SimpleQueue()
        arrays = {"messages": encode(self._messages), "parameters": encode(self._parameters)}
        details: dict[str, Any] = {}
        logprobs: list[dict[str, Any]] = []
        open_ended = True  # until Triton has said that no response will follow
        try:
            connection.start_stream(lambda result, error: responses.put((result, error)))
            try:
                connection.async_stream_infer(
                    CHAT_STREAM, wire.inputs(arrays), enable_empty_final_response=True
                )
            except InferenceServerException as error:
                responses.put((None, error))  # behind what the callback may have been told already
            while open_ended:
                result, error = responses.get()
                if error is not None:
                    open_ended = False
                    raise wire.translated(error, self._client.url, self.text)
                open_ended = not _is_final(result)
                if open_ended:
                    piece, last = wire.text(result, "response"), wire.text(result, "details")
                    self.text += piece
                    details = json.loads(last) if last else {}
                    logprobs += details.get("logprobs", [])
                    if piece:
                        yield piece
            wire.raise_failure(details, self.text)
            if "finish_reason" not in details:
                raise ServerUnavailable(f"the server at {self._client.url} broke off the answer.")
            whole = {"logprobs": logprobs} if "logprobs" in details else {}
            self.answer = Answer(self.text, {**details, **whole})
        finally:
            if open_ended:
                self._cancel()
                open_ended = not _ended(responses)
            connection.stop_stream(cancel_requests=open_ended)
            connection.close()

    def _cancel(self) -> None:
        with contextlib.suppress(TritonchatError):  # away, so it runs no more either
            self._client.cancel(self.request_id)


def _is_final(result: triton.InferResult) -> bool:
    """Whether this is the empty response with which Triton ends a stream."""
    return result.get_response().parameters["triton_final_response"].bool_param


def _ended(responses: queue.SimpleQueue) -> bool:
    """Wait a moment for the end of a cancelled stream; whether it came.

    A Triton whose client hangs up before that never counts the request as done, and then takes half a
    minute to stop.
    """
    with contextlib.suppress(queue.Empty):
        while True:
            result, error = responses.get(timeout=_DRAIN_S)
            if error is not None or _is_final(result):
                return True
    return False
