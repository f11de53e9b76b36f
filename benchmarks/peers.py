"""This project beside llama.cpp, CTranslate2, OpenVINO GenAI and Transformers, in one run on one machine.

    pip install -r benchmarks/requirements.txt
    python benchmarks/peers.py --work-folder FOLDER [--shapes tinyllama minueza] [--json FILE]

Makes models with random weights, converts them for each engine (once; the work folder keeps them), and
measures the throughput of a prompt of 512 tokens and of decoding for 1, 4 and 16 streams at once, each with
a prompt of 32 tokens and 64 new ones. A stream's rate counts the tokens after its first, and the time from
the first to the last. Every engine runs in a process of its own, never two at once, one after the other in
several rounds, so that a machine that grows slower does so for all. The table has medians.

`--engines` takes engines and variants of them: `llama.cpp`, `ours:int8`.
`--python ENGINE=INTERPRETER` names the interpreter that has this engine, where one has not all of them.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from checkpoints import SHAPES, TITLES, built, make_checkpoint, weights_read_per_token
from engines import ENGINES
from serving import processor
from worker import NEW_TOKENS, PROMPT, SHORT_PROMPT, TURNS

WORKER = Path(__file__).with_name("worker.py")
LIMIT = 3600  # seconds that one task may take
Runs = list[dict[str, Any]]


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=["tinyllama", "minueza"])
    parser.add_argument("--engines", nargs="+", default=list(ENGINES), metavar="ENGINE[:VARIANT]")
    parser.add_argument("--python", action="append", default=[], metavar="ENGINE=INTERPRETER")
    parser.add_argument("--work-folder", type=Path, required=True, help="keeps the models; some 10 GB")
    parser.add_argument("--rounds", type=int, default=3, help="times each engine is started")
    parser.add_argument("--repeats", type=int, default=2, help="measurements each time")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--streams", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--requests", type=int, default=64, help="of the headline figure; 0: without it")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write every single figure")
    parser.add_argument("--convert-only", action="store_true", help="make the models, measure nothing")
    return parser.parse_args()


def chosen(engines: list[str]) -> list[tuple[str, str]]:
    """Engines and variants, in the order of the table. Ends the program for a name that is not known."""
    known = [(name, variant) for name, engine in ENGINES.items() for variant in engine.variants]
    wanted = [tuple(text.split(":", 1)) for text in engines]
    for text, parts in zip(engines, wanted, strict=True):
        if not any(pair[: len(parts)] == parts for pair in known):
            sys.exit(f"{text}: no such engine; {', '.join(':'.join(pair) for pair in known)} are known.")
    return [pair for pair in known if any(pair[: len(parts)] == parts for parts in wanted)]


def work(task: dict[str, Any], python: str, threads: int) -> dict[str, Any]:
    """Have a worker do a task; its result, or {"error": the last thing it said}."""
    variables = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = os.environ | dict.fromkeys(variables, str(threads)) | {"HF_HUB_OFFLINE": "1"}
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [python, str(WORKER), json.dumps(task), str(result)]
        try:
            ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT)
        except (OSError, subprocess.TimeoutExpired) as error:
            return {"error": str(error)}
        if ended.returncode == 0:
            return json.loads(result.read_text())
    said = ended.stderr.strip().splitlines() or [f"ended with {ended.returncode}"]
    return {"error": said[-1].strip(), "stderr": ended.stderr}


def say(text: str) -> None:
    """Tell how far it is, beside the output."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def prepare(
    shape: str, pairs: list[tuple[str, str]], args: argparse.Namespace, pythons: dict[str, str]
) -> tuple[dict[tuple[str, str], Path], dict[tuple[str, str], dict[str, Any]]]:
    """Make the checkpoint and what each engine wants of it; the folders, and what failed."""
    checkpoint = built(args.work_folder / shape / "checkpoint", lambda f: make_checkpoint(SHAPES[shape], f))
    folders, failed = {}, {}
    for name, variant in pairs:
        folder = checkpoint
        if ENGINES[name].converts:
            folder = args.work_folder / shape / f"{name}-{variant}"
            task = {"task": "convert", "engine": name, "variant": variant}
            say(f"{shape}: converting for {name} {variant}" if not folder.is_dir() else f"{folder} is there")
            result = work(
                task | {"checkpoint": str(checkpoint), "folder": str(folder)}, pythons[name], args.threads
            )
            if "error" in result:
                failed[name, variant] = result
                say(f"failed: {result['error']}")
        folders[name, variant] = folder
    return folders, failed


def measure(
    shape: str, args: argparse.Namespace, pythons: dict[str, str], machine: Runs
) -> dict[tuple[str, str], Runs]:
    """All rounds for one shape: what each engine gave in each; a failure ends that engine's part."""
    pairs = [pair for pair in chosen(args.engines) if ENGINES[pair[0]].fits(pair[1], SHAPES[shape])]
    folders, failed = prepare(shape, pairs, args, pythons)
    runs: dict[tuple[str, str], Runs] = {pair: [failed[pair]] if pair in failed else [] for pair in pairs}
    for number in range(0 if args.convert_only else args.rounds):
        machine.append(work({"task": "machine"}, pythons["machine"], args.threads))
        for pair in pairs:
            if any("error" in run for run in runs[pair]):
                continue
            say(f"{shape}: round {number + 1}, {' '.join(pair)}")
            task = {
                "task": "measure",
                "engine": pair[0],
                "variant": pair[1],
                "checkpoint": str(args.work_folder / shape / "checkpoint"),
                "folder": str(folders[pair]),
                "threads": args.threads,
                "streams": args.streams,
                "repeats": args.repeats,
                "requests": args.requests,
                "seed": number,
            }
            run = work(task, pythons[pair[0]], args.threads)
            runs[pair].append(run)
            if "error" in run:
                say(f"failed: {run['error']}")
    return runs


