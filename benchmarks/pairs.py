"""Compare engines, versions of this project, or shapes of models, side by side.

    python benchmarks/pairs.py --work-folder FOLDER --shape SHAPE CONTESTANT CONTESTANT ...

A contestant is ENGINE:VARIANT[@SHAPE][=INTERPRETER], for instance `ours:int8`, `llama.cpp:q8_0`,
`ours:int8@tinyllama`, `ours:bfloat16/bfloat16`, whose activations are rounded to bfloat16, too, or
`ours:int8=/elsewhere/.venv/bin/python`: another checkout with an environment of its own. The shape `embedded`
is the embedded model. A shape may also be the path of a .gguf file: a real model, whose weights each engine
takes as they are (`ours:file`, `llama.cpp:file`) or converts (`ours:int8`, `llama.cpp:q4_0`). `ours:q8_0`,
`ours:q4_0` and `ours:q4_k_m` take the files of the contestants of llama.cpp with these variants, which are
made before any contestant starts, and so does ik_llama.cpp; `ours:gptq`, `ours:awq`, `ours:packed` and
`ours:fp8` take folders that hub_formats.py writes.

All contestants are loaded at once, each in its own process, and measure each figure in turn, in an order that
changes from round to round. So a machine that becomes slower, or other programs on it, affect all of them.
Prints the medians, and the median of the ratios of the first contestant to each other one in the same round,
with the lowest and the highest. Processor time counts all threads, also those that wait for others.
`--json FILE` keeps the seconds of all rounds, for side_by_side.py.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines import ENGINES, FILE
from making.checkpoints import build_folder
from making.hub_formats import FORMATS, write_format
from making.shapes import SHAPES, TITLES, make_checkpoint
from peers import WORKER, format_figure, print_progress, run_worker, worker_environment
from serving import processor_name
from worker import NEW_TOKENS, PROMPT, SHORT_PROMPT

from model_core.files.gguf.reader import GGUFFile
from model_core.hub import embedded_model

SAMPLED = {"streams": 16, "prompt": 256, "tokens": 64}
FIGURES = (
    "prompt (of 512 tokens), prompt:2048, a number of streams, 1:4096 after prompts of so many tokens; or "
    "sampled: 16 requests of 256 tokens, "
    "with 64 new ones each at temperature 0.8 and top_p 0.95, all at once, and all their time counts"
)
GGUF_VARIANTS = ("q8_0", "q4_0", "q4_k_m")


@dataclass
class Contestant:
    """An engine with its model, in a process that waits for questions."""

    name: str
    process: subprocess.Popen

    def ask(self, **question: int) -> dict[str, Any]:
        """Return the seconds of a measurement, or at first the versions of the engine (see worker.stay).

        Ends the program if the engine failed.
        """
        if question:
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.name} ended; see its messages above.")
        return json.loads(line)


def split_name(text: str) -> tuple[str, str]:
    """Split a contestant into its name and its interpreter."""
    name, _, python = text.partition("=")
    return name, python or sys.executable


def find_checkpoint(shape: str, work_folder: Path) -> tuple[Path, Path]:
    """Return the folder of a shape's models, and its checkpoint there, which is made unless it is there."""
    if shape == "embedded":
        return work_folder / shape, embedded_model()
    if shape.endswith(".gguf"):
        folder = work_folder / Path(shape).stem
        return folder, build_folder(folder / "checkpoint", lambda partial: link_file(Path(shape), partial))
    folder = work_folder / shape
    return folder, build_folder(
        folder / "checkpoint", lambda partial: make_checkpoint(SHAPES[shape], partial)
    )


def link_file(file: Path, folder: Path) -> None:
    """Make a folder of a GGUF file: see engines."""
    vocab_size = GGUFFile(file).entries["token_embd.weight"].shape[0]
    (folder / "model.gguf").symlink_to(file.resolve())
    (folder / "config.json").write_text(json.dumps({"vocab_size": vocab_size}))


