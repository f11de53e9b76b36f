"""Prompt lookup: accepted drafts save steps, and no draft changes an answer."""

import random
import statistics
from collections.abc import Iterator

import pytest
from paths import CHECKPOINTS

from model_core import LLM, SamplingParams
from model_core.engine.draft_length import Acceptance, DraftLength, ModelDraftLengths, StepCost
from model_core.engine.prompt_lookup import PromptLookup

STORY = "Tom has a red ball. Tom has a red ball. Tom has a red ball. Lily has a"


@pytest.fixture(scope="module")
def drafting_llm() -> Iterator[LLM]:
    """The embedded model, with drafts of up to five tokens."""
    with LLM(speculate=5) as loaded:
        yield loaded


def test_longest_and_latest_match_is_used() -> None:
    assert PromptLookup().draft([1, 2, 3, 4, 5, 9, 2, 3, 7, 1, 2, 3], 3) == [4, 5, 9]
    assert PromptLookup().draft([2, 3, 4, 2, 3, 5, 8, 2, 3], 2) == [5, 8]
    assert PromptLookup().draft([1, 2, 3, 4], 3) == []
    assert PromptLookup().draft([1], 3) == []


def test_draft_continues_a_repetition() -> None:
    assert PromptLookup().draft([8, 1, 2, 1, 2], 5) == [1, 2, 1, 2, 1]
    assert PromptLookup().draft([7, 7, 7, 7], 3) == [7, 7, 7]


def test_new_tokens_are_indexed() -> None:
    lookup, tokens = PromptLookup(), []
    for token in [4, 5, 6, 4, 5]:
        tokens.append(token)
        draft = lookup.draft(tokens, 2)
    assert draft == [6, 4]
    assert lookup.draft([*tokens, 6, 1, 4, 5, 6], 2) == [1, 4]


def test_draft_length_follows_acceptance() -> None:
    length, sizes = DraftLength(8, follows_last=True), []
    for accepted in (8, 3, 1, 1, 2, 4, 8):
        sizes.append(length.choose(cost=0.01))
        length.record(sizes[-1], min(accepted, sizes[-1]))
    assert sizes == [8, 8, 3, 1, 2, 4, 8]


@pytest.mark.parametrize(
    ("rate", "cost", "expected"), [(0.9, 0.1, 8), (0.7, 0.1, 4), (0.5, 0.1, 2), (0.5, 0.3, 1)]
)
def test_draft_length_is_the_best_for_its_cost(rate: float, cost: float, expected: int) -> None:
    """By the formula of Leviathan et al., of all lengths."""
    rng, length, chosen = random.Random(0), DraftLength(16), []
    for _ in range(4000):
        chosen.append(length.choose(cost))
        accepted = 0
        while accepted < chosen[-1] and rng.random() < rate:
            accepted += 1
        if chosen[-1]:
            length.record(chosen[-1], accepted)
    best = max(range(17), key=lambda k: sum(rate**i for i in range(k + 1)) / (1 + k * cost))
    assert abs(statistics.mean(chosen[100:]) - best) <= 1.5


def test_drafts_that_cost_more_than_they_save_end() -> None:
    length, chosen = DraftLength(8, follows_last=True), []
    for _ in range(1000):
        chosen.append(length.choose(cost=0.3))
        if chosen[-1]:
            length.record(chosen[-1], 0)
    assert sum(chosen) < 25
    assert 0 < sum(chosen[500:]) <= 3  # now and then it tries again
    while not (drafted := length.choose(cost=0.3)):
        pass
    for _ in range(10):
        length.record(drafted, drafted)
        drafted = length.choose(cost=0.3)
    assert drafted == 8


def test_share_of_rows_is_learnt_from_steps() -> None:
    cost = StepCost()
    assert cost.row_share(4) == 0.05  # nothing is known
    for rows in (1, 2, 4, 8, 3, 5) * 5:
        cost.record(rows, 0.010 + 0.001 * rows)
    assert cost.row_share(4) == pytest.approx(4 / 14)
    assert cost.seconds_of(10) == pytest.approx(0.020)
    for _ in range(500):
        cost.record(4, 0.014)  # steps of one size say nothing new, and nothing is forgotten
    assert cost.row_share(4) == pytest.approx(4 / 14)
    same = StepCost()
    for _ in range(5):
        same.record(4, 0.014)
    assert same.row_share(4) == pytest.approx(0.05)


@pytest.mark.parametrize(
    "params",
    [
        {"temperature": 0},
        {"temperature": 0, "max_tokens": 7},
        {"temperature": 0, "max_tokens": 1},
        {"temperature": 0.7, "seed": 3},
        {"temperature": 1.3, "top_p": 0.9, "seed": 4},
        {"temperature": 0.7, "top_k": 5, "min_p": 0.1},
        {"temperature": 0, "repetition_penalty": 1.2},
        {"temperature": 0, "dry_multiplier": 0.8, "dry_sequence_breakers": []},
        {"temperature": 0.5, "presence_penalty": 0.5, "frequency_penalty": 0.5},
        {"temperature": 0, "stop": ["red b", "Lily"]},
        {"temperature": 0.7, "stop": ["."]},
        {"temperature": 0, "ignore_eos": True},
        {"temperature": 0, "logit_bias": {5: 5.0}},
    ],
    ids=str,
)
def test_answers_are_the_same_with_drafts(llm: LLM, drafting_llm: LLM, params: dict) -> None:
    for prompt in (STORY, "Once upon a time", [5, 6, 7] * 12):
        settings = SamplingParams(**{"max_tokens": 60, "logprobs": 2, "seed": 0, **params})
        without_drafts, with_drafts = llm.generate(prompt, settings), drafting_llm.generate(prompt, settings)
        assert without_drafts.token_ids == with_drafts.token_ids
        assert without_drafts.logprobs == with_drafts.logprobs
        assert (without_drafts.text, without_drafts.finish_reason) == (
            with_drafts.text,
            with_drafts.finish_reason,
        )
        assert "".join(drafting_llm.stream(prompt, settings)) == without_drafts.text


