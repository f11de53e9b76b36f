"""Measure which part of the machine's limits each load reaches: of its memory's bandwidth, or its arithmetic.

    python benchmarks/limits.py --work-folder FOLDER [--shapes tinyllama qwen2.5-0.5b] [--weights int8 int4]

A step cannot be faster than its weights, keys and values are read, nor than its products are computed. Both
limits are measured by kernels of this project (model_core/kernels/roofline.py): of products, with all numbers
in the first cache. Loads and limits take turns in several rounds; the table has the fastest round of each,
which other programs on the machine disturb least. Prints a Markdown table for each shape, and names the
machine.

A virtual machine's cores may share a cache at one moment, and none at the next (docs/many-cores.md). Barriers
are several times as long then, and memory is slower, so the shortest and the longest barrier are printed.
"""

import argparse
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from making.checkpoints import build_folder
from making.shapes import SHAPES, TITLES, make_checkpoint
from numba import njit
from serving import processor_name

from model_core import LLM, SamplingParams
from model_core.kernels.blocks import Strided
from model_core.kernels.emit import INSTRUCTION_SET
from model_core.kernels.layout import FLOAT32, PAGE
from model_core.kernels.roofline import measure_arithmetic, measure_bandwidth
from model_core.kernels.team import Team, barrier
from model_core.kernels.word_blocks import (
    WORD_ROWS,
    WORD_TILES,
    WordAhead,
    WordCase,
    WordPages,
    score_block,
)
from model_core.machine.memory import aligned_zeros
from model_core.tape.operations import Attend

ANSWER_TOKENS, SHORT_PROMPT = 32, 16
BARRIERS = 20_000
_WORD_STEPS, _WORD_REPEATS = 32, 20_000  # pairs of numbers of a head, and blocks of scores
_WORD_PAGE = 4 * PAGE * _WORD_STEPS  # bytes of keys
USUAL = {"temperature": 0.8, "top_p": 0.95}


@dataclass
class Load:
    """Requests with prompts and answers of these lengths; an answer of 1 token measures the prompt."""

    streams: int
    prompt: int
    answer: int = ANSWER_TOKENS
    is_sampled: bool = False
    seconds: float = np.inf  # the least, of the prompt or of a step

    @property
    def name(self) -> str:
        """How the table names it."""
        if self.answer == 1:
            return f"prompt of {self.prompt}"
        after = f" after {self.prompt} tokens" if self.prompt != SHORT_PROMPT else ""
        how = ", sampled" if self.is_sampled else ""
        return f"{self.streams} stream{'s' if self.streams > 1 else ''}{after}{how}"

    @property
    def tokens(self) -> int:
        """The tokens of the prompt or of a step."""
        return self.prompt if self.answer == 1 else self.streams


@dataclass
class Machine:
    """What was measured of the machine with some threads.

    Attributes:
        bandwidth: bytes a second that are read from memory, at most.
        products: operations a second of products of weights, at most; `single` those of float32, and `words`
            those of keys and values as 16-bit integers.
        barriers: the seconds of a barrier in each round.
    """

    bandwidth: float = 0.0
    products: float = 0.0
    single: float = 0.0
    words: float = 0.0
    barriers: list[float] = field(default_factory=list)

    def measure(self, threads: int, arithmetic_kind: int) -> None:
        """Measure once more, and keep the best."""
        self.bandwidth = max(self.bandwidth, measure_bandwidth(threads))
        self.products = max(self.products, measure_arithmetic(arithmetic_kind, threads))
        self.single = max(self.single, measure_arithmetic(FLOAT32, threads))
        self.words = max(self.words, measure_words(threads))
        self.barriers.append(measure_barrier(threads))


LOADS = (
    lambda: Load(1, 512, 1),
    lambda: Load(1, 2048, 1),
    lambda: Load(1, 8192, 1),
    lambda: Load(1, SHORT_PROMPT),
    lambda: Load(4, SHORT_PROMPT),
    lambda: Load(16, SHORT_PROMPT),
    lambda: Load(64, SHORT_PROMPT),
    lambda: Load(64, SHORT_PROMPT, is_sampled=True),
    lambda: Load(1, 2048 - ANSWER_TOKENS),
    lambda: Load(1, 8192),
)


def measure(llm: LLM, load: Load, seed: int) -> None:
    """Measure a load once, with new random prompts."""
    random = np.random.default_rng(seed)
    prompts = random.integers(0, llm.model.config.vocab_size, (load.streams, load.prompt)).tolist()
    how = USUAL if load.is_sampled else {"temperature": 0.0}
    params = SamplingParams(max_tokens=load.answer, ignore_eos=True, seed=seed, **how)
    if load.answer > 1:  # then the answers find their prompts in the prefix cache, and run together
        llm.generate(prompts, params.model_copy(update={"max_tokens": 1}))
    timings = [answer.timings for answer in llm.generate(prompts, params)]
    if load.answer == 1:
        load.seconds = min(load.seconds, timings[0].first_token)
    else:
        steps = [(t.total - t.first_token) / (load.answer - 1) for t in timings]
        load.seconds = min(load.seconds, max(steps))


@njit(nogil=True)
def pass_barriers(thread: int, threads: int, team: int, count: int) -> None:
    """Let a team of threads wait for each other again and again."""
    for _ in range(count):
        barrier(team, threads)


def measure_barrier(threads: int) -> float:
    """The seconds of a barrier."""
    team = Team(threads)
    team.run(pass_barriers, team.address, 1)
    start = time.perf_counter()
    team.run(pass_barriers, team.address, BARRIERS)
    seconds = time.perf_counter() - start
    team.close()
    return seconds / BARRIERS


