"""The scheduler: chunks, prefix cache, preemption and cancellation never change the bits of an answer."""

import random
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from held import held
from paths import CHECKPOINTS
from support import wait_until
from test_engine import PROMPTS, Receiver, submit

from model_core import LLM, Completion, SamplingParams
from model_core.cache.memory import PAGE, KVCache, KVGroup
from model_core.cache.states import StateCache
from model_core.engine import scheduler
from model_core.engine.job import Job
from model_core.errors import QueueFull
from model_core.llm import build
from model_core.model.batch import Batch
from model_core.requests.results import Delta

PARAMS = SamplingParams(max_tokens=30, temperature=0.9, seed=5, logprobs=3, ignore_eos=True)
FAMILIES = [
    "llama-bfloat16",
    "mistral-window",
    "qwen2-window",
    "llama-mqa-odd",
    "gemma4",
    "olmo3",
    "deepseek-v3",
    "deepseek-v3-latents",
]


def content(completion: Completion) -> tuple:
    """The parts of a completion that must be the same."""
    assert completion.error is None
    return completion.token_ids, completion.logprobs, completion.text, completion.finish_reason


def ids(length: int, seed: int = 0) -> list[int]:
    return np.random.default_rng(seed).integers(3, 60, length).tolist()


def small_llm(pages: int, model: str = "llama-bfloat16", **settings: int) -> LLM:
    """A tiny model with `pages` pages of KV memory for each group."""
    with LLM(CHECKPOINTS / model, kv_cache_memory=1) as measuring:
        groups = len(measuring.model.kv_groups)
        page = KVCache.bytes_per_page(measuring.model.kv_groups, measuring.kv_cache_dtype)
    return LLM(CHECKPOINTS / model, kv_cache_memory=pages * page * groups, **settings)


def llm_with_pages(model: Path, pages: int, **settings: int) -> LLM:
    """A model with so many pages of KV memory, all groups together, beside what its states take."""

    def create_pages(
        groups: Sequence[KVGroup], memory: int, dtype: str, states: StateCache | None = None
    ) -> KVCache:
        return KVCache(groups, pages, dtype, states)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(build, "create_kv_cache", create_pages)
        return LLM(model, **settings)


def totals(llm: LLM) -> dict[str, int]:
    return llm.engine.stats()["totals"]


def assert_all_pages_are_released(llm: LLM) -> None:
    """Check that all pages are free or cached, and each is in one place. No request may run."""
    llm.engine.check()
    pages = llm.engine.stats()["kv_pages"]
    assert (pages["used"], pages["cached"] + pages["free"]) == (0, pages["total"])


@pytest.fixture
def fresh() -> Iterator[LLM]:
    """The embedded model with a cold cache."""
    with LLM() as loaded:
        yield loaded


