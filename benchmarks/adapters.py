"""Measure what adapters cost: 16 streams that have 8 adapters of rank 16 among them, and the same without.

    python benchmarks/adapters.py --work-folder FOLDER [--shape SHAPE] [--weights int8]

Once the adapters change all linear layers, once queries and values only (PEFT's default for Llama). Rounds
alternate, so that a machine that becomes slower affects both. The work folder keeps the model; the adapters
have random factors. Prints a Markdown table, and names the machine.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from making.checkpoints import build_folder
from making.shapes import SHAPES, make_checkpoint
from serving import processor_name

from model_core import LLM, SamplingParams
from model_core.files.safetensors import write_safetensors

STREAMS, ADAPTERS, RANK, NEW_TOKENS, ROUNDS = 16, 8, 16, 64, 7
TARGETS = {"all linear layers": ("_proj",), "queries and values": ("q_proj", "v_proj")}


def write_adapter(llm: LLM, targets: Sequence[str], seed: int, folder: Path) -> Path:
    """Write an adapter with random factors in PEFT's layout, for the layers whose names end like this."""
    random, tensors = np.random.default_rng(seed), {}
    for tensor in llm.model.adapters.tensors:
        module = tensor.name.removesuffix(".weight")
        if module.endswith(tuple(targets)):
            for factor, shape in (("A", (RANK, tensor.k)), ("B", (tensor.n, RANK))):
                values = random.standard_normal(shape, dtype=np.float32) * np.float32(0.01)
                tensors[f"base_model.model.{module}.lora_{factor}.weight"] = values
    folder.mkdir()
    write_safetensors(folder / "adapter_model.safetensors", tensors)
    config = {"peft_type": "LORA", "r": RANK, "lora_alpha": 2 * RANK}
    (folder / "adapter_config.json").write_text(json.dumps(config))
    return folder


def measure_rate(llm: LLM, prompts: list[list[int]], names: Sequence[str | None]) -> float:
    """Return tokens per second of all streams together."""
    params = SamplingParams(temperature=0.8, seed=1, max_tokens=NEW_TOKENS, ignore_eos=True)
    start = time.perf_counter()
    completions = llm.generate(prompts, params, adapter=names)
    return sum(len(completion.token_ids) for completion in completions) / (time.perf_counter() - start)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work-folder", type=Path, required=True, help="keeps the model")
    parser.add_argument("--shape", choices=SHAPES, default="tinyllama")
    parser.add_argument("--weights", default="int8")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    args = parser.parse_args()
    model = args.work_folder / args.shape / "checkpoint"
    build_folder(model, lambda partial: make_checkpoint(SHAPES[args.shape], partial))
    with LLM(model, weights=args.weights) as llm, tempfile.TemporaryDirectory() as temporary:
        random = np.random.default_rng(0)
        prompts = random.integers(300, llm.model.config.vocab_size - 1, (STREAMS, 32)).tolist()
        print(f"{processor_name()}\n\n| {args.shape} {args.weights}, {STREAMS} streams | tokens/s | ratio |")
        print("| --- | --- | --- |")
        for number, (title, targets) in enumerate(TARGETS.items()):
            names = [f"{number}-{adapter}" for adapter in range(ADAPTERS)]
            for seed, name in enumerate(names):
                llm.load_adapter(name, write_adapter(llm, targets, seed, Path(temporary) / name))
            kinds = {"without": [None] * STREAMS, "with": [names[i % ADAPTERS] for i in range(STREAMS)]}
            rates: dict[str, list[float]] = {kind: [] for kind in kinds}
            for _ in range(args.rounds + 1):  # the first one warms up
                for kind, chosen in kinds.items():
                    rates[kind].append(measure_rate(llm, prompts, chosen))
            pairs = list(zip(rates["without"][1:], rates["with"][1:], strict=True))
            plain, adapted = (statistics.median(side) for side in zip(*pairs, strict=True))
            ratios = [after / before for before, after in pairs]
            print(f"| without adapters | {plain:.0f} | |")
            spread = f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"
            print(f"| {ADAPTERS} adapters of rank {RANK}, {title} | {adapted:.0f} | {spread} |", flush=True)
            for name in names:
                llm.drop_adapter(name)


if __name__ == "__main__":
    main()
