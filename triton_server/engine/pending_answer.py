"""An answer on its way from the engine's thread to Triton."""

import asyncio
import logging
from contextlib import suppress
from itertools import chain
from typing import Any

from model_core import LLM
from model_core.request import Completion, Delta

from .details import answer_details, error_details, logprob_details
from .metrics import EngineMetrics

LOGGER = logging.getLogger(__name__)


class PendingAnswer:
    """An answer to which the engine's thread adds text, and which the event loop sends.

    The thread wakes the loop only if the loop waits for text or for the end: to wake it costs more than to
    compute a token with a small model.
    """

    def __init__(self, llm: LLM, metrics: EngineMetrics) -> None:
        self._llm, self._metrics = llm, metrics
        self._loop = asyncio.get_running_loop()
        self.acknowledge = False  # whether the sender wants to know that the engine has accepted the request
        self.request_id: str | None = None  # the engine's, once the request is submitted
        self._deltas: list[Delta] = []  # not yet sent
        self._details: dict[str, Any] = {}  # of the last response, once the answer has ended
        self._text_event, self._end_event = asyncio.Event(), asyncio.Event()
        self._loop_waits_for_text = False

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
        """Cancel the request in the engine, if it has been submitted."""
        if self.request_id is not None and not self.has_ended:
            self._llm.engine.cancel(self.request_id)

    def end(self, details: dict[str, Any]) -> None:
        """End the answer, with the details of its last response."""
        self._details = details
        self._end_event.set()
        self._text_event.set()

    def pop_text(self) -> tuple[str, dict[str, Any]]:
        """Remove and return the text that is not yet sent, with its `details`."""
        count = len(self._deltas)
        deltas = self._deltas[:count]
        del self._deltas[:count]
        logprobs = [delta.logprobs for delta in deltas if delta.logprobs is not None]
        details = dict(self._details)
        if logprobs:
            details["logprobs"] = logprob_details(chain.from_iterable(logprobs), self._llm.tokenizer)
        return "".join(delta.text for delta in deltas), details

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
        self._metrics.count_completion(completion)
        try:
            self.end(answer_details(completion, self._llm.name, self._llm.tokenizer))
        except Exception as error:
            LOGGER.exception("An answer could not be described")
            self.end(error_details(error))
