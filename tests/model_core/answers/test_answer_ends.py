"""Where answers end, and what they may not have: stop tokens, stop strings, lengths, bad words."""

import pytest
from paths import CHECKPOINTS

from model_core import LLM, Completion, SamplingParams
from model_core.errors import InvalidRequest

PROMPT = [{"role": "user", "content": "Tell me a story."}]


def ask(llm: LLM, **params: object) -> Completion:
    completion = llm.chat(PROMPT, SamplingParams(temperature=0, **params))
    assert isinstance(completion, Completion)
    return completion


@pytest.fixture(scope="module")
def story(llm: LLM) -> Completion:
    """An answer that ends by itself, after more than ten tokens."""
    completion = ask(llm, max_tokens=200)
    assert completion.finish_reason == "stop" and len(completion.token_ids) > 10
    return completion


def test_stop_token_ends_the_answer_without_its_text(llm: LLM, story: Completion) -> None:
    token = story.token_ids[5]
    end = story.token_ids.index(token)
    completion = ask(llm, max_tokens=200, stop_token_ids=[token])
    assert (completion.token_ids, completion.finish_reason) == (story.token_ids[: end + 1], "stop")
    assert completion.text == ask(llm, max_tokens=end).text
    kept = ask(llm, max_tokens=200, stop_token_ids=[token], include_stop_str_in_output=True)
    assert kept.text == ask(llm, max_tokens=end + 1).text
    assert ask(llm, max_tokens=200, stop_token_ids=[token], ignore_eos=True).token_ids == completion.token_ids


def test_stop_string_is_kept_if_it_is_wanted(llm: LLM, story: Completion) -> None:
    stop = story.text[10:14]
    end = story.text.index(stop)
    assert ask(llm, max_tokens=200, stop=[stop]).text == story.text[:end]
    assert (
        ask(llm, max_tokens=200, stop=[stop], include_stop_str_in_output=True).text == story.text[: end + 4]
    )


def test_answer_has_min_tokens(llm: LLM, story: Completion) -> None:
    length = len(story.token_ids)
    longer = ask(llm, max_tokens=length + 30, min_tokens=length + 20)
    assert len(longer.token_ids) >= length + 20
    assert longer.token_ids[: length - 1] == story.token_ids[:-1]
    assert ask(llm, max_tokens=200, min_tokens=length - 1).token_ids == story.token_ids


def test_stop_strings_before_min_tokens_do_not_end_the_answer(llm: LLM, story: Completion) -> None:
    stop = story.text[:3]
    assert ask(llm, max_tokens=200, stop=[stop]).text == ""
    later = story.text.find(stop, 8)
    text = ask(llm, max_tokens=200, stop=[stop], min_tokens=4).text
    assert text == (story.text if later < 0 else story.text[:later])


def test_bad_words_are_not_in_the_answer(llm: LLM, story: Completion) -> None:
    words = [word for word in story.text.replace(".", "").replace(",", "").split() if len(word) > 3][:4]
    other = ask(llm, max_tokens=60, bad_words=words)
    assert other.token_ids != story.token_ids
    assert not set(words) & set(other.text.replace(".", "").replace(",", "").split())


def test_only_allowed_tokens_are_in_the_answer(llm: LLM, story: Completion) -> None:
    allowed = story.token_ids[:4]
    completion = llm.chat(PROMPT, SamplingParams(temperature=1, max_tokens=30, allowed_token_ids=allowed))
    assert isinstance(completion, Completion) and set(completion.token_ids) <= set(allowed)


def test_bad_words_without_a_tokenizer_are_refused() -> None:
    refusal = pytest.raises(InvalidRequest, match="bad_words need a tokenizer")
    with LLM(CHECKPOINTS / "llama-tied-gqa") as llm, refusal as raised:
        llm.generate([1, 2], SamplingParams(bad_words=["x"]))
    assert raised.value.param == "bad_words"


@pytest.mark.parametrize("params", [{"typical_p": 0.6}, {"mirostat": 2, "mirostat_tau": 3.0}], ids=str)
def test_answers_do_not_depend_on_others(llm: LLM, params: dict) -> None:
    """Neither on what runs beside them, nor on how often they are asked for."""
    asked = [SamplingParams(temperature=1, seed=seed, max_tokens=30, **params) for seed in range(8)]
    alone = [llm.chat(PROMPT, item).token_ids for item in asked]
    together = [answer.token_ids for answer in llm.chat([PROMPT] * 8, asked)]
    assert alone == together and len(set(map(tuple, alone))) > 4
