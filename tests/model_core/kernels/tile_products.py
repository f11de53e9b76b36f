"""What test_tiles.py lets kernels compute on tiles: `tile_products.py RESULTS.npz`."""

import gc
import sys
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    gc.disable()  # nearly all of the time is that of compilers, which leave little garbage
    sys.path.insert(0, str(Path(__file__).parents[2] / "helpers" / "models"))
    import amx_emulator

    amx_emulator.install()

import numpy as np
from paths import CHECKPOINTS
from products import Activations, multiply

from model_core import LLM
from model_core.kernels import emit
from model_core.model.tile_check import SIZES
from model_core.weights.matrix import KINDS
from model_core.weights.pack import pack

ROWS = (1, 11, 12, 16, 29, 40, 80)
SETTINGS: dict[str, Any] = {"threads": 1, "kv_cache_dtype": "float32"}
MODELS = ("llama-tied-gqa", "qwen3-moe")


def compute() -> dict[str, np.ndarray]:
    """Products of each kind and size, with some numbers of rows; and logits of models. By name."""
    random, found = np.random.default_rng(0), {}
    for n, k in SIZES:
        weight = random.standard_normal((n, k), dtype=np.float32)
        x = random.standard_normal((max(ROWS), k), dtype=np.float32) * 3
        for kind in ("int8", "int4", "bfloat16"):
            matrix = pack([weight], KINDS[kind])
            for parts in (1, 2) if kind == "bfloat16" and emit.HAS_BFLOAT16_TILES else (0,):
                for rows in ROWS:
                    y = multiply(matrix, Activations(x[:rows], parts), rows, parts=parts)
                    found[f"{kind} {n} {k} {parts} {rows}"] = y[:, :n]
    for name in MODELS:
        prompt = np.load(CHECKPOINTS / name / "expected.npz")["prompt"].tolist()
        for weights in ("int8", "int4", "bfloat16"):
            with LLM(CHECKPOINTS / name, weights=weights, arithmetic="int8", **SETTINGS) as llm:
                found[f"{name} {weights}"] = llm.logits(prompt)
    return found


def vector_logits(name: str) -> np.ndarray:
    """The logits of a model in bfloat16, computed in vectors."""
    prompt = np.load(CHECKPOINTS / name / "expected.npz")["prompt"].tolist()
    with LLM(CHECKPOINTS / name, weights="bfloat16", portable=True, **SETTINGS) as llm:
        return llm.logits(prompt)


if __name__ == "__main__":
    results = compute()
    np.savez(sys.argv[1], executed=amx_emulator.executed(), has_amx=emit.HAS_AMX, **results)
