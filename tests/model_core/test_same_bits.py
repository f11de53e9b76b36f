"""With integer weights, every family's logits have the same bits on all x86 processors with AVX2."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from model_core import LLM
from model_core.kernels import emit

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


def test_integer_weights_have_the_same_bits_on_an_older_processor() -> None:
    if emit.INSTRUCTION_SET in ("avx2", "generic"):
        pytest.skip("this processor has no newer instructions")
    environment = {**os.environ, "NUMBA_CPU_NAME": "haswell"}
    run = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-3000:]
    older = json.loads(run.stdout)
    assert len(older) >= 100
    assert older == digests()


if __name__ == "__main__":
    json.dump(digests(), sys.stdout)
