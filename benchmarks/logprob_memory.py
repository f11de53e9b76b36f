"""Measure the memory that log probabilities of a long prompt take, beyond weights and KV memory.

    python benchmarks/logprob_memory.py [--tokens 8192] [--top 20]

The model has the width and the vocabulary of Qwen3-0.6B (151,936 tokens), four layers and random weights. A
process of its own computes the prompt, so that nothing else is measured.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from making.shapes import SHAPES, make_checkpoint

from model_core import LLM, SamplingParams

LAYERS = 4


def measure(folder: str, tokens: int, top: int) -> None:
    """Print the memory of a process that computes the prompt without and with log probabilities."""
    prompt = [5 + index * 7919 % 100_000 for index in range(tokens)]
    with LLM(folder, kv_cache_memory=2**31, max_context=tokens) as llm:
        loaded = read_status("VmRSS")
        for params in (
            SamplingParams(max_tokens=0),
            SamplingParams(max_tokens=0, prompt_logprobs=top),
        ):
            Path("/proc/self/clear_refs").write_text("5")  # VmHWM begins anew
            completion = llm.generate(prompt, params)
            # What one prompt has cached, the other one does not use, because it must compute its own logits.
            pages = llm.engine.stats()["kv_pages"]
            kv = (pages["total"] - pages["free"]) * llm.engine._scheduler._page_bytes
            beyond = read_status("VmHWM") - loaded - kv
            print(
                f"prompt_logprobs={params.prompt_logprobs}: {completion.timings.total:.1f} s, KV memory "
                f"{kv / 2**20:.0f} MiB, {beyond / 2**20:.0f} MiB beyond weights and KV memory"
            )


def read_status(name: str) -> int:
    """A figure of this process, in bytes: VmRSS, or VmHWM, the most so far."""
    return 1024 * int(re.search(rf"{name}:\s+(\d+)", Path("/proc/self/status").read_text())[1])


def main() -> None:
    """Write the checkpoint, and let another process measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tokens", type=int, default=8192)
    parser.add_argument("--top", type=int, default=20)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.folder:
        return measure(arguments.folder, arguments.tokens, arguments.top)
    config = SHAPES["qwen3-0.6b"] | {"num_hidden_layers": LAYERS, "max_position_embeddings": arguments.tokens}
    with tempfile.TemporaryDirectory() as folder:
        make_checkpoint(config, Path(folder))
        subprocess.run([sys.executable, __file__, *sys.argv[1:], "--folder", folder], check=True)


if __name__ == "__main__":
    main()
