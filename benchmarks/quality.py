"""Measure what rounding costs: the divergence from the same weights in float32, on real texts.

    python benchmarks/quality.py MODEL [SETTING ...] [--llamacpp VARIANT ...] [--python INTERPRETER]

MODEL is a folder or a GGUF file. A SETTING is WEIGHTS[/ARITHMETIC[/KV]], such as `auto`, `int8`,
`int4/float32` or `auto/int8/float16`. The reference is the model with `auto/float32/float32`.

For each setting: the change of perplexity; the mean and the 99th percentile of the Kullback-Leibler
divergence of next-token distributions, in nats; how often both have the same likeliest token; and the bytes
of the weights. The texts are those of benchmarks/texts, which no model has read, and documentation, a licence
and code of this project.

--llamacpp lets llama.cpp compute the GGUF file as it is (`file`), and copies that it quantizes (`q8_0`,
`q4_0`, `q4_k_m`), in an interpreter that has llama-cpp-python.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from model_core import LLM

HERE = Path(__file__).parent
ROOT = HERE.parent
TEXTS = (
    *sorted((HERE / "texts").glob("*.txt")),
    ROOT / "docs/operating.md",
    ROOT / "LICENSE",
    ROOT / "model_core/cache/page_pool.py",
    ROOT / "triton_server/proxy/app.py",
)
CHUNK = 512  # tokens that are computed as one text
TOKENS = 1024  # of a text, at most
KV_MEMORY = 2**30


@dataclass
class Quality:
    """What is found about one setting, over all positions."""

    name: str
    perplexity: float  # change, as a fraction
    divergence: float
    high_divergence: float  # the 99th percentile
    agreement: float  # of the likeliest tokens
    weight_bytes: int

    def __str__(self) -> str:
        size = self.weight_bytes / 2**20
        return (
            f"| {self.name} | {100 * self.perplexity:+.2f} % | {self.divergence:.5f} "
            f"| {self.high_divergence:.4f} | {100 * self.agreement:.1f} % | {size:.1f} MiB |"
        )


HEADER = (
    "| setting | perplexity | KL | KL, 99 % | same token | weights |\n| --- | --- | --- | --- | --- | --- |"
)


def read_chunks(llm: LLM) -> list[list[int]]:
    """The texts as lists of token ids, each with the model's begin token if it has one."""
    chunks = []
    for path in TEXTS:
        tokens = llm.encode(path.read_text(encoding="utf-8"))
        begin = tokens[:1] if llm.encode("") == tokens[:1] else []
        rest = tokens[len(begin) : TOKENS]
        chunks += [begin + rest[i : i + CHUNK] for i in range(0, len(rest), CHUNK)]
    return [chunk for chunk in chunks if len(chunk) > 64]


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Log probabilities of logits [tokens, vocabulary], float32."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True, dtype=np.float64)).astype(np.float32)


class Reference:
    """The log probabilities of all texts in float32, on disk: they are large."""

    def __init__(self, model: str, folder: Path) -> None:
        self._folder = folder
        with load(model, "auto/float32/float32") as llm:
            self.chunks = read_chunks(llm)
            for number, chunk in enumerate(self.chunks):
                np.save(folder / f"{number}.npy", log_softmax(llm.logits(chunk)))

    def compare(self, name: str, logits: Iterator[np.ndarray], weight_bytes: int) -> Quality:
        """The quality of logits, one array for each text."""
        divergences, losses, agreements = [], [], []
        for number, (chunk, found) in enumerate(zip(self.chunks, logits, strict=True)):
            exact, rounded = np.load(self._folder / f"{number}.npy"), log_softmax(found)
            divergences.append((np.exp(exact) * (exact - rounded)).sum(axis=1, dtype=np.float64))
            places = np.arange(len(chunk) - 1), chunk[1:]
            losses.append((exact[places] - rounded[places]).astype(np.float64))
            agreements.append(exact.argmax(axis=1) == rounded.argmax(axis=1))
        divergence = np.concatenate(divergences)
        return Quality(
            name,
            float(np.exp(np.concatenate(losses).mean()) - 1),
            float(divergence.mean()),
            float(np.quantile(divergence, 0.99)),
            float(np.concatenate(agreements).mean()),
            weight_bytes,
        )


def load(model: str, setting: str) -> LLM:
    """The model with a setting; see above."""
    weights, arithmetic, kv = [*setting.split("/"), "", ""][:3]
    others = {"arithmetic": arithmetic, "kv_cache_dtype": kv}
    return LLM(model, weights=weights, kv_cache_memory=KV_MEMORY, **{k: v for k, v in others.items() if v})


def measure(model: str, setting: str, reference: Reference) -> Quality:
    """The quality of the model with a setting."""
    with load(model, setting) as llm:
        logits = (llm.logits(chunk) for chunk in reference.chunks)
        return reference.compare(setting, logits, llm.model.weights.nbytes)


def measure_llamacpp(
    model: str, variant: str, interpreter: str, reference: Reference, folder: Path
) -> Quality:
    """The quality of llama.cpp with the file, or with what it quantizes the file to."""
    (folder / "chunks.json").write_text(json.dumps(reference.chunks))
    command = [interpreter, HERE / "engines/llamacpp_logits.py", model, variant, folder]
    subprocess.run(command, check=True, cwd=HERE)
    logits = (np.load(folder / f"logits-{number}.npy") for number in range(len(reference.chunks)))
    return reference.compare(f"llama.cpp {variant}", logits, int((folder / "weight_bytes").read_text()))


def main() -> None:
    """Print a row for each setting."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("settings", nargs="*", default=["auto"])
    parser.add_argument(
        "--llamacpp", nargs="*", default=[], metavar="VARIANT", help="file, q8_0, q4_0 or q4_k_m"
    )
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has llama-cpp-python")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        reference = Reference(arguments.model, Path(folder))
        count = sum(map(len, reference.chunks))
        print(f"{Path(arguments.model).name}: {count} positions of {len(TEXTS)} texts\n\n{HEADER}")
        for setting in arguments.settings:
            print(measure(arguments.model, setting, reference), flush=True)
        for variant in arguments.llamacpp:
            row = measure_llamacpp(arguments.model, variant, arguments.python, reference, Path(folder))
            print(row, flush=True)


if __name__ == "__main__":
    main()
