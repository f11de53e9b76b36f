"""Compute what `tritonchat recommend` knows of models, the table of the docs, and how right its speeds are.

    PYTHONPATH=.:tests/helpers/models python benchmarks/models/recommended.py [--write] [--check FILE.gguf]

Memory, bytes that a token reads and multiplications are those that the project itself estimates of the
published sizes, as newest.py does. Files in Q4_K_M have the types that llama.cpp chooses; their sizes are
compared with those of the published files.
"""

import argparse
import json
import math
import re
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from newest import list_tensors, make_config, write_holes
from published_sizes import NEWEST, PublishedModel, sizes_of

from model_core import LLM, SamplingParams
from model_core.checks.flags import choose_kv_cache_dtype
from model_core.files.model_files import ModelFiles, open_model_files
from model_core.model.estimate import MemoryFlags, estimate_memory, estimate_step
from model_core.recommend.catalogue import CatalogueModel, list_catalogue
from model_core.recommend.choice import recommend
from model_core.recommend.limits import measure_machine
from model_core.recommend.speed import PROMPT, TYPICAL, expect_speed

ROOT = Path(__file__).parents[2]
FILE = ROOT / "model_core" / "recommend" / "models.json"
PAGE = ROOT / "docs" / "models.md"
HEADER = """\
| memory | model | licence | download | memory it needs | prompt | answer |
| --- | --- | --- | --- | --- | --- | --- |
"""
CHECK_HEADER = """\
| file | prompt, expected | measured | answer, expected | measured |
| --- | --- | --- | --- | --- |
"""
SIZES = (4, 8, 16, 32, 64)  # GiB
_CONTEXT, _ANSWER = 4096, 64
_Q4_K, _Q5_K, _Q6_K, _F32 = 4.5, 5.5, 6.5625, 32.0  # bits of a weight in the file
_FILE_DIFFERS = 0.03  # from the published file, at most


@dataclass(frozen=True)
class Offer:
    """A model to recommend.

    Attributes:
        name: on the hub, as --model takes it; of a .gguf file with :Q4_K_M.
        licence: as its page says.
        weights: --weights; None: as stored.
        sizes: the model.
        file_gb: of a .gguf file, its published size in 10^9 bytes.
    """

    name: str
    licence: str
    weights: str | None
    sizes: PublishedModel
    file_gb: float | None = None


def newest(name: str) -> PublishedModel:
    """A model of the table of the newest ones."""
    return next(model for model in NEWEST if model.name == name)


def _qwen3(billions: float, *sizes: int, tied: bool) -> PublishedModel:
    fields = sizes_of(*sizes, 151936, head_dim=128, tie_word_embeddings=tied, layer_types=None)
    return PublishedModel("Alibaba", "Qwen3", "Qwen3-0.6B", fields, billions)


def _llama3(billions: float, *sizes: int, tied: bool, head: int) -> PublishedModel:
    fields = sizes_of(*sizes, 128256, head_dim=head, tie_word_embeddings=tied, max_position_embeddings=131072)
    return PublishedModel("Meta", "Llama 3", "Llama-3.2-1B-Instruct", fields, billions)


