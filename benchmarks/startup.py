"""Measure how long a start takes: the first one, which compiles all kernels, and later ones.

    python benchmarks/startup.py [INTERPRETER ...] [--rounds 3] [--later 7]

An interpreter is that of a checkout with an environment of its own; without one, it is this one's. They take
turns. A start loads the embedded model and answers one token, with an empty cache folder the first time.
Prints the medians, and the median of the ratios of each interpreter to the first one. Processor time counts
all threads.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

from peers import print_progress
from serving import processor_name

PROGRAM = """
from model_core import LLM, SamplingParams
with LLM() as llm:
    llm.generate("Hello", SamplingParams(max_tokens=1))
"""


def measure_start(python: str, cache: str) -> tuple[float, float]:
    """Return the seconds of a start, and its processor time. cache: the folder for compiled kernels."""
    environment = os.environ | {"XDG_CACHE_HOME": cache}
    environment.pop("NUMBA_CACHE_DIR", None)
    begin = time.perf_counter()
    process = subprocess.Popen([python, "-c", PROGRAM], env=environment, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"A start with {python} failed; run this to see why: {python} -c '{PROGRAM}'")
    return seconds, usage.ru_utime + usage.ru_stime


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pythons", nargs="*", metavar="INTERPRETER", default=[sys.executable])
    parser.add_argument("--rounds", type=int, default=3, help="first starts")
    parser.add_argument("--later", type=int, default=7, help="later starts in all")
    args = parser.parse_args()
    print(f"{processor_name()}, load {os.getloadavg()[0]:.1f}\n")
    heads = ["start", "interpreter", "seconds", "ratio", "processor time", "ratio"]
    print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}", flush=True)
    starts: dict[str, list[list[tuple[float, float]]]] = {"first": [], "later": []}
    with tempfile.TemporaryDirectory() as folder:
        for kind, count in (("first", args.rounds), ("later", args.later)):
            for number in range(count):
                cache = number if kind == "first" else 0
                caches = [f"{folder}/{cache}-{place}" for place in range(len(args.pythons))]
                starts[kind].append(list(map(measure_start, args.pythons, caches)))
                print_progress(f"{kind} start: {starts[kind][-1]}")
    for kind, rounds in starts.items():
        for place, python in enumerate(args.pythons):
            cells = [kind, python]
            for unit in (0, 1):
                values = [row[place][unit] for row in rounds]
                ratios = [row[place][unit] / row[0][unit] for row in rounds]
                cells += [f"{statistics.median(values):.2f} s", f"{statistics.median(ratios):.2f}"]
            print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
