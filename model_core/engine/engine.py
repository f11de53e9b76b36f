"""The engine: accepts requests from many threads and computes them together, step by step.

One thread computes. Requests join and leave between its steps.
"""

import logging
import os
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from ..cache.memory import KVCache
from ..cache.page_tree import CacheRoot
from ..cache.prefix_io import PromptPages
from ..cache.reserve import Limits
from ..errors import InvalidRequest, RequestTimeout, ShuttingDown, TritonchatError
from ..grammar.constraint import GrammarCompiler
from ..model.batch import Batch
from ..model.transformer import Transformer
from ..requests.results import Delta, DeltaCallback
from ..sampling.batch_sampler import RowSampler
from ..sampling.breakers import BreakerFinder
from ..text.tokenizer import AnyTokenizer
from ..vision.encoder import ImageEncoder
from .admission import Admission
from .draft_model import DraftModel
from .drafter import Drafter
from .head_drafts import HeadDrafts
from .job import Job
from .masks import TokenMasks
from .next_tokens import AnswerTokens, Appended, Chosen
from .scheduler import Scheduler
from .sequence import FinishReason, Sequence
from .snapshot import count_pages, describe_scheduler
from .step_log import StepLog
from .work import WorkItem

LOGGER = logging.getLogger(__name__)
_POLL_S = 0.02  # how long a request that waits for an image does not notice that it is cancelled
_PAUSE_S = 1e-3  # of an idle engine, before it prepares memory: who asks or takes an answer comes first


