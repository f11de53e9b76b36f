"""Measure the engine: its overhead beside the kernels, the gain of speculative decoding, its memory.

    python benchmarks/engine.py [--model FOLDER]

The overhead is that of the embedded model. The rest uses `--model`, by default the embedded model too. Prints
a Markdown table and names the machine.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
import psutil
from serving import processor_name

from model_core import LLM, SamplingParams

REPEATED_SENTENCE = "The quick brown fox jumps over the lazy dog. "


class Stopwatch:
    """Sums up the run time of functions, by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def watch(self, owner: Any, name: str) -> None:
        """Replace a function of a module or an object by a timed one."""
        function: Callable = getattr(owner, name)

        @wraps(function)
        def run_timed(*args: Any) -> Any:
            start = time.perf_counter()
            try:
                return function(*args)
            finally:
                self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

        setattr(owner, name, run_timed)


def measure_overhead() -> tuple[float, float]:
    """Return milliseconds per step of one stream of the embedded model: in all, and outside `forward`."""
    with LLM() as llm:
        stopwatch = Stopwatch()
        stopwatch.watch(llm.model, "forward")
        params = SamplingParams(max_tokens=800, ignore_eos=True)
        llm.generate("Hello", params)
        results = []
        for _ in range(5):
            stopwatch.seconds.clear()
            start = time.perf_counter()
            llm.generate("Hello", params)
            total = time.perf_counter() - start
            results.append((total / 800 * 1000, (total - stopwatch.seconds["forward"]) / 800 * 1000))
    return min(results)


def measure_queue(model: str | None) -> tuple[float, float]:
    """Return milliseconds per step with 256 requests, and the share of scheduling in that time."""
    with LLM(model, max_concurrency=64, max_queue=256) as llm:
        stopwatch = Stopwatch()
        for name in ("schedule", "build_batch", "commit", "find_ended"):
            stopwatch.watch(llm.engine._scheduler, name)
        random = np.random.default_rng(0)
        prompts = random.integers(3, llm.model.config.vocab_size, (256, 32)).tolist()
        params = SamplingParams(max_tokens=64, ignore_eos=True)
        steps = llm.engine.stats()["totals"]["steps"]
        start = time.perf_counter()
        llm.generate(prompts, params)
        total = time.perf_counter() - start
        steps = llm.engine.stats()["totals"]["steps"] - steps
    return total / steps * 1000, sum(stopwatch.seconds.values()) / total


def measure_speculation(model: str | None, max_drafts: int) -> tuple[float, float]:
    """Return tokens per second of a repetitive answer, and the share of drafted tokens that were accepted."""
    with LLM(model, speculate=max_drafts) as llm:
        prompt = llm.encode(REPEATED_SENTENCE * 8) if llm.tokenizer is not None else list(range(10)) * 8
        count = min(400, llm.engine.limits.max_context - len(prompt) - 1)
        # A bias towards the tokens of the sentence makes any model repeat it.
        params = SamplingParams(
            max_tokens=count, ignore_eos=True, logit_bias=dict.fromkeys(prompt, 30.0), temperature=0
        )
        rates = []
        for _ in range(4):
            completion = llm.generate(prompt, params)
            timings = completion.timings
            rates.append((count - 1) / (timings.total - timings.first_token))
        totals = llm.engine.stats()["totals"]
    return statistics.median(rates[1:]), totals["accepted_tokens"] / max(1, totals["drafted_tokens"])


def measure_memory(model: str | None) -> float:
    """Return the memory that the model adds to the process, divided by the size of weights and KV cache.

    All of the KV cache is in use then.
    """
    process = psutil.Process()
    with LLM() as first:  # compiled kernels, libraries
        first.generate("Hello", SamplingParams(max_tokens=4))
    before = process.memory_info().rss
    budget = 2**28
    with LLM(model, kv_cache_memory=budget, max_queue=4096) as llm:
        size = llm.engine.limits.max_context // 2
        per_request = size * llm.model.tape.kv_bytes_per_token
        random = np.random.default_rng(0)
        prompts = random.integers(3, llm.model.config.vocab_size, (budget // per_request + 2, size)).tolist()
        llm.generate(prompts, SamplingParams(max_tokens=1, ignore_eos=True))
        used = process.memory_info().rss - before
        return used / (llm.model.weights.nbytes + budget)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="folder in Hugging Face layout")
    model = parser.parse_args().model
    step_ms, overhead = measure_overhead()
    queue_step, scheduling_share = measure_queue(model)
    plain_rate, _ = measure_speculation(model, 0)
    rows = [
        ("one stream of the embedded model, a step", f"{step_ms:.3f} ms"),
        ("of those outside the model's kernels and buffers", f"{overhead:.3f} ms"),
        ("256 requests, a step", f"{queue_step:.2f} ms"),
        ("of those for scheduling", f"{scheduling_share:.1%}"),
        ("a text that repeats itself", f"{plain_rate:.0f} tokens/s"),
    ]
    for max_drafts in (4, 8, 16):
        rate, accepted_share = measure_speculation(model, max_drafts)
        name = f"the same with --speculate {max_drafts}"
        speed = f"{rate:.0f} tokens/s, {rate / plain_rate:.2f} x"
        rows.append((name, f"{speed} ({accepted_share:.0%} of guesses right)"))
    rows.append(("memory, over weights and KV memory", f"{measure_memory(model):.2f} x"))
    print(f"{processor_name()}; {model or 'the embedded model'}\n\n| what | measured |\n| --- | --- |")
    for name, value in rows:
        print(f"| {name} | {value} |")


if __name__ == "__main__":
    main()
