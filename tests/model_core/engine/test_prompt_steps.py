"""How many steps and tokens prompts cost: equal prompts are computed once, and each gets enough of a step."""

from collections.abc import Iterator

import numpy as np
import pytest
from held import held
from paths import CHECKPOINTS
from test_engine import submit
from test_page_pool import CopyRecorder, PoolSequence, text
from test_scheduler import assert_all_pages_are_released, content, ids, totals

from model_core import LLM, SamplingParams
from model_core.cache.memory import PAGE, KVCache
from model_core.cache.page_pool import PagePool
from model_core.cache.reserve import Limits
from model_core.engine.job import Job
from model_core.engine.scheduler import Scheduler
from model_core.engine.sequence import Sequence
from model_core.engine.step_pace import StepPace
from model_core.files.model_files import open_model_files
from model_core.model.batch import Batch
from model_core.model.loader import load_model

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
    with held(tiny):  # so that they come at once
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
        job, name = Job(prompt, SamplingParams()), str(len(prompt))
        sequence = Sequence(name, job, 200, sampler=None, text_stream=None, on_delta=lambda delta: None)
        self.scheduler.add(sequence)
        return sequence

    def step(self) -> int:
        """Compute a step. Returns its number of tokens of prompts."""
        work = self.scheduler.schedule()
        self.sizes.append(len(self.scheduler.build_batch(work).tokens))
        prompt_tokens = self.scheduler.commit(work)
        for item in work:
            if item.logit_count:
                item.sequence.tokens.append(7)
        return prompt_tokens

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
    with held(crowded):  # so that they come at once
        receivers = [submit(crowded, prompt, params) for prompt in prompts]
    together = [receiver.completion() for receiver in receivers]
    assert max(crowded.engine.stats()["step_sizes"]) == 301
    for number in (0, 150, 299, 300):
        assert content(tiny.generate(prompts[number], params)) == content(together[number])
    assert np.isfinite(together[300].logprobs[0].logprob)


class TimedSimulation(Simulation):
    """Steps that take a known time: so many seconds for each token of a prompt, and for all answers."""

    def __init__(self, token_s: float, answers_s: float = 0.0, concurrency: int = 64) -> None:
        super().__init__(concurrency)
        self.scheduler.pace = StepPace(step_time_s=0.15)
        self.token_s, self.answers_s = token_s, answers_s
        self.times: list[float] = []  # of each step
        self.prompt_tokens: list[int] = []  # in each step

    def step(self) -> int:
        prompt_tokens = super().step()
        self.prompt_tokens.append(prompt_tokens)
        self.times.append(self.answers_s + self.token_s * prompt_tokens)
        self.scheduler.pace.record_step(prompt_tokens, self.times[-1])
        return prompt_tokens


@pytest.mark.parametrize("token_s", [0.0002, 0.001, 0.003])
def test_steps_with_answers_take_the_given_time(token_s: float) -> None:
    simulation = TimedSimulation(token_s, answers_s=0.05)
    simulation.steps_until_answered(simulation.add(text(600)))
    assert simulation.prompt_tokens == [256, 256, 88]  # nobody waits for a token
    prompt = simulation.add(text(2000, seed=1))
    first = len(simulation.times)
    simulation.steps_until_answered(prompt)
    times, tokens = simulation.times[first + 8 : -1], simulation.prompt_tokens[first + 8 : -1]
    assert max(simulation.times[first:]) < 0.15 * 2
    if token_s == 0.0002:
        assert not times  # all fits, so steps are as long as they can be
        assert simulation.prompt_tokens[-2] == 255
    else:
        assert max(times) < 0.16
        assert min(tokens) >= 0.9 * 0.1 / token_s


def test_prompts_go_on_in_a_model_that_is_too_slow() -> None:
    simulation = TimedSimulation(token_s=0.02, answers_s=0.3)
    simulation.steps_until_answered(simulation.add(text(100)))
    prompt = simulation.add(text(320, seed=1))
    assert simulation.steps_until_answered(prompt) == 10
    assert simulation.prompt_tokens[-10:] == [32] * 10


def test_one_step_that_was_held_up_changes_little() -> None:
    simulation = TimedSimulation(token_s=0.001)
    simulation.steps_until_answered(simulation.add(text(100)))
    prompt = simulation.add(text(1900, seed=1))
    for _ in range(6):
        simulation.step()
    simulation.scheduler.pace.record_step(150, 60.0)
    for expected in (32, 64, 128, 150):
        simulation.step()
        assert simulation.prompt_tokens[-1] == expected
    assert not prompt.answer_length


@pytest.mark.parametrize("step_s", [0.0, 0.01, 0.2, 5.0])
def test_answers_are_the_same_however_long_steps_take(step_s: float, tiny: LLM) -> None:
    prompts = [ids(size, seed=size) for size in (5, 90, 100, 3, 200)]
    params = SamplingParams(max_tokens=20, temperature=1.0, seed=0, logprobs=1, ignore_eos=True)
    alone = [content(tiny.generate(prompt, params)) for prompt in prompts]
    with LLM(CHECKPOINTS / "llama-bfloat16") as llm:
        sizes, forward = [], llm.model.forward

        def take_time(batch: Batch, cache: KVCache) -> np.ndarray:
            logits = forward(batch, cache)
            sizes.append(len(batch.tokens))
            llm.model.step_s = step_s
            return logits

        llm.model.forward = take_time
        with held(llm):  # so that they come at once
            receivers = [submit(llm, prompt, params) for prompt in prompts]
        assert [content(receiver.completion()) for receiver in receivers] == alone
        assert sizes[0] == 256
        if step_s == 5.0:
            assert max(sizes[1:]) <= 32 + len(prompts)
