"""A step of a model, measured operation by operation, against what the machine allows."""

import threading

import numpy as np
import pytest
from paths import CHECKPOINTS

from model_core import LLM, SamplingParams
from model_core.errors import InvalidRequest, NoMemory
from model_core.inspect import step_profile
from model_core.inspect.step_profile import LOADS, StepProfile, profile_step


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine of known speed. Tests of the server measure the real one."""
    monkeypatch.setattr(step_profile, "measure_machine", lambda threads, kind: (1e10, 1e11))


def check(profile: StepProfile) -> None:
    assert sum(part.seconds for part in profile.operations) == pytest.approx(profile.seconds)
    seconds = [part.seconds for part in profile.operations]
    assert seconds == sorted(seconds, reverse=True) and min(seconds) > 0
    for part in profile.operations:
        memory, arithmetic = part.memory_bytes / 1e10, part.arithmetic / 1e11
        assert max(memory, arithmetic) <= part.least_seconds * 1.000001
        assert part.limit == (
            "" if not memory + arithmetic else "memory" if memory >= arithmetic else "arithmetic"
        )


def test_products_read_each_weight_once(llm: LLM) -> None:
    one, many, prompt = (profile_step(llm, load) for load in LOADS)
    for profile, load in zip((one, many, prompt), LOADS, strict=True):
        check(profile)
        assert (profile.load, profile.sequences, profile.tokens) == (load, *LOADS[load])
    parts = {part.name: part for part in one.operations}
    products = [part for name, part in parts.items() if name.startswith("linear")]
    weights = sum(matrix.nbytes for matrix in llm.model.weights.matrices.values())
    assert sum(part.memory_bytes for part in products) == weights
    assert sum(part.arithmetic for part in products) == 2 * llm.model.weights.multiplications_per_token
    of_prompt = sum(part.arithmetic for part in prompt.operations if part.name.startswith("linear"))
    last, tokens = llm.model.weights.multiplications_per_logits, prompt.tokens
    assert of_prompt == 2 * (tokens * llm.model.weights.multiplications_per_token - (tokens - 1) * last)
    assert parts["attend"].count == llm.model.config.layers
    assert parts["attend"].memory_bytes == 128 * llm.model.tape.kv_bytes_per_token // 2  # in float16
    assert {part.limit for part in products} == {"memory"}
    assert next(part for part in prompt.operations if part.name == "linear x").limit == "arithmetic"
    eight = {part.name: part for part in many.operations}
    assert eight["linear x"].memory_bytes == parts["linear x"].memory_bytes
    assert eight["linear x"].arithmetic == 8 * parts["linear x"].arithmetic


@pytest.mark.parametrize(
    "name", ["qwen3-moe", "rwkv7", "gemma3", "qwen3-next", "jamba", "deepseek-v3", "deepseek-v3-latents"]
)
@pytest.mark.parametrize("load", LOADS)
def test_families_are_profiled(name: str, load: str) -> None:
    with LLM(CHECKPOINTS / name, weights="int8") as llm:
        check(profile_step(llm, load))


def test_profiling_changes_no_answer(llm: LLM) -> None:
    params = SamplingParams(max_tokens=60, temperature=0.8, seed=3, ignore_eos=True)
    expected = llm.generate("A little dog", params).token_ids
    results = []
    thread = threading.Thread(target=lambda: results.append(llm.generate("A little dog", params).token_ids))
    thread.start()
    profile_step(llm, "eight answers")
    thread.join()
    assert results == [expected]
    plain = llm.logits([1, 2, 3])
    with llm.model.profile() as outer:
        profile_step(llm, "one answer")
        assert (llm.logits([1, 2, 3]) == plain).all()
    assert outer.steps == 1  # those of profile_step count for themselves


def test_wrong_loads_and_little_memory_are_refused(llm: LLM, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidRequest, match="one of one answer, eight answers, a prompt"):
        profile_step(llm, "everything")
    monkeypatch.setattr(step_profile, "available_memory", lambda: 2**20)
    with pytest.raises(NoMemory, match="too little free memory"):
        profile_step(llm, "one answer")


def test_short_contexts_are_profiled() -> None:
    with LLM(max_context=8) as llm:
        for load in LOADS:
            profile = profile_step(llm, load)
            assert profile.context + profile.tokens <= 8
    assert np.isfinite(profile.seconds)