def test_answers_with_drafts_end_at_the_end_token(llm: LLM, drafting_llm: LLM) -> None:
    messages = [{"role": "user", "content": "Say hello, say hello, say hello."}]
    without_drafts, with_drafts = llm.chat(messages), drafting_llm.chat(messages)
    assert without_drafts.finish_reason == "stop"
    assert (without_drafts.token_ids, without_drafts.text) == (with_drafts.token_ids, with_drafts.text)


def test_accepted_drafts_save_steps(drafting_llm: LLM) -> None:
    before = drafting_llm.engine.stats()["totals"]
    params = SamplingParams(max_tokens=60, temperature=0, ignore_eos=True)
    drafting_llm.generate([5] * 40, SamplingParams(max_tokens=60, temperature=0, logit_bias={5: 100}))
    after = drafting_llm.engine.stats()["totals"]
    drafted, accepted, steps = (
        after[name] - before[name] for name in ("drafted_tokens", "accepted_tokens", "steps")
    )
    assert drafted == accepted == 60 - steps
    assert steps == 11  # six tokens each, but for the first and the last
    # Beside others, and in the same memory: still the same.
    prompts = [[5, 6, 7] * 12, [8, 9] * 20, [5] * 40] * 8
    alone = [drafting_llm.generate(prompt, params).token_ids for prompt in prompts[:3]]
    assert [c.token_ids for c in drafting_llm.generate(prompts, params)] == alone * 8


@pytest.mark.parametrize("folder", ["mistral-window", "llama-mqa-odd"])
def test_rejected_drafts_are_not_cached(folder: str) -> None:
    params = SamplingParams(max_tokens=50, temperature=1.0, seed=0, logprobs=1, ignore_eos=True)
    prompt = [5, 6, 7, 8] * 10
    with LLM(CHECKPOINTS / folder) as llm, LLM(CHECKPOINTS / folder, speculate=8) as drafting_llm:
        first, with_drafts = llm.generate(prompt, params), drafting_llm.generate(prompt, params)
        assert (first.token_ids, first.logprobs) == (with_drafts.token_ids, with_drafts.logprobs)
        second_turn = prompt + first.token_ids + [5, 6, 7]
        second, with_drafts = llm.generate(second_turn, params), drafting_llm.generate(second_turn, params)
        assert with_drafts.usage.cached_tokens == second.usage.cached_tokens == 89
        assert (second.token_ids, second.logprobs) == (with_drafts.token_ids, with_drafts.logprobs)


def test_drafts_of_a_model_are_as_long_for_all_as_is_best_together() -> None:
    """A pass drafts for all requests, so one request of many is not worth it, and all together are."""
    rooms, costs = [8] * 4, {"pass_cost": 0.3, "row_cost": 0.02}
    assert ModelDraftLengths(8).choose([0.8] * 4, rooms, 64, streams=4, **costs) == [2] * 4
    assert ModelDraftLengths(8).choose([0.8], [8], 64, streams=4, **costs) == [0]
    assert ModelDraftLengths(8).choose([0.8], [8], 64, streams=1, **costs) == [3]
    # Where drafts are seldom right, a request has none beside others.
    assert ModelDraftLengths(8).choose([0.9, 0.9, 0.9, 0.01], rooms, 64, streams=4, **costs)[3] == 0
    # What there is room for is shared.
    assert ModelDraftLengths(8).choose([1.0] * 4, rooms, 16, streams=4, **costs) == [4] * 4
    assert ModelDraftLengths(8).choose([1.0] * 4, [8, 2, 8, 1], 64, streams=4, **costs) == [2, 2, 2, 1]
    # Where there is not room for all, those have drafts that gain most.
    crowd = ModelDraftLengths(8).choose([0.9] * 10 + [1.0] * 10, [8] * 20, 16, streams=20, **costs)
    assert sum(crowd) == 16 and min(crowd[10:]) == 1


def test_drafts_of_a_model_that_are_not_worth_it_end() -> None:
    lengths, wrong = ModelDraftLengths(8), [Acceptance(0.1, 1.0) for _ in range(3)]
    chosen = []
    for _ in range(1000):
        chosen.append(lengths.choose([a.rate for a in wrong], [8] * 3, 64, 3, 0.3, 0.02))
        for acceptance, length in zip(wrong, chosen[-1], strict=True):
            if length:
                lengths.record(acceptance, length, 0)
    assert all(len(set(each)) == 1 for each in chosen)  # they try together
    assert 0 < sum(each[0] for each in chosen) < 10
    paused = vars(lengths).copy()
    assert lengths.choose([], [], 64, 3, 0.3, 0.02) == [] and vars(lengths) == paused  # steps of prompts
    while not any(drafted := lengths.choose([a.rate for a in wrong], [8] * 3, 64, 3, 0.3, 0.02)):
        pass
    for acceptance in wrong:
        lengths.record(acceptance, drafted[0], drafted[0])
    assert lengths.choose([a.rate for a in wrong], [8] * 3, 64, 3, 0.3, 0.02) == [8] * 3
