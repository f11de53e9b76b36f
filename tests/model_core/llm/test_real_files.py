"""Real trained models, as people have them: the tokens of llama.cpp, and the numbers of Transformers.

tests/helpers/makers/make_real.py made what is expected. A model that no package index gives is skipped.
"""

import hashlib
import json
from subprocess import SubprocessError
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pytest
import real_models
from paths import DATA
from real_texts import SENTENCES, texts

from model_core import LLM, SamplingParams

pytestmark = pytest.mark.timeout(600)


def load(name: str, **settings: Any) -> LLM:
    try:
        path = real_models.fetch(name)
    except (SubprocessError, OSError, BadZipFile) as error:
        pytest.skip(f"{name} cannot be had here: {error}")
    return LLM(path, **settings)


@pytest.mark.parametrize("name", ["smollm2", "gemma3"])
def test_real_model_computes_what_others_do(name: str) -> None:
    expected = np.load(DATA / "real" / f"{name}.npz")
    tokens_of_texts = json.loads((DATA / "real" / f"{name}-tokens.json").read_text())
    with load(name, arithmetic="float32", kv_cache_memory=2**28) as llm:
        wrong = []
        for text, (count, digest) in zip(texts(), tokens_of_texts, strict=True):
            tokens = llm.tokenizer.encode(text, add_special_tokens=False)
            found = hashlib.sha256(" ".join(map(str, tokens)).encode()).hexdigest()[:12]
            if (len(tokens), found) != (count, digest):
                wrong.append((text, len(tokens), count))
        assert not wrong, wrong[:10]
        params = SamplingParams(max_tokens=40, temperature=0, ignore_eos=True)
        for number in range(sum(key.startswith("prompt") for key in expected)):
            prompt = expected[f"prompt_{number}"].tolist()
            logits, known = llm.logits(prompt), expected[f"logits_{number}"]
            found = logits[-4:, :: logits.shape[1] // 512]
            assert np.abs(found - known).max() < 1e-4 * np.abs(known).max()
            assert llm.generate(prompt, params).token_ids == expected[f"greedy_{number}"].tolist()


def test_real_embedder_computes_what_others_do() -> None:
    expected = np.load(DATA / "real" / "minilm.npz")["vectors"]
    with load("minilm", arithmetic="float32") as llm:
        vectors = np.array(llm.embed(list(SENTENCES)))
    assert np.abs(vectors - expected).max() < 1e-4
    assert np.einsum("ij,ij->i", vectors, expected).min() > 1 - 1e-6