@njit(nogil=True)
def multiply_words(thread: int, threads: int, team: int, memory: int, size: int, scores: int) -> None:
    """Multiply rows of queries by the same pages of keys in the first cache, again and again.

    memory: address of zeros, `size` bytes for each thread, of which the last are from `scores` on.
    """
    table = memory + thread * size
    keys = table + 64
    queries = keys + WORD_TILES[0] * _WORD_PAGE
    pages = WordPages(table, 0, keys)
    for _ in range(_WORD_REPEATS):
        score_block(
            WordCase(WORD_ROWS[0], WORD_TILES[0]),
            pages,
            keys,
            WordAhead(table, keys),
            Strided(queries, 4 * _WORD_STEPS + 64),
            _WORD_STEPS,
            Strided(table + scores, 4 * PAGE * WORD_TILES[0]),
        )
    barrier(team, threads)


def measure_words(threads: int) -> float:
    """Additions and multiplications a second of the inner loop of scores of words."""
    scores = 64 + WORD_TILES[0] * _WORD_PAGE + WORD_ROWS[0] * (4 * _WORD_STEPS + 64)
    size = scores + WORD_ROWS[0] * 4 * PAGE * WORD_TILES[0]
    team, memory = Team(threads), aligned_zeros((threads * size,), np.uint8)
    seconds = np.inf
    for _ in range(4):  # the first compiles
        start = time.perf_counter()
        team.run(multiply_words, team.address, memory.ctypes.data, size, scores)
        seconds = min(seconds, time.perf_counter() - start)
    team.close()
    return 4.0 * threads * _WORD_REPEATS * WORD_ROWS[0] * WORD_TILES[0] * PAGE * _WORD_STEPS / seconds


def least_seconds(llm: LLM, load: Load, machine: Machine) -> dict[str, float]:
    """The seconds that a load takes at least, to read and to compute."""
    model, is_prompt = llm.model, load.answer == 1
    last = model.weights.multiplications_per_logits
    attended = sum(record.q.width for record in model.records if isinstance(record, Attend))
    context = load.prompt / 2 if is_prompt else load.prompt + load.answer / 2
    products = (model.weights.multiplications_per_token - last) * load.tokens + last * load.streams
    positions = load.prompt if is_prompt else context * load.streams
    kv_share = {"float32": 1, "float16": 1 / 2, "int16": 1 / 2, "int8": 1 / 4}[llm.kv_cache_dtype]
    read = model.weights.bytes_per_token + positions * model.tape.kv_bytes_per_token * kv_share
    # Scores and mixed values: two multiplications for each number of a query and position.
    of_attention = machine.words if llm.kv_cache_dtype == "int16" else machine.single
    computed = 2 * products / machine.products + 4 * attended * context * load.tokens / of_attention
    return {"memory": read / machine.bandwidth, "arithmetic": computed}


def print_table(llm: LLM, title: str, loads: list[Load], threads: int, machine: Machine) -> None:
    """Print what was reached of the machine's limits."""
    print(f"\n{title}, {llm.model.weights.types}. {processor_name()}, {INSTRUCTION_SET}, {threads} threads:")
    products = f"{machine.products / 1e9:.0f} GOP/s in {llm.model.arithmetic}"
    print(f"{machine.bandwidth / 1e9:.1f} GB/s, {products}, {machine.single / 1e9:.0f} in float32")
    print(f"and {machine.words / 1e9:.0f} in words;")
    shortest, longest = min(machine.barriers) * 1e9, max(machine.barriers) * 1e9
    print(f"a barrier took {shortest:.0f} to {longest:.0f} ns.\n")
    print("| load | tokens/s | limit | what limits | reached |\n| --- | --- | --- | --- | --- |")
    for load in loads:
        least = least_seconds(llm, load, machine)
        what = max(least, key=least.get)
        rate, limit = load.tokens / load.seconds, load.tokens / least[what]
        print(f"| {load.name} | {rate:.1f} | {limit:.1f} | {what} | {rate / limit:.0%} |")
    seconds = {load.name: load.seconds / load.tokens for load in loads}
    pairs = {
        "64 streams, sampled / 64 streams": ("64 streams", "64 streams, sampled"),
        "a prompt of 8192 / of 512": ("prompt of 512", "prompt of 8192"),
        f"1 stream after 8192 tokens / after {SHORT_PROMPT}": ("1 stream", "1 stream after 8192 tokens"),
    }
    for name, (one, other) in pairs.items():
        if {one, other} <= seconds.keys():
            print(f"\nThe speed of {name}: {seconds[one] / seconds[other]:.2f}")


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work-folder", type=Path, required=True, help="keeps the models")
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=["tinyllama", "qwen2.5-0.5b"])
    parser.add_argument("--weights", nargs="+", default=["int8", "int4"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=4)
    args = parser.parse_args()
    for shape in args.shapes:
        folder = build_folder(
            args.work_folder / shape / "checkpoint", partial(make_checkpoint, SHAPES[shape])
        )
        for weights in args.weights:
            with LLM(folder, weights=weights, threads=args.threads) as llm:
                loads = [load() for load in LOADS]
                limits = llm.engine.limits
                loads = [load for load in loads if load.prompt + load.answer <= limits.max_context]
                machine = Machine()
                for number in range(args.rounds):
                    machine.measure(args.threads, llm.model.arithmetic_kind)
                    for load in loads:
                        measure(llm, load, number)
                print_table(llm, TITLES[shape], loads, args.threads, machine)


if __name__ == "__main__":
    main()
