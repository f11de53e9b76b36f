"""Measure what rounding costs: the divergence from the same weights in float32, on real texts.

    python benchmarks/quality.py MODEL [SETTING ...] [ENGINE:VARIANT[=INTERPRETER] ...]

MODEL is a folder or a GGUF file. A SETTING is WEIGHTS[/ARITHMETIC[/KV]], such as `auto`, `int8`,
`int4/float32` or `auto/int8/float16`. The reference is the model with `auto/float32/float32`.

For each setting: the change of perplexity; the mean and the 99th percentile of the Kullback-Leibler
divergence of next-token distributions, in nats; how often both have the same likeliest token; and the bytes
of the weights. The texts are those that `tritonchat quantize` measures on, which no model has read, and
documentation, a licence and code of this project.

Other engines take a GGUF file, as contestants of pairs.py: `llama.cpp:file` and `ik_llama.cpp:file` as it
is, `llama.cpp:q4_0` or `openvino:int8` what they convert it to, in the work folder. vLLM and CTranslate2 are
not among them: they convert checkpoints alone, and the former gives log probabilities as Python objects.
`--json FILE` keeps the rows, for side_by_side.py.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from engines import ENGINES
from pairs import prepare, split_name
from peers import run_worker

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


def measure_peer(text: str, args: argparse.Namespace, reference: Reference, folder: Path) -> Quality:
    """The quality of another engine. Ends the program if it fails, or does not give its logits."""
    task, python = prepare(text, args)
    if not ENGINES[task["engine"]].has_logits:
        sys.exit(f"{text}: {task['engine']} does not give the logits of all positions.")
    (folder / "texts.json").write_text(json.dumps(reference.chunks))
    result = run_worker(task | {"task": "logits", "target": str(folder)}, python, args.threads)
    if "error" in result:
        sys.exit(f"{text} failed: {result.get('stderr', result['error'])}")
    logits = (np.load(folder / f"{number}.npy") for number in range(len(reference.chunks)))
    return reference.compare(split_name(text)[0], logits, result["weight_bytes"])


def main() -> None:
    """Print a row for each setting."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("shape", metavar="MODEL")
    parser.add_argument("settings", nargs="*", default=["auto"], metavar="SETTING or ENGINE:VARIANT")
    parser.add_argument("--work-folder", type=Path, help="keeps what other engines convert")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of other engines")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write all rows")
    args = parser.parse_args()
    peers = [setting for setting in args.settings if ":" in setting]
    if peers and not args.work_folder:
        parser.error("other engines need a --work-folder.")
    rows: list[Quality] = []
    with tempfile.TemporaryDirectory() as exact, tempfile.TemporaryDirectory() as found:
        reference = Reference(args.shape, Path(exact))
        count = sum(map(len, reference.chunks))
        print(f"{Path(args.shape).name}: {count} positions of {len(TEXTS)} texts\n\n{HEADER}")
        for setting in args.settings:
            if setting in peers:
                rows.append(measure_peer(setting, args, reference, Path(found)))
            else:
                rows.append(measure(args.shape, setting, reference))
            print(rows[-1], flush=True)
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
