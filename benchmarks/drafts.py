"""Measure drafts of a model: the speed, and the fraction of what the accepted drafts allow.

    python benchmarks/drafts.py [--layers 24] [--tokens 300] [--streams 1,4] [--mtp]

The large model is the embedded one with layers added that change nothing, so that a step costs more. The
small model is the embedded one, whose drafts are right, or one with noise in its weights, whose drafts are
right now and then. With --mtp, the large model has the shape of Qwen3.5-0.8B in int8 and an MTP head; its
layers change nothing, so that what follows depends on the last token alone, and the head knows it, or has
noise in its projection. If k tokens are drafted and a of them accepted on average, then (a + 1) / (k draft
steps and one check) is possible, with steps measured in the same run. Prints a Markdown table, names the
machine.
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
from making.shapes import SHAPES, list_weights, read_tape
from serving import processor_name

from model_core import LLM, SamplingParams
from model_core.families import read_model_config, write_mtp_tape
from model_core.hub import embedded_model

PROMPT = "Once upon a time there was a little girl who"
NOISE = 0.15
MTP_NOISE = 0.15
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


def write_mtp_model(folder: Path, noise: float = 0.0) -> Path:
    """Write a model of Qwen3.5-0.8B's shape, whose MTP head drafts what the model says, but for noise."""
    # With a head of its own, what follows a token is another one.
    config = SHAPES["qwen3.5-0.8b"] | {"tie_word_embeddings": False}
    tape = read_tape(config)
    head = write_mtp_tape(read_model_config(folder / "config.json", config), tape)
    assert head is not None
    shapes = {w.name: w.shape for w in (*list_weights(tape), *list_weights(head))}
    names, random = iter(shapes), np.random.default_rng(0)

    def next_values(shape: tuple[int, ...]) -> np.ndarray:
        name = next(names)
        values = random.standard_normal(shape, np.float32)
        if name == "mtp.fc.weight":
            scale = np.float32(noise / shape[1] ** 0.5)
            return np.eye(*shape, dtype=np.float32) + scale * values
        if name.endswith(("o_proj.weight", "out_proj.weight", "down_proj.weight")):
            return np.zeros(shape, np.float32)
        if len(shape) == 1:
            return np.zeros(shape, np.float32)
        return np.float32(0.02) * values

    folder.mkdir()
    write_checkpoint(folder, config, shapes, next_values)
    return folder


def measure(large: Path, streams: int, tokens: int, temperature: float, **settings: Any) -> dict[str, float]:
    """Return the tokens per second, and what the steps of both models took."""
    with LLM(large, **settings) as llm:
        params = [
            SamplingParams(max_tokens=tokens, temperature=temperature, ignore_eos=True, seed=seed)
            for seed in range(streams)
        ]
        prompt = PROMPT if llm.tokenizer is not None else list(range(100, 112))
        llm.generate([prompt] * streams, params)
        checks: list[float] = []
        passes: list[float] = []
        for name in ("forward", "forward_for_drafts"):
            watch(llm.model, name, checks)
        if llm.engine.draft_source is not None:
            watch(llm.engine.draft_source, "_compute", passes)
        before = dict(llm.engine.stats()["totals"])
        start = time.perf_counter()
        completions = llm.generate([prompt] * streams, params)
        seconds = time.perf_counter() - start
        after = llm.engine.stats()["totals"]
    totals = {name: after[name] - before[name] for name in ("drafted_tokens", "accepted_tokens", "steps")}
    steps = totals["steps"]
    made = streams * tokens
    possible = made / (sum(checks) + sum(passes))
    return {
        "text": hash(tuple(tuple(completion.token_ids) for completion in completions)),
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
    parser.add_argument("--mtp", action="store_true", help="drafts of an MTP head")
    args = parser.parse_args()
    what = "Qwen3.5-0.8B's shape, int8" if args.mtp else f"the embedded model with {args.layers} layers"
    print(f"{processor_name()}; {what}\n", flush=True)
    print("| drafts | temperature | streams | tokens/s | k | a | draft, ms | check, ms | of the possible |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        cases: dict[str, dict[str, Any]] = {}
        if args.mtp:
            right, noisy = write_mtp_model(folder / "right"), write_mtp_model(folder / "noisy", MTP_NOISE)
            cases["none"] = {"large": right, "weights": "int8", "no_mtp": True}
            cases["the MTP head"] = {"large": right, "weights": "int8"}
            cases["with noise"] = {"large": noisy, "weights": "int8"}
        else:
            large = write_model(folder / "large", args.layers)
            own = json.loads((Path(embedded_model()) / "config.json").read_text())["num_hidden_layers"]
            cases["none"] = {"large": large}
            same, noisy = write_model(folder / "same", own), write_model(folder / "noisy", own, NOISE)
            cases["the embedded model"] = {"large": large, "draft_model": same}
            cases[f"with {NOISE:.0%} noise"] = {"large": large, "draft_model": noisy}
        for streams in map(int, args.streams.split(",")):
            for temperature in (0.0,) if args.mtp else (0.0, 0.8):  # random logits are alike
                texts = set()
                for name, case in cases.items():
                    found = measure(streams=streams, tokens=args.tokens, temperature=temperature, **case)
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
