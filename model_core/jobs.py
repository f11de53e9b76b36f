"""Runs the requests of one caller through the engine, and waits for their answers."""

import queue
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .answer_parser import AnswerParser
from .chat import parse_completion
from .engine import Engine
from .errors import InvalidRequest
from .events import Event, Text
from .request import AnswerPlan, Completion, Delta, DeltaCallback, join_deltas
from .sampler import TokenLogprob
from .sampling import SamplingParams

Adapters = str | Sequence[str | None] | None  # names


@dataclass(frozen=True)
class Job:
    """An answer to make. An answer to a conversation has a plan, and a parser of its text."""

    prompt: list[int]
    params: SamplingParams
    plan: AnswerPlan | None = None
    parser: AnswerParser | None = None


def complete_jobs(engine: Engine, jobs: Sequence[Job], adapter: Adapters) -> list[Completion]:
    """The completions of jobs, in their order. Jobs that the queue has no room for wait.

    `adapter` is for all, or a sequence with one for each. Raises the error of the first job that failed.
    """
    adapters = [adapter] * len(jobs) if adapter is None or isinstance(adapter, str) else adapter
    if len(adapters) != len(jobs):
        raise InvalidRequest(f"{len(jobs)} prompts came with {len(adapters)} adapters.")
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
            callback = make_callback(index)
            options = {"plan": job.plan, "adapter": adapters[index]}
            engine.submit(job.prompt, job.params, callback, request_id, **options)
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
    return [
        completion if job.parser is None else parse_completion(completion, job.parser)
        for job, completion in zip(jobs, completions, strict=True)
    ]


def score_prompt(
    engine: Engine, tokens: list[int], params: SamplingParams, start: int, adapter: str | None
) -> list[TokenLogprob]:
    """The log probabilities of the tokens of a prompt from `start` on. Raises as `complete_jobs`."""
    if not 1 <= start <= max(len(tokens), 1):
        raise InvalidRequest(f"start must be between 1 and {len(tokens)}, not {start}.", "start")
    job = Job(tokens, params, AnswerPlan(scored_from=start))
    (completion,) = complete_jobs(engine, [job], adapter)
    return completion.prompt_logprobs or []


def stream_job(engine: Engine, job: Job, adapter: str | None) -> Iterator[Event]:
    """The events of a job. Leaving the loop cancels the rest."""
    deltas: queue.SimpleQueue[Delta] = queue.SimpleQueue()
    request_id = engine.submit(job.prompt, job.params, deltas.put, plan=job.plan, adapter=adapter)
    try:
        while True:
            delta = deltas.get()
            if job.parser is not None:
                yield from job.parser.push(delta.text)
            elif delta.text:
                yield Text(delta.text)
            if delta.completion is not None:
                if job.parser is not None:
                    yield from job.parser.finish()
                if delta.completion.error is not None:
                    raise delta.completion.error
                return
    finally:
        engine.cancel(request_id)
