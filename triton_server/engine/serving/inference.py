"""What the Triton models of the contract share: running answers, commands, and what passes requests on.

PyTriton calls the methods of `Inference` in threads of its own, each with an event loop.
"""

import asyncio
import logging
import os
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from model_core.errors import InvalidRequest, TritonchatError
from model_core.requests.events import Event
from model_core.requests.results import Completion
from model_core.requests.sampling import draw_seed

from ...contract.codec import describe_error
from ...contract.request_fields import BATCH_CLIENT, Request
from ...receipts.signer import PlannedReceipt, ReceiptSigner
from ...tracing.spans import Span, describe_request, start_span
from ..commands.conversation_commands import ConversationCommands
from ..commands.dispatcher import Dispatcher
from ..models.answer_cache import AnswerCache, Computation
from ..models.answer_feed import Feeds
from ..models.embedding_queue import EmbeddingQueue
from ..models.model_pool import ModelPool
from ..models.model_slot import ModelSlot
from ..models.pending_answer import PendingAnswer
from ..models.protocol import ModelEngine
from ..models.request_parser import has_images, limit_time, parse_parameters, parse_request
from .calls import Call, TensorRequest

LOGGER = logging.getLogger(__name__)

# A response costs about a millisecond of processor time. So a stream sends at intervals that a person hardly
# notices, and all streams together send at most so many responses a second: 5 % of the time of all cores.
# Answers in feeds (answer_feed.py) do not count.
STREAM_INTERVAL_S = 0.03
RESPONSES_PER_SECOND = 50 * (os.cpu_count() or 1)
# After the engine has stopped, the last responses get at most so many seconds to be sent.
FLUSH_TIMEOUT_S = 5.0
_GRAMMAR_THREADS = 4
_IMAGE_THREADS = 2

Outputs = dict[str, np.ndarray]


