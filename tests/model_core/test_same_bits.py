"""With integer weights, logits and samples have the same bits on all x86 processors with AVX2."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from model_core import LLM, SamplingParams
from model_core.config import GenerationDefaults
from model_core.kernels import emit
from model_core.row_sampler import Draw, RowSampler
from model_core.sampler import Sampler

# NumPy's own functions use these, and round differently with and without them.
NEWER_FEATURES = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"
CHECKPOINTS = Path(__file__).parent.parent / "data" / "checkpoints"


def digests() -> dict[str, str]:
    """A digest of the logits of each checkpoint's prompt, by its name and the type of the weights."""
    found = {}
    for expected in sorted(CHECKPOINTS.glob("*/expected.npz")):
        folder = expected.parent
        prompt = np.load(expected)["prompt"].tolist()
        for weights in ("int8", "int4"):
            with LLM(folder, weights=weights) as llm:
                logits = np.ascontiguousarray(llm.logits(prompt))
            found[f"{folder.name} {weights}"] = hashlib.sha256(logits.tobytes()).hexdigest()
    return found


def sampling_digests() -> dict[str, str]:
    """A digest of tokens and their log probabilities, by the way of sampling."""
    found = {}
    ways = (
        {},
        {"top_p": 0.9},
        {"top_p": 0.9, "top_k": 100},
        {"typical_p": 0.9},
        {"mirostat": 2},
        {"top_k": 50, "min_p": 0.05},
    )
    for way in ways:
        params = SamplingParams(temperature=0.9, seed=1, logprobs=3, **way)
        sampler = Sampler(params.with_defaults(GenerationDefaults(temperature=1.0)), [0], 5000)
        random, rows = np.random.default_rng(1), RowSampler(5000)
        drawn = []
        for _ in range(100):
            # Whole numbers, because NumPy's logarithms differ, too.
            logits = (random.integers(-4000, 4000, 5000) / 512).astype(np.float32)
            drawn += rows.sample(logits[None], [Draw(sampler, 0)])
        found[str(way)] = hashlib.sha256(repr(drawn).encode()).hexdigest()
    return found


def test_integer_weights_have_the_same_bits_on_an_older_processor() -> None:
    if emit.INSTRUCTION_SET in ("avx2", "generic"):
        pytest.skip("this processor has no newer instructions")
    environment = {
        **os.environ,
        "NUMBA_CPU_NAME": "haswell",
        "NPY_DISABLE_CPU_FEATURES": NEWER_FEATURES,
        "PYTHONWARNINGS": "ignore",  # of features that this processor has not
    }
    run = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-3000:]
    older = json.loads(run.stdout)
    assert len(older) >= 100
    assert older == digests() | sampling_digests()


if __name__ == "__main__":
    json.dump(digests() | sampling_digests(), sys.stdout)
