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
from model_core.kv_cache import Batch, KVCache
from model_core.memory import freeze_objects

SCHEDULING = ("find_ended", "schedule", "build_batch", "commit")


class ThreadStopwatch:
    """Sums up the processor time that the calling thread spends in functions, by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def watch(self, owner: Any, name: str) -> None:
        """Replace a method of an object by a timed one."""
        function: Callable = getattr(owner, name)

        @wraps(function)
        def run_timed(*args: Any) -> Any:
            start = time.thread_time()
            try:
                return function(*args)
            finally:
                self.seconds[name] = self.seconds.get(name, 0.0) + time.thread_time() - start

        setattr(owner, name, run_timed)


def replace_model(llm: LLM) -> None:
    """Let the passes of a model cost nothing. All tokens are equally likely to come next."""
    width = llm.model.config.vocab_size
    logits = np.random.default_rng(0).standard_normal((2048, width), np.float32)

    def forward(batch: Batch, cache: KVCache) -> np.ndarray:
        return logits[: len(batch.logit_rows)]

    llm.model.forward = forward


def run(llm: LLM, requests: int, params: SamplingParams) -> None:
    """Answer so many requests at once."""
    ended = threading.Semaphore(0)
    defaults = params.with_defaults(llm.defaults)

    def on_delta(delta: Any) -> None:
        if delta.completion is not None:
            ended.release()

    with llm.engine._condition:  # so that they come at once
        for number in range(requests):
            prompt = [5 + number % 50, 6, 7 + number // 50]
            llm.engine.submit(prompt, defaults, on_delta, client=f"c{number % 7}")
    for _ in range(requests):
        ended.acquire()


def measure(llm: LLM, requests: int, params: SamplingParams) -> dict[str, float]:
    """Return microseconds for each request and step: of the parts of scheduling, and of the whole engine."""
    stopwatch = ThreadStopwatch()
    scheduler = llm.engine._scheduler
    for name in SCHEDULING:
        stopwatch.watch(scheduler, name)
    stopwatch.watch(llm.engine._tokens, "choose")
    stopwatch.watch(llm.engine, "_step")
    run(llm, requests, params)
    freeze_objects()  # as a server does
    before = llm.engine.stats()["totals"]["completion_tokens"]
    stopwatch.seconds.clear()
    run(llm, requests, params)
    tokens = llm.engine.stats()["totals"]["completion_tokens"] - before
    return {name: seconds / tokens * 1e6 for name, seconds in stopwatch.seconds.items()}


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
            f"| {costs['_step']:.2f} |"
        )
    if lines:
        loop_us = min(timeit.repeat("for _ in range(1000): pass", number=1000)) * 1e3
        print(f"{processor_name()}; {args.requests} requests at once; a loop of 1000 takes {loop_us:.0f} us")
        print("Microseconds of processor time for each request and step:\n")
        print(f"| answers | scheduling: {' + '.join(SCHEDULING)} | choice | text and delivery | all |")
        print("| --- | --- | --- | --- | --- |")
        print("\n".join(lines))


if __name__ == "__main__":
    main()
