"""Run one task of `peers.py`, by the interpreter that has the engine.

    python worker.py '{"task": ..., ...}' RESULT.json

Tasks: `convert` a checkpoint for an engine; `measure` an engine; `logits` of texts; `machine`: measure the
machine.

    python worker.py '{"task": "stay", ...}'

loads an engine and stays: it measures one figure for each line of its standard input (see `stay`).
"""

import importlib
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from engines import ENGINES, Engine, Generate, Prompts
from making.checkpoints import build_folder, read_config

PROMPT, SHORT_PROMPT, NEW_TOKENS = 512, 32, 64
FIRST_TOKEN = 3  # lower token ids are special
SEQUENTIAL_REQUESTS = 4  # measured for an engine that answers one request after another


def measure_seconds(call: Callable[[], Any]) -> float:
    """Return how long a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def time_generation(generate: Generate, prompts: Prompts, new_tokens: int, samples: bool = False) -> float:
    """Return the seconds for all prompts together. Raises RuntimeError if an answer has another length."""
    start = time.perf_counter()
    answers = generate(prompts, new_tokens, samples)
    elapsed = time.perf_counter() - start
    if [len(answer) for answer in answers] != [new_tokens] * len(prompts):
        raise RuntimeError(f"expected {new_tokens} tokens each, got {[len(answer) for answer in answers]}")
    return elapsed


def measure(task: dict[str, Any]) -> dict[str, Any]:
    """Return the seconds that one engine takes: a list with one entry per repeat, for each figure.

    `prompt`: one long prompt and one new token. `first` and `last`: by number of streams, until their first
    and their last token. `request`: one request's share of a run with many. `others`: how many cores other
    processes used meanwhile.
    """
    engine = ENGINES[task["engine"]]
    module = importlib.import_module(f"engines.{engine.module}")
    vocab_size = read_config(Path(task["checkpoint"]))["vocab_size"]
    rng = np.random.default_rng(task["seed"])

    def prompts(count: int, length: int) -> Prompts:
        """Return new random prompts, so that no prefix cache helps."""
        return rng.integers(FIRST_TOKEN, vocab_size, (count, length)).tolist()

    figures: dict[str, Any] = {"prompt": [], "first": {}, "last": {}}
    start, others_start = time.perf_counter(), cpu_time_of_others()
    with module.load(Path(task["folder"]), task["variant"], task["threads"]) as generate:
        figures["loading"] = time.perf_counter() - start
        time_generation(generate, prompts(1, PROMPT), 2)  # warm-up, here and below
        for streams in task["streams"]:
            time_generation(generate, prompts(streams, SHORT_PROMPT), 4)
        for _ in range(task["repeats"]):
            figures["prompt"].append(time_generation(generate, prompts(1, PROMPT), 1))
            for streams in task["streams"]:
                for name, tokens in (("first", 1), ("last", NEW_TOKENS)):
                    elapsed = time_generation(generate, prompts(streams, SHORT_PROMPT), tokens)
                    figures[name].setdefault(str(streams), []).append(elapsed)
        requests = task["requests"]
        if requests and engine.headline == "together":
            elapsed = time_generation(generate, prompts(requests, SHORT_PROMPT), NEW_TOKENS)
            figures["request"] = [elapsed / requests]
        elif engine.headline == "in turn":
            figures["request"] = [
                time_generation(generate, prompts(1, SHORT_PROMPT), NEW_TOKENS)
                for _ in range(min(requests, SEQUENTIAL_REQUESTS))
            ]
    figures["others"] = max(0.0, (cpu_time_of_others() - others_start) / (time.perf_counter() - start))
    figures["versions"] = find_versions(engine)
    return figures


def stay(task: dict[str, Any]) -> None:
    """Load an engine, print its versions in a line, and answer each line with the figure that it asks for.

    A line is {"streams", "prompt", "tokens", "seed", "samples"}: the number of streams, the length of their
    prompts, how many tokens each answers, the seed of the prompts, and whether tokens are sampled. The answer
    has seconds: `wall`, and `cpu` of all threads of this process.
    """
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # engines print what they like
    module = importlib.import_module(f"engines.{ENGINES[task['engine']].module}")
    vocab_size = read_config(Path(task["checkpoint"]))["vocab_size"]
    with module.load(Path(task["folder"]), task["variant"], task["threads"]) as generate:
        print(json.dumps(find_versions(ENGINES[task["engine"]])), file=answers)
        for line in sys.stdin:
            ask = json.loads(line)
            rng = np.random.default_rng(ask["seed"])
            prompts = rng.integers(FIRST_TOKEN, vocab_size, (ask["streams"], ask["prompt"])).tolist()
            start = time.process_time()
            wall = time_generation(generate, prompts, ask["tokens"], bool(ask["samples"]))
            print(json.dumps({"wall": wall, "cpu": time.process_time() - start}), file=answers)


def cpu_time_of_others() -> float:
    """Return the seconds of processor time of all other processes so far (0 if the system has no /proc)."""
    path = Path("/proc/stat")
    if not path.exists():
        return 0.0
    user, nice, system, _, _, interrupts, soft, stolen = map(int, path.read_text().split()[1:9])
    ticks = user + nice + system + interrupts + soft + stolen
    return ticks / os.sysconf("SC_CLK_TCK") - time.process_time()


def find_versions(engine: Engine) -> dict[str, str]:
    """The versions of an engine's packages, of those that are installed here."""
    return {package: metadata.version(package) for package in engine.packages if is_installed(package)}


