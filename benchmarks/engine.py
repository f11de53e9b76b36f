"""What the engine costs beside its kernels, what guessing ahead gains, and how much memory it takes.

    python benchmarks/engine.py [--model FOLDER]

Overhead and guessing with the embedded model; the queue and the memory with `--model`, which is the embedded
one too if none is given. Prints a Markdown table, with the machine it ran on.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
import psutil
from serving import processor

from model_core import LLM, SamplingParams

REPEATED = "The quick brown fox jumps over the lazy dog. "


class Clock:
    """Adds up the time that functions take, each without what it calls of the others."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def watch(self, owner: Any, name: str) -> None:
        """Replace a function of a module or an object by one that is timed."""
        function: Callable = getattr(owner, name)

        @wraps(function)
        def timed(*args: Any) -> Any:
            start = time.perf_counter()
            try:
                return function(*args)
            finally:
                self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

        setattr(owner, name, timed)


def overhead() -> tuple[float, float]:
    """Milliseconds a step of one stream, and of those outside the model, on the embedded model."""
    with LLM() as llm:
        clock = Clock()
        clock.watch(llm.model, "forward")
        params = SamplingParams(max_tokens=800, ignore_eos=True)
        llm.generate("Hello", params)
        results = []
        for _ in range(5):
            clock.seconds.clear()
            start = time.perf_counter()
            llm.generate("Hello", params)
            whole = time.perf_counter() - start
            results.append((whole / 800 * 1000, (whole - clock.seconds["forward"]) / 800 * 1000))
    return min(results)


def queue(model: str | None) -> tuple[float, float]:
    """Milliseconds a step with 256 requests under way, and the share of scheduling in it."""
    with LLM(model, max_concurrency=64, max_queue=256) as llm:
        clock = Clock()
        for name in ("plan", "batch", "commit", "sweep"):
            clock.watch(llm.engine._scheduler, name)
        random = np.random.default_rng(0)
        prompts = random.integers(3, llm.model.config.vocab_size, (256, 32)).tolist()
        params = SamplingParams(max_tokens=64, ignore_eos=True)
        steps = llm.engine.stats()["totals"]["steps"]
        start = time.perf_counter()
        llm.generate(prompts, params)
        whole = time.perf_counter() - start
        steps = llm.engine.stats()["totals"]["steps"] - steps
    return whole / steps * 1000, sum(clock.seconds.values()) / whole


def guessing(model: str | None, most: int) -> tuple[float, float]:
    """Tokens a second of an answer that repeats itself, and the share of guesses that were right."""
    with LLM(model, speculate=most) as llm:
        prompt = llm.encode(REPEATED * 8) if llm.tokenizer is not None else list(range(10)) * 8
        count = min(400, llm.engine.limits.max_context - len(prompt) - 1)
        # A bias towards the sentence's own tokens makes any model repeat it, as one that quotes would.
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


def memory(model: str | None) -> float:
    """Bytes of the process beyond Python's own, with all KV memory in use, over weights and KV memory."""
    process = psutil.Process()
    with LLM() as first:  # compiled kernels, libraries
        first.generate("Hello", SamplingParams(max_tokens=4))
    before = process.memory_info().rss
    budget = 2**28
    with LLM(model, kv_cache_memory=budget, max_queue=4096) as llm:
        size = llm.engine.limits.max_context // 2
        per_request = size * llm.model.config.kv_bytes_per_token
        random = np.random.default_rng(0)
        prompts = random.integers(3, llm.model.config.vocab_size, (budget // per_request + 2, size)).tolist()
        llm.generate(prompts, SamplingParams(max_tokens=1, ignore_eos=True))
        used = process.memory_info().rss - before
        return used / (llm.model.weight_bytes + budget)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="folder in Hugging Face layout")
    model = parser.parse_args().model
    step, outside = overhead()
    queued, share = queue(model)
    plain, _ = guessing(model, 0)
    rows = [
        ("one stream of the embedded model, a step", f"{step:.3f} ms"),
        ("of those outside the model's kernels and buffers", f"{outside:.3f} ms"),
        ("256 requests, a step", f"{queued:.2f} ms"),
        ("of those for scheduling", f"{share:.1%}"),
        ("a text that repeats itself", f"{plain:.0f} tokens/s"),
    ]
    for most in (4, 8, 16):
        rate, right = guessing(model, most)
        name = f"the same with --speculate {most}"
        rows.append((name, f"{rate:.0f} tokens/s, {rate / plain:.2f} x ({right:.0%} of guesses right)"))
    rows.append(("memory, over weights and KV memory", f"{memory(model):.2f} x"))
    print(f"{processor()}; {model or 'the embedded model'}\n\n| what | measured |\n| --- | --- |")
    for name, value in rows:
        print(f"| {name} | {value} |")


if __name__ == "__main__":
    main()
