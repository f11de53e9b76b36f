"""Measure the KV memory that one long request holds, and what it would be if all layers were full.

    python benchmarks/models/kv_memory.py [FOLDER ...] [--context 32768]

It needs only the config.json of a model. The scheduler runs all steps of a request, and no model computes
them. Without folders, it takes the shapes of well-known models. Prints a Markdown table.
"""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from model_core import SamplingParams
from model_core.cache.memory import PAGE, KVCache, group_layers
from model_core.cache.reserve import Limits
from model_core.engine.job import Job
from model_core.engine.scheduler import Scheduler
from model_core.engine.sequence import Sequence
from model_core.families import read_model_config, write_tape
from model_core.families.config import read_config
from model_core.requests.sampling import GenerationDefaults
from model_core.tape.operations import KVLayer

ANSWER_TOKENS = 64
_GEMMA: dict[str, Any] = {
    "vocab_size": 262_144,
    "head_dim": 256,
    "sliding_window": 512,
    "rms_norm_eps": 1e-6,
}
SHAPES: dict[str, dict[str, Any]] = {
    "Gemma 3 270M": _GEMMA
    | {
        "model_type": "gemma3_text",
        "hidden_size": 640,
        "intermediate_size": 2048,
        "num_hidden_layers": 18,
        "num_attention_heads": 4,
        "num_key_value_heads": 1,
    },
    "Gemma 4 E2B": _GEMMA
    | {
        "model_type": "gemma4_text",
        "hidden_size": 1536,
        "intermediate_size": 6144,
        "num_hidden_layers": 35,
        "num_attention_heads": 8,
        "num_key_value_heads": 1,
        "num_kv_shared_layers": 20,
        "layer_types": (["sliding_attention"] * 4 + ["full_attention"]) * 7,
        "max_position_embeddings": 131_072,
    },
}


def measure(layers: list[KVLayer], context: int) -> int:
    """The most bytes that a request of `context` positions holds at a time, prompt and answer together."""
    groups = group_layers(layers)
    page_bytes = KVCache.bytes_per_page(groups)
    cache = KVCache(groups, len(groups) * -(-context // PAGE))
    scheduler = Scheduler(cache, Limits(context, 1, 1, cache.pages * page_bytes))
    prompt = [0] * (context - ANSWER_TOKENS)
    job = Job(prompt, SamplingParams().with_defaults(GenerationDefaults()))
    sequence = Sequence("", job, ANSWER_TOKENS, sampler=None, text_stream=None, on_delta=lambda delta: None)
    scheduler.add(sequence)
    peak = 0
    while sequence.answer_length < ANSWER_TOKENS:
        work = scheduler.schedule()
        peak = max(peak, scheduler.kv_bytes_used)
        scheduler.commit(work)
        if work[0].logit_count:
            sequence.tokens.append(0)
    return peak


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path, help="with a config.json")
    parser.add_argument("--context", type=int, default=32_768, help="positions of the request")
    arguments = parser.parse_args()
    configs = {folder.name: read_config(folder) for folder in arguments.folders} or SHAPES
    print("| model | bytes | if all layers were full | share |\n| --- | --- | --- | --- |")
    for name, raw in configs.items():
        layers = write_tape(read_model_config(Path(name), raw)).kv_layers
        used = measure(layers, arguments.context)
        full = measure([replace(layer, window=None) for layer in layers], arguments.context)
        print(f"| {name} | {used:,} | {full:,} | {used / full:.2f} |")


if __name__ == "__main__":
    main()