_SMOLLM2 = PublishedModel(
    "Hugging Face", "SmolLM2", "SmolLM2-360M-Instruct", sizes_of(576, 1536, 30, 9, 3, 49152), 0.135
)
_QWEN3_30B = PublishedModel(
    "Alibaba",
    "Qwen3-30B-A3B",
    "Qwen3-30B-A3B",
    {
        **sizes_of(2048, 6144, 48, 32, 4, 151936, tie_word_embeddings=False, head_dim=128),
        **{"num_experts": 128, "num_experts_per_tok": 8, "moe_intermediate_size": 768},
    },
    30.5,
)
_LLAMA, _APACHE = "Llama 3 Community", "Apache-2.0"
# From the least able to the ablest, by what their makers publish; nothing of that is measured here.
OFFERS = (
    Offer("HuggingFaceTB/SmolLM2-135M-Instruct", _APACHE, "int8", _SMOLLM2),
    Offer("Qwen/Qwen3-0.6B", _APACHE, "int8", _qwen3(0.596, 1024, 3072, 28, 16, 8, tied=True)),
    Offer(
        "bartowski/Llama-3.2-1B-Instruct-GGUF:Q4_K_M",
        _LLAMA,
        None,
        newest("meta-llama/Llama-3.2-1B-Instruct"),
        0.81,
    ),
    Offer("Qwen/Qwen3-1.7B", _APACHE, "int8", _qwen3(1.72, 2048, 6144, 28, 16, 8, tied=True)),
    Offer(
        "bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M",
        _LLAMA,
        None,
        _llama3(3.21, 3072, 8192, 28, 24, 8, tied=True, head=128),
        2.02,
    ),
    Offer("ggml-org/SmolLM3-3B-GGUF:Q4_K_M", _APACHE, None, newest("HuggingFaceTB/SmolLM3-3B"), 1.92),
    Offer(
        "unsloth/Phi-4-mini-instruct-GGUF:Q4_K_M", "MIT", None, newest("microsoft/Phi-4-mini-instruct"), 2.49
    ),
    Offer(
        "unsloth/Qwen3-4B-Instruct-2507-GGUF:Q4_K_M",
        _APACHE,
        None,
        _qwen3(4.02, 2560, 9728, 36, 32, 8, tied=True),
        2.5,
    ),
    Offer("LiquidAI/LFM2-8B-A1B-GGUF:Q4_K_M", "LFM Open 1.0", None, newest("LiquidAI/LFM2-8B-A1B"), 5.04),
    Offer("Qwen/Qwen3-8B-GGUF:Q4_K_M", _APACHE, None, _qwen3(8.19, 4096, 12288, 36, 32, 8, tied=False), 5.03),
    Offer("Qwen/Qwen3-14B-GGUF:Q4_K_M", _APACHE, None, _qwen3(14.8, 5120, 17408, 40, 40, 8, tied=False), 9.0),
    Offer("openai/gpt-oss-20b", _APACHE, None, newest("openai/gpt-oss-20b")),
    Offer("unsloth/Qwen3-30B-A3B-Instruct-2507-GGUF:Q4_K_M", _APACHE, None, _QWEN3_30B, 18.6),
    Offer("Qwen/Qwen3.6-35B-A3B", _APACHE, "mixed", newest("Qwen/Qwen3.6-35B-A3B")),
    Offer("Qwen/Qwen3.6-27B", _APACHE, "mixed", newest("Qwen/Qwen3.6-27B")),
    Offer(
        "bartowski/Llama-3.3-70B-Instruct-GGUF:Q4_K_M",
        _LLAMA,
        None,
        _llama3(70.6, 8192, 28672, 80, 64, 8, tied=False, head=128),
        42.5,
    ),
)


