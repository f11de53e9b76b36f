"""The Triton models `chat` and `chat_stream`. They pass Triton's requests on, and the answers to Triton."""

import asyncio
from collections.abc import AsyncIterator
from itertools import chain
from typing import Any

import numpy as np

from model_core.requests.answer_parts import AnswerParts

from ...contract.codec import Piece, encode_answer, write_details
from ...contract.json_tensors import encode
from ...contract.tensors import HEALTH
from ..models.model_slot import ModelSlot
from ..models.request_parser import find_feed_name, split_rows
from .calls import Call, TensorRequest, read_call
from .inference import Inference, Outputs

_HEALTH = encode(HEALTH)


class ChatInference:
    """The Triton models of one model: `chat` and `chat_stream`."""

    def __init__(self, inference: Inference, model: ModelSlot) -> None:
        """`model` answers the requests that name no other one."""
        self._inference, self._model = inference, model

    async def chat(self, requests: list[TensorRequest]) -> list[Outputs]:
        """Answer all rows of all requests of a batch together; a malformed row fails alone."""
        rows = [
            [(read_call(request), *row) for row in split_rows(request.data, "messages")]
            for request in requests
        ]
        answers = iter(await asyncio.gather(*(self._answer(*row) for row in chain.from_iterable(rows))))
        return [_join_rows([next(answers) for _ in request_rows]) for request_rows in rows]

    async def _answer(self, call: Call, messages: np.ndarray | None, parameters: np.ndarray | None) -> Piece:
        async with self._inference.open_answer(
            self._model, call, messages, parameters, is_whole=True
        ) as answer:
            await answer.wait_for_end()
            return answer.pop_answer()

    async def chat_stream(self, requests: list[TensorRequest]) -> AsyncIterator[list[Outputs]]:
        """Answer one request, delta by delta; the deltas of an interval are sent together."""
        (request,) = requests
        data, call = request.data, read_call(request)
        messages = data.get("messages")
        if messages is not None and np.array_equal(messages, _HEALTH):
            yield _response("", {"health": self._inference.health()})
            return
        if name := find_feed_name(messages):
            with self._inference.feeds.open(call.id, name) as feed:
                async for pieces in feed.responses():
                    yield _response(pieces, {})
            return
        async with self._inference.open_answer(self._model, call, messages, data.get("parameters")) as answer:
            if answer.acknowledge and answer.is_accepted:
                yield _response(*encode_answer(AnswerParts(accepted=answer.describe_acceptance())))
            fed_pieces = 0
            if answer.feed is not None and not answer.has_ended:
                found = self._inference.feeds.find(answer.feed[0])
                if found is not None:
                    fed_pieces = await found.carry(answer.feed[1], answer)
            ended = False
            while not ended:
                await answer.wait_for_text()
                ended = answer.has_ended
                for text, details in answer.pop_pieces():
                    if fed_pieces:
                        details, fed_pieces = {**details, "fed": fed_pieces}, 0
                    yield _response(text, details)
                if not ended:
                    await answer.wait_for_end(self._inference.stream_interval_s())


def _join_rows(answers: list[Piece]) -> Outputs:
    """The answers to the rows of a request as its outputs."""
    return {
        "response": np.stack([_bytes(text) for text, _ in answers]),
        "details": np.stack([_bytes(write_details(details)) for _, details in answers]),
    }


def _response(text: str, details: dict[str, Any]) -> list[Outputs]:
    """A response of a stream."""
    return [{"response": _bytes(text), "details": _bytes(write_details(details))}]


def _bytes(text: str) -> np.ndarray:
    """Text as BYTES [1]."""
    return np.array([text.encode()], dtype=object)
