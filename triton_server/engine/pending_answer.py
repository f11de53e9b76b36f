"""An answer on its way from the engine's thread to Triton."""

import asyncio
import logging
import time
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from typing import Any

from model_core import LLM
from model_core.answer_parser import AnswerParser
from model_core.chat import find_finish_reason
from model_core.choice_fields import ChoiceFields
from model_core.choose import join_completions, rank_choices
from model_core.errors import RequestTimeout
from model_core.event_writer import join_events
from model_core.events import Event, Text, Timings, Usage
from model_core.request import Completion, Delta
from model_core.sampler import TokenLogprob
from model_core.sampling import draw_seed

from .details import (
    Response,
    answer_details,
    choice_details,
    error_details,
    logprob_details,
    make_response,
    make_responses,
    prompt_logprob_details,
)
from .model_slot import ModelSlot
from .pending_choices import PendingChoices

LOGGER = logging.getLogger(__name__)


class PendingAnswer:
    """An answer to which the engine's thread adds text, and which the event loop sends.

    The thread wakes the loop only if the loop waits for text or for the end: to wake it costs more than to
    compute a token with a small model.

    Attributes:
        model, llm: which model answers, and that model while it is loaded, before which there are no deltas.
        adapter: the name of the one that the request chose.
        waiting_id: the request's id while the engine has none of this id, because the request waits until its
            model is loaded, or has choices.
        request_id: the engine's id, once the request is submitted.
        choices: the requests of answers to choose from, instead of that id.
    """

    llm: LLM

    def __init__(self, model: ModelSlot) -> None:
        self.model, self.arrival_time = model, time.monotonic()
        self._loop = asyncio.get_running_loop()
        self.adapter: str | None = None
        self.acknowledge = False  # whether the sender wants to know that the engine has accepted the request
        self.waiting_id: Any = None
        self.request_id: str | None = None
        self.choices: PendingChoices | None = None
        self.parser: AnswerParser | None = None  # of the answer to a conversation
        self.prompt_ids: list[int] | None = None  # of the prompt, if the request wants them; sent once
        self.prompt: list[int] = []
        # Whether `logprobs` begin with those of the prompt, and whether `prompt_logprobs` report them.
        self.echoes = self.reports_prompt = False
        self._deltas: list[Delta] = []  # not yet read
        self._events: list[Event] = []  # not yet sent, as the log probabilities
        self._logprobs: list[TokenLogprob] | None = None  # None if the request does not want them
        self._prompt_logprobs: list[TokenLogprob] | None = None  # not yet sent
        self._token_ids: list[int] | None = None  # as the log probabilities
        self._details: dict[str, Any] = {}  # of the last response, once the answer has ended
        self._text_event, self._end_event = asyncio.Event(), asyncio.Event()
        self._loop_waits_for_text = self._waits_for_model = False

    @property
    def model_name(self) -> str:
        """What the answer says of its model: the name of the adapter, or of the model."""
        return self.adapter or self.model.name

    @property
    def has_ended(self) -> bool:
        """Whether the answer has ended. There may still be text to pop."""
        return self._end_event.is_set()

    def add_delta(self, delta: Delta) -> None:
        """Add a delta; called by the engine's thread."""
        if delta.completion is not None:
            # The last delta and the end must be sent together, so the event loop adds both at once.
            self._loop.call_soon_threadsafe(self._finish, delta, delta.completion)
            return
        self._deltas.append(delta)
        if self._loop_waits_for_text:
            self._loop_waits_for_text = False
            self._loop.call_soon_threadsafe(self._text_event.set)

    def cancel(self) -> None:
        """Cancel the request in the engine, if it has been submitted, or its waiting for the model."""
        if self.choices is not None:
            self.choices.cancel()
        elif self.request_id is not None and not self.has_ended:
            self.llm.engine.cancel(self.request_id)
        elif self._waits_for_model:
            self._loop.call_soon_threadsafe(self._end_before_start)

    def begin_with(self, text: str) -> None:
        """Let the text of the answer begin with this, before the request is submitted."""
        self.echoes = True
        self._events.append(Text(text))

    def end_choices(self, fields: ChoiceFields, completions: list[Completion]) -> None:
        """End the answer of a request with choices; called by the engine's thread."""
        self._loop.call_soon_threadsafe(self._finish_choices, fields, completions)

    async def wait_for_model(self, model: Future[LLM], values: dict[str, Any]) -> None:
        """Wait until the model is loaded or has failed, or until the answer is cancelled.

        `values`: the parameters of the request, not checked. Raises RequestTimeout.
        """

        def wake(_: Future[LLM]) -> None:
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._text_event.set)

        self.waiting_id, timeout_s = values.get("request_id"), values.get("timeout_s")
        self._text_event.clear()
        self._waits_for_model = True
        model.add_done_callback(wake)
        with suppress(asyncio.TimeoutError):
            is_time = type(timeout_s) in (int, float)
            await asyncio.wait_for(self._text_event.wait(), timeout_s if is_time else None)
        self.waiting_id, self._waits_for_model = None, False
        if not self.has_ended and not model.done():
            raise RequestTimeout(
                f"the request's timeout_s of {timeout_s:g} s passed while the model was loaded."
            )

    def _end_before_start(self) -> None:
        if self._waits_for_model and not self.has_ended:
            timings = Timings(None, None, time.monotonic() - self.arrival_time)
            completion = Completion("", [], "cancelled", Usage(0, 0), timings, draw_seed())
            self.model.metrics.count_completion(completion)
            self.end(answer_details(completion, self.model_name))

    def end(self, details: dict[str, Any]) -> None:
        """End the answer, with the details of its last response."""
        self._details = details
        self._end_event.set()
        self._text_event.set()

    def pop_responses(self) -> list[Response]:
        """Remove what is not yet sent, and return it as the responses of a stream. There may be none."""
        self._read_deltas()
        responses = make_responses(join_events(self._events))
        if not responses and not self.has_ended:
            return []  # log probabilities wait for the text of their tokens
        responses = responses or [("", {})]
        responses[0][1].update(self._pop_tokens())
        responses[-1][1].update(self._details)
        self._events.clear()
        return responses

    def pop_answer(self) -> Response:
        """The answer as one response, after its end."""
        text, details = make_response(join_events(self._events))
        return text, {**details, **self._pop_tokens(), **self._details}

    def _pop_tokens(self) -> dict[str, Any]:
        """Remove log probabilities and token ids, and return them as details."""
        details: dict[str, Any] = {}
        echoed: list[dict[str, Any]] = []
        if self._prompt_logprobs is not None:
            entries, self._prompt_logprobs = self._prompt_logprobs, None
            scores = prompt_logprob_details(self.prompt, entries, self.llm.tokenizer)
            if self.reports_prompt:
                details["prompt_logprobs"] = scores
            if self.echoes:
                echoed = scores
        if self._logprobs is not None:
            entries, self._logprobs = self._logprobs, []
            details["logprobs"] = echoed + logprob_details(entries, self.llm.tokenizer)
        if self._token_ids is not None:
            details["token_ids"], self._token_ids = self._token_ids, []
        if self.prompt_ids is not None:
            details["prompt_token_ids"], self.prompt_ids = self.prompt_ids, None
        return details

    def _read_deltas(self) -> None:
        """Make events of the deltas."""
        count = len(self._deltas)
        deltas = self._deltas[:count]
        del self._deltas[:count]
        for delta in deltas:
            if delta.logprobs is not None:
                self._logprobs = (self._logprobs or []) + delta.logprobs
            if delta.prompt_logprobs is not None:
                self._prompt_logprobs = delta.prompt_logprobs
            if delta.token_ids is not None:
                self._token_ids = (self._token_ids or []) + delta.token_ids
        text = "".join(delta.text for delta in deltas)
        if self.parser is not None:
            self._events += self.parser.push(text)
        elif text:
            self._events.append(Text(text))

    async def wait_for_text(self) -> None:
        """Wait until there is some text or the answer has ended."""
        self._text_event.clear()
        self._loop_waits_for_text = True
        if not any(delta.text for delta in self._deltas) and not self.has_ended:
            await self._text_event.wait()

    async def wait_for_end(self, timeout_s: float | None = None) -> None:
        """Wait until the answer has ended, or for the timeout."""
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._end_event.wait(), timeout_s)

    def _finish(self, last: Delta, completion: Completion) -> None:
        self._deltas.append(last)
        try:
            self._read_deltas()
            if self.parser is not None:
                self._events += self.parser.finish()
                completion = replace(completion, finish_reason=find_finish_reason(completion, self.parser))
            self.model.metrics.count_completion(completion)
            self.end(answer_details(completion, self.model_name))
        except Exception as error:
            LOGGER.exception("An answer could not be described")
            self.end(error_details(error))

    def _finish_choices(self, fields: ChoiceFields, completions: list[Completion]) -> None:
        try:
            cancelled = [completion for completion in completions if completion.finish_reason == "cancelled"]
            if cancelled:  # by an error, or by the client
                completion, details = min(cancelled, key=lambda one: one.error is None), {}
            else:
                choices = rank_choices(fields, completions)
                completion = join_completions(choices, completions)
                details = {"choices": choice_details(choices, self.llm.tokenizer)}
            self._events.append(Text(completion.text))
            self.model.metrics.count_completion(completion)
            self.end({**details, **answer_details(completion, self.model_name)})
        except Exception as error:
            LOGGER.exception("Choices could not be described")
            self.end(error_details(error))
