"""The parameters of sampling, and how tokens are chosen."""

import math

import numpy as np
import pytest

from model_core import SamplingParams
from model_core.errors import InvalidRequest
from model_core.requests.results import TokenLogprob
from model_core.requests.sampling import GenerationDefaults
from model_core.sampling.batch_sampler import Draw, RowSampler
from model_core.sampling.sampler import Sampler

LOGITS = np.array([1.0, 3.0, 2.0, -1.0, 0.5], np.float32)
DEFAULTS = GenerationDefaults(temperature=1.0)
ROWS = RowSampler(len(LOGITS))


def sample(
    sampler: Sampler, logits: np.ndarray = LOGITS, mask: np.ndarray | None = None
) -> tuple[int, TokenLogprob | None]:
    rows = ROWS if len(logits) == len(LOGITS) else RowSampler(len(logits))
    chosen = rows.sample(logits[None].copy(), [Draw(sampler, 0, mask)])[0]
    return chosen.token, chosen.logprob


def sampler(prompt: tuple[int, ...] = (0,), **params: object) -> Sampler:
    return Sampler(SamplingParams(**params).with_defaults(DEFAULTS), list(prompt), len(LOGITS))


def token_shares(count: int = 2000, **params: object) -> np.ndarray:
    """The share of each token, over many seeds."""
    tokens = [sample(sampler(seed=seed, **params))[0] for seed in range(count)]
    return np.bincount(tokens, minlength=len(LOGITS)) / count


@pytest.mark.parametrize(
    "values",
    [
        {"temperature": -0.1},
        {"temperature": 2.1},
        {"temperature": float("nan")},
        {"temperature": float("inf")},
        {"temperature": "1"},
        {"temperature": True},
        {"temperature": 10**400},
        {"top_p": 1.5},
        {"top_k": -2},
        {"top_k": 1.5},
        {"min_p": 2},
        {"repetition_penalty": 0},
        {"presence_penalty": 3},
        {"max_tokens": -1},
        {"max_tokens": 2.0},
        {"max_tokens": True},
        {"seed": "x"},
        {"seed": 2**64},
        {"logprobs": 21},
        {"logprobs": -1},
        {"stop": 5},
        {"stop": [""]},
        {"stop": ["a"] * 17},
        {"stop": ["a" * 257]},
        {"stop": [1]},
        {"logit_bias": [1]},
        {"logit_bias": {"x": 1}},
        {"logit_bias": {"1": 101}},
        {"logit_bias": {"1": "a"}},
        {"typical_p": 1.1},
        {"mirostat": 1},
        {"mirostat": True},
        {"mirostat_tau": -1},
        {"mirostat_eta": 2},
        {"min_tokens": -1},
        {"stop_token_ids": 5},
        {"stop_token_ids": [-1]},
        {"stop_token_ids": ["x"]},
        {"stop_token_ids": [1] * 257},
        {"allowed_token_ids": []},
        {"allowed_token_ids": [1.5]},
        {"bad_words": "x"},
        {"bad_words": [""]},
        {"bad_words": ["x"] * 257},
        {"bad_words": ["x" * 257]},
        {"bad_words": ["\ud800"]},
        {"include_stop_str_in_output": 1},
        {"ignore_eos": 1},
        {"timeout_s": -1},
        {"surprise": 1},
    ],
    ids=str,
)
def test_wrong_value_is_refused_with_its_name(values: dict) -> None:
    with pytest.raises(InvalidRequest) as raised:
        SamplingParams(**values)
    (name,) = values
    assert str(raised.value).startswith((f"{name} ", f"{name}[", f"unknown parameter '{name}'"))
    assert raised.value.param is not None and raised.value.param.startswith(name)
    assert len(str(raised.value)) < 300


def test_json_values_are_accepted() -> None:
    params = SamplingParams(
        **{
            "temperature": 1,
            "stop": "end",
            "logit_bias": {"3": -100},
            "max_tokens": None,
            "seed": -5,
            "presence_penalty": None,
        }
    )
    assert params.stop == ("end",)
    assert params.presence_penalty == 0
    assert params.logit_bias == {3: -100.0}
    assert isinstance(params.temperature, float)


def test_unset_parameters_come_from_the_checkpoint() -> None:
    defaults = GenerationDefaults(temperature=0.6, top_p=0.9, top_k=40, min_p=0.1, repetition_penalty=1.1)
    params = SamplingParams(top_p=0.5).with_defaults(defaults)
    assert (params.temperature, params.top_p, params.top_k) == (0.6, 0.5, 40)
    assert (params.min_p, params.repetition_penalty) == (0.1, 1.1)


def test_temperature_zero_chooses_the_likeliest_token() -> None:
    assert sample(sampler(temperature=0))[0] == 1


def test_temperature_one_samples_the_models_probabilities() -> None:
    expected = np.exp(LOGITS) / np.exp(LOGITS).sum()
    assert np.abs(token_shares(temperature=1.0) - expected).max() < 0.04


def test_low_temperature_sharpens_the_distribution() -> None:
    expected = np.exp(LOGITS / 0.5) / np.exp(LOGITS / 0.5).sum()
    assert np.abs(token_shares(temperature=0.5) - expected).max() < 0.04


def test_top_k_keeps_k_tokens() -> None:
    assert np.flatnonzero(token_shares(300, temperature=2, top_k=2)).tolist() == [1, 2]


