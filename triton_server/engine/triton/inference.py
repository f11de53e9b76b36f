"""The models of the contract. They pass Triton's requests to the engines, and the answers to Triton.

PyTriton calls the methods of `Inference` in threads of its own, each with an event loop.
"""

import asyncio
import logging
import os
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from pytriton.proxy.types import Request as TritonRequest

from model_core.errors import InvalidRequest, TritonchatError
from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import Accepted
from model_core.requests.sampling import draw_seed

from ...contract.codec import Piece, describe_error, encode_answer, write_details
from ...contract.json_tensors import encode
from ...contract.request_fields import BATCH_CLIENT, Request
from ...contract.tensors import HEALTH
from ...receipts.desk import ReceiptDesk, Wish
from ...tracing.spans import Span, describe_request, start_span
from ..commands.conversation_commands import ConversationCommands
from ..commands.dispatcher import Dispatcher
from ..models.answer_cache import AnswerCache
from ..models.answer_feed import Feeds
from ..models.embedding_queue import EmbeddingQueue
from ..models.model_pool import ModelPool
from ..models.model_slot import ModelSlot
from ..models.pending_answer import PendingAnswer
from ..models.protocol import ModelEngine
from ..models.request_parser import (
    find_feed_name,
    has_images,
    limit_time,
    parse_parameters,
    parse_request,
    split_rows,
)
from .backend_reports import Call, read_call

LOGGER = logging.getLogger(__name__)

# A response costs about a millisecond of processor time. So a stream sends at intervals that a person hardly
# notices, and all streams together send at most so many responses a second: 5 % of the time of all cores.
# Answers in feeds (answer_feed.py) do not count.
STREAM_INTERVAL_S = 0.03
RESPONSES_PER_SECOND = 50 * (os.cpu_count() or 1)
_GRAMMAR_THREADS = 4
_IMAGE_THREADS = 2

Outputs = dict[str, np.ndarray]
_HEALTH = encode(HEALTH)