@dataclass(frozen=True)
class Q4KMSource:
    """The tensors of a file in Q4_K_M by the types that llama.cpp chooses (llama_tensor_get_type)."""

    shapes: dict[str, tuple[int, ...]]
    layers: int
    is_tied: bool

    def __contains__(self, name: object) -> bool:
        return name in self.shapes

    def stored_bytes(self, name: str) -> int:
        """Bytes of a tensor."""
        return round(self._bits(name) * math.prod(self.shapes[name]) / 8)

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a tensor."""
        return self.shapes[name]

    def _bits(self, name: str) -> float:
        layer = re.search(r"layers\.(\d+)\.", name)
        if len(self.shapes[name]) == 1 or re.search(r"norm|\.gate\.weight|conv\.conv", name):
            return _F32
        if name == "lm_head.weight" or (self.is_tied and "embed_tokens" in name):
            return _Q6_K
        if "qkv_proj" in name:
            return _Q5_K
        if layer is not None and re.search(r"v_proj|down_proj|feed_forward.*w2", name):
            i, n = int(layer[1]), self.layers
            return _Q6_K if i < n // 8 or i >= 7 * n // 8 or (i - n // 8) % 3 == 2 else _Q4_K
        return _Q4_K


def describe(offer: Offer) -> CatalogueModel:
    """What the catalogue says of a model."""
    config = make_config(offer.sizes)
    tensors = list_tensors(offer.sizes, config)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_holes(folder, config, tensors)
        files = open_model_files(folder)
        size = (folder / "model.safetensors").stat().st_size
        if offer.file_gb is not None:
            files, size = _as_gguf(files, config, {name: shape for name, (_, shape) in tensors.items()})
            if abs(size / 1e9 / offer.file_gb - 1) > _FILE_DIFFERS:
                raise ValueError(f"{offer.name} has {size / 1e9:.2f} GB, not {offer.file_gb}.")
        return _make_entry(offer.name, offer.licence, files, offer.weights, size)


def _make_entry(name: str, licence: str, files: ModelFiles, weights: str | None, size: int) -> CatalogueModel:
    memory = estimate_memory(
        files, MemoryFlags(weights or "auto", _CONTEXT, None, choose_kv_cache_dtype("auto", "auto"))
    )
    step = estimate_step(files, weights or "auto")
    return CatalogueModel(
        name=name,
        licence=licence,
        family=files.config["model_type"],
        weights=weights,
        download_bytes=size,
        memory_bytes=memory.total,
        weight_bytes=memory.weights,
        **asdict(step),
        kv_bytes=memory.kv // _CONTEXT,
    )


def _as_gguf(
    files: ModelFiles, config: dict[str, Any], shapes: dict[str, tuple[int, ...]]
) -> tuple[ModelFiles, int]:
    source: Any = Q4KMSource(shapes, config["num_hidden_layers"], config["tie_word_embeddings"])
    return replace(files, open_tensors=lambda: source), sum(map(source.stored_bytes, shapes))


def write_catalogue() -> str:
    """The text of models.json."""
    return json.dumps([asdict(describe(offer)) for offer in OFFERS], indent=1) + "\n"


def write_table() -> str:
    """The rows of the table in docs/models.md, of models.json."""
    rows = []
    for size in SIZES:
        for choice in recommend(TYPICAL, size * 2**30 - 2**30):
            model, speed = choice.model, choice.speed
            sizes = f"{model.download_bytes / 2**30:.1f} GiB | {model.memory_bytes / 2**30:.1f} GiB"
            words = f"`{model.arguments}` | {model.licence} | {sizes}"
            rows.append(f"| {size} GiB | {words} | {speed.prompt:.0f} | {speed.answer:.0f} |\n")
    return "".join(rows)


def check_speed(file: Path, threads: int, rounds: int) -> str:
    """A row: the expected and the measured speeds of a model on this machine, medians of all rounds."""
    model = _make_entry(file.name, "", open_model_files(file), None, file.stat().st_size)
    random, rows = np.random.default_rng(0), []
    with LLM(file, threads=threads) as llm:
        for _ in range(rounds):
            expected = expect_speed(model, measure_machine(threads))
            prompt = random.integers(0, llm.model.config.vocab_size, PROMPT).tolist()
            params = SamplingParams(max_tokens=_ANSWER, temperature=0, ignore_eos=True)
            timings = llm.generate([prompt], params)[0].timings
            answer = (_ANSWER - 1) / (timings.total - timings.first_token)
            rows.append((expected.prompt, PROMPT / timings.first_token, expected.answer, answer))
    cells = (f"{value:.0f}" for value in np.median(rows, axis=0))
    return f"| {file.name} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table, and write both; or check the speeds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--write", action="store_true", help="write models.json, and the table of docs/models.md"
    )
    parser.add_argument("--check", nargs="+", type=Path, default=[], help="measure these .gguf files")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    if args.check:
        print(CHECK_HEADER, end="")
    for file in args.check:
        print(check_speed(file, args.threads, args.rounds), flush=True)
    if args.write:
        FILE.write_text(write_catalogue())
        list_catalogue.cache_clear()
        page, table = PAGE.read_text(), write_table()
        start = page.index(HEADER) + len(HEADER)
        PAGE.write_text(page[:start] + table + page[page.index("\n\n", start - 1) + 1 :])
    if not args.check:
        print(HEADER + write_table(), end="")


if __name__ == "__main__":
    main()
