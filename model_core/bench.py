"""`tritonchat bench`: how fast a model runs here, and how near that is to what the machine can do."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import psutil
from tqdm import tqdm

from .kernels.emit import FLOAT32, INSTRUCTIONS, INT8
from .kernels.limits import arithmetic, bandwidth
from .llm import LLM
from .sampling import SamplingParams

STREAMS = (1, 4, 16, 64)
PROMPT, SHORT_PROMPT, ANSWER = 512, 32, 64  # tokens


@dataclass(frozen=True)
class Load:
    """So many answers at once: what each of them sees, and all together.

    Attributes:
        streams: answers at once, each of ANSWER tokens to a prompt of SHORT_PROMPT.
        first_token_ms: median time to first token.
        token_ms: median time per token after the first.
        tokens_per_second: of all streams, once they all answer.
        bandwidth_share: of the machine's bandwidth, for weights alone; what one stream is bound by.
        arithmetic_share: of the machine's arithmetic; what many are bound by.
    """

    streams: int
    first_token_ms: float
    token_ms: float
    tokens_per_second: float
    bandwidth_share: float
    arithmetic_share: float


@dataclass(frozen=True)
class Report:
    """All that was measured; bytes, and operations or bytes a second."""

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
    loads: tuple[Load, ...]


def measure(llm: LLM, streams: Sequence[int] = STREAMS) -> Report:
    """Measure a model that does nothing else, on random prompts and greedy answers without end."""
    model, random = llm.model, np.random.default_rng(0)
    threads = model.threads
    integers = model.weights in ("int8", "int4")
    machine = bandwidth(threads), arithmetic(INT8 if integers else FLOAT32, threads)
    operations = 2 * model.products  # a token

    def prompts(count: int, size: int) -> list[list[int]]:
        return random.integers(0, model.config.vocab_size, (count, size)).tolist()

    context = llm.engine.limits.max_context
    answer = SamplingParams(max_tokens=min(ANSWER, context // 2), temperature=0, ignore_eos=True)
    short = min(SHORT_PROMPT, context // 4)
    llm.generate(prompts(1, short), answer)  # memory is touched for the first time
    size = min(PROMPT, context - 1)
    once = SamplingParams(max_tokens=1, temperature=0, ignore_eos=True)
    seconds = [llm.generate(prompts(1, size), once)[0].timings.total for _ in range(3)]
    prompt = size / min(seconds)
    loads = []
    for count in tqdm(streams, "Measuring", unit="load", delay=2):
        done = llm.generate(prompts(count, short), answer)
        first = [c.timings.first_token for c in done]
        each = [(c.timings.total - c.timings.first_token) / max(1, len(c.token_ids) - 1) for c in done]
        rate = count / statistics.median(each)
        loads.append(
            Load(
                streams=count,
                first_token_ms=1000 * statistics.median(first),
                token_ms=1000 * statistics.median(each),
                tokens_per_second=rate,
                bandwidth_share=rate / count * model.weight_bytes / machine[0],
                arithmetic_share=rate * operations / machine[1],
            )
        )
    return Report(
        model=llm.name,
        weights=model.weights,
        threads=threads,
        instructions=INSTRUCTIONS,
        bandwidth=machine[0],
        arithmetic=machine[1],
        weight_bytes=model.weight_bytes,
        kv_cache_memory=llm.engine.limits.kv_cache_memory,
        process_bytes=psutil.Process().memory_info().rss,
        prompt_tokens_per_second=prompt,
        prompt_arithmetic_share=prompt * operations / machine[1],
        loads=tuple(loads),
    )