class Inference:
    """What the models of the contract share. Its methods may be called from any thread.

    `health` gives contract.READY, or the reason why the server accepts no requests.
    """

    def __init__(
        self,
        pool: ModelPool,
        health: Callable[[], str],
        conversations: ConversationCommands,
        receipts: ReceiptDesk | None = None,
        answers: AnswerCache | None = None,
    ) -> None:
        """`receipts`: where answers get theirs; None: requests for them are refused.

        `answers`: keeps answers; None: none is kept.
        """
        self._pool, self.health, self._receipts, self._kept = pool, health, receipts, answers
        self.embeddings = EmbeddingQueue(max(1, pool.max_queue), pool.is_running)
        self.commands = Dispatcher(
            pool, conversations, self._cancel, self.embeddings.count, health, self.idle_s, receipts, answers
        )
        # A new grammar may take seconds. Requests that may have one wait for each other, and for nobody else.
        self._grammar_threads = ThreadPoolExecutor(_GRAMMAR_THREADS, thread_name_prefix="grammars")
        # So does a template of a request, which may loop until its time is over: one after the other.
        self._template_threads = ThreadPoolExecutor(1, thread_name_prefix="templates")
        # Images may take seconds to read, one after the other.
        self._image_threads = ThreadPoolExecutor(_IMAGE_THREADS, thread_name_prefix="images")
        self._lock = threading.Lock()
        # The running answers by call id.
        self._answers: defaultdict[str, list[PendingAnswer]] = defaultdict(list)
        self.feeds = Feeds()
        self._last_answer_end: float | None = None  # to a person, by `time.monotonic`

    async def chat_control(self, requests: list[TritonRequest]) -> list[Outputs]:
        """Answer a batch of commands."""
        rows = [request.data["command"] for request in requests]
        results = iter(await asyncio.gather(*map(self.commands.run, chain.from_iterable(rows))))
        return [{"result": np.stack([_bytes(next(results)) for _ in commands])} for commands in rows]

    def count_answers(self) -> int:
        """The number of answers whose last delta has not been sent."""
        with self._lock:
            return sum(map(len, self._answers.values())) + self.embeddings.count()

    def idle_s(self) -> float | None:
        """Seconds since an answer to a person ended, 0 while one runs; None: there was none.

        Answers to requests of batches do not count.
        """
        with self._lock:
            if any(not answer.is_of_batch for answers in self._answers.values() for answer in answers):
                return 0.0
            return None if self._last_answer_end is None else time.monotonic() - self._last_answer_end

    def stream_interval_s(self) -> float:
        """Seconds from one response of a stream to the next."""
        with self._lock:
            streams = sum(not answer.is_fed for answers in self._answers.values() for answer in answers)
        return max(STREAM_INTERVAL_S, streams / RESPONSES_PER_SECOND)

    def cancel_call(self, call: str) -> None:
        """End a feed, or the answers of a request, whose client has disconnected."""
        with self._lock:
            answers = list(self._answers.get(call, ()))
        for answer in answers:
            answer.cancel()
        self.feeds.close(call=call)
        self.embeddings.cancel(call)

    def cancel_all(self) -> None:
        """Cancel all answers."""
        with self._lock:
            answers = [answer for answers in self._answers.values() for answer in answers]
        for answer in answers:
            answer.cancel()
        self.embeddings.cancel_all()

    @asynccontextmanager
    async def open_answer(
        self, model: ModelSlot, call: Call, messages: np.ndarray | None, parameters: np.ndarray | None
    ) -> AsyncIterator[PendingAnswer]:
        """Submit a request, and keep its answer until the block ends. An error is in the answer's details.

        `model` answers it if it names no other one.
        """
        answer = PendingAnswer(model)
        with self._lock:
            self._answers[call.id].append(answer)
        with ExitStack() as stack:
            try:
                try:
                    await self._start(answer, call, stack, messages, parameters)
                except Exception as error:
                    if not isinstance(error, TritonchatError):
                        LOGGER.exception("A request failed")
                    answer.model.metrics.count_refusal(error)
                    answer.end(describe_error(error))
                yield answer
            finally:
                with self._lock:
                    self._answers[call.id].remove(answer)
                    if not answer.is_of_batch:
                        self._last_answer_end = time.monotonic()
                    if not self._answers[call.id]:
                        del self._answers[call.id]
                answer.end_span()

    async def _start(
        self,
        answer: PendingAnswer,
        call: Call,
        stack: ExitStack,
        messages: np.ndarray | None,
        parameters: np.ndarray | None,
    ) -> None:
        """Submit a request to its model, which stays loaded until `stack` ends.

        Raises TritonchatError if it is refused.
        """
        values = limit_time(parse_parameters(parameters), call.timeout_s)
        if call.parent is not None:
            values.setdefault("traceparent", call.parent)
        answer.span = start_answer_span(values)
        name = values.get("model")
        answer.model = slot = self._pool.resolve_model(name, answer.model)
        answer.adapter = name if name in slot.adapters.folders else None
        answer.request_id = values.get("request_id")
        answer.is_of_batch = values.get("client") == BATCH_CLIENT
        engine = slot.acquire()
        stack.callback(slot.release)
        if not engine.done():
            await answer.wait_for(engine, values.get("timeout_s"), "the model was loaded")
        if not answer.has_ended:
            # In a thread: templates and tokenizers may take time, and other streams share this loop.
            threads = self._grammar_threads if values.get("form") or values.get("tools") else None
            threads = self._image_threads if has_images(messages) else threads
            threads = self._template_threads if values.get("chat_template") else threads
            loop = asyncio.get_running_loop()
            model = engine.result()
            request = await loop.run_in_executor(threads, self._parse, model, messages, values, answer)
            if request is None or (
                self._kept and await self._take(self._kept, model, request, answer, stack)
            ):
                return
            answer.submission = await loop.run_in_executor(threads, model.submit, request, answer)
            await answer.wait_until_accepted()
            answer.is_accepted = answer.submission is not None

    def _parse(
        self, engine: ModelEngine, messages: np.ndarray | None, values: dict[str, Any], answer: PendingAnswer
    ) -> Request | None:
        """The request, for which the answer is prepared. Raises TritonchatError if it is refused.

        None for a request that only counts tokens: its answer ends at once.
        """
        answer.identify()
        request = parse_request(messages, values, engine.max_context)
        if answer.span is not None:
            operation = "chat" if request.is_chat else "text_completion"
            answer.span.rename(f"{operation} {answer.adapter or answer.model.name}")
            answer.span.note(describe_request(operation, values))
            # What another server computes is a part of this.
            request = request.model_copy(update={"traceparent": answer.span.traceparent})
        if request.count_only:
            answer.end_early(answer.describe_end(engine.count(request)))
            return None
        answer.wish, answer.desk = self._find_wish(request, engine, answer.adapter), self._receipts
        if request.request_id is None:
            request = request.model_copy(update={"request_id": uuid.uuid4().hex})
        answer.acknowledge, answer.request_id = bool(request.acknowledge), request.request_id
        if request.feed:
            answer.feed = request.feed, str(request.request_id)
        return request

    async def _take(
        self,
        kept: AnswerCache,
        engine: ModelEngine,
        request: Request,
        answer: PendingAnswer,
        stack: ExitStack,
    ) -> bool:
        """Give an answer that was kept, or that an equal request gets just now. False: it is computed.

        Raises RequestTimeout.
        """
        adapter, loop = answer.adapter, asyncio.get_running_loop()
        told = engine.fingerprint(adapter), engine.made_of(adapter)
        # In a thread: a request with images may have a hundred megabytes to hash.
        key = await loop.run_in_executor(None, kept.find_key, request, *told)
        while key is not None:
            flight, is_first = kept.join(key)
            if is_first:
                stack.callback(flight.land)
                found = await loop.run_in_executor(None, kept.read, key)
                if found is not None:
                    flight.land(found)
                else:
                    answer.keep = partial(kept.land, flight, key)
                    return False
            else:
                await answer.wait_for(flight.answer, request.timeout_s, "an equal request was computed")
                if answer.has_ended:
                    return True
                found = flight.answer.result()
            if found is not None:
                answer.answer_from(found, draw_seed() if request.seed is None else request.seed)
                return True
        return False

    def _find_wish(self, request: Request, engine: ModelEngine, adapter: str | None) -> Wish | None:
        """The receipt that the answer is to have. Raises TritonchatError if there can be none."""
        if self._receipts is None:
            if request.receipt:
                raise InvalidRequest("there are no receipts here; ask a server for one.", "receipt")
            return None
        wish = self._receipts.wish(request)
        if wish is not None and engine.made_of(adapter) is None:
            raise InvalidRequest(
                "this model is computed by another server (--engine), so this one cannot sign what it has "
                "computed; ask that server for a receipt.",
                "receipt",
            )
        return wish

    def _cancel(self, request_id: str) -> bool:
        """Cancel a request that an engine has, or that waits for its model. False if there is none."""
        with self._lock:
            found = [a for answers in self._answers.values() for a in answers if a.request_id == request_id]
        others = self.embeddings.cancel(request_id), self.feeds.close(name=request_id)
        return any([*others, *[answer.cancel() for answer in found]])


