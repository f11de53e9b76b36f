"""Guessing ahead: good guesses save steps, and no guess changes an answer."""

from collections.abc import Iterator

import pytest
from conftest import CHECKPOINTS

from model_core import LLM, SamplingParams
from model_core.speculation import PromptLookup

STORY = "Tom has a red ball. Tom has a red ball. Tom has a red ball. Lily has a"


@pytest.fixture(scope="module")
def guessing() -> Iterator[LLM]:
    """The embedded model, guessing up to five tokens ahead."""
    with LLM(speculate=5) as loaded:
        yield loaded


def test_the_longer_match_wins_and_the_later_of_two() -> None:
    assert PromptLookup(3).draft([1, 2, 3, 4, 5, 9, 2, 3, 7, 1, 2, 3], 8) == [4, 5, 9]
    assert PromptLookup(2).draft([2, 3, 4, 2, 3, 5, 8, 2, 3], 8) == [5, 8]
    assert PromptLookup(3).draft([1, 2, 3, 4], 8) == []
    assert PromptLookup(3).draft([1], 8) == []


def test_what_repeats_itself_is_taken_to_go_on() -> None:
    assert PromptLookup(5).draft([8, 1, 2, 1, 2], 8) == [1, 2, 1, 2, 1]
    assert PromptLookup(5).draft([7, 7, 7, 7], 3) == [7, 7, 7]


def test_drafts_shorten_where_they_fail_and_lengthen_where_they_hold() -> None:
    lookup, tokens = PromptLookup(8), [1, 2] * 20
    sizes = []
    for accepted in (8, 3, 0, 1, 2, 4):
        draft = lookup.draft(tokens, 99)
        sizes.append(len(draft))
        lookup.learn(len(draft), accepted)
    assert [*sizes, len(lookup.draft(tokens, 99))] == [8, 8, 3, 1, 2, 4, 8]


def test_tokens_are_remembered_as_they_come() -> None:
    lookup, tokens = PromptLookup(2), []
    for token in [4, 5, 6, 4, 5]:
        tokens.append(token)
        draft = lookup.draft(tokens, 2)
    assert draft == [6, 4]
    assert lookup.draft([*tokens, 6, 1, 4, 5, 6], 2) == [1, 4]


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
        {"temperature": 0.5, "presence_penalty": 0.5, "frequency_penalty": 0.5},
        {"temperature": 0, "stop": ["red b", "Lily"]},
        {"temperature": 0.7, "stop": ["."]},
        {"temperature": 0, "ignore_eos": True},
        {"temperature": 0, "logit_bias": {5: 5.0}},
    ],
    ids=str,
)
def test_answers_are_the_same(llm: LLM, guessing: LLM, params: dict) -> None:
    for prompt in (STORY, "Once upon a time", [5, 6, 7] * 12):
        settings = SamplingParams(**{"max_tokens": 60, "logprobs": 2, **params})
        plain, guessed = llm.generate(prompt, settings), guessing.generate(prompt, settings)
        assert plain.token_ids == guessed.token_ids
        assert plain.logprobs == guessed.logprobs
        assert (plain.text, plain.finish_reason) == (guessed.text, guessed.finish_reason)
        assert "".join(guessing.stream(prompt, settings)) == plain.text


def test_answers_end_where_the_model_ends_them(llm: LLM, guessing: LLM) -> None:
    messages = [{"role": "user", "content": "Say hello, say hello, say hello."}]
    plain, guessed = llm.chat(messages), guessing.chat(messages)
    assert plain.finish_reason == "stop"
    assert (plain.token_ids, plain.text) == (guessed.token_ids, guessed.text)


def test_good_guesses_save_steps(guessing: LLM) -> None:
    before = guessing.engine.stats()["totals"]
    params = SamplingParams(max_tokens=60, temperature=0, ignore_eos=True)
    guessing.generate([5] * 40, SamplingParams(max_tokens=60, temperature=0, logit_bias={5: 100}))
    after = guessing.engine.stats()["totals"]
    drafted, accepted, steps = (
        after[name] - before[name] for name in ("drafted_tokens", "accepted_tokens", "steps")
    )
    assert drafted == accepted == 60 - steps
    assert steps == 11  # six tokens each, but for the first and the last
    # Beside others, and in the same memory: still the same.
    prompts = [[5, 6, 7] * 12, [8, 9] * 20, [5] * 40] * 8
    alone = [guessing.generate(prompt, params).token_ids for prompt in prompts[:3]]
    assert [c.token_ids for c in guessing.generate(prompts, params)] == alone * 8


@pytest.mark.parametrize("folder", ["mistral-window", "llama-mqa-odd"])
def test_what_was_guessed_wrongly_is_not_remembered(folder: str) -> None:
    params = SamplingParams(max_tokens=50, temperature=1.0, logprobs=1, ignore_eos=True)
    prompt = [5, 6, 7, 8] * 10
    with LLM(CHECKPOINTS / folder) as llm, LLM(CHECKPOINTS / folder, speculate=8) as guessing:
        first, guessed = llm.generate(prompt, params), guessing.generate(prompt, params)
        assert (first.token_ids, first.logprobs) == (guessed.token_ids, guessed.logprobs)
        second_turn = prompt + first.token_ids + [5, 6, 7]
        second, guessed = llm.generate(second_turn, params), guessing.generate(second_turn, params)
        assert guessed.usage.cached_tokens == second.usage.cached_tokens == 89
        assert (second.token_ids, second.logprobs) == (guessed.token_ids, guessed.logprobs)
