"""Choosing among given answers."""

import math

import numpy as np
import pytest
from paths import CHECKPOINTS
from test_engine import submit

from model_core import LLM, SamplingParams
from model_core.answers.plan import AnswerPlan
from model_core.engine.job import Job
from model_core.errors import InvalidRequest, PromptTooLong
from model_core.llm.choose import Choice
from model_core.llm.jobs import complete_jobs

QUESTION = [{"role": "user", "content": "Is the sky blue?"}]
ANSWERS = ["Yes.", "No, it is green.", "I do not know.", "Yes.", "x"]


def check(llm: LLM, choices: list[Choice], prompt: list[int], answers: list[str]) -> None:
    """Choices against the logits of each whole text."""
    assert [choice.text for choice in choices] == answers
    for choice in choices:
        ids = llm.tokenizer.encode_inside(choice.text)
        logits = llm.logits([*prompt, *ids])[len(prompt) - 1 : -1].astype(np.float64)
        logprobs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        expected = logprobs[np.arange(len(ids)), ids]
        assert [entry.token_id for entry in choice.tokens] == ids
        assert [entry.logprob for entry in choice.tokens] == pytest.approx(expected, abs=1e-4)
        assert choice.logprob == pytest.approx(expected.sum(), abs=1e-3)
        assert choice.perplexity == pytest.approx(math.exp(-expected.mean()), rel=1e-4)


def test_choices_have_the_perplexities_of_the_answers_in_their_order(llm: LLM) -> None:
    choices = llm.choose(QUESTION, ANSWERS)
    check(llm, choices, llm.encode_chat(QUESTION).token_ids, ANSWERS)
    by_rank = sorted(choices, key=lambda choice: choice.rank)
    assert [choice.rank for choice in by_rank] == [1, 2, 3, 4, 5]
    assert [choice.perplexity for choice in by_rank] == sorted(choice.perplexity for choice in choices)
    assert choices[0].rank == choices[3].rank - 1  # the same answer twice: the first is before the second
    assert all(choice.calibrated_perplexity is None for choice in choices)


def test_an_answer_of_the_model_is_the_likeliest(llm: LLM) -> None:
    answer = llm.chat(QUESTION, SamplingParams(temperature=0, max_tokens=30)).text
    choices = llm.choose(QUESTION, ["Blue cheese.", answer, "Fifty-three bears"])
    first = min(choices, key=lambda choice: choice.rank)
    assert first.text == answer
    assert all(entry.rank == 1 for entry in first.tokens)


@pytest.mark.parametrize("prompt", ["The sky is", "Once upon a time", [5, 6, 7]])
def test_raw_prompts_are_continued(llm: LLM, prompt: str | list[int]) -> None:
    answers = [" blue", " a bear.", "\n"]
    check(llm, llm.choose(prompt, answers), llm.encode(prompt), answers)


def test_the_beginning_is_computed_once_and_all_answers_together(llm: LLM) -> None:
    prompt = np.random.default_rng(0).integers(100, 1000, 200).tolist()  # of which nothing is cached
    answers = [f"Answer number {number}." for number in range(40)]
    before = llm.engine.stats()
    choices = llm.choose(prompt, answers)
    after = llm.engine.stats()
    computed = after["totals"]["computed_tokens"] - before["totals"]["computed_tokens"]
    tokens = sum(len(choice.tokens) for choice in choices)
    assert computed == len(prompt) + tokens + len(answers) - 1  # each computes the token before its own
    assert max(after["step_sizes"]) >= 8  # how many depends on when the first step begins
    check(llm, choices, prompt, answers)