class ModelInference:
    """The Triton models of one model: `chat` and `chat_stream`."""

    def __init__(self, inference: Inference, model: ModelSlot) -> None:
        """`model` answers the requests that name no other one."""
        self._inference, self._model = inference, model

    async def chat(self, requests: list[TritonRequest]) -> list[Outputs]:
        """Answer all rows of all requests of a batch together; a malformed row fails alone."""
        rows = [
            [(read_call(request), *row) for row in split_rows(request.data, "messages")]
            for request in requests
        ]
        answers = iter(await asyncio.gather(*(self._answer(*row) for row in chain.from_iterable(rows))))
        return [_join_rows([next(answers) for _ in request_rows]) for request_rows in rows]

    async def _answer(self, call: Call, messages: np.ndarray | None, parameters: np.ndarray | None) -> Piece:
        async with self._inference.open_answer(self._model, call, messages, parameters) as answer:
            await answer.wait_for_end()
            return answer.pop_answer()

    async def chat_stream(self, requests: list[TritonRequest]) -> AsyncIterator[list[Outputs]]:
        """Answer one request, delta by delta; the deltas of an interval are sent together."""
        (request,) = requests
        data, call = request.data, read_call(request)
        if np.array_equal(data.get("messages"), _HEALTH):
            yield _response("", {"health": self._inference.health()})
            return
        if name := find_feed_name(data.get("messages")):
            with self._inference.feeds.open(call.id, name) as feed:
                async for pieces in feed.responses():
                    yield _response(pieces, {})
            return
        async with self._inference.open_answer(
            self._model, call, data.get("messages"), data.get("parameters")
        ) as answer:
            if answer.acknowledge and answer.is_accepted:
                yield _response(
                    *encode_answer(AnswerParts(accepted=Accepted(answer.fingerprint, answer.is_cached)))
                )
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


def start_answer_span(values: Mapping[str, Any]) -> Span | None:
    """The span of a request with these parameters, which may name the one that it is a part of."""
    parent = values.get("traceparent")
    return start_span("answer", "SERVER", parent if isinstance(parent, str) else None)


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
