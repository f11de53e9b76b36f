"""`tritonchat bench`: the speed of a model on this machine, compared with the limits of the machine."""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import psutil
from tqdm import tqdm

from ..kernels.emit import INSTRUCTION_SET
from ..kernels.roofline import measure_arithmetic, measure_bandwidth
from ..llm.llm import LLM
from ..requests.sampling import SamplingParams

STREAMS = (1, 4, 16, 64)
PROMPT_TOKENS, SHORT_PROMPT_TOKENS, ANSWER_TOKENS = 512, 32, 64


@dataclass(frozen=True)
class StreamsResult:
    """The speed of several answers at once, of each one and of all together.

    Attributes:
        streams: answers at once, each has ANSWER_TOKENS tokens, its prompt SHORT_PROMPT_TOKENS.
        first_token_ms: median time to first token.
        token_ms: median time per token after the first.
        tokens_per_second: of all streams together, after their first tokens.
        bandwidth_share: of the machine's bandwidth, used to read weights; it limits a single stream.
        arithmetic_share: of the machine's arithmetic; it limits many streams.
    """

    streams: int
    first_token_ms: float
    token_ms: float
    tokens_per_second: float
    bandwidth_share: float
    arithmetic_share: float


@dataclass(frozen=True)
class BenchReport:
    """All measurements, in bytes, tokens a second, and bytes or operations a second."""

    model: str
    weights: str
    threads: int
    instructions: str
    bandwidth: float
    arithmetic: float
    weight_bytes: int
    kv_cache_memory: int
    process_bytes: int
    prompt_tokens_per_second: float
    prompt_arithmetic_share: float
    loads: tuple[StreamsResult, ...]


@dataclass(frozen=True)
class LoadProfile:
    """Where the time of a load's steps goes. `seconds` is per step, by operation, the longest first."""

    load: str
    steps: int
    seconds: dict[str, float]


def profile(llm: LLM) -> list[LoadProfile]:
    """Measure where the time goes, for a model that has no other requests: of a long prompt, and of answers.

    The operations are those of the tape as kernels run it. The last entry is the time between steps, in which
    the engine schedules and samples.
    """
    context, random = llm.engine.limits.max_context, np.random.default_rng(0)
    size, short = min(PROMPT_TOKENS, context - 1), min(SHORT_PROMPT_TOKENS, context // 4)
    profiles = []
    for load, count, prompt_tokens, answer_tokens in (
        ("a prompt", 1, size, 1),
        ("1 stream", 1, short, min(ANSWER_TOKENS, context // 2)),
        ("16 streams", 16, short, min(ANSWER_TOKENS, context // 2)),
    ):
        params = SamplingParams(max_tokens=answer_tokens, temperature=0, ignore_eos=True)
        shape = (count, prompt_tokens)
        warm_up, prompts = (random.integers(0, llm.model.config.vocab_size, shape).tolist() for _ in range(2))
        # Answers find their prompts in the prefix cache, so that nearly all steps are theirs.
        llm.generate(warm_up if answer_tokens == 1 else prompts, params)
        with llm.model.profile() as measured:
            start = time.perf_counter()
            llm.generate(prompts, params)
            elapsed = time.perf_counter() - start
        seconds = measured.seconds_by_operation() | {"between steps": elapsed - measured.seconds}
        per_step = {name: total / measured.steps for name, total in seconds.items()}
        profiles.append(LoadProfile(load, measured.steps, per_step))
    return profiles


def measure(llm: LLM, streams: Sequence[int] = STREAMS) -> BenchReport:
    """Measure a model that has no other requests, with random prompts and greedy answers of fixed length."""
    model, random = llm.model, np.random.default_rng(0)
    threads = model.threads
    machine_bandwidth = measure_bandwidth(threads)
    machine_arithmetic = measure_arithmetic(model.arithmetic_kind, threads)
    operations = 2 * model.weights.multiplications_per_token  # for each token

    def prompts(count: int, size: int) -> list[list[int]]:
        return random.integers(0, model.config.vocab_size, (count, size)).tolist()

    context = llm.engine.limits.max_context
    answer = SamplingParams(max_tokens=min(ANSWER_TOKENS, context // 2), temperature=0, ignore_eos=True)
    short = min(SHORT_PROMPT_TOKENS, context // 4)
    llm.generate(prompts(1, short), answer)  # the first use of memory is slow
    size = min(PROMPT_TOKENS, context - 1)
    of_prompt = operations * size - 2 * model.weights.multiplications_per_logits * (size - 1)
    one_token = SamplingParams(max_tokens=1, temperature=0, ignore_eos=True)
    seconds = [llm.generate(prompts(1, size), one_token)[0].timings.total for _ in range(3)]
    prompt = size / min(seconds)
    loads = []
    for count in tqdm(streams, "Measuring", unit="load", delay=2):
        completions = llm.generate(prompts(count, short), answer)
        first = [c.timings.first_token or 0.0 for c in completions]
        token_seconds = [
            (c.timings.total - start) / max(1, len(c.token_ids) - 1)
            for c, start in zip(completions, first, strict=True)
        ]
        rate = count / statistics.median(token_seconds)
        loads.append(
            StreamsResult(
                streams=count,
                first_token_ms=1000 * statistics.median(first),
                token_ms=1000 * statistics.median(token_seconds),
                tokens_per_second=rate,
                bandwidth_share=rate / count * model.weights.bytes_per_token / machine_bandwidth,
                arithmetic_share=rate * operations / machine_arithmetic,
            )
        )
    return BenchReport(
        model=llm.name,
        weights=model.weights.types,
        threads=threads,
        instructions=INSTRUCTION_SET,
        bandwidth=machine_bandwidth,
        arithmetic=machine_arithmetic,
        weight_bytes=model.weights.nbytes,
        kv_cache_memory=llm.engine.limits.kv_cache_memory,
        process_bytes=psutil.Process().memory_info().rss,
        prompt_tokens_per_second=prompt,
        prompt_arithmetic_share=of_prompt / min(seconds) / machine_arithmetic,
        loads=tuple(loads),
    )
