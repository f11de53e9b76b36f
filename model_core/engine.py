"""The engine: takes requests from many threads and computes them together, step by step.

One thread does all the arithmetic. Before each step, requests join and leave.
"""

import logging
import threading
import time
import uuid
from collections import Counter
from typing import Any

import numpy as np

from .errors import (
    InvalidRequest,
    PromptTooLong,
    RequestTimeout,
    ShuttingDown,
    TritonchatError,
)
from .kv_cache import KVCache
from .request import Completion, Deliver, FinishReason, Piece, Sequence
from .sampling import DEFAULT_MAX_TOKENS, Sampler, SamplingParams
from .scheduler import Limits, Scheduler, Work
from .speculation import PromptLookup
from .tokenizer import TextStream, Tokenizer
from .transformer import Transformer

LOGGER = logging.getLogger(__name__)


class Engine:
    """Continuous batching over one model. Its methods may be called from any thread."""

    def __init__(
        self,
        model: Transformer,
        tokenizer: Tokenizer | None,
        eos_token_ids: frozenset[int],
        cache: KVCache,
        limits: Limits,
        speculate: int,
    ) -> None:
        """`speculate`: how many tokens to guess ahead, 0 for none."""
        self.limits = limits
        self._model, self._tokenizer, self._eos = model, tokenizer, eos_token_ids
        self._cache, self._speculate = cache, speculate
        self._scheduler = Scheduler(cache, limits)
        self._changed = threading.Condition()  # guards the scheduler, the ids and the counters
        self._ids: dict[str, Sequence] = {}
        self._closing = False
        names = ("requests", "refusals", "cancellations", "prompt_tokens", "completion_tokens", "steps")
        self._totals = dict.fromkeys((*names, "computed_tokens", "drafted_tokens", "accepted_tokens"), 0)
        self._step_sizes: Counter[int] = Counter()  # how many steps had so many sequences
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()

    def submit(
        self, prompt: list[int], params: SamplingParams, deliver: Deliver, request_id: str | None = None
    ) -> str:
        """Queue a request; returns its id.

        `deliver` is called from the engine's thread with each piece of the answer, so it must return at once.
        The last piece has the completion. `params` must have its defaults filled in.

        Raises InvalidRequest, PromptTooLong, NoMemory, QueueFull or ShuttingDown; then nothing is delivered.
        """
        try:
            sequence = self._sequence(prompt, params, deliver, request_id or uuid.uuid4().hex)
            with self._changed:
                self._enter(sequence)
        except TritonchatError:
            with self._changed:
                self._totals["refusals"] += 1
            raise
        return sequence.request_id

    def cancel(self, request_id: str) -> bool:
        """End a request before its next step; what it has made is delivered. False if there is none."""
        with self._changed:
            sequence = self._ids.get(request_id)
            if sequence is not None:
                self._scheduler.cancel(sequence)
            return sequence is not None

    def stats(self) -> dict[str, Any]:
        """Numbers of the moment (`running`, `waiting`, ...) and totals since the start.

        `step_sizes` says how many steps had so many sequences.
        """
        with self._changed:
            scheduler, pool = self._scheduler, self._scheduler.pool
            under_way = sum(sequence.answered for sequence in self._ids.values())
            return {
                "alive": self._thread.is_alive(),
                "running": len(scheduler.running),
                "waiting": len(scheduler.waiting),
                "kv_bytes_used": scheduler.kv_bytes_used,
                "kv_pages": {
                    "used": pool.used,
                    "cached": pool.cached,
                    "free": pool.free,
                    "total": pool.total,
                },
                "step_sizes": dict(self._step_sizes),
                "totals": {
                    **self._totals,
                    "completion_tokens": self._totals["completion_tokens"] + under_way,
                    "prefix_hits_tokens": scheduler.prefix_hits_tokens,
                    "preemptions": scheduler.preemptions,
                },
            }

    def close(self, grace_s: float = 0.0) -> None:
        """Take no more requests, let those under way end within `grace_s` seconds, cancel the rest."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._ids, timeout=grace_s)
            for sequence in self._ids.values():
                self._scheduler.cancel(sequence)
        self._thread.join()

    def _enter(self, sequence: Sequence) -> None:
        if self._closing:
            raise ShuttingDown("the server is stopping and takes no new requests.")
        if sequence.request_id in self._ids:
            raise InvalidRequest(
                f"request_id {sequence.request_id!r} is already in use by a running request."
            )
        self._scheduler.add(sequence)
        self._ids[sequence.request_id] = sequence
        self._totals["requests"] += 1
        self._changed.notify_all()

    def _sequence(
        self, prompt: list[int], params: SamplingParams, deliver: Deliver, request_id: str
    ) -> Sequence:
        vocab_size, max_context = self._model.config.vocab_size, self.limits.max_context
        if not prompt:
            raise InvalidRequest("the prompt is empty.")
        if not all(0 <= token < vocab_size for token in prompt):
            raise InvalidRequest(f"the prompt has a token outside the model's vocabulary of {vocab_size}.")
        if len(prompt) >= max_context:
            raise PromptTooLong(
                f"the prompt has {len(prompt)} tokens, but prompt and answer together may have {max_context} "
                "(the model's context, or --max-context)."
            )
        limit = min(params.max_tokens or DEFAULT_MAX_TOKENS, max_context - len(prompt))
        return Sequence(
            request_id=request_id,
            tokens=list(prompt),
            prompt_tokens=len(prompt),
            params=params,
            limit=limit,
            sampler=Sampler(params, prompt, vocab_size),
            text=None if self._tokenizer is None else TextStream(self._tokenizer, prompt, params.stop),
            deliver=deliver,
            lookup=PromptLookup(self._speculate) if self._speculate else None,
        )

    # The engine's own thread.

    def _run(self) -> None:
        try:
            while self._step():
                pass
        except BaseException as error:
            LOGGER.critical("The engine stopped", exc_info=error)
            with self._changed:
                self._closing, lost = True, list(self._ids.values())
                self._ids.clear()
                self._changed.notify_all()
            failure = TritonchatError(f"the engine stopped ({type(error).__name__}: {error}).")
            for sequence in lost:
                self._deliver(sequence, sequence.piece("", sequence.completion("cancelled", failure)))

    def _step(self) -> bool:
        """Let requests leave and join, then compute what the scheduler plans; False when all is done."""
        with self._changed:
            self._changed.wait_for(lambda: self._ids or self._closing)
            if not self._ids:
                return False
            ended = self._scheduler.sweep()
            work = self._scheduler.plan()
        for sequence in ended:
            self._end_early(sequence)
        if work:
            self._advance(work)
        return True

    def _advance(self, work: list[Work]) -> None:
        """Compute a step's work in one pass, and choose what follows where a sequence is done so far.

        What goes wrong ends the requests it concerns, never the engine. That includes what is no Exception:
        a panic inside the tokenizer.
        """
        try:
            batch = self._scheduler.batch(work)
            logits = self._model.forward(batch, self._cache)
        except BaseException as error:
            if len(work) == 1:
                return self._fail(work[0].sequence, error)
            for alone in work:  # whoever it is about fails alone
                self._advance([alone])
            return
        with self._changed:
            self._scheduler.commit(work)
            self._totals["steps"] += 1
            self._step_sizes[len(work)] += 1
            self._totals["computed_tokens"] += len(batch.tokens)
            self._totals["drafted_tokens"] += sum(len(one.drafts) for one in work) if self._speculate else 0
        # For all at once: NumPy takes longer to begin than to look through a row.
        likeliest, finite = logits.argmax(axis=1).tolist(), np.isfinite(logits).all(axis=1).tolist()
        rows = list(zip(logits, likeliest, finite, strict=True))
        end = 0
        for one in work:
            start, end = end, end + one.rows
            try:
                self._extend(one, rows[start:end])
            except BaseException as error:
                self._fail(one.sequence, error)

    def _extend(self, work: Work, rows: list[tuple[np.ndarray, int, bool]]) -> None:
        """Choose a request's next token, and the one after it as long as the drafts were right.

        rows: for each, the logits, which one is the largest, and whether all are finite.
        """
        sequence, accepted = work.sequence, 0
        for i, (logits, likeliest, finite) in enumerate(rows):
            if not finite:
                raise TritonchatError(
                    "the model computed numbers that are not finite; its weights may be damaged."
                )
            token, logprob = sequence.sampler.sample(logits, likeliest)
            sequence.tokens.append(token)
            if logprob is not None:
                sequence.logprobs.append(logprob)
            if sequence.first_token is None:
                sequence.first_token = time.monotonic()
            right = i < len(work.drafts) and token == work.drafts[i]
            if right:
                accepted += 1
                with self._changed:
                    sequence.computed += 1
                    self._totals["accepted_tokens"] += 1
            if self._show(sequence, token) or not right:
                break
        if work.drafts:
            sequence.lookup.learn(len(work.drafts), accepted)

    def _show(self, sequence: Sequence, token: int) -> bool:
        """Deliver the text that a token adds, and end the request where that is due: True if it has ended."""
        stopped = token in self._eos and not sequence.params.ignore_eos
        if sequence.text is not None and not stopped:
            if text := sequence.text.push(token):
                self._deliver(sequence, sequence.piece(text))
            stopped = sequence.text.stopped
        ended = stopped or sequence.answered >= sequence.limit
        if ended:
            self._finish(sequence, "stop" if stopped else "length")
        return ended

    def _fail(self, sequence: Sequence, error: BaseException) -> None:
        LOGGER.error("Request %s failed", sequence.request_id, exc_info=error)
        if not isinstance(error, TritonchatError):
            error = TritonchatError(f"the computation failed ({type(error).__name__}: {error}).")
        self._finish(sequence, "cancelled", error)

    def _end_early(self, sequence: Sequence) -> None:
        if sequence.cancelled:
            return self._finish(sequence, "cancelled")
        where = "while it was waiting in the queue" if sequence.admitted is None else "before it was finished"
        self._finish(
            sequence,
            "cancelled",
            RequestTimeout(f"the request's timeout_s of {sequence.params.timeout_s:g} s passed {where}."),
        )

    def _finish(self, sequence: Sequence, reason: FinishReason, error: TritonchatError | None = None) -> None:
        try:
            rest = "" if sequence.text is None else sequence.text.finish()
        except BaseException as failure:
            rest, error = "", error or TritonchatError(f"the text could not be decoded ({failure}).")
        if rest:
            sequence.shown.append(rest)
        with self._changed:
            if self._ids.get(sequence.request_id) is not sequence:
                return  # it failed after it had ended
            del self._ids[sequence.request_id]
            self._scheduler.remove(sequence)
            self._totals["prompt_tokens"] += sequence.prompt_tokens
            self._totals["completion_tokens"] += sequence.answered
            self._totals["cancellations"] += reason == "cancelled" and error is None
            self._changed.notify_all()
        completion: Completion = sequence.completion(reason, error)
        self._deliver(sequence, sequence.piece(rest, completion))

    def _deliver(self, sequence: Sequence, piece: Piece) -> None:
        if piece.completion is None:
            sequence.shown.append(piece.text)
        try:
            sequence.deliver(piece)
        except Exception:
            # Whoever waited for it is gone.
            LOGGER.debug("Nobody takes the answer of %s", sequence.request_id, exc_info=True)
            with self._changed:
                self._scheduler.cancel(sequence)