def is_installed(package: str) -> bool:
    """Whether a package is installed here."""
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def convert(task: dict[str, Any]) -> dict[str, Any]:
    """Convert a checkpoint to an engine's format, unless that was done before."""
    module = importlib.import_module(f"engines.{ENGINES[task['engine']].module}")
    checkpoint = Path(task["checkpoint"])
    conversion_s = measure_seconds(
        lambda: build_folder(
            Path(task["folder"]), lambda partial: module.convert(checkpoint, task["variant"], partial)
        )
    )
    return {"seconds": conversion_s}


def logits(task: dict[str, Any]) -> dict[str, Any]:
    """Write the logits of texts, as an engine computes them: N.npy, float32 [tokens, vocabulary]."""
    module = importlib.import_module(f"engines.{ENGINES[task['engine']].module}")
    folder, target = Path(task["folder"]), Path(task["target"])
    texts = json.loads((target / "texts.json").read_text())
    for number, found in enumerate(module.logits(folder, task["threads"], texts)):
        np.save(target / f"{number}.npy", found)
    return {"weight_bytes": module.weight_bytes(folder)}


def machine(task: dict[str, Any]) -> dict[str, Any]:
    """Measure how fast NumPy reads a matrix of 0.5 GiB, in GB/s, and multiplies float32, in GFLOP/s."""
    rng = np.random.default_rng(0)
    weight, x = rng.standard_normal((32768, 4096), np.float32), np.ones(4096, np.float32)
    bandwidth = min(measure_seconds(lambda: weight @ x) for _ in range(12))
    a, b = weight[:4096].copy(), weight[4096:8192].copy()
    arithmetic = min(measure_seconds(lambda: a @ b) for _ in range(4))
    return {
        "bandwidth": [weight.nbytes / bandwidth / 1e9],
        "gflops": [2 * 4096**3 / arithmetic / 1e9],
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
    }


def main() -> None:
    """Run one task and write its result."""
    task = json.loads(sys.argv[1])
    if task["task"] == "stay":
        stay(task)
        return
    tasks = {"convert": convert, "measure": measure, "logits": logits, "machine": machine}
    Path(sys.argv[2]).write_text(json.dumps(tasks[task["task"]](task)))


if __name__ == "__main__":
    main()