def prepare(text: str, args: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Make and convert the model of a contestant, unless it is there. Returns its task and interpreter."""
    name, python = split_name(text)
    name, _, shape = name.partition("@")
    engine, _, variant = name.partition(":")
    shape = shape or args.shape
    if engine not in ENGINES or not (shape in (*SHAPES, "embedded") or shape.endswith(".gguf")):
        sys.exit(
            f"{text}: {', '.join(ENGINES)} are engines, and {', '.join(SHAPES)}, embedded and .gguf files "
            "are shapes."
        )
    models, checkpoint = find_checkpoint(shape, args.work_folder)
    folder = checkpoint
    task: dict[str, Any] = {"engine": engine, "variant": variant, "checkpoint": str(checkpoint)}
    if ENGINES[engine].converts and variant != FILE:
        folder = models / f"{engine}-{variant}"
        result = run_worker(task | {"task": "convert", "folder": str(folder)}, python, args.threads)
        if "error" in result:
            sys.exit(f"{text} cannot be converted: {result.get('stderr', result['error'])}")
    elif variant in GGUF_VARIANTS:
        folder = models / f"llama.cpp-{variant}"
    elif variant in FORMATS:
        folder = models / variant
        build_folder(folder, lambda partial: write_format(variant, checkpoint, partial))
    return task | {"folder": str(folder), "threads": args.threads}, python


def start(text: str, task: dict[str, Any], python: str, stack: ExitStack) -> Contestant:
    """Start a contestant."""
    process = subprocess.Popen(
        [python, str(WORKER), json.dumps(task | {"task": "stay"})],
        env=worker_environment(task["threads"]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    stack.callback(process.wait)
    stack.callback(process.stdin.close)
    return Contestant(text, process)


def measure(contestant: Contestant, figure: str, seed: int) -> dict[str, float]:
    """Return the seconds for each token of a figure: of the prompt, or new ones.

    See the option --figures.
    """
    if figure == "sampled":
        elapsed = contestant.ask(**SAMPLED, samples=True, seed=seed)
        return {kind: seconds / SAMPLED["streams"] / SAMPLED["tokens"] for kind, seconds in elapsed.items()}
    name, _, length = figure.partition(":")
    prompt = int(length or (PROMPT if name == "prompt" else SHORT_PROMPT))
    if name == "prompt":
        elapsed = contestant.ask(streams=1, prompt=prompt, tokens=1, samples=False, seed=seed)
        return {kind: seconds / prompt for kind, seconds in elapsed.items()}
    streams = int(name)
    first, last = (
        contestant.ask(streams=streams, prompt=prompt, tokens=tokens, samples=False, seed=seed + tokens)
        for tokens in (1, NEW_TOKENS)
    )
    return {kind: (last[kind] - first[kind]) / streams / (NEW_TOKENS - 1) for kind in first}


def format_figures(figure: str, names: list[str], rounds: list[list[dict[str, float]]]) -> list[str]:
    """Format the rows of the table for a figure. rounds: the seconds of each contestant, in order."""
    lines = []
    for number, name in enumerate(names):
        cells = [figure if number == 0 else "", name]
        cells.append(format_figure(1 / statistics.median(seconds[number]["wall"] for seconds in rounds)))
        for kind in ("wall", "cpu"):
            ratios = [seconds[number][kind] / seconds[0][kind] for seconds in rounds]
            spread = f" ({min(ratios):.3f} to {max(ratios):.3f})"
            cells.append(f"{statistics.median(ratios):.3f}{spread}" if number else "")
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Start the contestants, measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("contestants", nargs="+", metavar="ENGINE:VARIANT[@SHAPE][=INTERPRETER]")
    parser.add_argument(
        "--shape", default="tinyllama", help=f"{', '.join(SHAPES)}, embedded, or a .gguf file"
    )
    parser.add_argument("--work-folder", type=Path, required=True, help="keeps the models")
    parser.add_argument("--figures", nargs="+", default=["prompt", "1", "16"], help=FIGURES)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the seconds of all rounds")
    args = parser.parse_args()
    title = TITLES.get(args.shape, Path(args.shape).name)
    print(f"{processor_name()}, {args.threads} threads, load {os.getloadavg()[0]:.1f}; {title}\n")
    heads = ["figure", "contestant", "tokens/s", "first against this one", "in processor time"]
    print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}", flush=True)
    with ExitStack() as stack:
        names = [split_name(text)[0] for text in args.contestants]
        tasks = [prepare(text, args) for text in args.contestants]
        contestants = [start(text, *task, stack) for text, task in zip(args.contestants, tasks, strict=True)]
        versions: dict[str, str] = {}
        for contestant in contestants:
            versions |= contestant.ask()  # it is loaded
        order, record = random.Random(0), {}
        for figure in args.figures:
            rounds = []
            for seed in range(args.rounds + 1):
                seconds: dict[str, dict[str, float]] = {}
                for contestant in order.sample(contestants, len(contestants)):
                    seconds[contestant.name] = measure(contestant, figure, 1000 * seed)
                rounds.append([seconds[contestant.name] for contestant in contestants])
                print_progress(f"{figure}: {[format_figure(1 / s['wall']) for s in rounds[-1]]}")
            rounds = rounds[1:]  # the first one warmed up
            print("\n".join(format_figures(figure, args.contestants, rounds)), flush=True)
            record[figure] = [
                dict(zip(names, (seconds["wall"] for seconds in each), strict=True)) for each in rounds
            ]
    print(f"\n{', '.join(f'{name} {version}' for name, version in versions.items())}")
    print(f"Load at the end: {os.getloadavg()[0]:.1f}")
    if args.json:
        args.json.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
