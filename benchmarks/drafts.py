"""Measure drafts of a small model: the speed, and the fraction of what the accepted drafts allow.

    python benchmarks/drafts.py [--layers 24] [--tokens 300] [--streams 1,4]

The large model is the embedded one with layers added that change nothing, so that a step costs more. The
small model is the embedded one, whose drafts are right, or one with noise in its weights, whose drafts are
right now and then. If k tokens are drafted and a of them accepted on average, then (a + 1) / (k draft steps
and one check) is possible, with steps measured in the same run. Prints a Markdown table, names the machine.
"""

import argparse
import json
import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
from making.checkpoints import read_config, read_tensors, write_checkpoint
from serving import processor_name

from model_core import LLM, SamplingParams
from model_core.hub import embedded_model

PROMPT = "Once upon a time there was a little girl who"
NOISE = 0.15
_LAYER = re.compile(r"(model\.layers\.)(\d+)\.(.*)")


def write_model(folder: Path, layers: int, noise: float = 0.0) -> Path:
    """Write the embedded model with so many layers, of which those after its own change nothing.

    `noise`: the standard deviation of that in the weights, as a part of each.
    """
    source = Path(embedded_model())
    config = {**read_config(source), "num_hidden_layers": layers, "torch_dtype": "bfloat16"}
    tensors = dict(read_tensors(source))
    own = config_layers(tensors)
    named: dict[str, np.ndarray] = {}
    for name, values in tensors.items():
        match = _LAYER.fullmatch(name)
        if match is None:
            named[name] = values
            continue
        number, rest = int(match[2]), match[3]
        for target in range(number, layers, own):
            is_idle = target >= own and rest in ("self_attn.o_proj.weight", "mlp.down_proj.weight")
            named[f"{match[1]}{target}.{rest}"] = np.zeros_like(values) if is_idle else values
    folder.mkdir()
    stored, random = iter(named.values()), np.random.default_rng(0)

    def next_values(shape: tuple[int, ...]) -> np.ndarray:
        values = (next(stored).astype(np.uint32) << 16).view(np.float32)
        return values * (1 + np.float32(noise) * random.standard_normal(shape, np.float32))

    write_checkpoint(
        folder,
        config,
        {name: values.shape for name, values in named.items()},
        next_values,
    )
    for file in ("tokenizer.json", "tokenizer_config.json", "generation_config.json"):
        shutil.copy(source / file, folder / file)
    return folder


def config_layers(tensors: dict[str, np.ndarray]) -> int:
    """Return the number of layers that the tensors have."""
    return 1 + max(int(match[2]) for match in map(_LAYER.fullmatch, tensors) if match is not None)


def watch(owner: Any, name: str, seconds: list[float]) -> None:
    """Replace a method of an object by one that notes the seconds of each call."""
    function: Callable = getattr(owner, name)

    @wraps(function)
    def run_timed(*args: Any) -> Any:
        start = time.perf_counter()
        try:
            return function(*args)
        finally:
            seconds.append(time.perf_counter() - start)

    setattr(owner, name, run_timed)


def measure(
    large: Path, small: Path | None, streams: int, tokens: int, temperature: float
) -> dict[str, float]:
    """Return the tokens per second, and what the steps of both models took."""
    with LLM(large, draft_model=small) as llm:
        params = [
            SamplingParams(max_tokens=tokens, temperature=temperature, ignore_eos=True, seed=seed)
            for seed in range(streams)
        ]
        llm.generate([PROMPT] * streams, params)
        checks: list[float] = []
        passes: list[float] = []
        watch(llm.model, "forward", checks)
        if llm.draft_model is not None:
            watch(llm.draft_model, "_compute", passes)
        before = dict(llm.engine.stats()["totals"])
        start = time.perf_counter()
        completions = llm.generate([PROMPT] * streams, params)
        seconds = time.perf_counter() - start
        after = llm.engine.stats()["totals"]
    totals = {name: after[name] - before[name] for name in ("drafted_tokens", "accepted_tokens", "steps")}
    steps = totals["steps"]
    made = streams * tokens
    possible = made / (sum(checks) + sum(passes))
    return {
        "text": hash(tuple(completion.text for completion in completions)),
        "rate": made / seconds,
        "possible": possible,
        "drafted": totals["drafted_tokens"] / steps / streams,
        "accepted": totals["accepted_tokens"] / steps / streams,
        "check_ms": statistics.median(checks) * 1e3,
        "draft_ms": statistics.median(passes) * 1e3 if passes else 0.0,
    }


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--layers", type=int, default=24, help="of the large model")
    parser.add_argument("--tokens", type=int, default=300)
    parser.add_argument("--streams", default="1,4")
    args = parser.parse_args()
    print(f"{processor_name()}; the embedded model with {args.layers} layers\n", flush=True)
    print("| drafts | temperature | streams | tokens/s | k | a | draft, ms | check, ms | of the possible |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        large = write_model(folder / "large", args.layers)
        own = json.loads((Path(embedded_model()) / "config.json").read_text())["num_hidden_layers"]
        smalls = {
            "none": None,
            "the embedded model": write_model(folder / "same", own),
            f"with {NOISE:.0%} noise": write_model(folder / "noisy", own, NOISE),
        }
        for streams in map(int, args.streams.split(",")):
            for temperature in (0.0, 0.8):
                texts = set()
                for name, small in smalls.items():
                    found = measure(large, small, streams, args.tokens, temperature)
                    texts.add(found["text"])
                    print(
                        f"| {name} | {temperature} | {streams} | {found['rate']:.0f} "
                        f"| {found['drafted']:.2f} | {found['accepted']:.2f} "
                        f"| {found['draft_ms']:.2f} | {found['check_ms']:.2f} "
                        f"| {found['rate'] / found['possible']:.2f} |",
                        flush=True,
                    )
                assert len(texts) == 1, "the answers differ"


if __name__ == "__main__":
    main()
