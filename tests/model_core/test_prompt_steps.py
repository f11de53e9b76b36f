"""How many steps and tokens prompts cost: equal prompts are computed once, and each gets enough of a step."""

from collections.abc import Iterator

import numpy as np
import pytest
from conftest import CHECKPOINTS
from test_engine import submit
from test_page_pool import CopyRecorder, PoolSequence, text
from test_scheduler import assert_all_pages_are_released, content, ids, totals

from model_core import LLM, SamplingParams
from model_core.kv_cache import PAGE, KVCache
from model_core.loader import load_model
from model_core.model_files import open_model_files
from model_core.page_pool import PagePool
from model_core.request import Sequence
from model_core.scheduler import Limits, Scheduler

ANSWERS = 64


@pytest.fixture(scope="module")
def tiny() -> Iterator[LLM]:
    with LLM(CHECKPOINTS / "llama-bfloat16") as loaded:
        yield loaded


@pytest.mark.parametrize("known", [0, 32])
@pytest.mark.parametrize("length", [1, 2, 5, 15, 16, 17, 31, 32, 40, 100])
def test_many_answers_to_one_prompt_compute_it_once(tiny: LLM, length: int, known: int) -> None:
    """`known`: tokens in front of the prompt that are in the prefix cache, like a common instruction."""
    beginning = ids(known, seed=1000)
    tiny.generate([*beginning, 1, 2], SamplingParams(max_tokens=1))
    prompt = [*beginning, min(length, 60), *ids(length - 1, seed=length + known)]
    params = SamplingParams(max_tokens=3, temperature=1.0, logprobs=1, ignore_eos=True)
    before = totals(tiny)["computed_tokens"]
    with tiny.engine._condition:  # so that they come at once
        receivers = [
            submit(tiny, prompt, params.model_copy(update={"seed": seed})) for seed in range(ANSWERS)
        ]
    together = [receiver.completion() for receiver in receivers]
    computed = totals(tiny)["computed_tokens"] - before - ANSWERS * 2  # without the answers
    assert computed == length + ANSWERS - 1  # each computes the last token, whose logits it needs
    assert_all_pages_are_released(tiny)
    for seed in (0, 1, ANSWERS - 1):
        assert content(tiny.generate(prompt, params.model_copy(update={"seed": seed}))) == content(
            together[seed]
        )


def test_sequence_waits_for_a_part_of_a_page_that_another_computes() -> None:
    pool = PagePool(CopyRecorder(8))
    first, second, other = (
        PoolSequence(pool, text(10)),
        PoolSequence(pool, text(10)),
        PoolSequence(pool, [*text(8), 1, 2]),
    )
    first.start()
    assert second.acquire_prefix()
    assert not other.acquire_prefix()  # it does not need only what it shares
    assert other.computed == 0
    first.compute()
    assert not second.acquire_prefix()
    assert second.computed == 9
    first.release()
    second.release()
    assert (pool.used_pages, pool.cached_pages) == (0, 1)  # one of the two is enough


def test_pending_part_of_a_page_is_removed_after_a_failure() -> None:
    pool = PagePool(CopyRecorder(8))
    first, second = PoolSequence(pool, text(PAGE + 4)), PoolSequence(pool, text(PAGE + 4))
    first.start()
    assert second.acquire_prefix()
    first.release()
    assert (pool.used_pages, pool.cached_pages, pool.free_pages) == (0, 0, 8)
    assert not second.acquire_prefix()
    assert second.computed == 0


class Simulation:
    """A scheduler whose steps compute nothing."""

    def __init__(self, concurrency: int) -> None:
        cache = KVCache(load_model(open_model_files(CHECKPOINTS / "llama-bfloat16")).kv_groups, 30_000)
        self.scheduler = Scheduler(cache, Limits(2048, concurrency, 512, cache.pages * cache.page_bytes))
        self.sizes: list[int] = []  # tokens of each step

    def add(self, prompt: list[int]) -> Sequence:
        sequence = Sequence(
            request_id=str(len(prompt)),
            tokens=list(prompt),
            prompt_length=len(prompt),
            params=SamplingParams(),
            max_new_tokens=200,
            sampler=None,
            text_stream=None,
            on_delta=lambda delta: None,
            prompt_lookup=None,
        )
        self.scheduler.add(sequence)
        return sequence

    def step(self) -> None:
        work = self.scheduler.schedule()
        self.sizes.append(len(self.scheduler.build_batch(work).tokens))
        self.scheduler.commit(work)
        for item in work:
            if item.logit_count:
                item.sequence.tokens.append(7)

    def steps_until_answered(self, sequence: Sequence) -> int:
        for steps in range(2000):
            if sequence.answer_length:
                return steps
            self.step()
        raise AssertionError("never answered")


def test_prompt_gets_32_tokens_a_step_beside_many_answers() -> None:
    simulation = Simulation(concurrency=512)
    others = [simulation.add([number, 3, 4]) for number in range(300)]
    while not all(other.answer_length for other in others):
        simulation.step()
    first, second = simulation.add(text(600, seed=1)), simulation.add(text(600, seed=2))
    answered = [other.answer_length for other in others]
    assert simulation.steps_until_answered(first) == 19  # 600 / 32, and no step of them for the other
    assert second.computed_tokens <= 8
    assert simulation.steps_until_answered(second) == 19
    assert max(simulation.sizes[-38:]) <= 301 + 32
    # All that answer went on with every step.
    assert [other.answer_length for other in others] == [before + 38 for before in answered]


def test_prompt_alone_gets_all_tokens_of_a_step() -> None:
    simulation = Simulation(concurrency=512)
    assert simulation.steps_until_answered(simulation.add(text(600))) == 3
    assert simulation.sizes == [256, 256, 88]


@pytest.fixture(scope="module")
def crowded() -> Iterator[LLM]:
    with LLM(CHECKPOINTS / "llama-bfloat16", max_concurrency=320, max_queue=400) as loaded:
        yield loaded


def test_answers_are_the_same_beside_three_hundred_others(crowded: LLM, tiny: LLM) -> None:
    params = SamplingParams(max_tokens=40, temperature=1.0, seed=0, logprobs=1, ignore_eos=True)
    prompts = [[seed % 60, seed // 60, 5] for seed in range(300)] + [ids(80, seed=9)]
    with crowded.engine._condition:  # so that they come at once
        receivers = [submit(crowded, prompt, params) for prompt in prompts]
    together = [receiver.completion() for receiver in receivers]
    assert max(crowded.engine.stats()["step_sizes"]) == 301
    for number in (0, 150, 299, 300):
        assert content(tiny.generate(prompts[number], params)) == content(together[number])
    assert np.isfinite(together[300].logprobs[0].logprob)
