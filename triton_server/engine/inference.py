"""The three models of the contract. They pass Triton's requests to the engine, and its answers to Triton.

PyTriton calls the methods of `Inference` in threads of its own, each with an event loop.
"""

import asyncio
import json
import logging
import os
import threading
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import chain
from typing import Any

import numpy as np
from pytriton.proxy.types import Request

from model_core import LLM
from model_core.errors import InvalidRequest, TritonchatError
from model_core.events import Usage
from model_core.request import AnswerPlan

from ..contract import HEALTH
from ..json_tensors import decode, encode
from .backend_reports import call_id
from .details import count_details, error_details
from .metrics import EngineMetrics
from .pending_answer import PendingAnswer
from .request_parser import parse_request

LOGGER = logging.getLogger(__name__)

# A response costs about a millisecond of processor time. So a stream sends at intervals that a person hardly
# notices, and all streams together send at most so many responses a second: 5 % of the time of all cores.
STREAM_INTERVAL_S = 0.03
RESPONSES_PER_SECOND = 50 * (os.cpu_count() or 1)

Outputs = dict[str, np.ndarray]
_HEALTH = encode(HEALTH)


class Inference:
    """Answers the requests that come through Triton. Its methods may be called from any thread.

    `health` gives contract.READY, or the reason why the server accepts no requests.
    """

    def __init__(self, llm: LLM, health: Callable[[], str]) -> None:
        self._llm, self._health = llm, health
        self._started = time.monotonic()
        self._metrics = EngineMetrics(llm.engine, llm.describe())
        self._lock = threading.Lock()
        # The running answers by call id.
        self._answers: defaultdict[str, list[PendingAnswer]] = defaultdict(list)

    async def chat(self, requests: list[Request]) -> list[Outputs]:
        """Answer all rows of all requests of a batch together; a malformed row fails alone."""
        rows = [[(call_id(request), *row) for row in _split_rows(request.data)] for request in requests]
        answers = iter(await asyncio.gather(*(self._answer(*row) for row in chain.from_iterable(rows))))
        return [_join_rows([next(answers) for _ in request_rows]) for request_rows in rows]

    async def _answer(
        self, call: str, messages: np.ndarray | None, parameters: np.ndarray | None
    ) -> tuple[str, dict[str, Any]]:
        async with self._open_answer(call, messages, parameters) as answer:
            await answer.wait_for_end()
            return answer.pop_answer()

    async def chat_stream(self, requests: list[Request]) -> AsyncIterator[list[Outputs]]:
        """Answer one request, delta by delta; the deltas of an interval are sent together."""
        (request,) = requests
        data = request.data
        if np.array_equal(data.get("messages"), _HEALTH):
            yield [{"response": _bytes(""), "details": _bytes(json.dumps({"health": self._health()}))}]
            return
        async with self._open_answer(
            call_id(request), data.get("messages"), data.get("parameters")
        ) as answer:
            if answer.acknowledge and not answer.has_ended:
                yield [{"response": _bytes(""), "details": _bytes(json.dumps({"accepted": True}))}]
            ended = False
            while not ended:
                await answer.wait_for_text()
                ended = answer.has_ended
                for text, details in answer.pop_responses():
                    yield [
                        {"response": _bytes(text), "details": _bytes(json.dumps(details) if details else "")}
                    ]
                if not ended:
                    await answer.wait_for_end(
                        max(STREAM_INTERVAL_S, self.count_answers() / RESPONSES_PER_SECOND)
                    )

    def chat_control(self, requests: list[Request]) -> list[Outputs]:
        """Answer a batch of commands."""
        return [
            {"result": np.stack([_bytes(json.dumps(self._control(row))) for row in request.data["command"]])}
            for request in requests
        ]

    def count_answers(self) -> int:
        """The number of answers whose last delta has not been sent."""
        with self._lock:
            return sum(map(len, self._answers.values()))

    def cancel_call(self, call: str) -> None:
        """Cancel the answers of a request whose client has disconnected, if they have not ended."""
        with self._lock:
            answers = list(self._answers.get(call, ()))
        for answer in answers:
            answer.cancel()

    def cancel_all(self) -> None:
        """Cancel all answers."""
        with self._lock:
            answers = [answer for answers in self._answers.values() for answer in answers]
        for answer in answers:
            answer.cancel()

    @asynccontextmanager
    async def _open_answer(
        self, call: str, messages: np.ndarray | None, parameters: np.ndarray | None
    ) -> AsyncIterator[PendingAnswer]:
        """Submit a request, and keep its answer until the block ends. An error is in the answer's details."""
        answer = PendingAnswer(self._llm, self._metrics)
        with self._lock:
            self._answers[call].append(answer)
        try:
            try:
                # In a thread: templates and tokenizers may take time, and other streams share this loop.
                details = await asyncio.to_thread(self._submit, messages, parameters, answer)
                if details is not None:
                    answer.end(details)
            except Exception as error:
                if not isinstance(error, TritonchatError):
                    LOGGER.exception("A request failed")
                self._metrics.count_refusal(error)
                answer.end(error_details(error))
            yield answer
        finally:
            with self._lock:
                self._answers[call].remove(answer)
                if not self._answers[call]:
                    del self._answers[call]

    def _submit(
        self, messages: np.ndarray | None, parameters: np.ndarray | None, answer: PendingAnswer
    ) -> dict[str, Any] | None:
        """Submit a request to the engine. Raises TritonchatError if it is refused.

        A request that only counts tokens does not go there: it returns the details of its answer.
        """
        llm = self._llm
        request = parse_request(messages, parameters, llm.engine.limits.max_context)
        params = request.sampling_params().with_defaults(llm.defaults)
        if llm.tokenizer is None:  # the answer has no text
            params = params.model_copy(update={"return_token_ids": True})
        plan = AnswerPlan()
        if request.is_chat:
            prepared = llm.prepare_chat(request.messages, request, params)
            prompt, plan, answer.parser = prepared.prompt.token_ids, prepared.plan, prepared.parser
        else:
            prompt = llm.encode(request.messages)
        if request.count_only:
            usage = Usage(len(prompt), 0, truncated_messages=plan.truncated_messages)
            return count_details(usage, params.seed, llm.name, llm.tokenizer)
        answer.acknowledge = request.acknowledge
        if params.return_token_ids:
            answer.prompt_ids = prompt
        answer.request_id = llm.engine.submit(
            prompt, params, answer.add_delta, request.request_id, request.cache_salt, request.client, plan
        )
        return None

    def _control(self, row: np.ndarray) -> dict[str, Any]:
        try:
            command = decode(row, "command")
        except TritonchatError as error:
            return error_details(error)
        if isinstance(command, dict) and list(command) == ["cancel"]:
            return {"cancelled": self._llm.engine.cancel(str(command["cancel"]))}
        if command == {"stats": True}:
            uptime = time.monotonic() - self._started
            return {"model": self._llm.describe(), "uptime_s": uptime, **self._llm.engine.stats()}
        if command == {"metrics": True}:
            return {"metrics": self._metrics.render()}
        if command == HEALTH:
            return {"health": self._health()}
        known = '{"cancel": request_id}, {"stats": true}, {"metrics": true} and {"health": true}'
        return error_details(InvalidRequest(f"unknown command; {known} are known."))


def _split_rows(data: dict[str, np.ndarray]) -> list[tuple[np.ndarray | None, np.ndarray | None]]:
    """`messages` and `parameters` of each row of a request; None if the request lacks the input."""
    count = len(next(iter(data.values())))
    messages, parameters = data.get("messages"), data.get("parameters")
    return [
        (None if messages is None else messages[i], None if parameters is None else parameters[i])
        for i in range(count)
    ]


def _join_rows(answers: list[tuple[str, dict[str, Any]]]) -> Outputs:
    """The answers to the rows of a request as its outputs."""
    return {
        "response": np.stack([_bytes(text) for text, _ in answers]),
        "details": np.stack([_bytes(json.dumps(details)) for _, details in answers]),
    }


def _bytes(text: str) -> np.ndarray:
    """Text as BYTES [1]."""
    return np.array([text.encode()], dtype=object)