def test_top_p_keeps_the_token_that_crosses_the_threshold() -> None:
    # probabilities: token 1 0.63, token 2 0.23, token 0 0.09, ...
    assert np.flatnonzero(token_shares(300, temperature=1, top_p=0.6)).tolist() == [1]
    assert np.flatnonzero(token_shares(300, temperature=1, top_p=0.65)).tolist() == [1, 2]
    assert np.flatnonzero(token_shares(300, temperature=1, top_p=0)).tolist() == [1]


def test_min_p_is_relative_to_the_largest_probability() -> None:
    assert np.flatnonzero(token_shares(300, temperature=1, min_p=0.3)).tolist() == [1, 2]


def test_same_seed_gives_the_same_tokens() -> None:
    first, again, other = (sampler(temperature=2, seed=seed) for seed in (7, 7, 8))
    tokens = [[sample(s)[0] for _ in range(50)] for s in (first, again, other)]
    assert tokens[0] == tokens[1] != tokens[2]


def test_all_bits_of_a_seed_count() -> None:
    drawn = {}
    for seed in (7, 7 + 2**32, 7 - 2**63, -7):
        chooser = sampler(temperature=2, seed=seed)
        drawn[seed] = tuple(sample(chooser)[0] for _ in range(40))
    assert len(set(drawn.values())) == len(drawn)


def test_repetition_penalty_counts_prompt_and_answer() -> None:
    assert sample(sampler(prompt=(1,), temperature=0, repetition_penalty=2))[0] == 2
    negative = np.array([-1.0, -1.5], np.float32)
    params = SamplingParams(temperature=0, repetition_penalty=2).with_defaults(DEFAULTS)
    assert sample(Sampler(params, [0], 2), negative)[0] == 1


def test_presence_and_frequency_penalties_count_the_answer_only() -> None:
    once = sampler(prompt=(1,), temperature=0, presence_penalty=1.5)
    assert [sample(once)[0] for _ in range(4)] == [1, 2, 1, 1]
    often = sampler(prompt=(1,), temperature=0, frequency_penalty=0.75)
    assert [sample(often)[0] for _ in range(5)] == [1, 1, 2, 1, 2]


def test_logit_bias_excludes_and_forces_tokens() -> None:
    assert sample(sampler(temperature=0, logit_bias={1: -100}))[0] == 2
    assert sample(sampler(temperature=1, logit_bias={3: 100}))[0] == 3
    with pytest.raises(InvalidRequest, match="token 5"):
        sampler(logit_bias={5: 1})


def test_logprobs_are_those_before_bias_and_penalties() -> None:
    token, logprob = sample(sampler(temperature=0, logprobs=2, logit_bias={1: -100}))
    expected = LOGITS - math.log(np.exp(LOGITS.astype(np.float64)).sum())
    assert token == 2
    assert logprob is not None
    assert logprob.logprob == pytest.approx(expected[2])
    assert [i for i, _ in logprob.top] == [1, 2]
    assert logprob.top[0][1] == pytest.approx(expected[1])


@pytest.mark.parametrize("name", ["logit_bias", "stop_token_ids", "allowed_token_ids"])
def test_token_outside_the_vocabulary_is_refused(name: str) -> None:
    with pytest.raises(InvalidRequest, match=f"{name} names token 5, but .* from 0 to 4") as raised:
        sampler(**{name: {5: 1} if name == "logit_bias" else [0, 5]})
    assert raised.value.param == name


def test_only_allowed_tokens_are_chosen() -> None:
    assert sample(sampler(temperature=0, allowed_token_ids=[0, 2, 4]))[0] == 2
    shares = token_shares(500, temperature=2, allowed_token_ids=[0, 3])
    expected = np.exp(LOGITS[[0, 3]] / 2) / np.exp(LOGITS[[0, 3]] / 2).sum()
    assert shares[[1, 2, 4]].sum() == 0 and np.abs(shares[[0, 3]] - expected).max() < 0.08


def ended_sampler(*bad_words: list[int], **params: object) -> Sampler:
    """A sampler of the likeliest token, for answers that end with token 1."""
    filled = SamplingParams(temperature=0, **params).with_defaults(DEFAULTS)
    return Sampler(filled, [0], len(LOGITS), end_ids={1}, bad_words=bad_words)


def test_end_tokens_are_not_chosen_before_min_tokens() -> None:
    chosen = ended_sampler(min_tokens=3)
    assert [sample(chosen)[0] for _ in range(5)] == [2, 2, 2, 1, 1]


def test_last_token_of_a_bad_word_is_not_chosen() -> None:
    assert sample(ended_sampler([1]))[0] == 2
    chosen = ended_sampler([1, 1, 1], [1, 2, 0], [2, 1])
    assert [sample(chosen)[0] for _ in range(7)] == [1, 1, 2, 2, 2, 2, 2]
    forced = ended_sampler([4, 1])
    forced.record(4)  # a token that was appended without a choice
    assert sample(forced)[0] == 2


def test_form_of_the_answer_wins_over_bans() -> None:
    only_1_and_3 = np.array([0b1010], np.uint32)
    assert sample(ended_sampler([1]), mask=only_1_and_3)[0] == 3
    assert sample(ended_sampler([1], [3]), mask=only_1_and_3)[0] == 1
    assert sample(ended_sampler(allowed_token_ids=[0, 2]), mask=only_1_and_3)[0] == 1
