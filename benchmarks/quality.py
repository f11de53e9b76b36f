"""Measure what rounding costs: the divergence from the same weights in float32, on real texts.

    python benchmarks/quality.py MODEL [SETTING ...] [--llamacpp VARIANT ...] [--python INTERPRETER]

MODEL is a folder or a GGUF file. A SETTING is WEIGHTS[/ARITHMETIC[/KV]], such as `auto`, `int8`,
`int4/float32` or `auto/int8/float16`. The reference is the model with `auto/float32/float32`.

For each setting: the change of perplexity; the mean and the 99th percentile of the Kullback-Leibler
divergence of next-token distributions, in nats; how often both have the same likeliest token; and the bytes
of the weights. The texts are those that `tritonchat quantize` measures on, which no model has read, and
documentation, a licence and code of this project.

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
from model_core.quantizing.loss import ExactTexts, Loss
from model_core.quantizing.quantize_model import TEXTS as SHIPPED_TEXTS

HERE = Path(__file__).parent
ROOT = HERE.parent
TEXTS = (
    *SHIPPED_TEXTS,
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
    loss: Loss
    weight_bytes: int

    def __str__(self) -> str:
        loss = self.loss
        return (
            f"| {self.name} | {100 * loss.perplexity_change:+.2f} % | {loss.divergence:.5f} "
            f"| {loss.high_divergence:.4f} | {100 * loss.agreement:.1f} % "
            f"| {self.weight_bytes / 2**20:.1f} MiB |"
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


class Reference:
    """The model in float32, and its log probabilities of all texts, in a folder."""

    def __init__(self, model: str, folder: Path) -> None:
        with load(model, "auto/float32/float32") as llm:
            self.chunks = read_chunks(llm)
            self._exact = ExactTexts(self.chunks, map(llm.logits, self.chunks), folder)

    def compare(self, name: str, logits: Iterator[np.ndarray], weight_bytes: int) -> Quality:
        """The quality of logits, one array for each text."""
        return Quality(name, self._exact.compare(logits), weight_bytes)


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
