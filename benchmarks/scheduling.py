"""Measure what the engine's Python costs for each running request and step, beside the model.

    python benchmarks/scheduling.py [--requests 1000] [--tokens 200] [--profile]

All requests run at once, on a model whose passes cost nothing: it returns the same logits at once. The times
are those of the processor in the engine's thread. Other work on the machine may still make them longer, as it
does the time of an empty loop, which is printed, too. Prints a Markdown table and names the machine. With
--profile it prints where the time goes instead.
"""

import argparse
import cProfile
import pstats
import threading
import time
import timeit
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from serving import processor_name

from model_core import LLM, SamplingParams
from model_core.cache.memory import KVCache
from model_core.engine.job import Job
from model_core.machine.memory import freeze_objects
from model_core.model.batch import Batch

SCHEDULING = ("find_ended", "schedule", "build_batch", "commit")


class Stopwatch:
    """Sums up the processor time that the calling thread spends in functions, by step and name."""

    def __init__(self) -> None:
        self.steps: list[dict[str, float]] = [{}]  # the first has begun before it is watched

    def watch(self, owner: Any, name: str) -> None:
        """Replace a method of an object by a timed one."""
        function: Callable = getattr(owner, name)

        @wraps(function)
        def run_timed(*args: Any) -> Any:
            if name == "_step":  # which calls the others
                self.steps.append({})
            step, start = self.steps[-1], time.thread_time()
            result = function(*args)
            step[name] = step.get(name, 0.0) + time.thread_time() - start
            if name == "schedule":
                step["sequences"], step["prompts"] = len(result), sum(i.is_prompt_chunk for i in result)
            return result

        setattr(owner, name, run_timed)


def replace_model(llm: LLM) -> None:
    """Let the passes of a model cost nothing. All tokens are equally likely to come next."""
    width = llm.model.config.vocab_size
    logits = np.random.default_rng(0).standard_normal((2048, width), np.float32)

    def forward(batch: Batch, cache: KVCache) -> np.ndarray:
        return logits[: len(batch.logit_rows)]

    llm.model.forward = forward


def run(llm: LLM, requests: int, params: SamplingParams, first: int = 5) -> None:
    """Answer so many requests at once, with prompts that share no pages: their first tokens differ."""
    ended = threading.Semaphore(0)
    defaults = params.with_defaults(llm.defaults)

    def on_delta(delta: Any) -> None:
        if delta.completion is not None:
            ended.release()

    with llm.engine._condition:  # so that they come at once
        for number in range(requests):
            llm.engine.submit(Job([first + 2 * number, 6, 7], defaults, client=f"c{number % 7}"), on_delta)
    for _ in range(requests):
        ended.acquire()


def measure(llm: LLM, requests: int, params: SamplingParams) -> dict[str, float]:
    """Return microseconds for each running request and step: of scheduling, and of the whole engine.

    They are those of steps without prompts. "admission" is what `schedule` takes to start a request.
    """
    stopwatch = Stopwatch()
    scheduler = llm.engine._scheduler
    run(llm, requests, params)
    freeze_objects()  # as a server does
    for name in SCHEDULING:
        stopwatch.watch(scheduler, name)
    stopwatch.watch(llm.engine._tokens, "choose")
    stopwatch.watch(llm.engine, "_step")
    run(llm, requests, params, first=6)  # the cache has none of these prompts
    computed = [step for step in stopwatch.steps if step.get("sequences") and "_step" in step]
    answers = [step for step in computed if not step["prompts"]]
    rows = sum(step["sequences"] for step in answers)
    costs = {
        name: sum(step[name] for step in answers) / rows * 1e6 for name in (*SCHEDULING, "choose", "_step")
    }
    begins = [step for step in computed if step["prompts"]]
    own = sum(step["schedule"] * 1e6 - costs["schedule"] * step["sequences"] for step in begins)
    return costs | {"admission": own / requests}


def profile(llm: LLM, requests: int, params: SamplingParams) -> None:
    """Print the functions that take the most time in the engine's thread."""
    profiler, step = cProfile.Profile(), llm.engine._step
    llm.engine._step = lambda: profiler.runcall(step)
    run(llm, requests, params)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--tokens", type=int, default=200, help="of each answer")
    parser.add_argument("--profile", action="store_true")
    args = parser.parse_args()
    rows = {
        "likeliest tokens": SamplingParams(max_tokens=args.tokens, ignore_eos=True, temperature=0),
        "sampled, temperature 0.8": SamplingParams(max_tokens=args.tokens, ignore_eos=True, temperature=0.8),
    }
    lines = []
    for name, params in rows.items():
        with LLM(max_concurrency=args.requests, max_queue=args.requests, kv_cache_memory=2**31) as llm:
            replace_model(llm)
            if args.profile:
                profile(llm, args.requests, params)
                continue
            costs = measure(llm, args.requests, params)
        scheduling = sum(costs[name] for name in SCHEDULING)
        parts = " + ".join(f"{costs[name]:.2f}" for name in SCHEDULING)
        rest = costs["_step"] - scheduling - costs["choose"]
        lines.append(
            f"| {name} | {scheduling:.2f} = {parts} | {costs['choose']:.2f} | {rest:.2f} "
            f"| {costs['_step']:.2f} | {costs['admission']:.0f} |"
        )
    if lines:
        loop_us = min(timeit.repeat("for _ in range(1000): pass", number=1000)) * 1e3
        print(f"{processor_name()}; {args.requests} requests at once; a loop of 1000 takes {loop_us:.0f} us")
        print("Microseconds of processor time for each running request and step, and to admit a request:\n")
        parts = " + ".join(SCHEDULING)
        print(f"| answers | scheduling: {parts} | choice | text and delivery | all | admission |")
        print("| --- | --- | --- | --- | --- | --- |")
        print("\n".join(lines))


if __name__ == "__main__":
    main()
