"""Every family and variant computes what Hugging Face Transformers computes (see make_checkpoints.py)."""

from pathlib import Path

import numpy as np
import pytest
from conftest import CHECKPOINTS

from model_core import LLM, SamplingParams


@pytest.mark.parametrize("folder", sorted(CHECKPOINTS.iterdir()), ids=lambda folder: folder.name)
def test_logits_and_greedy_tokens_match_transformers(folder: Path) -> None:
    expected = np.load(folder / "expected.npz")
    prompt = expected["prompt"].tolist()
    with LLM(folder) as llm:
        logits = llm.logits(prompt)
        params = SamplingParams(max_tokens=len(expected["greedy"]), temperature=0, ignore_eos=True)
        completion = llm.generate(prompt, params)
    error = np.linalg.norm(logits - expected["logits"]) / np.linalg.norm(expected["logits"])
    assert error < 2e-3
    assert completion.token_ids == expected["greedy"].tolist()


@pytest.mark.parametrize(
    ("weights", "bound"),
    [("float32", 1e-5), ("bfloat16", 5e-2), ("float16", 5e-3), ("int8", 0.1), ("int4", 0.7)],
)
def test_weights_can_be_held_in_another_type(weights: str, bound: float) -> None:
    """Random weights are the worst there are to round; what trained ones lose is in test_quantize.py."""
    folder = CHECKPOINTS / "llama-tied-gqa"
    expected = np.load(folder / "expected.npz")
    with LLM(folder, weights=weights) as llm:
        assert llm.model.weights == weights
        logits = llm.logits(expected["prompt"].tolist())
    error = np.linalg.norm(logits - expected["logits"]) / np.linalg.norm(expected["logits"])
    assert error < bound