def median(runs: Runs, *path: str) -> float | None:
    """The median of a figure over all rounds and repeats; None where there is none."""
    values: list[float] = []
    for run in runs:
        found: Any = run
        for key in path:
            found = found.get(key, {})
        values += found or []
    return statistics.median(values) if values else None


def rates(runs: Runs, streams: list[int]) -> list[float | None]:
    """Tokens per second: of the prompt, and of decoding for each number of streams."""
    prompt = median(runs, "prompt")
    found = [PROMPT / prompt if prompt else None]
    for count in streams:
        first, whole = median(runs, "first", str(count)), median(runs, "whole", str(count))
        steady = first is not None and whole is not None and whole > first
        found.append(count * (NEW_TOKENS - 1) / (whole - first) if steady else None)
    return found


def cell(value: float | None) -> str:
    """A figure with three digits."""
    return "" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def table(shape: str, runs: dict[tuple[str, str], Runs], machine: Runs, streams: list[int]) -> str:
    """Medians as a Markdown table, with what memory allows in its last row."""
    heads = ["engine", "prompt of 512", *(f"{n} stream{'s' if n > 1 else ''}" for n in streams)]
    lines = [f"| {' | '.join(heads)} |", "|" + " --- |" * len(heads)]
    for (name, variant), found in runs.items():
        if any("error" in run for run in found):
            continue
        title = f"{ENGINES[name].title}, {ENGINES[name].variants[variant]}"
        lines.append(f"| {title} | {' | '.join(map(cell, rates(found, streams)))} |")
    bandwidth = median(machine, "bandwidth")
    if bandwidth is not None and 1 in streams:
        weights = weights_read_per_token(SHAPES[shape])
        limit = " / ".join(cell(bandwidth * 1e9 / (weights * bits / 8)) for bits in (8, 4.5))
        cells = ["", *(limit if n == 1 else "" for n in streams)]
        lines.append(f"| bandwidth limit at 8 / 4.5 bits a weight | {' | '.join(cells)} |")
    for (name, variant), found in runs.items():
        errors = [run["error"] for run in found if "error" in run]
        lines += [f"\n{name} {variant} failed: {error}" for error in errors]
    return "\n".join(lines)


def headline(runs: dict[tuple[str, str], Runs], requests: int) -> str:
    """This project with many requests at once, beside Transformers with one after another."""
    new = {pair: NEW_TOKENS / s for pair, found in runs.items() if (s := median(found, "request"))}
    in_turn = [pair for pair in new if ENGINES[pair[0]].headline == "in turn"]
    if not in_turn:
        return ""
    best = max(in_turn, key=lambda pair: new[pair])
    lines = [
        f"{requests} requests of {SHORT_PROMPT} + {NEW_TOKENS} tokens, new tokens/s, the time of prompts "
        + f"counted too: Transformers, one after another, {best[1]}: {cell(new[best])} (its faster type; "
        + f"measured over {TURNS} of them)"
    ]
    for pair, rate in new.items():
        if ENGINES[pair[0]].headline == "together":
            title = f"{ENGINES[pair[0]].title}, {pair[1]}"
            lines.append(f"- {title}, all at once: {cell(rate)}, {rate / new[best]:.1f} times as many")
    return "\n".join(lines)


def describe(machine: Runs, runs: Runs, threads: int) -> str:
    """The machine and the versions of what was compared."""
    versions: dict[str, str] = {}
    for run in [*machine, *runs]:
        versions |= run.get("versions", {})
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    others = max((run["others"] for run in runs if "others" in run), default=0)
    streaming, multiplying = median(machine, "bandwidth"), median(machine, "gflops")
    return (
        f"{processor()}, {cores} cores, {threads} threads, {platform.system()}; NumPy streams "
        f"{cell(streaming)} GB/s and multiplies float32 at {cell(multiplying)} GFLOP/s.\n"
        + ", ".join(f"{name} {version}" for name, version in versions.items())
        + f".\nAnything else on the machine took at most {others:.2f} cores during a run."
    )


def main() -> None:
    """Convert, measure and print."""
    args = arguments()
    pythons = dict.fromkeys([*ENGINES, "machine"], sys.executable)
    for text in args.python:
        name, found, interpreter = text.partition("=")
        if not found or name not in pythons:
            sys.exit(f"--python {text}: wanted ENGINE=INTERPRETER, with one of {', '.join(pythons)}.")
        pythons[name] = interpreter
    machine: Runs = []
    results = {shape: measure(shape, args, pythons, machine) for shape in args.shapes}
    everything = [run for runs in results.values() for found in runs.values() for run in found]
    if args.json:
        record = {
            "machine": machine,
            "processor": processor(),
            "threads": args.threads,
            "engines": {
                shape: {":".join(pair): found for pair, found in runs.items()}
                for shape, runs in results.items()
            },
        }
        args.json.write_text(json.dumps(record, indent=1) + "\n")
    if args.convert_only:
        return
    print(describe(machine, everything, args.threads))
    for shape, runs in results.items():
        print(f"\nThe shape of {TITLES[shape]}, random weights, tokens/s:\n")
        print(table(shape, runs, machine, args.streams))
        print("\n" + headline(runs, args.requests))


if __name__ == "__main__":
    main()
