"""Runs the requests of one caller through the engine, and waits for their answers."""

import queue
import uuid
from collections.abc import Iterator, Sequence

from ..answers.parser import AnswerParser
from ..answers.plan import AnswerPlan
from ..engine.engine import Engine
from ..engine.job import Job
from ..errors import InvalidRequest
from ..requests.events import Event, Text
from ..requests.results import Completion, Delta, DeltaCallback, TokenLogprob, join_deltas
from ..requests.sampling import FilledParams


def complete_jobs(engine: Engine, jobs: Sequence[Job]) -> list[Completion]:
    """The completions of jobs, in their order. Jobs that the queue has no room for wait.

    Raises the error of the first job that failed.
    """
    deltas: list[list[Delta]] = [[] for _ in jobs]
    finished: queue.SimpleQueue[None] = queue.SimpleQueue()

    def make_callback(index: int) -> DeltaCallback:
        def on_delta(delta: Delta) -> None:
            deltas[index].append(delta)
            if delta.completion is not None:
                finished.put(None)

        return on_delta

    ids = [uuid.uuid4().hex for _ in jobs]
    max_pending = engine.limits.max_queue or 1  # at a time; more could be refused
    try:
        for index, (job, request_id) in enumerate(zip(jobs, ids, strict=True)):
            if index >= max_pending:
                finished.get()
            engine.submit(job, make_callback(index), request_id)
        for _ in range(min(max_pending, len(jobs))):
            finished.get()
    except BaseException:
        for request_id in ids:
            engine.cancel(request_id)
        raise
    completions = [join_deltas(answer) for answer in deltas]
    for completion in completions:
        if completion.error is not None:
            raise completion.error
    return completions


def score_prompt(
    engine: Engine, tokens: list[int], params: FilledParams, start: int, adapter: str | None
) -> list[TokenLogprob]:
    """The log probabilities of the tokens of a prompt from `start` on. Raises as `complete_jobs`."""
    if not 1 <= start <= max(len(tokens), 1):
        raise InvalidRequest(f"start must be between 1 and {len(tokens)}, not {start}.", "start")
    (completion,) = complete_jobs(engine, [Job(tokens, params, AnswerPlan(scored_from=start), adapter)])
    return completion.prompt_logprobs or []


def stream_job(engine: Engine, job: Job, parser: AnswerParser | None = None) -> Iterator[Event]:
    """The events of a job, of whose text `parser` makes them. Leaving the loop cancels the rest."""
    deltas: queue.SimpleQueue[Delta] = queue.SimpleQueue()
    request_id = engine.submit(job, deltas.put)
    try:
        while True:
            delta = deltas.get()
            if parser is not None:
                yield from parser.push(delta.text)
            elif delta.text:
                yield Text(delta.text)
            if delta.completion is not None:
                if parser is not None:
                    yield from parser.finish()
                if delta.completion.error is not None:
                    raise delta.completion.error
                return
    finally:
        engine.cancel(request_id)
