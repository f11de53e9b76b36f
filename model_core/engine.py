"""The engine: takes requests from many threads and computes them together, step by step.

One thread does all the arithmetic. Before each step, requests join and leave.
"""

import logging
import threading
import time
import uuid
from typing import Any

import numpy as np

from .errors import (
    InvalidRequest,
    PromptTooLong,
    RequestTimeout,
    ShuttingDown,
    TritonchatError,
)
from .models import Transformer
from .request import Completion, Deliver, FinishReason, Piece, Sequence
from .sampling import DEFAULT_MAX_TOKENS, Sampler, SamplingParams
from .scheduler import Limits, Scheduler, next_chunk
from .tokenizer import TextStream, Tokenizer

LOGGER = logging.getLogger(__name__)


class Engine:
    """Continuous batching over one model. Its methods may be called from any thread."""

    def __init__(
        self,
        model: Transformer,
        tokenizer: Tokenizer | None,
        eos_token_ids: frozenset[int],
        limits: Limits,
    ) -> None:
        self.limits = limits
        self._model, self._tokenizer, self._eos = model, tokenizer, eos_token_ids
        self._scheduler = Scheduler(model.config, limits)
        self._changed = threading.Condition()  # guards the scheduler, the ids and the counters
        self._ids: dict[str, Sequence] = {}
        self._closing = False
        self._totals = {"requests": 0, "prompt_tokens": 0, "completion_tokens": 0, "steps": 0}
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
        sequence = self._sequence(prompt, params, deliver, request_id or uuid.uuid4().hex)
        with self._changed:
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
        return sequence.request_id

    def cancel(self, request_id: str) -> bool:
        """End a request before its next step; what it has made is delivered. False if there is none."""
        with self._changed:
            sequence = self._ids.get(request_id)
            if sequence is not None:
                sequence.cancelled = True
            return sequence is not None

    def stats(self) -> dict[str, Any]:
        """Numbers of the moment (`running`, `waiting`, ...) and totals since the start."""
        with self._changed:
            return {
                "alive": self._thread.is_alive(),
                "running": len(self._scheduler.running),
                "waiting": len(self._scheduler.waiting),
                "kv_bytes_used": self._scheduler.kv_bytes_used,
                "totals": dict(self._totals),
            }

    def close(self, grace_s: float = 0.0) -> None:
        """Take no more requests, let those under way end within `grace_s` seconds, cancel the rest."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._ids, timeout=grace_s)
            for sequence in self._ids.values():
                sequence.cancelled = True
        self._thread.join()

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
        room = max_context - len(prompt)
        return Sequence(
            request_id=request_id,
            prompt=prompt,
            params=params,
            limit=min(params.max_tokens or DEFAULT_MAX_TOKENS, room),
            sampler=Sampler(params, prompt, vocab_size),
            text=None if self._tokenizer is None else TextStream(self._tokenizer, prompt, params.stop),
            deliver=deliver,
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
                self._deliver(sequence, Piece("", sequence.completion("cancelled", failure)))

    def _step(self) -> bool:
        """Let requests leave and join, then compute a token or a chunk of each; False when all is done."""
        with self._changed:
            self._changed.wait_for(lambda: self._ids or self._closing)
            if not self._ids:
                return False
            ended = self._scheduler.remove(lambda s: s.cancelled or s.timed_out() or s.refused is not None)
            self._scheduler.admit()
            step = self._scheduler.plan()
        for sequence in ended:
            self._end_early(sequence)
        for sequence in step.prefill:
            self._advance([sequence], [next_chunk(sequence)])
        if step.decode:
            self._advance(step.decode, [sequence.answer[-1:] for sequence in step.decode])
        return True

    def _advance(self, sequences: list[Sequence], tokens: list[list[int]]) -> None:
        """Compute the next tokens of sequences together, and choose what follows where a prompt is done.

        What goes wrong ends the requests it concerns, never the engine. That includes what is no Exception:
        a panic inside the tokenizer.
        """
        try:
            hidden = self._model.forward(np.array(tokens), [sequence.cache for sequence in sequences])
            ready = [i for i, sequence in enumerate(sequences) if not sequence.prefilling]
            logits = self._model.logits(hidden[ready, -1:])[:, 0] if ready else []
        except BaseException as error:
            for sequence in sequences:
                self._fail(sequence, error)
            return
        for i, row in zip(ready, logits, strict=True):
            try:
                self._extend(sequences[i], row)
            except BaseException as error:
                self._fail(sequences[i], error)
        with self._changed:
            self._totals["steps"] += 1

    def _extend(self, sequence: Sequence, logits: np.ndarray) -> None:
        """Choose a request's next token, deliver its text, and end the request where that is due."""
        if not np.isfinite(logits).all():
            damaged = TritonchatError(
                "the model computed numbers that are not finite; its weights may be damaged."
            )
            return self._finish(sequence, "cancelled", damaged)
        token, logprob = sequence.sampler.sample(logits)
        sequence.answer.append(token)
        if logprob is not None:
            sequence.logprobs.append(logprob)
        if sequence.first_token is None:
            sequence.first_token = time.monotonic()
        if token in self._eos and not sequence.params.ignore_eos:
            return self._finish(sequence, "stop")
        if sequence.text is not None and (text := sequence.text.push(token)):
            self._deliver(sequence, Piece(text))
        if sequence.text is not None and sequence.text.stopped:
            return self._finish(sequence, "stop")
        if len(sequence.answer) >= sequence.limit:
            self._finish(sequence, "length")

    def _fail(self, sequence: Sequence, error: BaseException) -> None:
        LOGGER.error("Request %s failed", sequence.request_id, exc_info=error)
        failure = TritonchatError(f"the computation failed ({type(error).__name__}: {error}).")
        self._finish(sequence, "cancelled", failure)

    def _end_early(self, sequence: Sequence) -> None:
        if sequence.cancelled or sequence.refused is not None:
            return self._finish(sequence, "cancelled", sequence.refused)
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
            if self._ids.pop(sequence.request_id, None) is None:
                return  # it failed after it had ended
            self._scheduler.remove(lambda s: s is sequence)
            self._totals["prompt_tokens"] += len(sequence.prompt)
            self._totals["completion_tokens"] += len(sequence.answer)
            self._changed.notify_all()
        sequence.cache = None
        completion: Completion = sequence.completion(reason, error)
        self._deliver(sequence, Piece(rest, completion))

    def _deliver(self, sequence: Sequence, piece: Piece) -> None:
        if piece.completion is None:
            sequence.shown.append(piece.text)
        try:
            sequence.deliver(piece)
        except Exception:
            # Whoever waited for it is gone.
            LOGGER.debug("Nobody takes the answer of %s", sequence.request_id, exc_info=True)
            sequence.cancelled = True