class Inference:
    """What the models of the contract share. Its methods may be called from any thread.

    `health` gives contract.READY, or the reason why the server accepts no requests.
    """

    def __init__(
        self,
        pool: ModelPool,
        health: Callable[[], str],
        conversations: ConversationCommands,
        receipts: ReceiptSigner | None = None,
        answers: AnswerCache | None = None,
    ) -> None:
        """`receipts`: signs those of answers; None: requests for them are refused.

        `answers`: keeps answers; None: none is kept.
        """
        self._pool, self.health, self._receipts, self._cache = pool, health, receipts, answers
        self.embeddings = EmbeddingQueue(max(1, pool.max_queue), pool.is_running)
        self.commands = Dispatcher(
            pool, conversations, self._cancel, self.embeddings.count, health, self.idle_s, receipts, answers
        )
        # A new grammar may take seconds. Requests that may have one wait for each other, and for nobody else.
        self._grammar_threads = ThreadPoolExecutor(_GRAMMAR_THREADS, thread_name_prefix="grammars")
        # So does a template of a request, which may loop until its time is over: one after the other.
        self._template_threads = ThreadPoolExecutor(1, thread_name_prefix="templates")
        # Images may take seconds to read, one after the other.
        self.image_threads = ThreadPoolExecutor(_IMAGE_THREADS, thread_name_prefix="images")
        self._lock = threading.Lock()
        # The running answers by call id.
        self._answers: defaultdict[str, list[PendingAnswer]] = defaultdict(list)
        self.feeds = Feeds()
        self._last_answer_end: float | None = None  # to a person, by `time.monotonic`

    async def chat_control(self, requests: list[TensorRequest]) -> list[Outputs]:
        """Answer a batch of commands."""
        rows = [request.data["command"] for request in requests]
        results = iter(await asyncio.gather(*map(self.commands.run, chain.from_iterable(rows))))
        return [{"result": np.stack([_to_bytes(next(results)) for _ in commands])} for commands in rows]

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

    def drain(self, grace_s: float) -> None:
        """Refuse new requests, and give the running ones `grace_s` seconds to end."""
        embeddings = threading.Thread(target=self.embeddings.close, args=[grace_s])
        embeddings.start()
        self._pool.close(grace_s)
        embeddings.join()

    def close(self) -> None:
        """Stop the engines, which cuts running answers off, and wait until these have been sent."""
        self.embeddings.close()
        self._pool.close()
        self.flush()

    def flush(self) -> None:
        """Wait until the last responses have been sent, at most FLUSH_TIMEOUT_S seconds. Ends the feeds."""
        end = time.monotonic() + FLUSH_TIMEOUT_S
        while self.count_answers() and time.monotonic() < end:
            time.sleep(0.01)
        self.feeds.close()

    @asynccontextmanager
    async def open_answer(
        self,
        model: ModelSlot,
        call: Call,
        messages: np.ndarray | None,
        parameters: np.ndarray | None,
        is_whole: bool = False,
    ) -> AsyncIterator[PendingAnswer]:
        """Submit a request, and keep its answer until the block ends. An error is in the answer's details.

        `model` answers it if it names no other one. `is_whole`: whether the answer is sent as a whole.
        """
        answer = PendingAnswer(model)
        with self._lock:
            self._answers[call.id].append(answer)
        with ExitStack() as stack:
            try:
                try:
                    values = limit_time(parse_parameters(parameters), call.timeout_s)
                    if values.get("joins") is None:
                        values = {**values, "joins": is_whole}
                    if call.parent is not None:
                        values.setdefault("traceparent", call.parent)
                    answer.span = start_answer_span(values)
                    await self._start(answer, stack, messages, values)
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
        stack: ExitStack,
        messages: np.ndarray | None,
        values: dict[str, Any],
    ) -> None:
        """Submit a request to its model, which stays loaded until `stack` ends. `values`: its parameters.

        Raises TritonchatError if it is refused.
        """
        name = values.get("model")
        answer.model = slot = self._pool.resolve_model(name, answer.model)
        answer.adapter = name if name in slot.adapters.folders else None
        answer.request_id = values.get("request_id")
        answer.is_of_batch = values.get("client") == BATCH_CLIENT
        engine = slot.acquire()
        stack.callback(slot.release)
        if not engine.done():
            await answer.wait_for(engine, values.get("timeout_s"), "the model was loaded")
        if answer.end_if_cancelled():
            return
        # In a thread: templates and tokenizers may take time, and other streams share this loop.
        threads = self._grammar_threads if values.get("form") or values.get("tools") else None
        threads = self.image_threads if has_images(messages) else threads
        threads = self._template_threads if values.get("chat_template") else threads
        loop = asyncio.get_running_loop()
        model = engine.result()
        request = await loop.run_in_executor(threads, self._parse, model, messages, values, answer)
        if request is None or (
            self._cache and await self._answer_from_cache(self._cache, model, request, answer, stack, threads)
        ):
            return
        if answer.end_if_cancelled():
            return
        answer.identify()  # the adapter may be another one by now
        submission = await loop.run_in_executor(threads, model.submit, request, answer)
        await answer.wait_until_accepted(submission)

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
        answer.planned_receipt, answer.signer = (
            self._plan_receipt(request, engine, answer.adapter),
            self._receipts,
        )
        if request.request_id is None:
            request = request.model_copy(update={"request_id": uuid.uuid4().hex})
        answer.acknowledge, answer.request_id = bool(request.acknowledge), request.request_id
        if request.feed:
            answer.feed = request.feed, str(request.request_id)
        return request

    async def _answer_from_cache(
        self,
        cache: AnswerCache,
        engine: ModelEngine,
        request: Request,
        answer: PendingAnswer,
        stack: ExitStack,
        threads: ThreadPoolExecutor | None,
    ) -> bool:
        """Give an answer that was kept, or that an equal request gets just now. False: it is computed.

        `threads`: for what may take time. Raises RequestTimeout, and TritonchatError for a request that the
        server does not take any more.
        """
        loop, waits = asyncio.get_running_loop(), bool(request.joins)
        while True:
            # Each time anew: meanwhile, the adapter may have been replaced by another one of its name.
            answer.identify()
            # In a thread: a request with images may have a hundred megabytes to hash.
            key = await loop.run_in_executor(
                None, cache.find_key, request, answer.fingerprint, answer.made_of
            )
            if key is None:
                return False
            computation, is_first = cache.begin(key, waits)
            if is_first:
                stack.callback(computation.finish)
                found = await loop.run_in_executor(None, cache.read, key)
                if found is None:
                    answer.keep = partial(_keep, cache, computation, answer)
                    return False
                computation.finish(found)
            else:
                await answer.wait_for(computation.answer, request.timeout_s, "an equal request was computed")
                if answer.has_ended:
                    return True
                found, waits = computation.answer.result(), not computation.is_own
            if found is not None:
                if request.chat_template is not None or request.has_images:
                    # Other flags may have allowed them when the answer was computed.
                    await loop.run_in_executor(threads, engine.count, request)
                answer.identify()
                if answer.fingerprint == key.fingerprint:
                    answer.answer_from(found, draw_seed() if request.seed is None else request.seed)
                    return True

    def _plan_receipt(
        self, request: Request, engine: ModelEngine, adapter: str | None
    ) -> PlannedReceipt | None:
        """The receipt to make for a request. Raises TritonchatError if there can be none."""
        if self._receipts is None:
            if request.receipt:
                raise InvalidRequest("there are no receipts here; ask a server for one.", "receipt")
            return None
        planned = self._receipts.plan(request)
        if planned is not None and engine.made_of(adapter) is None:
            raise InvalidRequest(
                "this model is computed by another server (--engine), so this one cannot sign what it has "
                "computed; ask that server for a receipt.",
                "receipt",
            )
        return planned

    def _cancel(self, request_id: str) -> bool:
        """Cancel a request that an engine has, or that is on its way there. False if there is none."""
        with self._lock:
            found = [a for answers in self._answers.values() for a in answers if a.request_id == request_id]
        others = self.embeddings.cancel(request_id), self.feeds.close(name=request_id)
        return any([*others, *[answer.cancel() for answer in found]])


def start_answer_span(values: Mapping[str, Any]) -> Span | None:
    """The span of a request with these parameters, which may name the one that it is a part of."""
    parent = values.get("traceparent")
    return start_span("answer", "SERVER", parent if isinstance(parent, str) else None)


def _keep(
    cache: AnswerCache,
    computation: Computation,
    answer: PendingAnswer,
    events: Sequence[Event],
    completion: Completion,
    prompt: Sequence[int],
) -> None:
    """Keep an answer for equal requests, unless another adapter of the same name has computed it."""
    if answer.fingerprint == computation.key.fingerprint:
        cache.keep(computation, events, completion, prompt)


def _to_bytes(text: str) -> np.ndarray:
    """Text as BYTES [1]."""
    return np.array([text.encode()], dtype=object)
