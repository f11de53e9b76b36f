"""Measure what sampling costs: the time to choose the tokens of a step, and the step without it.

    python benchmarks/sampling.py --work-folder FOLDER [--shape qwen2.5-0.5b] [--weights int8] [--rows 64]

A step decodes one token for each of `--rows` requests. The logits are those of the model, whose random
weights make nearly all tokens likely, and others of the same size: normal numbers with a standard deviation
of 3, as those of trained models, and of 0. Steps and choices take turns; the table has the least of many
runs, which other programs on the machine disturb least. Prints a Markdown table and names the machine.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from making.checkpoints import build_folder
from making.shapes import SHAPES, TITLES, make_checkpoint
from serving import processor_name

from model_core import LLM, SamplingParams
from model_core.kernels.emit import INSTRUCTION_SET
from model_core.requests.sampling import GenerationDefaults
from model_core.sampling.batch_sampler import Draw, RowSampler
from model_core.sampling.sampler import Sampler

ANSWER_TOKENS = 8
USUAL: dict[str, Any] = {"temperature": 0.8, "top_p": 0.95}
WAYS: dict[str, dict[str, Any]] = {
    "the likeliest token": {"temperature": 0.0},
    "temperature 1": {"temperature": 1.0},
    "temperature 0.8, top_p 0.95": USUAL,
    "the same, top_k 40": USUAL | {"top_k": 40},
    "temperature 1, min_p 0.05": {"temperature": 1.0, "min_p": 0.05},
    "temperature 0.8, top_p 0.95, penalties and bias": USUAL
    | {"repetition_penalty": 1.1, "presence_penalty": 0.5, "logit_bias": {7: 1.0}},
}


class Steps:
    """Decoding steps of some requests, timed within the model."""

    def __init__(self, llm: LLM, rows: int) -> None:
        self._llm, self._rows = llm, rows
        self._forward, self._seconds = llm.model.forward, []
        self.logits = np.zeros((rows, llm.model.config.vocab_size), np.float32)
        llm.model.forward = self._run_timed

    def measure(self) -> float:
        """The least seconds of a step with all rows."""
        random, self._seconds = np.random.default_rng(0), []
        prompts = random.integers(0, self._llm.model.config.vocab_size, (self._rows, 4)).tolist()
        params = SamplingParams(max_tokens=ANSWER_TOKENS, temperature=0, ignore_eos=True)
        self._llm.generate(prompts, params)
        return min(self._seconds)

    def _run_timed(self, batch: Any, *args: Any) -> np.ndarray:
        start = time.perf_counter()
        logits = self._forward(batch, *args)
        if len(batch.tokens) == len(logits) == self._rows:
            self._seconds.append(time.perf_counter() - start)
            self.logits[:] = logits
        return logits


def measure_choice(rows: RowSampler, logits: np.ndarray, way: dict[str, Any]) -> float:
    """The least seconds to choose a token for each row."""
    defaults, size = GenerationDefaults(), logits.shape[1]
    prompt = np.random.default_rng(1).integers(0, size, 256).tolist()
    draws = [
        Draw(Sampler(SamplingParams(seed=row, **way).with_defaults(defaults), prompt, size), row)
        for row in range(len(logits))
    ]
    seconds = []
    for _ in range(3):
        copy = logits.copy()
        start = time.perf_counter()
        rows.sample(copy, draws)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work-folder", type=Path, required=True, help="keeps the model")
    parser.add_argument("--shape", choices=SHAPES, default="qwen2.5-0.5b")
    parser.add_argument("--weights", default="int8")
    parser.add_argument("--rows", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    folder = build_folder(
        args.work_folder / args.shape / "checkpoint", lambda path: make_checkpoint(SHAPES[args.shape], path)
    )
    with LLM(folder, weights=args.weights, threads=args.threads, max_concurrency=args.rows) as llm:
        steps = Steps(llm, args.rows)
        steps.measure()
        normal = np.random.default_rng(2).standard_normal(steps.logits.shape, np.float32)
        kinds = {
            "random weights": steps.logits.copy(),
            "deviation 3": 3 * normal,
            "all equal": np.zeros_like(normal),
        }
        rows = RowSampler(llm.model.config.vocab_size, args.threads, llm.model.run_kernel)
        step, choices = np.inf, {(way, kind): np.inf for way in WAYS for kind in kinds}
        for _ in range(args.rounds):
            step = min(step, steps.measure())
            for way, kind in choices:
                seconds = measure_choice(rows, kinds[kind], WAYS[way])
                choices[way, kind] = min(choices[way, kind], seconds)
    print(f"{processor_name()}, {INSTRUCTION_SET}, {args.threads} threads; {TITLES[args.shape]}'s shape, ")
    print(f"{args.weights}: a step of {args.rows} rows without sampling takes {1000 * step:.1f} ms.\n")
    print("| sampling, ms and share of the step |" + "".join(f" {kind} |" for kind in kinds))
    print("| --- |" + " --- |" * len(kinds))
    for way in WAYS:
        cells = [f"{1000 * choices[way, kind]:.1f}, {choices[way, kind] / step:.1%}" for kind in kinds]
        print(f"| {way} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