class Engine:
    """Continuous batching with one model. Its methods may be called from any thread."""

    def __init__(
        self,
        model: Transformer,
        tokenizer: AnyTokenizer | None,
        eos_token_ids: frozenset[int],
        cache: KVCache,
        limits: Limits,
        drafter: Drafter | None = None,
        encoder: ImageEncoder | None = None,
    ) -> None:
        """`drafter`: drafts tokens of the answers; `encoder`: encodes images. None for none."""
        self.limits, self.encoder = limits, encoder
        self._model, self._cache, self._drafter = model, cache, drafter
        self._scheduler = Scheduler(cache, limits)
        self.grammars = GrammarCompiler(tokenizer, model.config.vocab_size, eos_token_ids)
        self._admission = Admission(
            model.config.vocab_size,
            limits.max_context,
            tokenizer,
            eos_token_ids,
            self.grammars,
            BreakerFinder(tokenizer, model.config.vocab_size),
            encoder,
        )
        self._masks = TokenMasks()
        rows = RowSampler(model.config.vocab_size, model.threads, model.run_kernel)
        self._tokens = AnswerTokens(rows, eos_token_ids)
        self._condition = threading.Condition()  # guards the scheduler, the sequences and the counters
        self._sequences: dict[str, Sequence] = {}  # by request id
        self._is_closing = False
        # They bring pages of a prompt back that are on disk, for requests of a root.
        self.recalls: list[Callable[[list[int], CacheRoot], None]] = []
        self.pages = PromptPages(cache, self._scheduler.pool, self._condition)
        names = ("requests", "refusals", "cancellations", "prompt_tokens", "completion_tokens", "steps")
        token_names = ("computed_tokens", "drafted_tokens", "accepted_tokens", "forced_tokens")
        self._totals = dict.fromkeys((*names, *token_names), 0)
        self._step_sizes: Counter[int] = Counter()  # number of steps, by their number of sequences
        self._log = StepLog()
        self._checks_pages = os.environ.get("TRITONCHAT_CHECK_PAGES") == "1"
        if encoder is not None:
            encoder.listen(self._wake)
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()

    def submit(
        self,
        job: Job,
        on_delta: DeltaCallback,
        request_id: str | None = None,
        arrival_time: float | None = None,
    ) -> str:
        """Queue a request and return its id.

        The engine's thread calls `on_delta` with each delta of the answer, so it must return at once. The
        last delta has the completion. `arrival_time` is that of `time.monotonic()`, if it is not now.

        Raises InvalidRequest, PromptTooLong, NoMemory, QueueFull or ShuttingDown, and then never calls
        `on_delta`.
        """
        try:
            self._model.check_makes_text()
            request_id = request_id or uuid.uuid4().hex
            sequence = self._admission.make_sequence(job, on_delta, request_id, arrival_time)
            if self.recalls and job.adapter is None:
                with self._condition:
                    self._check_request(sequence)
                for recall in self.recalls:
                    recall(sequence.keys[: sequence.text_length], sequence.cache_root)
            with self._condition:
                self._enqueue(sequence)
        except TritonchatError:
            with self._condition:
                self._totals["refusals"] += 1
            raise
        return request_id

    def cancel(self, request_id: str) -> bool:
        """End a request before its next step. False if there is no such request."""
        with self._condition:
            sequence = self._sequences.get(request_id)
            if sequence is not None:
                self._scheduler.cancel(sequence)
            return sequence is not None

    def stats(self) -> dict[str, Any]:
        """Current numbers (`running`, `waiting`, ...) and totals since the start.

        `step_sizes` maps numbers of sequences to the number of steps that computed so many.
        """
        with self._condition:
            scheduler = self._scheduler
            unfinished_tokens = sum(sequence.answer_length for sequence in self._sequences.values())
            return {
                "alive": self._thread.is_alive(),
                "running": len(scheduler.running),
                "waiting": len(scheduler.waiting),
                "kv_bytes_used": scheduler.kv_bytes_used,
                "kv_pages": count_pages(scheduler.pool),
                "step_sizes": dict(self._step_sizes),
                "totals": {
                    **self._totals,
                    "completion_tokens": self._totals["completion_tokens"] + unfinished_tokens,
                    "prefix_hits_tokens": scheduler.prefix_hits_tokens,
                    "preemptions": scheduler.preemptions,
                },
            }

    def live(self, with_tree: bool = False) -> dict[str, Any]:
        """The running requests and the last steps, and the tree of the prefix cache if it is wanted."""
        with self._condition:
            now = describe_scheduler(self._scheduler, with_tree)
        return {**now, **self._log.read()}

    @property
    def draft_source(self) -> DraftModel | HeadDrafts | None:
        """The model that drafts, if there is one."""
        return None if self._drafter is None else self._drafter.model

    def check(self) -> None:
        """Raise AssertionError, which names the page, unless each page of KV memory is in one place.

        No request may run. With TRITONCHAT_CHECK_PAGES=1, an engine does this whenever it has nothing to do.
        """
        with self._condition:
            self._scheduler.check(self.pages.held)
            if self._drafter is not None:
                self._drafter.check()

    def close(self, grace_s: float = 0.0) -> None:
        """Refuse new requests, give the others `grace_s` seconds to end, and cancel the rest."""
        with self._condition:
            self._is_closing = True
            self._condition.notify_all()
            self._condition.wait_for(lambda: not self._sequences, timeout=grace_s)
            for sequence in self._sequences.values():
                self._scheduler.cancel(sequence)
        self._thread.join()
        if self.encoder is not None:
            self.encoder.close()
        self._masks.close()
        self.grammars.close()

    def wait_for_end(self, timeout_s: float) -> bool:
        """Wait until the engine has ended. False if it has not within the timeout."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _check_request(self, sequence: Sequence) -> None:
        """Raises TritonchatError if a request cannot be queued now."""
        if self._is_closing:
            raise ShuttingDown("the server is stopping and takes no new requests.")
        if sequence.request_id in self._sequences:
            raise InvalidRequest(
                f"request_id {sequence.request_id!r} is already in use by a running request.",
                "request_id",
            )
        self._scheduler.check_room(sequence)

    def _enqueue(self, sequence: Sequence) -> None:
        self._check_request(sequence)
        sequence.adapter = self._model.adapters.acquire(sequence.job.adapter, sequence.job.adapter_digest)
        self._scheduler.add(sequence)
        self._sequences[sequence.request_id] = sequence
        self._totals["requests"] += 1
        self._condition.notify_all()

    # The methods from here on run in the engine's own thread.

    def _run(self) -> None:
        try:
            while self._step():
                pass
        except BaseException as error:
            LOGGER.critical("The engine stopped", exc_info=error)
            with self._condition:
                self._is_closing, failed = True, list(self._sequences.values())
                self._sequences.clear()
                self._condition.notify_all()
            failure = TritonchatError(f"the engine stopped ({type(error).__name__}: {error}).")
            for sequence in failed:
                completion = sequence.make_completion("cancelled", failure)
                self._deliver(sequence, sequence.next_delta(completion))

    def _step(self) -> bool:
        """Finish ended requests, or compute what the scheduler chooses. False when the engine is to stop."""
        with self._condition:
            if self._checks_pages and not self._sequences:
                self.check()
            free = self._scheduler.pool.free
            pause = _PAUSE_S if not self._sequences and free.is_short else None
            self._condition.wait_for(lambda: self._sequences or self._is_closing, pause)
            if not self._sequences:
                if not self._is_closing:  # nobody came in the pause
                    free.provide()
                return not self._is_closing
            begin = time.monotonic()
            ended = self._scheduler.find_ended()
        for sequence in ended:
            self._finish_ended(sequence)
        if ended:
            return True
        # Nobody else changes what runs, so this needs no lock.
        scheduler, drafts = self._scheduler, {}
        if self._drafter is not None:
            drafts = self._drafter.propose(scheduler.running, scheduler.max_drafts)
        with self._condition:
            work = scheduler.schedule(drafts)
            if not work:  # all wait for images
                self._condition.wait(_POLL_S)
        for sequence, error in scheduler.find_failed() if self.encoder is not None else ():
            self._fail(sequence, error)
            work = [item for item in work if item.sequence is not sequence]
        if work:
            self._compute(work, begin)
        return True

    def _wake(self) -> None:
        """Let the engine see that an image is encoded. Another thread calls it."""
        with self._condition:
            self._condition.notify_all()

    def _compute(self, work: list[WorkItem], begin: float) -> None:
        """Compute the work of a step in one pass, and choose the next tokens of its sequences.

        An error ends the requests that it concerns, never the engine. Some errors are no Exception: a panic
        inside the tokenizer is one. `begin`: when the step began.
        """
        scheduled = time.monotonic()
        try:
            batch = self._scheduler.build_batch(work)
            with self._masks.computed(work) as masks:
                logits = self._forward(batch, work)
        except BaseException as error:
            if len(work) == 1:
                return self._fail(work[0].sequence, error)
            for item in work:  # only the requests that cause the error fail
                self._compute([item], time.monotonic())
            return
        computed, tokens = time.monotonic(), len(batch.tokens)
        self._commit(work, tokens)
        chosen, answer_tokens = self._tokens.choose(work, logits, masks), 0
        ended: dict[Sequence, FinishReason] = {}
        for index, item in enumerate(work):
            sequence = item.sequence
            try:
                if sequence.prompt_scores is not None and batch.scores is not None:
                    batch.scores.deliver(sequence.prompt_scores)
                appended = self._append(item, chosen, index)
                answer_tokens += appended.tokens
                if appended.reason is not None:
                    ended[sequence] = appended.reason
            except BaseException as error:
                self._fail(sequence, error)
        if ended and self._drafter is not None:
            self._drafter.finish(list(ended))
        for sequence, reason in ended.items():
            try:
                self._finish(sequence, reason)
            except BaseException as error:
                self._fail(sequence, error)
        times = (begin, scheduled, computed, time.monotonic())
        self._log.record(times, len(work), tokens, answer_tokens)

    def _forward(self, batch: Batch, work: list[WorkItem]) -> np.ndarray:
        if self._drafter is None or not self._drafter.needs_hidden_states:
            return self._model.forward(batch, self._cache)
        logits, hidden = self._model.forward_for_drafts(batch, self._cache)
        self._drafter.keep(work, hidden)
        return logits

    def _commit(self, work: list[WorkItem], tokens: int) -> None:
        """Record that so many tokens of a step are computed, and how long this took."""
        with self._condition:
            prompt_tokens = self._scheduler.commit(work)
            self._totals["steps"] += 1
            self._step_sizes[len(work)] += 1
            self._totals["computed_tokens"] += tokens
            self._totals["drafted_tokens"] += sum(len(item.drafts) for item in work) if self._drafter else 0
        step_s = self._model.step_s
        self._scheduler.pace.record_step(prompt_tokens, step_s)
        if self._drafter is not None and not prompt_tokens:
            self._drafter.steps.record(tokens, step_s)

    def _append(self, item: WorkItem, chosen: Chosen, index: int) -> Appended:
        """Append the next tokens of a request, and deliver its new text, unless it ends."""
        sequence, appended = item.sequence, self._tokens.append(item, chosen, index)
        if item.drafts and self._drafter is not None:
            self._drafter.record(sequence, len(item.drafts), appended.accepted)
        if appended.accepted or appended.forced:
            with self._condition:
                if appended.accepted:
                    self._scheduler.accept_drafts(item, appended.accepted)
                self._totals["accepted_tokens"] += appended.accepted
                self._totals["forced_tokens"] += appended.forced
        if appended.reason is None and sequence.pending_text:
            self._deliver(sequence, sequence.next_delta())
        return appended

    def _fail(self, sequence: Sequence, error: BaseException) -> None:
        if isinstance(error, InvalidRequest):  # the fault is in the request, and its sender is told
            LOGGER.info("Request %s refused: %s", sequence.request_id, error)
        else:
            LOGGER.error("Request %s failed", sequence.request_id, exc_info=error)
        if not isinstance(error, TritonchatError):
            error = TritonchatError(f"the computation failed ({type(error).__name__}: {error}).")
        self._finish(sequence, "cancelled", error)

    def _finish_ended(self, sequence: Sequence) -> None:
        if sequence.is_cancelled:
            return self._finish(sequence, "cancelled")
        is_waiting = sequence.admission_time is None
        where = "while it was waiting in the queue" if is_waiting else "before it was finished"
        self._finish(
            sequence,
            "cancelled",
            RequestTimeout(f"the request's timeout_s of {sequence.job.params.timeout_s:g} s passed {where}."),
        )

    def _finish(self, sequence: Sequence, reason: FinishReason, error: TritonchatError | None = None) -> None:
        try:
            rest = "" if sequence.text_stream is None else sequence.text_stream.finish()
        except BaseException as failure:
            rest, error = "", error or TritonchatError(f"the text could not be decoded ({failure}).")
        sequence.pending_text += rest
        with self._condition:
            if self._sequences.get(sequence.request_id) is not sequence:
                return  # it had ended before it failed
            del self._sequences[sequence.request_id]
            self._scheduler.remove(sequence)
            self._model.adapters.release(sequence.adapter)
            self._totals["prompt_tokens"] += sequence.prompt_length
            self._totals["completion_tokens"] += sequence.answer_length
            self._totals["cancellations"] += reason == "cancelled" and error is None
            self._condition.notify_all()
        if self._drafter is not None:
            self._drafter.forget(sequence)
        sequence.text_parts.append(sequence.pending_text)
        self._deliver(sequence, sequence.next_delta(sequence.make_completion(reason, error)))

    def _deliver(self, sequence: Sequence, delta: Delta) -> None:
        if delta.completion is None:
            sequence.text_parts.append(delta.text)
        try:
            sequence.on_delta(delta)
        except BaseException:  # whatever it is, it must not end the engine
            # The receiver of the answer is gone.
            LOGGER.debug("Nobody takes the answer of %s", sequence.request_id, exc_info=True)
            with self._condition:
                if self._sequences.get(sequence.request_id) is sequence:  # this was not the end of the answer
                    self._scheduler.cancel(sequence)