@pytest.mark.parametrize("folder", [None, *FAMILIES])
def test_answers_are_the_same_for_every_chunk_size(
    folder: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = [ids(size, size) for size in (1, 15, 16, 17, 33, 100)]
    answers = []
    for budget in (512, 1, 7, 16, 50):
        monkeypatch.setattr(scheduler, "STEP_TOKENS", budget)
        with LLM(None if folder is None else CHECKPOINTS / folder) as llm:
            answers.append([content(c) for c in llm.generate(prompts, PARAMS)])
    assert all(other == answers[0] for other in answers)


@pytest.mark.parametrize("speculate", [0, 8])
def test_steps_stay_within_their_token_budget(speculate: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "STEP_TOKENS", 20)
    with LLM(speculate=speculate) as llm:
        sizes, forward = [], llm.model.forward

        def measured(batch: Batch, cache: KVCache) -> np.ndarray:
            sizes.append(len(batch.tokens))
            return forward(batch, cache)

        llm.model.forward = measured
        params = SamplingParams(max_tokens=30, temperature=0, logit_bias={5: 100}, ignore_eos=True)
        llm.generate([[seed] * size for seed, size in enumerate([4, 4, 4, 4, 4, 50, 50])], params)
        assert (totals(llm)["accepted_tokens"] > 0) == (speculate > 0)
        assert max(sizes) == 20
        rejected = totals(llm)["drafted_tokens"] - totals(llm)["accepted_tokens"]
        assert sum(sizes) == totals(llm)["computed_tokens"] == 120 + 7 * 29 + rejected


@pytest.mark.parametrize("temperature", [0.0, 0.9])
def test_answers_are_the_same_with_a_cold_or_warm_cache(fresh: LLM, temperature: float) -> None:
    params = SamplingParams(max_tokens=30, temperature=temperature, seed=0, logprobs=3, ignore_eos=True)
    for prompt in ([5, *ids(99)], [6, *ids(95)], [7, *ids(4)], [8, *ids(15)]):
        cold, warm = fresh.generate(prompt, params), fresh.generate(prompt, params)
        assert cold.usage.cached_tokens == 0
        assert warm.usage.cached_tokens == len(prompt) - 1
        assert content(cold) == content(warm)


@pytest.mark.parametrize("folder", FAMILIES)
def test_answers_are_the_same_with_a_cold_or_warm_cache_in_every_family(folder: str) -> None:
    whole = ids(80)
    answers = {}
    for known in (0, 1, 16, 20, 48, 79):
        with LLM(CHECKPOINTS / folder) as llm:
            if known:
                llm.generate([*whole[:known], 2, 2], SamplingParams(max_tokens=1))
            completion = llm.generate(whole, PARAMS)
            assert completion.usage.cached_tokens == known
            answers[known] = content(completion)
    assert all(answer == answers[0] for answer in answers.values())


def test_common_prefix_is_computed_once(fresh: LLM) -> None:
    alone = content(fresh.generate(ids(100), PARAMS))
    with LLM() as llm:
        with held(llm):  # so that they come at once
            receivers = [submit(llm, ids(100), PARAMS) for _ in range(5)]
        completions = [receiver.completion() for receiver in receivers]
        assert [content(c) for c in completions] == [alone] * 5
        assert [c.usage.cached_tokens for c in completions] == [0, 99, 99, 99, 99]
        assert totals(llm)["computed_tokens"] == 100 + 4 + 5 * 29
        assert totals(llm)["prefix_hits_tokens"] == 4 * 99


def test_second_turn_computes_only_new_tokens(fresh: LLM) -> None:
    messages = [{"role": "user", "content": "Who are you, and what can you do for me today?"}]
    params = SamplingParams(max_tokens=40)
    first = fresh.chat(messages, params)
    before = totals(fresh)["computed_tokens"]
    prompt = fresh.encode_chat(messages).token_ids + first.token_ids + fresh.encode("And what else?")
    second = fresh.generate(prompt, PARAMS)
    new = len(prompt) - first.usage.prompt_tokens - len(first.token_ids) + 1  # the last was never computed
    assert second.usage.cached_tokens == len(prompt) - new
    assert totals(fresh)["computed_tokens"] - before == new + 29
    with LLM() as cold:
        assert content(cold.generate(prompt, PARAMS)) == content(second)


def test_preempted_requests_give_the_same_answers() -> None:
    prompts = [ids(20, seed) for seed in range(6)]
    params = SamplingParams(max_tokens=60, temperature=0.9, seed=0, logprobs=2, ignore_eos=True)
    with small_llm(1000) as llm:
        expected = [content(llm.generate(prompt, params)) for prompt in prompts]
    with small_llm(8) as llm:  # each comes to need five
        order: list[int] = []
        receivers = [Receiver() for _ in prompts]
        with held(llm):
            for i, prompt in enumerate(prompts):

                def on_delta(delta: Delta, i: int = i) -> None:
                    order.extend([i] if delta.completion else [])
                    receivers[i](delta)

                llm.engine.submit(Job(prompt, params.with_defaults(llm.defaults)), on_delta)
        completions = [receiver.completion() for receiver in receivers]
        assert [content(c) for c in completions] == expected
        assert totals(llm)["preemptions"] > 0
        assert totals(llm)["completion_tokens"] == 6 * 60
        assert order == list(range(6))
        assert [c.usage.cached_tokens for c in completions] == [0] * 6  # their own pages do not count
        assert_all_pages_are_released(llm)


def test_queue_is_full_when_memory_is_full() -> None:
    forever = SamplingParams(max_tokens=60, ignore_eos=True)
    with small_llm(5, max_queue=1) as llm:
        release = threading.Event()
        forward = llm.model.forward

        def slow(batch: Batch, cache: KVCache) -> np.ndarray:
            if batch.positions.max() >= 70:
                release.wait(timeout=60)
            return forward(batch, cache)

        llm.model.forward = slow
        with held(llm):  # both begin, until there are too few pages for both
            running, waiting = (submit(llm, ids(16, seed), forever) for seed in range(2))
        wait_until(lambda: totals(llm)["preemptions"] == 1)
        with pytest.raises(QueueFull):
            submit(llm, ids(16, seed=2), forever)
        release.set()
        assert [len(r.completion().token_ids) for r in (running, waiting)] == [60, 60]


def test_cancelling_the_request_that_computes_a_common_prefix(
    fresh: LLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = content(fresh.generate(ids(100), PARAMS))
    monkeypatch.setattr(scheduler, "STEP_TOKENS", 40)
    with LLM() as llm:
        forward = llm.model.forward

        def cancel_midway(batch: Batch, cache: KVCache) -> np.ndarray:
            if 50 in batch.positions and len(batch.starts) == 2:
                llm.engine.cancel("first")
            return forward(batch, cache)

        llm.model.forward = cancel_midway
        with held(llm):
            first = submit(llm, ids(100), PARAMS, "first")
            second = submit(llm, ids(100), PARAMS)
        assert first.completion().finish_reason == "cancelled"
        completion = second.completion()
        assert content(completion) == expected
        assert totals(llm)["computed_tokens"] == 100 + 29  # it went on where the first had stopped
        assert_all_pages_are_released(llm)


@pytest.mark.parametrize("known", [0, 24])
def test_failed_step_leaves_no_uncomputed_pages_in_the_cache(fresh: LLM, known: int) -> None:
    expected = content(fresh.generate(ids(100), PARAMS))
    with LLM() as llm:
        if known:
            llm.generate(ids(known), SamplingParams(max_tokens=1))
        forward, calls = llm.model.forward, []

        def fail_once(batch: Batch, cache: KVCache) -> np.ndarray:
            logits = forward(batch, cache)
            calls.append(len(batch.tokens))
            if len(calls) == 1:
                for array in cache.arrays().values():  # of integers, their scales
                    if array.dtype.kind == "f":
                        array[:, batch.page_tables[0, 0, known // PAGE :]] = np.nan
                raise MemoryError("no more")
            return logits

        llm.model.forward = fail_once
        with held(llm):
            first, second = (submit(llm, ids(100), PARAMS) for _ in range(2))
        assert "no more" in str(first.completion().error)
        assert content(second.completion()) == expected
        assert_all_pages_are_released(llm)


@pytest.mark.parametrize("model", ["llama-bfloat16", "gemma3"])
def test_random_requests_and_cancellations_in_little_memory(model: str) -> None:
    """Requests with common prefixes come and are cancelled, with memory for only a few of them."""
    rng = random.Random(7)
    prefixes = [ids(size, seed=size) for size in (5, 16, 40, 70)]
    requests = []
    for i in range(120):
        prompt = rng.choice(prefixes)[: rng.randint(1, 70)] + ids(rng.randint(0, 20), seed=i % 10)
        params = SamplingParams(
            max_tokens=rng.randint(1, 40),
            temperature=rng.choice([0, 1.0]),
            seed=i,
            logprobs=1,
            ignore_eos=True,
        )
        requests.append((prompt, params))
    with small_llm(10_000, model) as llm:
        expected = [content(llm.generate(prompt, params)) for prompt, params in requests]
        assert_all_pages_are_released(llm)
    with small_llm(14, model, max_queue=len(requests), max_concurrency=10, speculate=4) as llm:
        receivers = []
        for i, (prompt, params) in enumerate(requests):
            receivers.append(submit(llm, prompt, params, str(i)))
            if rng.random() < 0.3:
                llm.engine.cancel(str(rng.randrange(i + 1)))
            while llm.engine.stats()["waiting"] > 8:
                time.sleep(0.001)
        finished = 0
        for receiver, whole in zip(receivers, expected, strict=True):
            completion = receiver.completion()
            if completion.finish_reason == "cancelled":
                assert completion.error is None
                assert completion.token_ids == whole[0][: len(completion.token_ids)]
            else:
                assert content(completion) == whole
                finished += 1
        assert finished > 50
        assert totals(llm)["preemptions"] > 0
        assert totals(llm)["prefix_hits_tokens"] > 0
        assert_all_pages_are_released(llm)


def test_sixty_four_requests_in_little_memory(llm: LLM) -> None:
    params = SamplingParams(max_tokens=24, temperature=0.7, seed=0, logprobs=2, ignore_eos=True)
    expected = [content(llm.generate(prompt, params)) for prompt in PROMPTS]
    page = KVCache.bytes_per_page(llm.model.kv_groups, llm.kv_cache_dtype)
    with LLM(kv_cache_memory=60 * page) as small:
        assert [content(c) for c in small.generate(PROMPTS, params)] == expected
        assert totals(small)["preemptions"] > 0
        assert_all_pages_are_released(small)