@pytest.mark.parametrize("folder", ["rwkv7", "lfm2", "mistral-window"])
def test_the_beginning_is_shared_whatever_layers_keep_of_it(folder: str) -> None:
    ids = np.random.default_rng(0).integers(3, 60, 100).tolist()
    answers = [[4, 5], [6], [7, 8, 9]]
    with LLM(CHECKPOINTS / folder) as llm:
        params = SamplingParams(max_tokens=0, prompt_logprobs=0).with_defaults(llm.defaults)
        plan = AnswerPlan(scored_from=len(ids))
        completions = complete_jobs(llm.engine, [Job([*ids, *answer], params, plan) for answer in answers])
        cached = [completion.usage.cached_tokens for completion in completions]
        assert cached[0] == 0 and min(cached[1:]) >= 96  # a multiple of a page
        for answer, completion in zip(answers, completions, strict=True):
            assert completion.prompt_logprobs == llm.log_probabilities([*ids, *answer])[len(ids) - 1 :]


def test_other_requests_do_not_notice(llm: LLM) -> None:
    params = SamplingParams(max_tokens=200, temperature=1, seed=9, ignore_eos=True, logprobs=1)
    expected = llm.generate("Once upon a time", params)
    neighbour = submit(llm, "Once upon a time", params)
    choices = [llm.choose(QUESTION, ANSWERS) for _ in range(3)]
    completion = neighbour.completion()
    assert (completion.text, completion.logprobs) == (expected.text, expected.logprobs)
    assert choices[0] == choices[1] == choices[2] == llm.choose(QUESTION, ANSWERS)


def test_calibrated_choices_are_compared_with_what_is_likely_anyway(llm: LLM) -> None:
    choices = llm.choose(QUESTION, ANSWERS, calibrate=True)
    alone = llm.choose([{"role": "user", "content": ""}], ANSWERS)
    for choice, plain, bare in zip(choices, llm.choose(QUESTION, ANSWERS), alone, strict=True):
        assert (choice.perplexity, choice.tokens) == (plain.perplexity, plain.tokens)
        assert choice.calibrated_perplexity == pytest.approx(plain.perplexity / bare.perplexity)
    ranked = sorted(choices, key=lambda choice: choice.rank)
    calibrated = [choice.calibrated_perplexity for choice in ranked]
    assert calibrated == sorted(calibrated)
    raw = llm.choose("The sky is", [" blue", " green"], calibrate=True)
    assert all(choice.calibrated_perplexity > 0 for choice in raw)


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        (None, "choices is missing."),
        ([], r"choices must be a list of 1 or more, not \(\)."),
        (["yes"] * 1000, "choices must be a list of 128 or fewer, not "),
        (["yes", ""], r"choices\[1\] must be a string of 1 or more characters, not ''."),
        (["yes", 5], r"choices\[1\] must be a string, not 5."),
        (["yes", None], r"choices\[1\] must be a string, not None."),
        ("yes", "choices must be a list, not 'yes'."),
        ({"yes": 1}, "choices must be a list, not "),
        (["yes", "\ud800"], r"choices\[1\] "),
    ],
)
def test_wrong_answers_are_refused_in_one_sentence(llm: LLM, answers: object, sentence: str) -> None:
    with pytest.raises(InvalidRequest, match=f"^{sentence}"):
        llm.choose(QUESTION, answers)


def test_what_does_not_fit_is_refused(llm: LLM) -> None:
    context = llm.engine.limits.max_context
    with pytest.raises(PromptTooLong, match=rf"{context} tokens .* and choices\[1\] \d+\.$"):
        llm.choose(QUESTION, ["Yes.", "No. " * context])
    with pytest.raises(InvalidRequest, match="empty"):
        llm.choose("", ["Yes."])
    with LLM(CHECKPOINTS / "llama-tied-gqa") as bare, pytest.raises(InvalidRequest, match="no tokenizer"):
        bare.choose([5, 6], ["Yes."])
    assert llm.engine.stats()["kv_pages"]["used"] == 0


def test_more_answers_than_the_queue_has_room_for(llm: LLM) -> None:
    answers = [f"Number {number}." for number in range(12)]
    with LLM(max_concurrency=2, max_queue=3) as small:
        assert small.choose(QUESTION, answers) == llm.choose(QUESTION, answers)
