"""Measure which part of the machine's limits each load reaches: of its memory's bandwidth, or its arithmetic.

    python benchmarks/limits.py --work-folder FOLDER [--shapes tinyllama qwen2.5-0.5b] [--weights int8 int4]

A step cannot be faster than its weights, keys and values are read, nor than its products are computed. Both
limits are measured by kernels of this project (model_core/kernels/roofline.py): of products, with all numbers
in the first cache. Loads take turns in several rounds; the table has the fastest round of each, which other
programs on the machine disturb least. Prints a Markdown table for each shape, and names the machine.

A virtual machine's cores may share a cache at one moment, and none at the next (docs/many-cores.md). Barriers
are several times as long then, so they are measured before and after the loads.
"""

import argparse
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from making.checkpoints import build_folder
from making.shapes import SHAPES, TITLES, make_checkpoint
from numba import njit
from serving import processor_name

from model_core import LLM, SamplingParams
from model_core.kernels.emit import INSTRUCTION_SET
from model_core.kernels.layout import FLOAT32
from model_core.kernels.roofline import measure_arithmetic, measure_bandwidth
from model_core.kernels.team import Team, barrier
from model_core.tape.operations import Attend

ANSWER_TOKENS, SHORT_PROMPT = 32, 16
BARRIERS = 20_000
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


def least_seconds(llm: LLM, load: Load, bandwidth: float, speed: float, single: float) -> dict[str, float]:
    """The seconds that a load takes at least, to read and to compute. The arguments are the machine's limits.

    speed, single: operations a second of products of weights, and of float32.
    """
    model, is_prompt = llm.model, load.answer == 1
    last = model.weights.multiplications_per_logits
    attended = sum(record.q.width for record in model.records if isinstance(record, Attend))
    context = load.prompt / 2 if is_prompt else load.prompt + load.answer / 2
    products = (model.weights.multiplications_per_token - last) * load.tokens + last * load.streams
    positions = load.prompt if is_prompt else context * load.streams
    kv_share = {"float32": 1, "float16": 1 / 2, "int16": 1 / 2, "int8": 1 / 4}[llm.kv_cache_dtype]
    read = model.weights.bytes_per_token + positions * model.tape.kv_bytes_per_token * kv_share
    # Scores and mixed values: two multiplications for each number of a query and position.
    computed = 2 * products / speed + 4 * attended * context * load.tokens / single
    return {"memory": read / bandwidth, "arithmetic": computed}


def print_table(llm: LLM, title: str, loads: list[Load], threads: int, barrier_s: float) -> None:
    """Measure the machine, and print what was reached. `barrier_s`: before the loads."""
    bandwidth = max(measure_bandwidth(threads) for _ in range(5))
    single = max(measure_arithmetic(FLOAT32, threads) for _ in range(3))
    speed = max(measure_arithmetic(llm.model.arithmetic_kind, threads) for _ in range(3))
    print(f"\n{title}, {llm.model.weights.types}. {processor_name()}, {INSTRUCTION_SET}, {threads} threads:")
    speeds = f"{speed / 1e9:.0f} GOP/s in {llm.model.arithmetic}, {single / 1e9:.0f} in float32"
    print(f"{bandwidth / 1e9:.1f} GB/s, {speeds};")
    print(
        f"a barrier took {barrier_s * 1e9:.0f} ns before and {measure_barrier(threads) * 1e9:.0f} ns after.\n"
    )
    print("| load | tokens/s | limit | what limits | reached |\n| --- | --- | --- | --- | --- |")
    for load in loads:
        least = least_seconds(llm, load, bandwidth, speed, single)
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
                barrier_s = measure_barrier(args.threads)
                for number in range(args.rounds):
                    for load in loads:
                        measure(llm, load, number)
                print_table(llm, TITLES[shape], loads, args.threads, barrier_s)


if __name__ == "__main__":
    main()
