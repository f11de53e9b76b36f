"""A streamed answer over gRPC on its way to a client: whether its server has failed, and how it goes on."""

from collections.abc import Callable
from typing import Any

from tritonclient.grpc.service_pb2 import ModelInferRequest, ModelStreamInferResponse

from ..wire import ENDED_MESSAGES, NOT_READY_MESSAGES
from .continuation import PASSING_CODES, Sent
from .grpc_messages import Piece, is_end, make_end, make_piece, read_piece
from .replicas import Broken

# A server that refuses a request for these reasons has not answered it, and another one may.
ELSEWHERE_ERRORS = {"queue_full", "server_unavailable", "shutting_down", "model_unavailable"}
_LISTS = {"logprobs": "content", "prompt_logprobs": "tokens"}  # of `details`, with their names over HTTP


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
        self._has_ended = self._goes_on = self._was_accepted = False
        self.is_started = self.is_complete = False

    def restart(self) -> None:
        """Another server begins from the start."""
        for text, details in self._pieces:
            self._sent.note(_to_choice(text, details))
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
        self._was_accepted = self._was_accepted or "accepted" in details
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
        details = {"error": {"type": "server_unavailable", "message": message, "param": None}}
        return [make_piece(self._request, "", details), *self.render_end()]

    def _check(self, details: dict[str, Any], is_last: bool) -> None:
        """Raises Broken if the server says that it cannot answer, or has cut the answer off."""
        kind = (details.get("error") or {}).get("type")
        if details.get("finish_reason") == "cancelled" or kind == "cancelled":
            if not self._is_cancelled():
                raise Broken
        elif kind in PASSING_CODES or (kind in ELSEWHERE_ERRORS and not is_last):
            raise Broken

    def _cut(self, text: str, details: dict[str, Any]) -> bytes | None:
        is_ack, details = "accepted" in details, {**details}
        choice = _to_choice(text, details)
        is_left = self._sent.cut(choice)
        text, details = _from_choice(choice, details)
        if is_ack and not self._was_accepted:
            self._was_accepted = is_left = True
        elif is_ack:
            del details["accepted"]
        if not is_left and not self.is_complete:
            return None
        return make_piece(self._request, text, details)


def _to_choice(text: str, details: dict[str, Any]) -> dict[str, Any]:
    """A piece as a choice of /v1/chat/completions: what grows and what comes once is told apart there."""
    delta: dict[str, Any] = {"content": text}
    if "reasoning" in details:
        delta["reasoning"] = details["reasoning"]
    if calls := details.get("tool_calls"):
        delta["tool_calls"] = [
            {"index": call["index"], **_keep(call, "id"), "function": _keep(call, "name", "arguments")}
            for call in calls
        ]
    choice: dict[str, Any] = {"index": 0, "delta": delta, "finish_reason": details.get("finish_reason")}
    logprobs = {other: list(details[name]) for name, other in _LISTS.items() if details.get(name)}
    choice["logprobs"] = logprobs or None
    for name in ("token_ids", "prompt_token_ids"):
        if details.get(name) is not None:
            choice[name] = details[name]
    return choice


def _from_choice(choice: dict[str, Any], details: dict[str, Any]) -> Piece:
    """The piece of a choice, with what `details` has beside."""
    delta = choice["delta"]
    made = {
        "reasoning": delta.get("reasoning"),
        "tool_calls": [
            {"index": call["index"], **_keep(call, "id"), **call.get("function", {})}
            for call in delta.get("tool_calls", ())
        ],
        "token_ids": choice.get("token_ids"),
        "prompt_token_ids": choice.get("prompt_token_ids"),
        **{name: (choice["logprobs"] or {}).get(other) for name, other in _LISTS.items()},
    }
    kept = {name: value for name, value in details.items() if name not in made}
    return delta.get("content", ""), kept | {name: value for name, value in made.items() if value}


def _keep(fields: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: fields[name] for name in names if fields.get(name) is not None}
