"""Compare embeddings with sentence-transformers on one machine: inputs per second, in one run.

    python benchmarks/models/embeddings.py --work-folder FOLDER --python PYTHON [--shapes minilm-l6]

Models have random weights. The inputs are lists of random tokens, from 10 to 500 of them, the same for both.
sentence-transformers runs in the process of an interpreter that has it, on PyTorch in the stored type and in
float32, with its defaults: 32 inputs in a batch, sorted by length. The engines take turns in several rounds.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

SHAPES = {"minilm-l6": "mean", "qwen3-0.6b": "lasttoken"}
MODULES = ("Transformer", "Pooling", "Normalize")
ENGINES = ("ours:auto", "ours:int8", "sentence-transformers:auto", "sentence-transformers:float32")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work-folder", type=Path, required=True, help="keeps the models; some 2 GB")
    parser.add_argument("--python", default=sys.executable, help="an interpreter with sentence-transformers")
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--inputs", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--worker", nargs=3, metavar=("ENGINE", "SHAPE", "RESULT"), help=argparse.SUPPRESS)
    return parser.parse_args()


def make_folder(shape: str, folder: Path) -> None:
    """A model with random weights as sentence-transformers stores one, and a tokenizer of numbers."""
    from making.shapes import SHAPES as CONFIGS
    from making.shapes import make_checkpoint
    from tokenizers import Tokenizer, models, pre_tokenizers

    make_checkpoint(CONFIGS[shape], folder)
    words = {"[UNK]": 0} | {str(number): number for number in range(1, CONFIGS[shape]["vocab_size"])}
    tokenizer = Tokenizer(models.WordLevel(words, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "[UNK]", "pad_token": "[UNK]"}
    settings["model_max_length"] = 512
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    places = ("", "1_Pooling", "2_Normalize")
    modules = [
        {"idx": i, "name": str(i), "path": places[i], "type": f"sentence_transformers.models.{name}"}
        for i, name in enumerate(MODULES)
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    for place in places[1:]:
        (folder / place).mkdir()
    pooling = {"embedding_dimension": CONFIGS[shape]["hidden_size"], "pooling_mode": SHAPES[shape]}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))


def make_texts(count: int) -> list[str]:
    """Texts of 10 to 500 tokens."""
    random = np.random.default_rng(0)
    lengths = random.integers(10, 501, count)
    return [" ".join(map(str, random.integers(1, 30000, length))) for length in lengths]


def load(engine: str, folder: Path, threads: int) -> Callable[[list[str]], np.ndarray]:
    """The function from texts to vectors."""
    name, variant = engine.split(":")
    if name == "ours":
        from model_core import LLM

        return LLM(folder, weights=variant, threads=threads).embed
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(threads)
    options = {"dtype": variant}
    return SentenceTransformer(str(folder), device="cpu", model_kwargs=options).encode


def work(engine: str, shape: str, result: Path, arguments: argparse.Namespace) -> None:
    """Measure one engine once, after a few inputs that do not count."""
    embed = load(engine, arguments.work_folder / f"embed-{shape}", arguments.threads)
    texts = make_texts(arguments.inputs)
    embed(texts[:8])
    start = time.perf_counter()
    vectors = embed(texts)
    seconds = time.perf_counter() - start
    np.savez(result, vectors=vectors, seconds=seconds)


def run_worker(engine: str, shape: str, arguments: argparse.Namespace) -> tuple[float, np.ndarray]:
    """Seconds for all inputs, and the vectors."""
    python = sys.executable if engine.startswith("ours") else arguments.python
    variables = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = os.environ | dict.fromkeys(variables, str(arguments.threads)) | {"HF_HUB_OFFLINE": "1"}
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.npz"
        options = ["--work-folder", arguments.work_folder, "--inputs", str(arguments.inputs)]
        options += ["--threads", str(arguments.threads), "--worker", engine, shape, result]
        subprocess.run([python, __file__, *map(str, options)], env=environment, check=True)
        with np.load(result) as data:
            return float(data["seconds"]), data["vectors"]


def main() -> None:
    arguments = parse_arguments()
    if arguments.worker:
        engine, shape, result = arguments.worker
        return work(engine, shape, Path(result), arguments)
    from making.checkpoints import build_folder

    for shape in arguments.shapes:
        build_folder(arguments.work_folder / f"embed-{shape}", lambda folder, s=shape: make_folder(s, folder))
        seconds: dict[str, list[float]] = {engine: [] for engine in arguments.engines}
        vectors = {}
        for _ in range(arguments.rounds):
            for engine in arguments.engines:
                taken, vectors[engine] = run_worker(engine, shape, arguments)
                seconds[engine].append(taken)
        reference = vectors[arguments.engines[-1]]
        print(
            f"{shape}, {arguments.inputs} inputs, {arguments.threads} threads, load {os.getloadavg()[0]:.1f}"
        )
        for engine, times in seconds.items():
            cosine = np.sum(vectors[engine].astype(np.float64) * reference, axis=1).min()
            rate = arguments.inputs / statistics.median(times)
            spread = ", ".join(f"{arguments.inputs / taken:.1f}" for taken in times)
            print(f"  {engine:32} {rate:8.1f} inputs/s  ({spread})  least cosine {cosine:.5f}", flush=True)


if __name__ == "__main__":
    main()
