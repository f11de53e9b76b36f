"""A draft model changes the time that an answer takes, and nothing else."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from held import held
from paths import CHECKPOINTS
from test_engine import submit
from test_scheduler import assert_all_pages_are_released, content, ids, totals

from model_core import LLM, SamplingParams
from model_core.cache.memory import KVCache
from model_core.engine import draft_model, drafter
from model_core.engine.draft_length import StepCost
from model_core.errors import ModelError
from model_core.hub import embedded_model
from model_core.model.batch import Batch
from model_core.requests.form import Form

STORY = "Once upon a time there was a little girl who lived in a house near the wood. One day"
PLAIN = CHECKPOINTS / "llama-bfloat16"


class UnknownCost(StepCost):
    """Steps whose time is not measured, so that drafts seem to cost little."""

    def record(self, rows: int, seconds: float) -> None:
        pass


def drafting_llm(folder: Path, small: Path, **settings: int) -> LLM:
    """A model that drafts as long as its drafts are right, on however slow a machine."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(drafter, "StepCost", UnknownCost)
        return LLM(folder, draft_model=small, **settings)


@pytest.fixture(scope="module")
def guessing() -> Iterator[LLM]:
    """The embedded model, which drafts for itself: its guesses are right."""
    with drafting_llm(embedded_model(), embedded_model()) as loaded:
        yield loaded


@pytest.mark.parametrize(
    "params",
    [
        {"temperature": 0},
        {"temperature": 0, "max_tokens": 1},
        {"temperature": 0, "max_tokens": 2},
        {"temperature": 0.7, "seed": 3},
        {"temperature": 1.3, "top_p": 0.9, "seed": 4},
        {"temperature": 0.7, "top_k": 5, "min_p": 0.1},
        {"temperature": 0, "repetition_penalty": 1.2},
        {"temperature": 0, "dry_multiplier": 0.8, "dry_sequence_breakers": []},
        {"temperature": 0.5, "presence_penalty": 0.5, "frequency_penalty": 0.5},
        {"temperature": 0.8, "typical_p": 0.9},
        {"temperature": 0.8, "mirostat": 2},
        {"temperature": 0.7, "stop": ["."]},
        {"temperature": 0.7, "logprobs": 2},
        {"temperature": 0, "logit_bias": {5: 5.0}},
        {"temperature": 0.9, "form": Form(regex="( [a-z]+){3,9}")},
    ],
    ids=str,
)
def test_answers_are_the_same_with_a_draft_model(llm: LLM, guessing: LLM, params: dict) -> None:
    for prompt in (STORY, "Tom has a red ball. Tom has a red ball. Tom"):
        settings = SamplingParams(**{"max_tokens": 60, "seed": 0, **params})
        assert content(guessing.generate(prompt, settings)) == content(llm.generate(prompt, settings))
        assert "".join(guessing.stream(prompt, settings)) == llm.generate(prompt, settings).text


@pytest.mark.parametrize("temperature", [0.0, 0.9])
def test_right_guesses_save_steps(guessing: LLM, temperature: float) -> None:
    """The same model guesses each token, also those that are sampled: with the same random numbers."""
    before = totals(guessing)
    params = SamplingParams(max_tokens=91, temperature=temperature, seed=1, ignore_eos=True)
    guessing.generate(STORY, params)
    drafted, accepted, steps = (
        totals(guessing)[name] - before[name] for name in ("drafted_tokens", "accepted_tokens", "steps")
    )
    assert drafted == accepted == 91 - steps
    assert steps == 11  # the prompt, and then nine tokens each


@pytest.mark.parametrize("folder", ["qwen2-window", "llama-float16"])
def test_answers_are_the_same_with_wrong_guesses(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among many, in little memory, with prompts longer than the draft model reads at once."""
    monkeypatch.setattr(draft_model, "KNOWN_TOKENS", 64)
    prompts = [ids(size, seed=size) for size in (1, 2, 15, 16, 17, 40, 100, 200)] * 2
    params = [
        SamplingParams(max_tokens=40, temperature=0.9 * (n % 2), seed=n, logprobs=1, ignore_eos=True)
        for n in range(len(prompts))
    ]
    with LLM(CHECKPOINTS / folder) as llm:
        alone = [content(llm.generate(p, own)) for p, own in zip(prompts, params, strict=True)]
        memory = (
            40 * len(llm.model.kv_groups) * KVCache.bytes_per_page(llm.model.kv_groups, llm.kv_cache_dtype)
        )
    with drafting_llm(CHECKPOINTS / folder, PLAIN, kv_cache_memory=memory) as llm:
        with held(llm):
            receivers = [submit(llm, prompt, own) for prompt, own in zip(prompts, params, strict=True)]
        assert [content(receiver.completion()) for receiver in receivers] == alone
        assert totals(llm)["drafted_tokens"] > 0
        assert totals(llm)["preemptions"] > 0
        assert_all_pages_are_released(llm)  # of the draft model, too


def test_failed_drafts_end_no_answer(llm: LLM) -> None:
    """What a draft model computes may be anything."""
    params = SamplingParams(max_tokens=40, temperature=0.7, seed=0, ignore_eos=True)
    with drafting_llm(embedded_model(), embedded_model()) as guessing:
        forward = guessing.draft_model.model.forward
        calls: list[int] = []

        def spoil(batch: Batch, cache: KVCache) -> np.ndarray:
            logits = forward(batch, cache)
            calls.append(len(batch.tokens))
            if len(calls) % 3 == 0:
                raise MemoryError("no more")
            return logits * np.float32(np.nan) if len(calls) % 3 == 1 else logits

        guessing.draft_model.model.forward = spoil
        assert content(guessing.generate(STORY, params)) == content(llm.generate(STORY, params))
        assert len(calls) > 2


def test_cancelled_answer_frees_its_drafts(endless_model: Path) -> None:
    with drafting_llm(endless_model, endless_model) as llm:
        receivers = [submit(llm, STORY, SamplingParams(max_tokens=40_000), str(n)) for n in range(4)]
        for receiver in receivers:
            receiver.first()
        for number in range(4):
            llm.engine.cancel(str(number))
        for receiver in receivers:
            assert receiver.completion().finish_reason == "cancelled"
        assert_all_pages_are_released(llm)


def test_model_with_another_vocabulary_cannot_draft(story: Path) -> None:
    with pytest.raises(ModelError, match="another vocabulary"):
        LLM(draft_model=story)
    with pytest.raises(ModelError, match="not both have a tokenizer"):
        LLM(draft_model=PLAIN)


def test_recurrent_model_cannot_draft() -> None:
    with pytest.raises(ModelError, match="cannot draft"):
        LLM(PLAIN, draft_model=CHECKPOINTS / "lfm2")


def test_draft_model_drafts_for_a_recurrent_model() -> None:
    prompts = [ids(size, seed=size) for size in (1, 15, 40, 100)]
    params = SamplingParams(max_tokens=40, temperature=0.0, logprobs=1, ignore_eos=True)
    with LLM(CHECKPOINTS / "lfm2") as llm:
        alone = [content(llm.generate(prompt, params)) for prompt in prompts]
    with drafting_llm(CHECKPOINTS / "lfm2", PLAIN) as llm:
        assert [content(completion) for completion in llm.generate(prompts, params)] == alone
        assert totals(llm)["drafted_tokens"] > 0
        assert_all_pages_are_released(llm)
