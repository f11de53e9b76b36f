"""Compare this project with other engines on one machine: those of benchmarks/engines.

    pip install -r benchmarks/engines/requirements.txt
    python benchmarks/peers.py --work-folder FOLDER [--shapes tinyllama minueza] [--json FILE]

Makes models with random weights and converts them for each engine, unless the work folder has them already.
Measures the throughput of a prompt of 512 tokens, and of decoding with 1, 4 and 16 streams: each has a prompt
of 32 tokens and 64 new tokens. The rate of a stream counts the tokens after the first one, and the time from
the first to the last. Every engine runs in its own process, one at a time. They take turns in several
rounds, so that a machine that becomes slower affects all of them. The table has medians.

`--engines` takes engines and variants of them: `llama.cpp`, `ours:int8`.
`--python ENGINE=INTERPRETER` names an interpreter for an engine that this one does not have.
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

from engines import ENGINES
from making.checkpoints import build_folder
from making.shapes import SHAPES, TITLES, make_checkpoint, weights_read_per_token
from serving import processor_name
from worker import NEW_TOKENS, PROMPT, SEQUENTIAL_REQUESTS, SHORT_PROMPT

WORKER = Path(__file__).with_name("worker.py")
WORKER_LIMIT_S = 3600  # seconds that one task may take
Runs = list[dict[str, Any]]


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
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


def select_engines(engines: list[str]) -> list[tuple[str, str]]:
    """Return (engine, variant) pairs in the order of the table. Ends the program if a name is unknown."""
    known = [(name, variant) for name, engine in ENGINES.items() for variant in engine.variants]
    selections = [tuple(text.split(":", 1)) for text in engines]
    for text, parts in zip(engines, selections, strict=True):
        if not any(pair[: len(parts)] == parts for pair in known):
            sys.exit(f"{text}: no such engine; {', '.join(':'.join(pair) for pair in known)} are known.")
    return [pair for pair in known if any(pair[: len(parts)] == parts for parts in selections)]


def worker_environment(threads: int) -> dict[str, str]:
    """The environment of a worker with so many threads.

    It is without PYTHONPATH, which would give every interpreter the model_core of this checkout.
    """
    variables = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return own | dict.fromkeys(variables, str(threads)) | {"HF_HUB_OFFLINE": "1"}


def run_worker(task: dict[str, Any], python: str, threads: int) -> dict[str, Any]:
    """Run a task in a worker. Returns its result, or {"error": the last line of its standard error}."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [python, str(WORKER), json.dumps(task), str(result)]
        try:
            process = subprocess.run(
                command,
                env=worker_environment(threads),
                capture_output=True,
                text=True,
                timeout=WORKER_LIMIT_S,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return {"error": str(error)}
        if process.returncode == 0:
            return json.loads(result.read_text())
    messages = process.stderr.strip().splitlines() or [f"ended with {process.returncode}"]
    return {"error": messages[-1].strip(), "stderr": process.stderr}


def print_progress(text: str) -> None:
    """Print progress to standard error."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def prepare(
    shape: str, pairs: list[tuple[str, str]], args: argparse.Namespace, pythons: dict[str, str]
) -> tuple[dict[tuple[str, str], Path], dict[tuple[str, str], dict[str, Any]]]:
    """Make the checkpoint and convert it for each engine. Returns folders, and the results that failed."""
    checkpoint = build_folder(
        args.work_folder / shape / "checkpoint", lambda folder: make_checkpoint(SHAPES[shape], folder)
    )
    folders, failed = {}, {}
    for name, variant in pairs:
        folder = checkpoint
        maker = ENGINES[name].files_of or name
        if ENGINES[maker].converts:
            folder = args.work_folder / shape / f"{maker}-{variant}"
            task = {"task": "convert", "engine": maker, "variant": variant}
            exists = folder.is_dir()
            print_progress(f"{folder} is there" if exists else f"{shape}: converting for {name} {variant}")
            result = run_worker(
                task | {"checkpoint": str(checkpoint), "folder": str(folder)}, pythons[maker], args.threads
            )
            if "error" in result:
                failed[name, variant] = result
                print_progress(f"failed: {result['error']}")
        folders[name, variant] = folder
    return folders, failed


def measure(
    shape: str, args: argparse.Namespace, pythons: dict[str, str], machine: Runs
) -> dict[tuple[str, str], Runs]:
    """Measure all rounds for one shape. Returns each engine's results; no rounds follow a failure."""
    pairs = [pair for pair in select_engines(args.engines) if ENGINES[pair[0]].fits(pair[1], SHAPES[shape])]
    folders, failed = prepare(shape, pairs, args, pythons)
    runs: dict[tuple[str, str], Runs] = {pair: [failed[pair]] if pair in failed else [] for pair in pairs}
    for number in range(0 if args.convert_only else args.rounds):
        machine.append(run_worker({"task": "machine"}, pythons["machine"], args.threads))
        for pair in pairs:
            if any("error" in run for run in runs[pair]):
                continue
            print_progress(f"{shape}: round {number + 1}, {' '.join(pair)}")
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
            run = run_worker(task, pythons[pair[0]], args.threads)
            runs[pair].append(run)
            if "error" in run:
                print_progress(f"failed: {run['error']}")
    return runs


def median(runs: Runs, *path: str) -> float | None:
    """Return the median of a figure over all rounds and repeats; None if no run has it."""
    values: list[float] = []
    for run in runs:
        value: Any = run
        for key in path:
            value = value.get(key, {})
        values += value or []
    return statistics.median(values) if values else None


def compute_rates(runs: Runs, streams: list[int]) -> list[float | None]:
    """Return tokens per second: of the prompt, then of decoding for each number of streams."""
    prompt = median(runs, "prompt")
    rates = [PROMPT / prompt if prompt else None]
    for count in streams:
        first, last = median(runs, "first", str(count)), median(runs, "last", str(count))
        is_valid = first is not None and last is not None and last > first
        rates.append(count * (NEW_TOKENS - 1) / (last - first) if is_valid else None)
    return rates


def format_figure(value: float | None) -> str:
    """Format a figure with three digits; None as an empty text."""
    return "" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def format_table(shape: str, runs: dict[tuple[str, str], Runs], machine: Runs, streams: list[int]) -> str:
    """Format medians as a Markdown table; its last row is the limit set by the memory bandwidth."""
    heads = ["engine", "prompt of 512", *(f"{n} stream{'s' if n > 1 else ''}" for n in streams)]
    lines = [f"| {' | '.join(heads)} |", "|" + " --- |" * len(heads)]
    for (name, variant), engine_runs in runs.items():
        if any("error" in run for run in engine_runs):
            continue
        title = f"{ENGINES[name].title}, {ENGINES[name].variants[variant]}"
        lines.append(f"| {title} | {' | '.join(map(format_figure, compute_rates(engine_runs, streams)))} |")
    bandwidth = median(machine, "bandwidth")
    if bandwidth is not None and 1 in streams:
        weights = weights_read_per_token(SHAPES[shape])
        limit = " / ".join(format_figure(bandwidth * 1e9 / (weights * bits / 8)) for bits in (8, 4.5))
        cells = ["", *(limit if n == 1 else "" for n in streams)]
        lines.append(f"| bandwidth limit at 8 / 4.5 bits a weight | {' | '.join(cells)} |")
    for (name, variant), engine_runs in runs.items():
        errors = [run["error"] for run in engine_runs if "error" in run]
        lines += [f"\n{name} {variant} failed: {error}" for error in errors]
    return "\n".join(lines)


def format_headline(runs: dict[tuple[str, str], Runs], requests: int) -> str:
    """Format the comparison of this project, many requests at once, with Transformers, one after another."""
    request_rates = {
        pair: NEW_TOKENS / s for pair, results in runs.items() if (s := median(results, "request"))
    }
    sequential = [pair for pair in request_rates if ENGINES[pair[0]].headline == "in turn"]
    if not sequential:
        return ""
    best = max(sequential, key=lambda pair: request_rates[pair])
    lines = [
        f"{requests} requests of {SHORT_PROMPT} + {NEW_TOKENS} tokens, new tokens/s, the time of prompts "
        + f"counted too: Transformers, one after another, {best[1]}: {format_figure(request_rates[best])} "
        + "(its faster type; "
        + f"measured over {SEQUENTIAL_REQUESTS} of them)"
    ]
    for pair, rate in request_rates.items():
        if ENGINES[pair[0]].headline == "together":
            title = f"{ENGINES[pair[0]].title}, {pair[1]}"
            lines.append(
                f"- {title}, all at once: {format_figure(rate)}, "
                f"{rate / request_rates[best]:.1f} times as many"
            )
    return "\n".join(lines)


def describe_machine(machine: Runs, runs: Runs, threads: int) -> str:
    """Describe the machine and the versions of the engines."""
    versions: dict[str, str] = {}
    for run in [*machine, *runs]:
        versions |= run.get("versions", {})
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    max_others = max((run["others"] for run in runs if "others" in run), default=0)
    bandwidth, arithmetic = median(machine, "bandwidth"), median(machine, "gflops")
    return (
        f"{processor_name()}, {cores} cores, {threads} threads, {platform.system()}; NumPy streams "
        f"{format_figure(bandwidth)} GB/s and multiplies float32 at {format_figure(arithmetic)} GFLOP/s.\n"
        + ", ".join(f"{name} {version}" for name, version in versions.items())
        + f".\nAnything else on the machine took at most {max_others:.2f} cores during a run."
    )


def main() -> None:
    """Convert, measure, and print the tables."""
    args = parse_arguments()
    pythons = dict.fromkeys([*ENGINES, "machine"], sys.executable)
    for text in args.python:
        name, equals, interpreter = text.partition("=")
        if not equals or name not in pythons:
            sys.exit(f"--python {text}: give ENGINE=INTERPRETER, with one of {', '.join(pythons)}.")
        pythons[name] = interpreter
    machine: Runs = []
    results = {shape: measure(shape, args, pythons, machine) for shape in args.shapes}
    all_runs = [run for runs in results.values() for engine_runs in runs.values() for run in engine_runs]
    if args.json:
        record = {
            "machine": machine,
            "processor": processor_name(),
            "threads": args.threads,
            "engines": {
                shape: {":".join(pair): engine_runs for pair, engine_runs in runs.items()}
                for shape, runs in results.items()
            },
        }
        args.json.write_text(json.dumps(record, indent=1) + "\n")
    if args.convert_only:
        return
    print(describe_machine(machine, all_runs, args.threads))
    for shape, runs in results.items():
        print(f"\nThe shape of {TITLES[shape]}, random weights, tokens/s:\n")
        print(format_table(shape, runs, machine, args.streams))
        print("\n" + format_headline(runs, args.requests))


if __name__ == "__main__":
    main()
