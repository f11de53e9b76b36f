"""Measure how long streams of text wait for their next token while an image is encoded.

    python benchmarks/image_gaps.py --work-folder FOLDER [--shape smolvlm2-256m] [--side 448] [--streams 16]

The model is that of images.py, and written by its maker. Each round decodes some streams alone, then gives
the engine a request with an image, and goes on until that has its first token. Prints the times from one
token of a stream to its next, without and with the image. The bar is twice the time that a step aims at
(--step-time, 0.15 s).
"""

import argparse
import statistics
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
from images import write_model
from serving import processor_name

from model_core import LLM, SamplingParams
from model_core.engine.job import Job
from model_core.images.image import make_pixels
from model_core.llm.settings import LLMSettings

Times = list[list[float]]  # of each stream, when its tokens came


def start_stream(llm: LLM, index: int) -> tuple[str, list[float]]:
    """The id of a stream that has no end, and when its tokens came, which goes on."""
    times: list[float] = []
    params = SamplingParams(max_tokens=4000, temperature=0.8, seed=index, ignore_eos=True)
    job = Job([300 + index] * 64, params.with_defaults(llm.defaults))
    name = llm.engine.submit(job, lambda _: times.append(time.perf_counter()))
    return name, times


def find_gaps(times: Times, start: float, end: float) -> list[float]:
    """The times from one token to the next of all streams, as far as they touch an interval, in seconds."""
    pairs = [pair for each in times for pair in pairwise(each)]
    return sorted(after - before for before, after in pairs if after > start and before < end)


def main() -> None:
    """Measure rounds, and print their figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work-folder", type=Path, required=True, help="keeps the models")
    parser.add_argument("--shape", default="smolvlm2-256m")
    parser.add_argument("--side", type=int, default=448, help="pixels of a side of the images")
    parser.add_argument("--streams", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--maker", default=sys.executable, help="an interpreter that has gguf")
    args = parser.parse_args()
    folder = args.work_folder / args.shape
    write_model(folder, args.shape, args.maker)
    print(f"{processor_name()}; {args.shape}, {args.side} x {args.side}, {args.streams} streams")
    with LLM(
        folder / "model.gguf", weights="int8", threads=args.threads, max_concurrency=args.streams + 1
    ) as llm:
        params = SamplingParams(max_tokens=1, temperature=0, ignore_eos=True)
        for seed in range(args.rounds + 1):
            pixels = np.random.default_rng(seed).integers(0, 256, (args.side, args.side, 3), np.uint8)
            image = {"type": "image", "pixels": make_pixels(pixels)}
            messages = [{"role": "user", "content": [image, {"type": "text", "text": "What is this?"}]}]
            streams = [start_stream(llm, index) for index in range(args.streams)]
            times = [each for _, each in streams]
            while min(map(len, times)) < 32:
                time.sleep(0.01)
            begin = time.perf_counter()
            time.sleep(3)
            start = time.perf_counter()
            answer = llm.chat(messages, params)
            end = time.perf_counter()
            for name, _ in streams:
                llm.engine.cancel(name)
            if seed:  # the first round warms up
                alone, beside = find_gaps(times, begin, start), find_gaps(times, start, end)
                step = statistics.median(alone)
                late = beside[int(0.99 * len(beside))]
                print(
                    f"alone: median {1e3 * step:.1f} ms, longest {1e3 * alone[-1]:.0f} ms; beside an image "
                    f"of {answer.usage.prompt_tokens} tokens ({end - start:.1f} s): median "
                    f"{1e3 * statistics.median(beside):.1f} ms, 99 % {1e3 * late:.0f} ms, longest "
                    f"{1e3 * beside[-1]:.0f} ms, {beside[-1] / LLMSettings.step_time_s:.2f} of the step time"
                )


if __name__ == "__main__":
    main()
