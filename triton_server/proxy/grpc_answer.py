"""A streamed answer over gRPC on its way to a client: whether its server has failed, and how it goes on."""

from collections.abc import Callable, Iterator
from typing import Any

from tritonclient.grpc.service_pb2 import ModelInferRequest, ModelStreamInferResponse

from model_core.requests.events import Failed

from ..contract.codec import Piece, encode_failure
from ..contract.wire import ENDED_MESSAGES, NOT_READY_MESSAGES, ServerUnavailable
from ..tracing.spans import fail_running
from .continuation import PASSING_CODES, Mark, Place, Sent
from .grpc_messages import is_end, make_end, make_piece, read_piece
from .replicas import Broken

# A server that refuses a request for these reasons has not answered it, and another one may.
ELSEWHERE_ERRORS = {"queue_full", "server_unavailable", "shutting_down", "model_unavailable"}
_GROWING = {"reasoning", "logprobs", "prompt_logprobs", "token_ids"}  # of `details`


class GrpcAnswer:
    """What a client has got of an answer.

    Attributes:
        is_started: whether it has got something.
        is_complete: whether it has the last piece.
    """

    def __init__(self, request: ModelInferRequest, is_cancelled: Callable[[], bool]) -> None:
        """`is_cancelled` says whether the client has asked to end the answer early."""
        self._request, self._is_cancelled = request, is_cancelled
        self._sent, self._pieces = Sent(), list[Piece]()  # those that are not counted yet
        self._has_ended = self._goes_on = False
        self.is_started = self.is_complete = False

    def restart(self) -> None:
        """Another server begins from the start."""
        for text, details in self._pieces:
            self._sent.note(_grow({"text": text}, details), _once(details))
        self._pieces.clear()
        self._sent.restart()
        self._goes_on = self.is_started

    def take(self, data: bytes, is_last: bool) -> bytes | None:
        """What to send of a response of the server; None if the client has it already.

        Raises Broken if another server should go on, Diverged if that one answers differently. `is_last`:
        there is no other one.
        """
        response = ModelStreamInferResponse.FromString(data)
        if message := response.error_message:
            if any(phrase in message for phrase in (*ENDED_MESSAGES, *NOT_READY_MESSAGES)):
                raise Broken
            self.is_started = self.is_complete = True
            fail_running("server_error")
            return data
        if is_end(response.infer_response):
            if not self.is_complete:
                raise Broken
            self._has_ended = True
            return data
        piece = read_piece(response.infer_response)
        if piece is None:
            return data
        text, details = piece
        self._check(details, is_last)
        self.is_complete = "error" in details or "finish_reason" in details
        if self._goes_on:
            return self._cut(text, details)
        self.is_started = True
        self._pieces.append(piece)
        return data

    def render_end(self) -> list[bytes]:
        """What is missing when the server has closed the stream."""
        if self._has_ended:
            return []
        self._has_ended = True
        return make_end(self._request)

    def render_failure(self, message: str) -> list[bytes]:
        """The last responses of an answer that cannot go on."""
        fail_running(ServerUnavailable.type)
        details = encode_failure(Failed(ServerUnavailable.type, message))
        return [make_piece(self._request, "", details), *self.render_end()]

    def _check(self, details: dict[str, Any], is_last: bool) -> None:
        """Raises Broken if the server says that it cannot answer, or has cut the answer off."""
        kind = (details.get("error") or {}).get("type")
        if details.get("finish_reason") == "cancelled" or kind == "cancelled":
            if not self._is_cancelled():
                raise Broken
        elif kind in PASSING_CODES or (kind in ELSEWHERE_ERRORS and not is_last):
            raise Broken
        if kind is not None:
            fail_running(kind)

    def _cut(self, text: str, details: dict[str, Any]) -> bytes | None:
        piece = {"text": text}
        is_left = self._sent.cut(_grow(piece, details), _once(details))
        calls = [call for call in details.pop("tool_calls", ()) if len(call) > 1]  # others have an index only
        if not is_left and not self.is_complete:
            return None
        return make_piece(self._request, piece["text"], details | ({"tool_calls": calls} if calls else {}))


def _grow(piece: dict[str, str], details: dict[str, Any]) -> Iterator[Place]:
    """What grows from piece to piece, as `Sent` counts it."""
    yield ("text",), piece, "text"
    for name in _GROWING & details.keys():
        yield (name,), details, name
    for call in details.get("tool_calls", ()):
        if "arguments" in call:
            yield ("call", call["index"]), call, "arguments"


def _once(details: dict[str, Any]) -> Iterator[Mark]:
    """What comes once."""
    for name in ("accepted", "prompt_token_ids"):
        if name in details:
            yield (name,), details, name
    for call in details.get("tool_calls", ()):
        for name in ("id", "name"):
            if name in call:
                yield (name, call["index"]), call, name
