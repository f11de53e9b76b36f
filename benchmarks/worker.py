"""What `peers.py` runs in a process of its own, by the interpreter that has the engine.

    python worker.py '{"task": ..., ...}' RESULT.json

Tasks: `convert` a checkpoint for an engine, `measure` an engine, `machine` measures the machine itself.
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
from checkpoints import built, read_config
from engines import ENGINES, Generate, Prompts

PROMPT, SHORT_PROMPT, NEW_TOKENS = 512, 32, 64
FIRST_TOKEN = 3  # those before it are special
TURNS = 4  # requests that are enough where one comes after another


def seconds(call: Callable[[], Any]) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def timed(generate: Generate, prompts: Prompts, new_tokens: int) -> float:
    """Seconds for all prompts together. Raises RuntimeError if an answer is shorter than it should be."""
    start = time.perf_counter()
    answers = generate(prompts, new_tokens)
    passed = time.perf_counter() - start
    if [len(answer) for answer in answers] != [new_tokens] * len(prompts):
        raise RuntimeError(f"wanted {new_tokens} tokens each, got {[len(answer) for answer in answers]}")
    return passed


def measure(task: dict[str, Any]) -> dict[str, Any]:
    """Seconds that one engine takes, a list of repeats for each figure.

    `prompt`: one long prompt and a token; `first` and `whole`: so many streams until their first token and
    their last; `request`: the share of one request in a run of many. `others`: how many cores were taken by
    anything else meanwhile.
    """
    engine = ENGINES[task["engine"]]
    module = importlib.import_module(f"engines.{engine.module}")
    vocab_size = read_config(Path(task["checkpoint"]))["vocab_size"]
    rng = np.random.default_rng(task["seed"])

    def prompts(count: int, length: int) -> Prompts:
        """New ones each time, so that no cache of prompts helps."""
        return rng.integers(FIRST_TOKEN, vocab_size, (count, length)).tolist()

    figures: dict[str, Any] = {"prompt": [], "first": {}, "whole": {}}
    start, others = time.perf_counter(), time_of_others()
    with module.load(Path(task["folder"]), task["variant"], task["threads"]) as generate:
        figures["loading"] = time.perf_counter() - start
        timed(generate, prompts(1, PROMPT), 2)  # to warm up, here and below
        for streams in task["streams"]:
            timed(generate, prompts(streams, SHORT_PROMPT), 4)
        for _ in range(task["repeats"]):
            figures["prompt"].append(timed(generate, prompts(1, PROMPT), 1))
            for streams in task["streams"]:
                for name, tokens in (("first", 1), ("whole", NEW_TOKENS)):
                    passed = timed(generate, prompts(streams, SHORT_PROMPT), tokens)
                    figures[name].setdefault(str(streams), []).append(passed)
        requests = task["requests"]
        if requests and engine.headline == "together":
            passed = timed(generate, prompts(requests, SHORT_PROMPT), NEW_TOKENS)
            figures["request"] = [passed / requests]
        elif engine.headline == "in turn":
            turns = range(min(requests, TURNS))
            figures["request"] = [timed(generate, prompts(1, SHORT_PROMPT), NEW_TOKENS) for _ in turns]
    figures["others"] = max(0.0, (time_of_others() - others) / (time.perf_counter() - start))
    figures["versions"] = {package: metadata.version(package) for package in engine.packages if has(package)}
    return figures


def time_of_others() -> float:
    """Seconds of processor time that anything but this process took so far (0 where nobody tells)."""
    path = Path("/proc/stat")
    if not path.exists():
        return 0.0
    user, nice, system, _, _, interrupts, soft, stolen = map(int, path.read_text().split()[1:9])
    ticks = user + nice + system + interrupts + soft + stolen
    return ticks / os.sysconf("SC_CLK_TCK") - time.process_time()


def has(package: str) -> bool:
    """Whether a package is installed here."""
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def convert(task: dict[str, Any]) -> dict[str, Any]:
    """Bring a checkpoint into an engine's format, where that was not done before."""
    module = importlib.import_module(f"engines.{ENGINES[task['engine']].module}")
    checkpoint = Path(task["checkpoint"])
    spent = seconds(
        lambda: built(
            Path(task["folder"]), lambda partial: module.convert(checkpoint, task["variant"], partial)
        )
    )
    return {"seconds": spent}


def machine(task: dict[str, Any]) -> dict[str, Any]:
    """How fast NumPy streams a matrix of 0.5 GiB from memory, in GB/s, and multiplies float32, in GFLOP/s."""
    rng = np.random.default_rng(0)
    weight, x = rng.standard_normal((32768, 4096), np.float32), np.ones(4096, np.float32)
    streaming = min(seconds(lambda: weight @ x) for _ in range(12))
    a, b = weight[:4096].copy(), weight[4096:8192].copy()
    multiplying = min(seconds(lambda: a @ b) for _ in range(4))
    return {
        "bandwidth": [weight.nbytes / streaming / 1e9],
        "gflops": [2 * 4096**3 / multiplying / 1e9],
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
    }


def main() -> None:
    """Do one task and write down what came out."""
    task, result = json.loads(sys.argv[1]), Path(sys.argv[2])
    tasks = {"convert": convert, "measure": measure, "machine": machine}
    result.write_text(json.dumps(tasks[task["task"]](task)))


if __name__ == "__main__":
    main()
