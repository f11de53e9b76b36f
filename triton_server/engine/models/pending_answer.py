"""An answer on its way from the engine's thread to Triton."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from model_core.errors import ModelUnavailable, RequestTimeout, TritonchatError
from model_core.machine.fingerprint import make_fingerprint
from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import (
    Accepted,
    Done,
    Event,
    Failed,
    Logprobs,
    Reasoning,
    Text,
    Timings,
    TokenIds,
    ToolCallDelta,
    Usage,
)
from model_core.requests.results import Completion
from model_core.requests.sampling import draw_seed

from ...contract.codec import FIRST_EVENTS, Piece, describe_error, encode_answer, encode_stream
from ...receipts.receipt import Facts
from ...receipts.signer import PlannedReceipt, ReceiptSigner
from ...tracing.spans import Span
from .answer_cache import KeptAnswer
from .model_slot import ModelSlot
from .protocol import AnswerReader, Submission

LOGGER = logging.getLogger(__name__)
_RECEIPT_EVENTS = (Text, Reasoning, ToolCallDelta)


class PendingAnswer:
    """An answer to which the engine's thread adds parts, and which the event loop sends.

    The thread wakes the loop only if the loop waits for text or for the end: to wake it costs more than to
    compute a token with a small model.

    Attributes:
        model: which one answers.
        adapter: the name of the one that the request chose.
        made_of: what the fingerprint is made of, since `identify`; None if another server answers.
        acknowledge: whether the sender wants to know that the engine has accepted the request.
        is_accepted: whether it has.
        is_cached: whether the answer is one that was kept.
        keep: gets the events, the completion and the prompt of an answer that is complete; None: nobody does.
        request_id: by which the request can be cancelled.
        span: the trace span with its times; None: none.
        outcome, end_ns: its last event, and when that came, in ns since 1970.
        is_of_batch: whether a batch has sent the request, so that nobody waits for the answer.
        reader: reads what the engine adds.
        feed: the name of the feed that is to carry the answer, and the key of its pieces; None for none.
        planned_receipt: the receipt to make at the end; None: none. signer: signs it.
        is_fed, fed_pieces: whether a feed carries the answer, and how many pieces it has sent.
        text_event, end_event: set for new parts that the loop waits for, and at the end.
    """

    reader: AnswerReader

    def __init__(self, model: ModelSlot) -> None:
        self.model, self.arrival_time = model, time.monotonic()
        self._loop = asyncio.get_running_loop()
        self.adapter: str | None = None
        self.made_of: dict[str, Any] | None = None
        self.acknowledge = self.is_accepted = self.is_cached = False
        self.keep: Callable[[list[Event], Completion, Sequence[int]], object] | None = None
        self._kept: list[Event] = []
        self._kept_prompt: Sequence[int] | None = None  # of an answer that was kept
        self.request_id: Any = None
        self.is_of_batch = False
        self.span: Span | None = None
        self.outcome: Done | Failed | None = None
        self.end_ns = 0
        self._submission: Submission | None = None  # once the engine has the request
        self._parts: list[Any] = []  # not yet read
        self._events: list[Event] = []  # not yet sent
        self.feed: tuple[str, str] | None = None
        self.planned_receipt: PlannedReceipt | None = None
        self.signer: ReceiptSigner | None = None
        self._receipt_parts = AnswerParts()  # what a receipt needs of the answer
        self._receipt: asyncio.Task[None] | None = None
        self.is_fed, self.fed_pieces = False, 0
        self.text_event, self.end_event = asyncio.Event(), asyncio.Event()
        self._loop_waits_for_text = self._is_cancelled = False

    @property
    def fingerprint(self) -> str | None:
        """What the answer says of all that its bytes depend on but the request."""
        if self.adapter is not None:  # which may have been dropped
            return None if self.made_of is None else make_fingerprint(self.made_of)
        return self.model.fingerprint()

    @property
    def adapter_digest(self) -> str | None:
        """See AnswerSink."""
        return None if self.made_of is None else self.made_of.get("adapter")

    def describe_acceptance(self) -> Accepted:
        """That the engine has accepted the request."""
        prompt = self._kept_prompt if self.is_cached else self.reader.prompt
        return Accepted(self.fingerprint, self.is_cached, None if prompt is None else len(prompt))

    def identify(self) -> None:
        """Note which model answers, before it is asked: the name of its adapter may become another one's."""
        self.made_of = self.model.made_of(self.adapter)

    @property
    def has_ended(self) -> bool:
        """Whether the answer has ended. There may still be text to pop."""
        return self.end_event.is_set()

    def add(self, part: Any) -> None:
        """See AnswerSink; called by the engine's thread."""
        self._parts.append(part)
        if self._loop_waits_for_text:
            self._loop_waits_for_text = False
            self._loop.call_soon_threadsafe(self._set_text_event)

    def finish(self, part: Any) -> None:
        """See AnswerSink; called by the engine's thread."""
        self.end_ns = time.time_ns()
        # The last part and the end must be sent together, so the event loop adds both at once.
        self._loop.call_soon_threadsafe(self._finish, part)

    def cancel(self) -> bool:
        """Cancel the request, in the engine or before it is there. False if it has ended."""
        if self.has_ended or self.is_cached:
            return False
        self._is_cancelled = True  # `wait_until_accepted` sets the submission, and then looks at this
        if self._submission is not None:
            return self._submission.cancel()
        self._loop.call_soon_threadsafe(self._set_text_event)  # it may wait for its model
        return True

    def end_if_cancelled(self) -> bool:
        """End the answer if it was cancelled before the engine had the request. Whether it has ended."""
        if self._is_cancelled and not self.has_ended:
            timings = Timings(None, None, time.monotonic() - self.arrival_time)
            completion = Completion("", [], "cancelled", Usage(0, 0), timings, draw_seed())
            self.model.metrics.count_completion(completion)
            self.end(self.describe_end(completion))
        return self.has_ended

    async def wait_for(self, awaited: Future[Any], timeout_s: Any, what: str) -> None:
        """Wait for a future, such as a model that is loaded, or until the answer is cancelled.

        `timeout_s`: the parameter of the request, not checked. `what`: happens meanwhile. Raises
        RequestTimeout.
        """

        def wake(_: Future[Any]) -> None:
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._set_text_event)

        self.text_event.clear()
        awaited.add_done_callback(wake)
        if not self._is_cancelled:
            with suppress(asyncio.TimeoutError):
                is_time = type(timeout_s) in (int, float)
                await asyncio.wait_for(self.text_event.wait(), timeout_s if is_time else None)
        if not self.end_if_cancelled() and not awaited.done():
            raise RequestTimeout(f"the request's timeout_s of {timeout_s:g} s passed while {what}.")

    async def wait_until_accepted(self, submission: Submission) -> None:
        """Wait until the engine, which has got the request, has accepted it.

        Raises TritonchatError if it has refused it.
        """
        self._submission = submission
        if self._is_cancelled:
            submission.cancel()
        if submission.accepted is not None:
            await asyncio.wrap_future(submission.accepted)
        self.is_accepted = True

    def describe_end(self, completion: Completion, receipt: dict[str, Any] | None = None) -> Done | Failed:
        """The last event of the answer."""
        done = Done(
            completion.finish_reason,
            completion.usage,
            completion.timings,
            completion.seed,
            completion.stop_string,
            self.fingerprint,
            self.adapter or self.model.name,
            receipt,
        )
        return done if completion.error is None else describe_error(completion.error, done)

    def end_early(self, event: Done | Failed) -> None:
        """End the answer before it has begun; called by any thread."""
        self._loop.call_soon_threadsafe(self.end, event)

    def end(self, event: Done | Failed) -> None:
        """End the answer by its last event."""
        self.outcome, self.end_ns = event, self.end_ns or time.time_ns()
        self._events.append(event)
        self.end_event.set()
        self.text_event.set()

    def pop_pieces(self) -> list[Piece]:
        """Remove what is not yet sent, and return it as pieces of a stream. There may be none."""
        self._read_parts()
        if not self.has_ended and all(isinstance(event, FIRST_EVENTS) for event in self._events):
            return []  # they wait for their text
        pieces = encode_stream(sorted(self._events, key=lambda event: not isinstance(event, FIRST_EVENTS)))
        # An answer that reports tokens says so from now on, also if there are no new ones.
        kinds = {type(event) for event in self._events}
        self._events = [kind([]) for kind in (Logprobs, TokenIds) if kind in kinds]
        return pieces

    def pop_answer(self) -> Piece:
        """The answer as one piece, after its end."""
        return encode_answer(AnswerParts().add(*self._events))

    def end_span(self) -> None:
        """End its span with what is known of its end."""
        if self.span is None:
            return
        done = self.outcome.done if isinstance(self.outcome, Failed) else self.outcome
        if isinstance(self.outcome, Failed):
            self.span.fail(self.outcome.type)
        if done is not None:
            self.span.count_tokens(done.usage.counts)
            self.span.note_end(done.finish_reason, done.model)
            self.span.add_times(asdict(done.timings), self.end_ns)
        self.span.end()

    def _read_parts(self) -> None:
        """Make events of the parts."""
        count = len(self._parts)
        if count:
            parts = self._parts[:count]
            del self._parts[:count]
            self._add_events(self.reader.read(parts))

    def _add_events(self, events: list[Event]) -> None:
        self._events += events
        if self.keep is not None:
            self._kept += events
        if self.planned_receipt is not None:
            self._receipt_parts.add(*(event for event in events if isinstance(event, _RECEIPT_EVENTS)))

    @property
    def has_parts(self) -> bool:
        """Whether there is something to read."""
        return bool(self._parts)

    def wake_for_text(self) -> None:
        """Let the next part set `text_event`."""
        self._loop_waits_for_text = True

    async def wait_for_text(self) -> None:
        """Wait until there is something to read or the answer has ended."""
        self.text_event.clear()
        self.wake_for_text()
        if not self._parts and not self.has_ended:
            await self.text_event.wait()

    async def wait_for_end(self, timeout_s: float | None = None) -> None:
        """Wait until the answer has ended, or for the timeout."""
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.end_event.wait(), timeout_s)

    def _set_text_event(self) -> None:
        self.text_event.set()

    def _finish(self, last: Any) -> None:
        self._parts.append(last)
        try:
            self._read_parts()
            events, completion = self.reader.finish()
            self._add_events(events)
            self.model.metrics.count_completion(completion)
            prompt, is_whole = self.reader.prompt, completion.finish_reason != "cancelled"
            if self.keep is not None and prompt is not None and is_whole and completion.error is None:
                self.keep(self._kept, completion, prompt)
            self._complete(completion, prompt or ())
        except Exception as error:
            LOGGER.exception("An answer could not be described")
            self.end(describe_error(error))

    def answer_from(self, kept: KeptAnswer, seed: int) -> None:
        """Give an answer that was kept, in the event loop. `seed`: of the request."""
        self.is_cached = self.is_accepted = True
        self._kept_prompt = kept.prompt_ids
        self._add_events(kept.events())
        seconds = time.monotonic() - self.arrival_time
        completion = Completion(
            "",
            kept.token_ids,
            kept.finish_reason,
            kept.usage_of_hit(),
            Timings(seconds, seconds, seconds),
            seed,
            kept.stop_string,
        )
        self._complete(completion, kept.prompt_ids)

    def _complete(self, completion: Completion, prompt: Sequence[int]) -> None:
        """End the answer, with its receipt if it is to have one."""
        if self.planned_receipt is None or self.signer is None or completion.error is not None:
            self.end(self.describe_end(completion))
        else:
            ending = self._end_with_receipt(self.planned_receipt, self.signer, completion, prompt)
            self._receipt = self._loop.create_task(ending)

    async def _end_with_receipt(
        self, planned: PlannedReceipt, signer: ReceiptSigner, completion: Completion, prompt: Sequence[int]
    ) -> None:
        """End the answer when its receipt is made. Without the one that it is to have, it has failed."""
        try:
            fingerprint, made_of = self.fingerprint, self.made_of
            if fingerprint is None or made_of is None:  # the adapter was dropped before it was asked
                raise ModelUnavailable(
                    "the model was unloaded before the receipt was made; ask again.", "receipt"
                )
            name = self.adapter or self.model.name
            facts = Facts(
                name,
                fingerprint,
                made_of,
                planned.content,
                planned.content_hash,
                prompt,
                completion,
                self._receipt_parts,
            )
            self.end(self.describe_end(completion, await signer.make(planned, facts)))
        except Exception as error:
            if not isinstance(error, TritonchatError):
                LOGGER.exception("A receipt could not be made")
            done = self.describe_end(completion)
            self.end(describe_error(error, done if isinstance(done, Done) else None))
