"""Measure the time to the first token of a long prompt, without and with a saved prompt, after a restart.

    python benchmarks/saved_prompts.py [--shape tinyllama] [--tokens 8192] [--weights int8] [--folder FOLDER]

Each row is a process of its own, as after a restart. The file is in the page cache of the system, unless the
machine needs its memory. Prints a Markdown table.
"""

import argparse
import json
import queue
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from making.checkpoints import build_folder
from making.shapes import SHAPES, make_checkpoint

from model_core import LLM, SamplingParams
from model_core.engine.job import Job
from model_core.prompts.saved import SavedPrompts
from model_core.requests.results import Completion, Delta


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    """What one process measures: seconds to the first token, and tokens from the cache.

    The first process finds no saved prompt. After the measurement, it saves the one that it has answered.
    """
    prompt = np.random.default_rng(0).integers(3, 30_000, arguments.tokens).tolist()
    settings = {name: getattr(arguments, name) for name in ("weights", "kv_cache_dtype", "threads")}
    saved = SavedPrompts(arguments.folder / "prompts", 2**40)
    memory = 2**20 * arguments.tokens // 4
    with LLM(checkpoint_folder(arguments), kv_cache_memory=memory, **settings) as llm:
        saved.open(llm.prompts, lambda name, source: None)
        llm.generate([1, 2, 3], SamplingParams(max_tokens=2))  # memory of the process, threads
        params = SamplingParams(max_tokens=8, temperature=0, ignore_eos=True)
        if saved.list():
            answer = llm.generate(prompt, params)
        else:
            answer = compute(llm, prompt, params)
            saved.save(llm.prompts, "prompt", prompt, "")
        return {
            "seconds": answer.timings.first_token,
            "cached": answer.usage.cached_tokens,
            "tokens": answer.token_ids,
            "bytes": saved.list()[0]["bytes"],
        }


def compute(llm: LLM, prompt: list[int], params: SamplingParams) -> Completion:
    """As `generate`, but with pages for everybody, so that `save` has nothing to compute."""
    deltas: queue.SimpleQueue[Delta] = queue.SimpleQueue()
    llm.engine.submit(Job(prompt, params.with_defaults(llm.defaults), is_shared=True), deltas.put)
    while (completion := deltas.get().completion) is None:
        pass
    return completion


def checkpoint_folder(arguments: argparse.Namespace) -> Path:
    """A checkpoint of the shape, with a context that is long enough."""
    config = SHAPES[arguments.shape] | {"max_position_embeddings": arguments.tokens + 64}
    folder = arguments.folder / f"{arguments.shape}-{arguments.tokens}"
    return build_folder(folder, lambda partial: make_checkpoint(config, partial))


def main() -> None:
    """Measure in two processes, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shape", choices=SHAPES, default="tinyllama")
    parser.add_argument("--tokens", type=int, default=8192, help="of the prompt")
    parser.add_argument("--weights", default="int8")
    parser.add_argument("--kv-cache-dtype", default="float32")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--folder", type=Path, help="for the checkpoint and the prompt; it is kept")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        return print(json.dumps(measure(arguments)))
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        checkpoint_folder(argparse.Namespace(**{**vars(arguments), "folder": folder}))
        command = [sys.executable, __file__, *sys.argv[1:], "--child", "--folder", str(folder)]
        cold, warm = (
            json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout) for _ in range(2)
        )
    if cold["tokens"] != warm["tokens"]:
        raise SystemExit("the answers differ")
    print(f"The file has {warm['bytes'] / 2**20:.0f} MiB.\n")
    print("| first token of a prompt | seconds | tokens from the file |\n| --- | --- | --- |")
    print(f"| computed | {cold['seconds']:.2f} | {cold['cached']} |")
    print(f"| saved, after a restart | {warm['seconds']:.2f} | {warm['cached']} |")
    print(f"\nThat is {warm['seconds'] / cold['seconds']:.1%} of the time.")


if __name__ == "__main__":
    main()
